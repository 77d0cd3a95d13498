//! The arguments of the commands that measure or verify.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::machine::MachineArgs;
use crate::config::{MOST_PASSES, MOST_SAMPLES, Shard, Sweep, parse_duration, parse_target};
use crate::opencl::LaunchLimit;

pub const RUN_HELP: &str = "\
The run folder (default reports/local/<experiment>) gets samples.csv, measurements.csv, tables, charts and
index.html. The same command resumes an interrupted run; --fresh starts over.

Filters keep the baselines, because every speedup needs them. A cell that cannot end within its budget is skipped,
and its row has the prediction. Only one timing run uses a machine at a time; a second one waits.";

#[derive(Args, Debug, Default)]
pub struct RunArgs {
    /// Experiment files, or FILE:NAME for one of a suite
    #[arg(required = true, value_name = "CONFIG")]
    pub configs: Vec<PathBuf>,
    /// Device: part of its name, PLATFORM:DEVICE, gpu, cpu, all [default: the best one]
    #[arg(short, long = "device", value_name = "SEL")]
    pub devices: Vec<String>,
    /// Measure only techniques whose label matches, and the baselines
    #[arg(short, long, value_name = "REGEX")]
    pub technique: Option<String>,
    /// Measure only these cases, AXIS=VALUE. Repeat an axis for several values
    #[arg(short, long = "case", value_name = "AXIS=VALUE")]
    pub cases: Vec<String>,
    /// Run shard I of N, for example 2/3. In a Slurm array: $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
    #[arg(long, value_name = "I/N", value_parser = str::parse::<Shard>)]
    pub shard: Option<Shard>,
    /// Limit the time of the whole run, for example 5m
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// Limit the time of each cell, for example 30s
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub cell_budget: Option<Duration>,
    #[command(flatten)]
    pub stop_rule: StopRuleArgs,
    /// Seed for sampling order, intervals and playouts
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Take fewer samples in shorter time, for a first look
    #[arg(long)]
    pub quick: bool,
    /// Run folder [default: reports/local/<experiment>]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Delete the run in the folder and start over
    #[arg(long)]
    pub fresh: bool,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Start the programs that experiments name as `command`
    #[arg(long)]
    pub allow_commands: bool,
    /// Exit with 3 if any cell has no answer
    #[arg(long)]
    pub strict: bool,
    /// Print the cells in order and stop
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Measure each value of a launch parameter as a technique, for example group=32,64,128. Repeat for combinations
    #[arg(long, value_name = "PARAM=VALUES")]
    pub sweep: Vec<Sweep>,
    #[command(flatten)]
    pub workers: WorkersArgs,
    /// Print the rows as JSON
    #[arg(long)]
    pub json: bool,
}

/// When a cell has enough samples, in place of the experiment's `[sampling]`.
#[derive(Args, Clone, Debug, Default)]
pub struct StopRuleArgs {
    /// End a cell if its 95 % interval is this close to the median on each side, for example 2%
    #[arg(long, value_name = "PERCENT", value_parser = parse_target)]
    pub target: Option<f64>,
    /// Take at least N samples per cell, unless its budget ends
    #[arg(long, value_name = "N", value_parser = whole::<MOST_SAMPLES>)]
    pub min_samples: Option<usize>,
    /// Take at most N samples per cell
    #[arg(long, value_name = "N", value_parser = whole::<MOST_SAMPLES>)]
    pub max_samples: Option<usize>,
    /// Walk over the cases N times, each time with new processes and in another order
    #[arg(long, value_name = "N", value_parser = whole::<MOST_PASSES>)]
    pub passes: Option<usize>,
}

fn whole<const MOST: u64>(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|it| (1..=MOST).contains(it));
    let number = number.and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| format!("must be a whole number from 1 to {MOST}"))
}

pub const SCORE_HELP: &str = "\
Runs five built-in cases (configs/score.toml) in two minutes. Each line has the rate of the device's fastest
technique, its ratio over the fastest CPU program, and its share of the fastest committed device's rate.
`†` marks a number of fewer than three passes or six samples.

Exit codes: as bench run; 5 no device";

#[derive(Args, Debug)]
pub struct ScoreArgs {
    /// Device: part of its name, PLATFORM:DEVICE, gpu, cpu [default: the best one]
    #[arg(short, long, value_name = "SEL")]
    pub device: Option<String>,
    /// Folder of the run folders [default: reports/local/score/<device>]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Folder of the committed runs
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub reports: PathBuf,
    /// Threads of the CPU techniques [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub const VERIFY_HELP: &str = "\
Runs hard cases on each technique with kernels, and compares its answers with the CPU reference. A driver that
crashes or hangs costs one case. A wrong technique is listed with its smallest failing case and the command that
repeats it. A technique is incomplete if cases were skipped.

Examples:
  bench verify --device gpu
  bench verify --game gomoku --technique '^pvs$'
  oclgrind bench verify --device oclgrind --budget 20s
  bench verify --kernels my-kernels --fail-fast

Exit codes: 0 all right, unsupported or incomplete · 2 a wrong answer · 3 a kernel did not build, crashed or hung, a
technique had no case, or with --strict a technique is not right · 5 no device matched";

#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Only techniques of this game
    #[arg(short, long, value_name = "GAME")]
    pub game: Option<String>,
    /// Only techniques whose name matches
    #[arg(short, long, value_name = "REGEX")]
    pub technique: Option<String>,
    /// Check the kernels and programs of this experiment
    #[arg(long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// Start the programs that experiments name as `command`
    #[arg(long)]
    pub allow_commands: bool,
    /// Device: part of its name, PLATFORM:DEVICE, gpu, cpu [default: the best one]
    #[arg(short, long, value_name = "SEL")]
    pub device: Option<String>,
    /// Write the report, verify.json, to this file
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Stop at the first case that is not right
    #[arg(long)]
    pub fail_fast: bool,
    /// Exit with 3 if any technique is not right
    #[arg(long)]
    pub strict: bool,
    /// Limit the time of each technique, for example 60s. Skip its other cases
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// Give up a case after this time
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_duration)]
    pub deadline: Duration,
    #[command(flatten)]
    pub workers: WorkersArgs,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// Where built programs are kept, for the commands that need some.
#[derive(Args, Clone, Debug, Default)]
pub struct CacheArgs {
    /// Keep built programs in this folder, or `off` [default: plybench/programs in the user's cache folder]
    #[arg(long, value_name = "DIR", env = "PLYBENCH_CACHE")]
    pub cache: Option<OsString>,
    /// Build every program again and keep none
    #[arg(long)]
    pub no_cache: bool,
}

/// How the workers of a command start.
#[derive(Args, Clone, Debug, Default)]
pub struct WorkersArgs {
    /// Threads of the CPU techniques [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Take kernels from this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    /// Limit the time of each kernel launch, for example 20ms, or `off` [default: 50ms on GPUs, off on CPUs]
    #[arg(long, value_name = "TIME")]
    pub launch_limit: Option<LaunchLimit>,
    #[command(flatten)]
    pub cache: CacheArgs,
}
