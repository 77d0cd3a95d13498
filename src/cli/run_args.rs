//! The arguments of the commands that measure or verify.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::machine::MachineArgs;
use crate::config::{MOST_PASSES, MOST_SAMPLES, Shard, Sweep, parse_duration, parse_target};
use crate::opencl::LaunchLimit;

pub const RUN_HELP: &str = "\
A run writes into one folder (default reports/local/<experiment>): samples.csv, measurements.csv,
tables/, charts/, report.md and index.html. The same command again goes on where an interrupted run
stopped and measures nothing twice; --fresh starts over.

With --shard 2/3 it measures a third of the families of cases (those that differ in their last axis of
numbers alone, such as the depths of a board), with all techniques; of a match, of each cell's pairs of games,
every opening in one shard. Each shard has the whole budget. Its folder is 2-of-3 in --out (default reports/local/<experiment>-shards);
`bench merge` makes one run of all. In a Slurm array each task takes its shard by itself.

One timing run has the machine at a time; a second one waits, and says for whom.

Filters never drop the baselines: every speed-up needs them. A cell that cannot end within its
budget is skipped, and its row says what it was predicted to take.";

#[derive(Args, Debug, Default)]
pub struct RunArgs {
    /// Experiment files; of a suite all, or FILE:NAME
    #[arg(required = true, value_name = "CONFIG")]
    pub configs: Vec<PathBuf>,
    /// Device: part of its name, PLATFORM:DEVICE, gpu, cpu, all [default: the best one]
    #[arg(short, long = "device", value_name = "SEL")]
    pub devices: Vec<String>,
    /// Only techniques whose label matches (baselines stay)
    #[arg(short, long, value_name = "REGEX")]
    pub technique: Option<String>,
    /// Only these cases, as AXIS=VALUE; one axis twice means either
    #[arg(short, long = "case", value_name = "AXIS=VALUE")]
    pub cases: Vec<String>,
    /// Only this part of the experiment, as 2/3: of the families of cases that the filters leave, or of a
    /// match's pairs of games, every third, from the second on [default in a Slurm array: that of its task]
    #[arg(long, value_name = "I/N", value_parser = str::parse::<Shard>)]
    pub shard: Option<Shard>,
    /// Time for the whole run, as 90s, 5m, 1h
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// Time for each cell, as 30s: more gives more positions and tighter intervals
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub cell_budget: Option<Duration>,
    #[command(flatten)]
    pub stop_rule: StopRuleArgs,
    /// Seed of everything random: sampling order, intervals, playouts
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Fewer samples and shorter cells: a look, not a measurement
    #[arg(long)]
    pub quick: bool,
    /// Run folder [default: reports/local/<experiment>]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Throw away what the run folder holds
    #[arg(long)]
    pub fresh: bool,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// End with exit code 3 where any cell has no answer: skipped, unsupported and out of memory too
    #[arg(long)]
    pub strict: bool,
    /// Print the cells in order and stop
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Add a technique for each value of a launch parameter, as group=32,64,128, beside the defaults of each
    /// device technique that has it; repeated: all combinations
    #[arg(long, value_name = "PARAM=VALUES")]
    pub sweep: Vec<Sweep>,
    #[command(flatten)]
    pub workers: WorkersArgs,
    /// Print the rows as JSON on stdout
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
Runs configs/score.toml, which is built in: five fixed cases, one a game, each by the device's fastest
technique and the best CPU programs, within two minutes. The card has a line a case: the rate, the ratio
over the fastest CPU program, which is named, and the rate as a share of the fastest published device's.
Published are the committed runs of this command below --reports. `†` marks a number of fewer
than three passes or six samples; a ratio with too wide an interval is `unclear`.

Each game's run folder is DIR/score-<game>, like that of any other run: rows, samples, report. Run again,
it is measured anew.

Examples:
  bench score
  bench score --device gpu --json

Exit codes: as bench run; 5 no device";

#[derive(Args, Debug)]
pub struct ScoreArgs {
    /// Device: part of its name, PLATFORM:DEVICE, gpu, cpu [default: the best one]
    #[arg(short, long, value_name = "SEL")]
    pub device: Option<String>,
    /// Folder of the run folders [default: reports/local/score/<device>]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where committed runs are
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub reports: PathBuf,
    /// Threads of the parallel baselines [default: all that this process may use]
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
Each technique with kernels is asked what is hard to get right: passes, ends of games, full columns,
every line direction, captures of many jumps, crownings, odd and large boards, cut-offs, full boards, many seeds.
The host answers the same in the same call. Nothing is timed but the whole; a driver that crashes or hangs
costs a case.

The table has a line for each technique: right, WRONG with the smallest failing case and the command that asks
it again, unsupported with what the device lacks, or how it failed. A technique is incomplete if cases were skipped and
the others were right or unsupported. The same command with the name of a technique
of the host (bench list: compared with) shows the right answer. What was found is kept beside the built programs,
and bench run says where a device was never verified with the same program and driver.

Examples:
  bench verify --device gpu
  bench verify --game gomoku --technique '^pvs$'
  oclgrind bench verify --device oclgrind --budget 20s
      a simulator, which takes days for all
  bench verify --kernels my-kernels --fail-fast
      kernels of one's own, until the first wrong answer

Exit codes: 0 all right, unsupported or incomplete · 2 a wrong answer · 3 a kernel did not build, crashed or hung, no
case of a technique was asked, or with --strict a technique is not right · 5 no device matched";

#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Only techniques of this game
    #[arg(short, long, value_name = "GAME")]
    pub game: Option<String>,
    /// Only techniques whose name matches
    #[arg(short, long, value_name = "REGEX")]
    pub technique: Option<String>,
    /// The kernels and programs that this experiment brings, by their labels, instead of the built-in techniques
    #[arg(long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Device: part of its name, PLATFORM:DEVICE, gpu, cpu [default: the best one]
    #[arg(short, long, value_name = "SEL")]
    pub device: Option<String>,
    /// Write the report, verify.json, to this file
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Stop at the first case that is not right
    #[arg(long)]
    pub fail_fast: bool,
    /// End with exit code 3 if a technique is not right: unsupported and incomplete too
    #[arg(long)]
    pub strict: bool,
    /// Time for each technique, as 60s: cases that it leaves no time for, and one that it cuts off, are skipped
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// Give a case up after this time, as 20s, 2m; 20 s after the end of the budget at the latest
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_duration)]
    pub deadline: Duration,
    #[command(flatten)]
    pub workers: WorkersArgs,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// What the user lets experiments start.
#[derive(Args, Clone, Debug, Default)]
pub struct ConsentArgs {
    /// Start the programs that experiments name as `command`
    #[arg(long)]
    pub allow_commands: bool,
    /// Start those programs whose files are in this list, as sha256sum writes it
    #[arg(long, value_name = "FILE")]
    pub trusted: Option<PathBuf>,
}

/// Where built programs are kept, for the commands that need some.
#[derive(Args, Clone, Debug, Default)]
pub struct CacheArgs {
    /// Keep built programs in this folder; `off` keeps none [default: plybench/programs in the
    /// user's cache folder]
    #[arg(long, value_name = "DIR", env = "PLYBENCH_CACHE")]
    pub cache: Option<OsString>,
    /// Build every program anew and keep none, so that build times are those of the compiler
    #[arg(long)]
    pub no_cache: bool,
}

/// How the workers of a command start.
#[derive(Args, Clone, Debug, Default)]
pub struct WorkersArgs {
    /// Threads of the parallel techniques of the host [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Take kernels from this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    /// End each launch of a kernel within this time, for example 20ms; `off` for no limit. A technique of a paper,
    /// which cannot be split, is skipped if it is predicted to take longer [default: 50ms on GPUs, off on CPUs]
    #[arg(long, value_name = "TIME")]
    pub launch_limit: Option<LaunchLimit>,
    #[command(flatten)]
    pub cache: CacheArgs,
}
