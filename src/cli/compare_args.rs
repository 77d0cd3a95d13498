//! The arguments of `bench compare`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::machine::MachineArgs;
use super::run_args::CacheArgs;

pub const COMPARE_HELP: &str = "\
Each cell that both runs have is compared by the geometric means of its passes' medians, B's time over A's,
with a 95 % interval from the passes of both. Devices are matched by label; where each run has one device
only, that one stands beside the other, whatever they are called.

  faster    the whole interval is below 1
  slower    the whole interval is above 1
  same      it lies within --same of 1, on either side
  unclear   it contains 1 but is wider, or a run has fewer than three passes of the cell

Where a time per move is given, the cost of a playout is compared. Runs of different experiments,
options or parameters of a technique are refused; different hosts, drivers and threads are said, and so
is work that differs (nodes, playouts).

As a gate in continuous integration, keep the program of the last good revision, and:
  bench compare --programs last-good/bench target/release/bench configs/smoke.toml:smoke-reversi \\
      --passes 10 --budget 2m --fail-over 5%
Each cell is sampled by both programs turn by turn, in passes with new processes, so that what the machine
does to one it does to the other. The gate fails where a technique, over all its cells, or a single cell is
slower by more than --fail-over and certainly slower: its interval, widened for the number of techniques or
cells that are judged at once, is wholly above 1. Two folders of runs minutes apart can be compared too, but
machines drift, and no interval knows of that.

--fail-work 0% asks for what does not vary: nodes, launches and bytes moved. Parallel searches that share
what they find count other nodes each time: leave them out with --technique, or leave room.

With a gate a cell fails too that has an answer in A and ended without one in B (skipped, timeout,
crashed), or in a game had time for fewer positions there: give both runs the same budget. So does one
that B was asked for, on a device that it has, and has no row of: B was killed. Cells that B was not
asked for, or that only B has, are counted and fail nothing.

Exit code: 6 where a technique, a cell or a count is beyond the gate or an answer was lost, else 0; 1
where the two cannot be compared, 4 where a folder cannot be read or a row does not agree with its samples.
With --programs also 2 and 3, as bench run, for an answer of NEW alone that is wrong or missing.";

#[derive(Args, Debug)]
pub struct CompareArgs {
    /// Run folder of the earlier program; with --programs, the experiment file, or FILE:NAME of a suite
    #[arg(value_name = "A | CONFIG")]
    pub a: PathBuf,
    /// Run folder of the later one
    #[arg(
        value_name = "B",
        required_unless_present = "programs",
        conflicts_with = "programs"
    )]
    pub b: Option<PathBuf>,
    /// Measure two programs in one invocation, pass by pass, turn by turn, and compare them
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"])]
    pub programs: Option<Vec<PathBuf>>,
    /// End with code 6 where a technique or a cell is slower by more than this, as 5%, or B lost an answer
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub fail_over: Option<f64>,
    /// End with code 6 where a cell counts more nodes, launches or bytes moved by more than this, as 0%
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub fail_work: Option<f64>,
    /// An interval within this of 1 is `same`
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = percentage)]
    pub same: f64,
    /// Only techniques whose label matches
    #[arg(short, long, value_name = "REGEX")]
    pub technique: Option<String>,
    /// Only these cases, as AXIS=VALUE; one axis twice means either
    #[arg(short, long = "case", value_name = "AXIS=VALUE")]
    pub cases: Vec<String>,
    /// Name the cells that are not compared, too
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// How `bench compare --programs` measures.
#[derive(Args, Debug)]
#[command(next_help_heading = "With --programs")]
pub struct MeasureArgs {
    /// Device: part of its name, PLATFORM:DEVICE, gpu, cpu, all [default: the best one]
    #[arg(short, long = "device", value_name = "SEL", requires = "programs")]
    pub devices: Vec<String>,
    /// Passes over the cases [default: the experiment's]
    #[arg(long, value_name = "N", requires = "programs",
        value_parser = clap::value_parser!(u16).range(3..=100))]
    pub passes: Option<u16>,
    /// Time for the whole, both programs together, as 90s, 5m [default: the experiment's]
    #[arg(short, long, value_name = "TIME", requires = "programs",
        value_parser = crate::config::parse_duration)]
    pub budget: Option<Duration>,
    /// Time for each cell of each program, as 30s
    #[arg(long, value_name = "TIME", requires = "programs",
        value_parser = crate::config::parse_duration)]
    pub cell_budget: Option<Duration>,
    /// Threads of the parallel baselines [default: all that this process may use]
    #[arg(long, value_name = "N", requires = "programs",
        value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Folder of both run folders, `old` and `new` [default: reports/local/compare-<experiment>]
    #[arg(short, long, value_name = "DIR", requires = "programs")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub cache: CacheArgs,
}

fn percentage(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').map(str::trim_end);
    number
        .and_then(|number| number.parse::<f64>().ok())
        .filter(|percent| (0.0..=1000.0).contains(percent))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| "must be a percentage from 0% to 1000%, as 5%".to_owned())
}
