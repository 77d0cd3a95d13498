use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::opencl::LaunchLimit;

use super::compare_args::{COMPARE_HELP, CompareArgs};
use super::machine::MachineArgs;
use super::position_args::{ChooseArgs, DepthArgs, PlayoutsArgs};
use super::results_args::{MERGE_HELP, MergeArgs, REPORT_HELP, ReportArgs};
use super::run_args::{RUN_HELP, RunArgs, SCORE_HELP, ScoreArgs, VERIFY_HELP, VerifyArgs};

const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("PLYBENCH_REVISION"),
    ")"
);

const EXAMPLES: &str = "\
Examples:
  bench devices                                  list the OpenCL devices
  bench verify                                   check every kernel on the best device
  bench score                                    measure five cases in two minutes
  bench run configs/smoke.toml                   run every technique on tiny boards
  bench run configs/reversi.toml --device gpu    measure a paper's tables on a GPU
  bench compare before after --fail-over 5%      compare two runs of one experiment
  bench search reversi --depth 6 --technique serial --position f5d6c3

Exit codes: 0 good · 1 usage or experiment file · 2 a wrong answer · 3 a cell failed, or no cell has an answer
4 a file cannot be read or written · 5 no device · 6 slower than compare --fail-over allows · 130 interrupted";

/// A portable OpenCL benchmarking harness for GPU game-tree search
#[derive(Parser, Debug)]
#[command(
    name = "bench",
    version = VERSION,
    about,
    long_about = "A portable OpenCL benchmarking harness for GPU game-tree search.\n\nIt runs the techniques of an \
        experiment on OpenCL devices and on the CPU, checks every answer, and writes CSVs, charts and a report \
        beside the paper's numbers.",
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
    /// Measure one device in two minutes: one case per game
    #[command(after_long_help = SCORE_HELP)]
    Score(ScoreArgs),
    /// Check every kernel against the CPU reference on hard cases
    #[command(after_long_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// List the OpenCL devices of this machine
    Devices(DevicesArgs),
    /// List experiments, games and techniques
    List(ListArgs),
    /// Make reports from run folders, or check the folders
    #[command(after_long_help = REPORT_HELP)]
    Report(ReportArgs),
    /// Compare two runs or two programs, cell by cell
    #[command(after_long_help = COMPARE_HELP)]
    Compare(CompareArgs),
    /// Merge the shards of an experiment into one run folder
    #[command(after_long_help = MERGE_HELP)]
    Merge(MergeArgs),
    /// Write an example kernel or program, and its experiment
    New(NewArgs),
    /// Count the move sequences of N plies
    Perft(DepthArgs),
    /// Search one position with one technique
    Search(DepthArgs),
    /// Play random games from one position and print the tally
    Playouts(PlayoutsArgs),
    /// Choose a move at one position within a time or a number of iterations
    Choose(ChooseArgs),
    /// Serve one device to a parent process (internal)
    #[command(hide = true)]
    Worker(WorkerArgs),
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
    /// Write a commented example kernel
    Kernel {
        /// The game
        game: String,
        /// The contract: playouts, perft, subtrees or evaluate
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
    /// A game, or a technique
    pub name: Option<String>,
    /// Annexation: print a board as a text for --position, for example hex200 or hex200/5
    #[arg(requires = "name", conflicts_with = "json")]
    pub board: Option<String>,
    /// Folder of the experiment files
    #[arg(long, value_name = "DIR", default_value = "configs")]
    pub configs: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct DevicesArgs {
    /// Measure launch and transfer times. For other peaks, use clpeak
    #[arg(long)]
    pub measure: bool,
    /// With --measure: part of a device's name, PLATFORM:DEVICE, gpu, cpu, all [default: all]
    #[arg(short, long = "device", value_name = "SEL", requires = "measure")]
    pub devices: Vec<String>,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
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
    /// Limit of a launch's time
    #[arg(long, value_name = "TIME")]
    pub launch_limit: Option<LaunchLimit>,
    /// Say what program this is, as one line of JSON, and stop
    #[arg(long)]
    pub describe: bool,
    /// Describe every device as one line of JSON and stop
    #[arg(long)]
    pub probe: bool,
    /// Measure launch and transfer times of the device from this one on, one line of JSON each
    #[arg(long, value_name = "QUANTITY", requires = "device")]
    pub measure: Option<String>,
}

fn address(text: &str) -> Result<(usize, usize), String> {
    text.split_once(':')
        .and_then(|(platform, device)| Some((platform.parse().ok()?, device.parse().ok()?)))
        .ok_or_else(|| "PLATFORM:DEVICE, two numbers".into())
}
