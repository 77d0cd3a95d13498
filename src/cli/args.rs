use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::compare_args::{COMPARE_HELP, CompareArgs};
use super::position_args::{
    BoardsArgs, ChooseArgs, PerftArgs, PictureArgs, PlayoutsArgs, SearchArgs,
};
use super::results_args::{
    EXPORT_HELP, ExportArgs, MATRIX_HELP, MERGE_HELP, MatrixArgs, MergeArgs, REPORT_HELP,
    ReportArgs, SUBMIT_HELP, SubmitArgs, VALIDATE_HELP, ValidateArgs,
};
use super::run_args::{
    PEAKS_HELP, PeaksArgs, RUN_HELP, RunArgs, SCORE_HELP, ScoreArgs, TUNE_HELP, TuneArgs,
    VERIFY_HELP, VerifyArgs,
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

#[derive(Args, Debug)]
pub struct ListArgs {
    /// Folder of the experiment files
    #[arg(long, value_name = "DIR", default_value = "configs")]
    pub configs: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
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
