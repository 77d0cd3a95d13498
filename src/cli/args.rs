//! Defines the command line, with every command and option.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, value_parser};
use clap_complete::Shell;

use super::machine::MachineArgs;
use crate::config::{Overrides, Selection, parse_duration, parse_sweep};
use crate::harness::WorkerOptions;
use crate::opencl::LaunchLimit;
use crate::report::Site;
use crate::report::compare::Options;
use crate::words::Value;

const EXAMPLES: &str = "\
Examples:
  bench devices                                  list the OpenCL devices
  bench verify                                   check every kernel on the best device
  bench score                                    measure five cases in two minutes
  bench run smoke                                run every technique on tiny boards
  bench run reversi --device gpu                 measure a paper's tables on a GPU
  bench compare before after --fail-over 5%      compare two runs of one experiment
  bench search reversi --depth 6 --technique serial --position f5d6c3

Exit codes: 0 good · 1 wrong usage or an invalid experiment file · 2 a wrong answer · 3 a cell failed, or no cell has an answer \
· 4 a file cannot be read or written · 5 no device · 6 slower than compare --fail-over allows · 130 interrupted";

/// A portable OpenCL benchmarking harness for GPU game-tree search.
///
/// It runs the techniques of an experiment on OpenCL devices and on the CPU, and checks every answer. It writes CSV
/// files, charts, and a report that compares the results with the paper's numbers.
#[derive(Parser, Debug)]
#[command(
    name = "bench",
    version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("PLYBENCH_REVISION"), ")"),
    after_long_help = EXAMPLES,
    propagate_version = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run experiments: measure, check the answers, write reports
    #[command(after_long_help = RUN_HELP)]
    Run(RunArgs),
    /// Measure one device in two minutes, with one case per game
    #[command(after_long_help = SCORE_HELP)]
    Score(ScoreArgs),
    /// Check every kernel against the CPU reference on hard cases
    #[command(after_long_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// List the OpenCL devices on this machine
    Devices {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List experiments, games and techniques
    List(ListArgs),
    /// Write reports from run folders, or check the folders
    #[command(after_long_help = REPORT_HELP)]
    Report(ReportArgs),
    /// Compare two runs or two programs, cell by cell
    #[command(after_long_help = COMPARE_HELP)]
    Compare(CompareArgs),
    /// Merge the shards of an experiment into one run folder
    #[command(after_long_help = MERGE_HELP)]
    Merge(MergeArgs),
    /// Write an example kernel or program, and its experiment
    #[command(subcommand)]
    New(NewKind),
    /// Count the move sequences of N plies
    Perft(DepthArgs),
    /// Search one position with one technique
    Search(DepthArgs),
    /// Play random games from one position and print the tally
    Playouts {
        #[command(flatten)]
        one: OneArgs,
        /// Number of random games per position
        #[arg(short = 'N', long, value_name = "N", value_parser = value_parser!(i64).range(0..=1_000_000_000_000))]
        count: i64,
    },
    /// Choose a move in one position, within a time limit or a number of iterations
    Choose {
        #[command(flatten)]
        one: OneArgs,
        /// Limit the effort per move to a time, for example 100ms, or to a number of iterations
        #[arg(short, long, value_name = "TIME|N")]
        effort: String,
    },
    /// Serve one device to a parent process (internal)
    #[command(hide = true)]
    Worker {
        #[command(flatten)]
        options: WorkerOptions,
        /// Describe this program as one line of JSON and exit
        #[arg(long)]
        describe: bool,
        /// Describe every device as one line of JSON and exit
        #[arg(long)]
        probe: bool,
    },
    /// Print a completion script for a shell
    Completions {
        /// Name of the shell
        shell: Shell,
    },
}

#[derive(Subcommand, Debug)]
pub enum NewKind {
    /// Write a commented example kernel
    Kernel {
        /// Name of the game
        game: String,
        /// Contract of the kernel: playouts, perft, subtrees or evaluate
        contract: String,
        /// File to create. Neither it nor the matching .toml may exist
        file: PathBuf,
    },
    /// Write an example program in Python that plays Connect Four
    Program {
        /// File to create. Neither it nor the matching .toml may exist
        file: PathBuf,
    },
}

#[derive(Args, Debug)]
pub struct ListArgs {
    /// Game or technique to describe
    pub name: Option<String>,
    /// Print an Annexation board as text for --position, for example hex200 or hex200/5
    #[arg(requires = "name", conflicts_with = "json")]
    pub board: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub const RUN_HELP: &str = "\
Pass a file or the name of a built-in experiment, for example `bench run reversi`. To copy a built-in file, use \
`bench run reversi --show > mine.toml`.

A run writes samples.csv, measurements.csv, tables, charts and index.html to the run folder (default \
reports/local/<experiment>). The same command resumes an interrupted run; --fresh starts over.

Filters keep the baselines of the tables. The ratio over the best CPU program also needs the other CPU techniques. A cell \
that cannot finish within its budget is skipped, and its row shows the predicted time. Only one timing run can use a machine \
at a time. A second run waits.";

#[derive(Args, Debug, Default)]
pub struct RunArgs {
    /// Experiments: files or built-in names. Select one experiment of a suite as FILE:NAME
    #[arg(required = true, value_name = "CONFIG")]
    pub configs: Vec<PathBuf>,
    /// Print the experiment's file and exit
    #[arg(long)]
    pub show: bool,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Run folder [default: reports/local/<experiment>]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Whether each experiment has its own folder below `out`.
    #[arg(skip)]
    pub several: bool,
    /// Delete the existing run in the folder and start over
    #[arg(long)]
    pub fresh: bool,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Allow the experiments to start the programs in their `command` keys
    #[arg(long)]
    pub allow_commands: bool,
    /// Exit with 3 if any cell has no answer
    #[arg(long)]
    pub strict: bool,
    /// Print the cells in measuring order and exit
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Measure each value of a parameter as a separate technique, for example group=32,64,128. Repeat for combinations
    #[arg(long, value_name = "PARAM=VALUES", value_parser = parse_sweep)]
    pub sweep: Vec<(String, Vec<Value>)>,
    #[command(flatten)]
    pub workers: WorkersArgs,
    /// Print the rows as JSON
    #[arg(long)]
    pub json: bool,
}

pub const SCORE_HELP: &str = "\
Runs five fixed cases in at most two minutes. Each line shows the rate of the device's fastest technique, its speedup over \
the fastest CPU program, and a bar with the rate relative to the best published rate. `†` marks values from fewer than \
three passes, and `‡` marks those from fewer than six samples. The last line is a row for the table of devices.

Exit codes: as in bench run, and 5 if there is no device";

#[derive(Args, Debug)]
pub struct ScoreArgs {
    /// Select a device by part of its name, PLATFORM:DEVICE, gpu or cpu [default: the best one]
    #[arg(short, long, value_name = "SEL")]
    pub device: Option<String>,
    /// Folder for the run folders [default: reports/local/score/<device>]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the row of the last score again, without a new measurement
    #[arg(long, conflicts_with = "json")]
    pub row: bool,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub host: HostArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub const VERIFY_HELP: &str = "\
Runs hard cases with each technique that has kernels, and compares the answers with the CPU reference. A driver that \
crashes or hangs costs only one case. If a technique is wrong, the command prints its first failing case and how to repeat \
it. A technique is incomplete if some of its cases were skipped.

Examples:
  bench verify --device gpu
  bench verify --game gomoku --technique '^pvs$'
  oclgrind bench verify --device oclgrind --budget 20s
  bench verify --kernels my-kernels --fail-fast

Exit codes: 0 all correct, unsupported or incomplete · 2 a wrong answer · 3 a kernel did not build, crashed or hung, no \
case of a technique ran, or, with --strict, a technique did not pass · 5 no device matched";

#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Check only techniques of this game
    #[arg(short, long, value_name = "GAME")]
    pub game: Option<String>,
    /// Check only techniques whose name matches this regular expression
    #[arg(short, long, value_name = "REGEX")]
    pub technique: Option<String>,
    /// Check the kernels and programs of this experiment
    #[arg(long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// Allow the experiment to start the programs in its `command` keys
    #[arg(long)]
    pub allow_commands: bool,
    /// Select a device by part of its name, PLATFORM:DEVICE, gpu or cpu [default: the best one]
    #[arg(short, long, value_name = "SEL")]
    pub device: Option<String>,
    /// Stop at the first case that fails
    #[arg(long)]
    pub fail_fast: bool,
    /// Exit with 3 unless every technique passes
    #[arg(long)]
    pub strict: bool,
    /// Limit the time for each technique, for example 60s. When the time runs out, the technique's remaining cases are
    /// skipped
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// Give up on a case after this time
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_duration)]
    pub deadline: Duration,
    #[command(flatten)]
    pub workers: WorkersArgs,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Clone, Debug, Default)]
pub struct HostArgs {
    /// Number of threads for the CPU techniques [default: all]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Cache built programs in this folder, or `off` to disable [default: plybench/programs in the user's cache folder]
    #[arg(long, value_name = "DIR", env = "PLYBENCH_CACHE")]
    pub cache: Option<OsString>,
    /// Limit the time of each kernel launch, for example 20ms, or `off` [default: 50ms on GPUs, off on CPUs]
    #[arg(long, value_name = "TIME")]
    pub launch_limit: Option<LaunchLimit>,
}

#[derive(Args, Clone, Debug, Default)]
pub struct WorkersArgs {
    #[command(flatten)]
    pub host: HostArgs,
    /// Load kernels from this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
}

pub const COMPARE_HELP: &str = "\
Prints the ratio of B's time to A's for each cell in both runs, with a 95 % interval from the passes of both runs.

  same      the interval lies within 1 ± 2 %
  faster    the whole interval is below 1, and the change is not `same`
  slower    the whole interval is above 1, and the change is not `same`
  unclear   the interval contains 1 but exceeds 1 ± 2 %, or a run has fewer than three passes for the cell

If B is a machine with committed runs, a table shows the fastest technique per case on both machines:
  bench compare reports/local/reversi nvidia-h200

--programs measures two programs alternately, for example as a gate in continuous integration:
  bench compare --programs last-good/bench target/release/bench configs/smoke.toml:smoke-reversi --fail-over 5%

A gate also fails if a cell lost its answer in B or covers fewer positions of a game. See docs/methodology.md.

Exit codes: 0 good · 1 not comparable · 4 a folder is damaged · 6 slower than the gate allows, or an answer was lost. With \
--programs also 2 and 3 for cells that OLD answered, and 5 if a device technique has no device";

#[derive(Args, Debug)]
pub struct CompareArgs {
    /// Run folder of the earlier program. With --programs: the experiment file, or FILE:NAME in a suite
    #[arg(value_name = "A | CONFIG")]
    pub a: PathBuf,
    /// Run folder of the later program, or a machine with committed runs, for example nvidia-h200
    #[arg(
        value_name = "B",
        required_unless_present = "programs",
        // `cache` is not listed, because an environment variable may set it.
        conflicts_with_all = [
            "programs", "devices", "passes", "budget", "cell_budget", "threads", "out", "shared", "launch_limit",
        ]
    )]
    pub b: Option<PathBuf>,
    /// Measure two programs alternately and compare them
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"])]
    pub programs: Option<Vec<PathBuf>>,
    #[command(flatten)]
    pub options: Options,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub measure: MeasureArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "With --programs")]
pub struct MeasureArgs {
    /// Select devices by part of the name, PLATFORM:DEVICE, gpu, cpu or all [default: the best one]
    #[arg(short, long = "device", value_name = "SEL")]
    pub devices: Vec<String>,
    /// Number of passes over the cases [default: the experiment's]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(3..=100))]
    pub passes: Option<u16>,
    /// Limit the total time for both programs, for example 5m [default: the experiment's]
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// Limit the time of each cell for each program, for example 30s
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub cell_budget: Option<Duration>,
    /// Folder for the two run folders, `old` and `new` [default: reports/local/compare-<experiment>]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub host: HostArgs,
}

pub const MERGE_HELP: &str = "\
Merges the shards that `bench run --shard I/N` measured, and writes a report. Each ratio compares cells of one shard. \
The row of a match combines the games of all shards.

The command checks each shard first. It refuses shards that differ in experiment, program, device model, driver, \
processor or thread count. It also refuses a cell that two shards measured.

Example:
  bench merge merged node1/1-of-3 node2/2-of-3 node3/3-of-3

Exit codes: 0 good · 1 the shards are not from one run · 3 a shard is missing or unfinished; the rest is merged · 4 a folder is damaged";

#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Folder to create
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    /// Run folders, or folders that contain run folders
    #[arg(required = true, value_name = "SHARD")]
    pub shards: Vec<PathBuf>,
    /// Replace the run in OUT
    #[arg(long)]
    pub replace: bool,
}

pub const REPORT_HELP: &str = "\
Writes index.html, tables and charts into each run folder. With --out DIR, it writes a site with all runs. The folder \
above the run folder names the machine: reports/<machine>/<experiment>.

--check and --json write nothing. With --out, --insert or --chart, --check compares these files with the runs. \
Otherwise, it checks every run folder at or below the given ones, and prints up to 40 findings per folder. Findings are unexpected files, missing \
samples, revisions that are unknown or have uncommitted changes, counters that differ from committed runs, and rows that \
contradict their samples. The check does not show that a device exists or that its times are true.

Examples:
  bench report reports/local/reversi
  bench report reports/*/reversi --out site
  bench report --check reports/community
  bench report --json reports/local/reversi | jq '.headlines[0].cases'

Exit codes: 0 good · 1 the runs cannot share a report · 4 a finding, an outdated file, or a file cannot be read or written";

#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Run folders. With --check, also folders that contain run folders, and zip files
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    #[command(flatten)]
    pub site: Site,
    /// Print each run's numbers and verdicts as one line of JSON
    #[arg(long, conflicts_with_all = ["out", "insert", "chart", "scores", "check"])]
    pub json: bool,
    /// Check the run folders, or the files given by --out, --insert, --chart and --scores
    #[arg(long)]
    pub check: bool,
    /// Folder with the committed runs for --check
    #[arg(long, value_name = "DIR")]
    #[arg(default_value = "reports", requires = "check")]
    pub against: PathBuf,
}

#[derive(Args, Clone, Debug)]
pub struct OneArgs {
    /// Name of the game, as shown by `bench list`
    pub game: String,
    /// Position, in any format that docs/commands.md lists [default: start]
    #[arg(short, long, value_name = "P", allow_hyphen_values = true)]
    pub position: Option<String>,
    /// Set another axis of the case, as AXIS=VALUE
    #[arg(short, long = "case", value_name = "AXIS=VALUE")]
    pub cases: Vec<String>,
    /// Set a game option or a technique parameter, for example capture=any
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Name of the technique
    #[arg(short, long, value_name = "T", default_value = "serial")]
    pub technique: String,
    /// Seed for random numbers. The same seed gives the same numbers on every device
    #[arg(short, long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// If the technique needs a device, select it by part of its name, PLATFORM:DEVICE, gpu or cpu
    #[arg(short, long, value_name = "SEL")]
    pub device: Option<String>,
    #[command(flatten)]
    pub workers: WorkersArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct DepthArgs {
    #[command(flatten)]
    pub one: OneArgs,
    /// Number of plies
    #[arg(short = 'N', long, value_name = "N", value_parser = value_parser!(i64).range(1..=64))]
    pub depth: i64,
}
