//! The arguments of the commands that read run folders.

use std::path::PathBuf;

use clap::Args;

pub const MERGE_HELP: &str = "\
Merges the shards that `bench run --shard I/N` measured, and makes their report. Ratios stay within a shard. A match has
the games of all shards in one row.

Each shard is checked first. Shards of another experiment, program, device model, driver, processor or thread count are
refused, and so is a cell that two shards measured.

Example:
  bench merge merged node1/1-of-3 node2/2-of-3 node3/3-of-3

Exit codes: 0 good · 1 not shards of one run · 3 a shard is missing or unfinished; the rest is merged · 4 a folder is damaged";

#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The folder to make
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    /// Run folders, or folders of run folders
    #[arg(required = true, value_name = "SHARD")]
    pub shards: Vec<PathBuf>,
    /// Replace the run that OUT holds
    #[arg(long)]
    pub replace: bool,
}

pub const REPORT_HELP: &str = "\
Writes index.html, tables and charts into each run folder. With --out DIR it makes a site of all runs. A machine has the
name of the folder above the run folder: reports/<machine>/<experiment>.

--check writes nothing. With --out, --insert or --chart it compares these files with the runs. Otherwise it checks every
run folder at or below the given ones and prints each finding with file and line: strange files and texts, rows that
disagree with their samples, experiment or environment, missing samples, counters unlike those of committed runs, and
unknown revisions. The check does not show that a device exists or that its times are true.

Examples:
  bench report reports/local/reversi
  bench report reports/*/reversi --out site
  bench report --check reports/community
  bench report --json reports/local/reversi | jq '.headlines[0].cases'

Exit codes: 0 good · 1 runs that cannot stand together · 4 a finding, an outdated file, or a file cannot be read or written";

#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Run folders; with --check also folders of run folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Make a site of all runs in this folder
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Insert the results into this Markdown file between `<!-- reports:begin -->` and `<!-- reports:end -->`, or the
    /// list of runs between `<!-- runs:begin -->` and `<!-- runs:end -->`
    #[arg(long, value_name = "FILE")]
    pub insert: Vec<PathBuf>,
    /// Write the chart of the results to this file
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
    /// Print the numbers and verdicts of each run as a line of JSON
    #[arg(long, conflicts_with_all = ["out", "insert", "chart", "check"])]
    pub json: bool,
    /// Check the run folders, or the files of --out, --insert and --chart
    #[arg(long)]
    pub check: bool,
    /// Folder of committed runs for --check
    #[arg(
        long,
        value_name = "DIR",
        default_value = "reports",
        requires = "check"
    )]
    pub against: PathBuf,
}
