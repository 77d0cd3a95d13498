//! The arguments of `bench compare`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::machine::MachineArgs;
use super::run_args::CacheArgs;

pub const COMPARE_HELP: &str = "\
Prints B's time over A's for each cell that both runs have, with a 95 % interval from the passes of both.

  faster    the whole interval is below 1
  slower    the whole interval is above 1
  same      the interval lies within 1 ± --same
  unclear   the interval contains 1 and is wider, or a run has fewer than three passes of the cell

--programs measures two programs in turns, which is the gate for continuous integration:
  bench compare --programs last-good/bench target/release/bench configs/smoke.toml:smoke-reversi --fail-over 5%

A gate also fails if a cell lost its answer in B, or has fewer positions in a game. docs/methodology.md has the rules.

Exit codes: 0 good · 1 not comparable · 4 a folder is damaged · 6 beyond the gate, or an answer was lost. With --programs
also 2 and 3, as bench run, for NEW";

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
    /// Measure two programs in turns and compare them
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"])]
    pub programs: Option<Vec<PathBuf>>,
    /// Exit with 6 if a technique or cell is slower by more than this, for example 5%, or lost its answer
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub fail_over: Option<f64>,
    /// Exit with 6 if a cell has more nodes, launches or bytes by more than this, for example 0%
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub fail_work: Option<f64>,
    /// Call an interval within this of 1 `same`
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = percentage)]
    pub same: f64,
    /// Compare only techniques whose label matches
    #[arg(short, long, value_name = "REGEX")]
    pub technique: Option<String>,
    /// Compare only these cases, AXIS=VALUE. Repeat an axis for several values
    #[arg(short, long = "case", value_name = "AXIS=VALUE")]
    pub cases: Vec<String>,
    /// List the cells that are not compared, too
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
    /// Limit the time of both programs together, for example 5m [default: the experiment's]
    #[arg(short, long, value_name = "TIME", requires = "programs",
        value_parser = crate::config::parse_duration)]
    pub budget: Option<Duration>,
    /// Limit the time of each cell of each program, for example 30s
    #[arg(long, value_name = "TIME", requires = "programs",
        value_parser = crate::config::parse_duration)]
    pub cell_budget: Option<Duration>,
    /// Threads of the CPU techniques [default: all]
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
