use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use super::cache_args::CacheArgs;
use super::compare_args::{COMPARE_HELP, CompareArgs};
use super::machine::MachineArgs;
use super::position_args::{
    BoardsArgs, ChooseArgs, PerftArgs, PictureArgs, PlayoutsArgs, SearchArgs,
};
use super::results_args::{
    EXPORT_HELP, ExportArgs, MERGE_HELP, MergeArgs, SUBMIT_HELP, SubmitArgs, VALIDATE_HELP,
    ValidateArgs,
};

/// Version and git revision.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("PLYBENCH_REVISION"),
    ")"
);

const EXAMPLES: &str = "\
Examples:
  bench devices
      which OpenCL devices are here
  bench verify
      whether the best device answers rightly: every kernel, 1 to 3 minutes
  bench score
      five cases on the best device, two minutes
  bench run configs/smoke.toml
      the whole of it in a minute: every technique on tiny boards
  bench run configs/reversi.toml --device gpu
      the reversi paper's tables on the best GPU
  bench run configs/reversi.toml --technique '^pv-split$' --case board=8x8 --case depth=4
      one cell of them, with its baselines
  bench tune configs/reversi.toml --device gpu --budget 2m
      launch parameters that suit the best GPU, for bench run --tuned
  bench compare before after --fail-over 5%
      two runs of one experiment: what became faster, what slower
  bench search reversi --depth 6 --technique serial --position f5d6c3
      one position, by one technique

Exit codes: 0 all good · 1 usage or experiment file · 2 a wrong answer · 3 a cell failed to build,
timed out, crashed or could not be asked, or no cell has an answer · 4 a file could not be read or written · 5 no device matched · 6 a cell is slower
than compare --fail-over allows · 130 interrupted";

/// A portable OpenCL benchmarking harness for GPU game-tree search
#[derive(Parser, Debug)]
#[command(
    name = "bench",
    version = VERSION,
    about,
    long_about = "A portable OpenCL benchmarking harness for GPU game-tree search.\n\nIt reads an \
        experiment, runs every technique in it on any OpenCL device, beside a serial and a rayon \
        baseline, checks every answer, and writes CSVs, charts and a report that puts what was \
        measured next to what the paper published.",
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
    /// Run experiments: measure, check, report
    #[command(after_long_help = RUN_HELP)]
    Run(RunArgs),
    /// Measure one device in two minutes: a case a game, a card of ten lines
    #[command(after_long_help = SCORE_HELP)]
    Score(ScoreArgs),
    /// Search the launch parameters that suit a device: work-group sizes, vector widths, splits
    #[command(after_long_help = TUNE_HELP)]
    Tune(TuneArgs),
    /// Hold every kernel's answers to hard cases against the host's: is this device right?
    #[command(after_long_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// List the OpenCL platforms and devices of this machine
    Devices(JsonArgs),
    /// Measure what devices can do at best: operations, bandwidths, latencies, atomics
    #[command(after_long_help = PEAKS_HELP)]
    Peaks(PeaksArgs),
    /// List experiments, games and techniques, and what each needs of a device
    List(ListArgs),
    /// Make the reports of run folders, each alone or all together, from the folders alone
    #[command(after_long_help = REPORT_HELP)]
    Report(ReportArgs),
    /// Compare two runs of one experiment, cell by cell: faster, slower, same or unclear
    #[command(after_long_help = COMPARE_HELP)]
    Compare(CompareArgs),
    /// Make one run folder of the shards of an experiment, and its report
    #[command(after_long_help = MERGE_HELP)]
    Merge(MergeArgs),
    /// Write the samples of run folders as one long table, for a data frame
    #[command(after_long_help = EXPORT_HELP)]
    Export(ExportArgs),
    /// Make a folder of runs for a pull request, without names of users and hosts
    #[command(after_long_help = SUBMIT_HELP)]
    Submit(SubmitArgs),
    /// Check run folders without a device: do rows, samples, order, counters and revisions agree?
    #[command(after_long_help = VALIDATE_HELP)]
    Validate(ValidateArgs),
    /// Put the runs of several OpenCL implementations into one table (as scripts/matrix makes them)
    #[command(after_long_help = MATRIX_HELP)]
    Matrix(MatrixArgs),
    /// Check experiment files, and the papers' claims about them, without running them
    Check(CheckArgs),
    /// Write a kernel or a program of your own to begin with, and an experiment with it
    New(NewArgs),
    /// List the built programs that are kept, or remove them
    Cache(CacheCommandArgs),
    /// Count the move sequences of exactly N plies
    Perft(PerftArgs),
    /// Search one position with one technique
    Search(SearchArgs),
    /// Print a game's boards: a line each, or one as a file to begin one's own from
    Boards(BoardsArgs),
    /// Draw random games of annexation: the frames of their turns, and the board before and after
    Picture(PictureArgs),
    /// Play random games from one position with one technique, and tell the tally
    Playouts(PlayoutsArgs),
    /// Choose a move at one position with one technique, within a time or a number of iterations
    Choose(ChooseArgs),
    /// Serve one device to a parent process (internal)
    #[command(hide = true)]
    Worker(WorkerArgs),
    /// Answer as a program that speaks docs/PROTOCOL.md, by `serial` (internal): what the protocol costs
    #[command(hide = true)]
    Echo,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

const RUN_HELP: &str = "\
A run writes into one folder (default reports/local/<experiment>): samples.csv, measurements.csv,
tables/, charts/, report.md and index.html. The same command again goes on where an interrupted run
stopped and measures nothing twice; --fresh starts over.

With --shard 2/3 it measures a third of the families of cases (those that differ in their last axis of
numbers alone, such as the depths of a board), with all techniques; of a match, of the techniques. Each
shard has the whole budget. Its folder is 2-of-3 in --out (default reports/local/<experiment>-shards);
`bench merge` makes one run of all. In a Slurm array each task takes its shard by itself.

One timing run has the machine at a time; a second one waits, and says for whom.

Filters never drop the baselines: every speed-up needs them. A cell that cannot end within its
budget is skipped, and its row says what it was predicted to take.";

#[derive(Args, Debug)]
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
    /// Only this part of the experiment, as 2/3: of the families of cases that the filters leave every
    /// third, from the second on [default in a Slurm array: that of its task]
    #[arg(long, value_name = "I/N", value_parser = str::parse::<crate::config::Shard>)]
    pub shard: Option<crate::config::Shard>,
    /// Time for the whole run, as 90s, 5m, 1h
    #[arg(short, long, value_name = "TIME", value_parser = crate::config::parse_duration)]
    pub budget: Option<Duration>,
    /// Time for each cell, as 30s: more gives more positions and tighter intervals
    #[arg(long, value_name = "TIME", value_parser = crate::config::parse_duration)]
    pub cell_budget: Option<Duration>,
    /// Threads of the parallel baselines [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
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
    /// Take kernels from this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    /// Run techniques with the launch parameters that `bench tune` found too, beside their defaults;
    /// FILE must be of the one device of this run
    #[arg(long, value_name = "FILE")]
    pub tuned: Option<PathBuf>,
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Print the rows as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

const SCORE_HELP: &str = "\
Runs configs/score.toml, which is built in: five fixed cases, one a game, each by the device's fastest
technique and the best CPU programs, within two minutes. The card has a line a case: the rate, the ratio
over the fastest CPU program, which is named, and the rate as a share of the fastest published device's.
Published are the committed runs of this command below --reports. `†` marks a number of fewer
than three passes or six samples; a ratio with too wide an interval is `unclear`.

Each game's run folder is DIR/score-<game>, like that of any other run: rows, samples, report. Run again,
it is measured anew. `bench submit` makes of them what can be sent in.

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

const TUNE_HELP: &str = "\
Each technique is verified first (bench verify), where it was not before with this program and driver.
One with launch parameters that its experiment leaves open is then searched for the same time:
one parameter after another, its values measured in turns as a run measures techniques, and every
answer checked. The case is the dearest of the experiment's that leaves time for all values. A value
wins where its interval is clear of the old one's.

What was found and all that was measured is written to reports/local/tuned/<device>.toml, beside the
folders of the runs; what the file has of other techniques stays. `bench run CONFIG --tuned FILE` then
measures the tuned techniques beside their defaults.";

#[derive(Args, Debug)]
pub struct TuneArgs {
    /// Experiment files; of a suite all, or FILE:NAME
    #[arg(required = true, value_name = "CONFIG")]
    pub configs: Vec<PathBuf>,
    /// Device: part of its name, PLATFORM:DEVICE, gpu, cpu [default: the best one]
    #[arg(short, long, value_name = "SEL")]
    pub device: Option<String>,
    /// Only techniques whose label matches
    #[arg(short, long, value_name = "REGEX")]
    pub technique: Option<String>,
    /// Time for each technique, as 90s, 5m; builds are not counted until they take five times that
    #[arg(short, long, value_name = "TIME", default_value = "60s", value_parser = crate::config::parse_duration)]
    pub budget: Duration,
    /// Threads of the parallel references [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Seed of everything random: sampling order, intervals, playouts
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The file [default: reports/local/tuned/<device>.toml]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Take kernels from this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub cache: CacheArgs,
}

const VERIFY_HELP: &str = "\
Each technique with kernels is asked what is hard to get right: passes, ends of games, full columns,
every line direction, captures of many jumps, crownings, odd and large boards, cut-offs, full boards, many seeds.
The host answers the same in the same call. Nothing is timed but the whole; a driver that crashes or hangs
costs a case.

The table has a line for each technique: right, WRONG with the smallest failing case and the command that asks
it again, unsupported with what the device lacks, or how it failed. The same command with the name of a technique
of the host (bench list: compared with) shows the right answer. What was found is kept beside the built programs,
and bench run says where a device was never verified with the same program and driver.

Examples:
  bench verify --device gpu
  bench verify --game gomoku --technique '^pvs$'
  oclgrind bench verify --device oclgrind --budget 20s
      a simulator, which takes days for all
  bench verify --kernels my-kernels --fail-fast
      kernels of one's own, until the first wrong answer

Exit codes: 0 all right or unsupported · 2 a wrong answer · 3 a kernel did not build, crashed or hung, or no case
of a technique was asked · 5 no device matched";

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
    /// Take kernels from this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    /// Write the report, verify.json, to this file
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Stop at the first case that is not right
    #[arg(long)]
    pub fail_fast: bool,
    /// Time for each technique, as 60s: cases that it leaves no time for are skipped, the hardest first
    #[arg(short, long, value_name = "TIME", value_parser = crate::config::parse_duration)]
    pub budget: Option<Duration>,
    /// Give a case up after this time, as 20s, 2m; 20 s after the end of the budget at the latest
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = crate::config::parse_duration)]
    pub deadline: Duration,
    /// Threads of the parallel references [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub cache: CacheArgs,
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

#[derive(Args, Debug)]
pub struct NewArgs {
    #[command(subcommand)]
    pub kind: NewKind,
}

/// What to begin with.
#[derive(Subcommand, Debug)]
pub enum NewKind {
    /// A kernel under a contract: right, slow and commented
    Kernel {
        /// The game
        game: String,
        /// The contract: playouts, perft, subtrees or evaluate
        contract: String,
        /// The file; neither it nor the experiment, which ends with .toml, may be there
        file: PathBuf,
    },
    /// A program in Python that plays Connect Four
    Program {
        /// The file; neither it nor the experiment, which ends with .toml, may be there
        file: PathBuf,
    },
}

#[derive(Args, Debug)]
pub struct CacheCommandArgs {
    /// The folder [default: plybench/programs in the user's cache folder]
    #[arg(long, value_name = "DIR", env = "PLYBENCH_CACHE")]
    pub cache: Option<OsString>,
    /// Remove all of them
    #[arg(long)]
    pub clear: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const PEAKS_HELP: &str = "\
Measures rates of 32-bit operations (counted on lanes, so that a vector of 16 is 16), bandwidths of
global and local memory, what launches and transfers cost, and atomic additions. Each is sampled in
the launch that was the fastest of some, at a size that takes 10 to 50 ms, and its results are checked;
the table has the median with its 95 % interval.

add-3 and logic-3 are operations that many devices do two at a time; shift-logic is one by one
everywhere that we know of. docs/methodology.md says what each means.

With --out the numbers go to DIR/peaks.csv, where reports look for them: bench report finds them in the
run folder and in the folder `peaks` beside it. Other work on the machine, or on one that shares its
processor, only ever takes something away: there, measure several times with --keep-best.

Examples:
  bench peaks --device gpu
  bench peaks --device all --out reports/local/peaks
      for the runs in reports/local

Exit codes: 0 all good · 2 a kernel's results were wrong · 3 something was refused, crashed or hung ·
4 a file could not be written · 5 no device matched";

#[derive(Args, Debug)]
pub struct PeaksArgs {
    /// Device: part of its name, PLATFORM:DEVICE, gpu, cpu, all [default: the best one]
    #[arg(short, long = "device", value_name = "SEL")]
    pub devices: Vec<String>,
    /// Time for each device, as 20s, 2m: less gives fewer samples, five at least
    #[arg(short, long, value_name = "TIME", default_value = "20s", value_parser = crate::config::parse_duration)]
    pub budget: Duration,
    /// Write peaks.csv and environment.toml into this folder, in place of those that are there
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Keep what the folder has of the same device, driver, host and program where it is better
    #[arg(long, requires = "out")]
    pub keep_best: bool,
    /// Take kernels from this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub cache: CacheArgs,
    /// Print the rows as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ListArgs {
    /// Folder of the experiment files
    #[arg(long, value_name = "DIR", default_value = "configs")]
    pub configs: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const REPORT_HELP: &str = "\
Each folder's own report is written into the folder: report.md, index.html, tables/ and charts/.

With --out DIR the site of all of them is made there instead: DIR/index.html, a page for each run with
its tables, charts and raw data in DIR/<machine>/<experiment>/, and one of all strength matches. Each
speed-up is over a program of the same host in the same run, never across hosts. A machine is named
after the folder above the run folder, reports/<machine>/<experiment>; two runs of one experiment and
machine are refused. --insert and --chart make what stands of it in other pages.

The same folders give the same bytes; --check compares them with the files that are there, names the
first that differs and writes nothing.

Examples:
  bench report reports/local/reversi
  bench report reports/*/reversi --out site
  bench report reports/m1/* reports/m2/* --insert README.md --chart reports/ladder.svg --check

Exit codes: 0 all good · 1 runs that cannot stand together · 4 a file could not be read or written, or
is not as --check wants it, or a row does not agree with its samples";

#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Make the site of all of them in this folder, a page for each and one that leads to all; without it each
    /// has its report in its own folder
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Put the results of all of them into this Markdown file, between the lines `<!-- reports:begin -->` and
    /// `<!-- reports:end -->`, or the list of them between `<!-- runs:begin -->` and `<!-- runs:end -->`
    #[arg(long, value_name = "FILE")]
    pub insert: Vec<PathBuf>,
    /// Write the chart of the results to this file
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
    /// Write nothing; fail where a file is not what the run folders give
    #[arg(long)]
    pub check: bool,
}

const MATRIX_HELP: &str = "\
The folder has one for each implementation, with run folders at any depth; beside a run folder x
may stand x.log, what Oclgrind said of the kernels. The table is written to matrix.csv there too.

Exit code: 0 where every technique is ok or unsupported on every implementation that is there, and
no kernel has a finding; 2 a wrong answer, 3 anything else, 5 nothing was run.";

#[derive(Args, Debug)]
pub struct MatrixArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Experiment files; of a suite all, or FILE:NAME
    #[arg(required = true, value_name = "CONFIG")]
    pub configs: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub struct WorkerArgs {
    /// Serve this device
    #[arg(long, value_name = "PLATFORM:DEVICE", value_parser = address)]
    pub device: Option<(usize, usize)>,
    /// Threads of the parallel baselines
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Take kernels from this folder
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    /// Keep built programs in this folder
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Say what program this is, as one line of JSON, and stop
    #[arg(long)]
    pub describe: bool,
    /// Describe every device as one line of JSON and stop
    #[arg(long)]
    pub probe: bool,
    /// With --probe: only this platform
    #[arg(long, value_name = "N", requires = "probe")]
    pub platform: Option<usize>,
    /// Measure the device's peaks within this time, one line of JSON each
    #[arg(long, value_name = "MS", requires = "device")]
    pub peaks: Option<u64>,
    /// With --peaks: only those after this one
    #[arg(long, value_name = "QUANTITY", requires = "peaks")]
    pub after: Option<String>,
}

fn address(text: &str) -> Result<(usize, usize), String> {
    text.split_once(':')
        .and_then(|(platform, device)| Some((platform.parse().ok()?, device.parse().ok()?)))
        .ok_or_else(|| "PLATFORM:DEVICE, two numbers".into())
}
