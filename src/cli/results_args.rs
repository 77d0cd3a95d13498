//! The arguments of the commands that read run folders.

use std::path::PathBuf;

use clap::Args;

pub const MERGE_HELP: &str = "\
Makes one run folder of the shards that `bench run --shard I/N` measured, wherever they ran, and its report,
which is that of a run without shards. Every row keeps its invocation, and through it its node, and the address
of its device; ratios are within a shard, whose techniques were measured together. A match has the games of all
shards in one row, and its samples their invocations.

Each shard is checked first, as `bench report --check` checks rows and samples: an edited row is named by file and
line, and nothing is written. Refused by name are shards of another experiment, other options, budgets or
number of shards, another program or set of kernels, driver, device model, processor or number of threads, and
a cell, of a match an opening, that two of them have measured.

A shard that was killed is run again by the same command, and the merge made again with --replace.

Examples:
  bench merge reports/local/reversi reports/local/reversi-shards
  bench merge merged node1/1-of-3 node2/2-of-3 node3/3-of-3

Exit codes: 0 all of it · 1 shards that are not of one run · 3 a shard is missing, or was not run to its end: the
rest is merged · 4 a folder could not be read or written, or does not agree with itself";

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
Each folder's own report is written into the folder: report.md, index.html, tables/ and charts/.

With --out DIR the site of all of them is made there instead: DIR/index.html, a page for each run with
its tables, charts and raw data in DIR/<machine>/<experiment>/, and one of all strength matches. Each
speed-up is over a program of the same host in the same run, never across hosts. A machine is named
after the folder above the run folder, reports/<machine>/<experiment>; two runs of one experiment and
machine are refused. --insert and --chart make what stands of it in other pages.

--check writes nothing. With --out, --insert or --chart it compares these files with what the folders give, and
names the first difference. Without them it checks every run folder at or below the given ones, and names each
finding by file and line:

  files       files of a run alone, in UTF-8, without control characters, HTML, symbolic links and homes
  rows        a row agrees with experiment.toml and environment.toml; its key is that of its provenance
  statistics  medians, quartiles, mean, minimum and interval agree with the samples
  samples     parts add up to the whole; numbers and order are consecutive; no row or sample is missing
  counters    equal in every sample of a technique with fixed counts, and in committed runs of one program
  revision    in the git history, or joined into a revision in it (joined.toml beside the committed runs)

The check does not show that a device exists or that its times are true.

Examples:
  bench report reports/local/reversi
  bench report reports/*/reversi --out site
  bench report reports/m1/* reports/m2/* --insert README.md --chart reports/ladder.svg --check
  bench report --check reports/community
  bench report --json reports/local/reversi | jq '.headlines[0].cases'

Exit codes: 0 all good · 1 runs that cannot stand together · 4 a finding, another file than --check wants, or
a file could not be read or written";

#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Run folders; with --check also folders of run folders
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
    /// Write nothing; print the numbers and verdicts of each run as a line of JSON
    #[arg(long, conflicts_with_all = ["out", "insert", "chart", "check"])]
    pub json: bool,
    /// Write nothing; check the run folders, or that the files of --out, --insert and --chart are current
    #[arg(long)]
    pub check: bool,
    /// With --check: committed runs whose counters and revisions must agree
    #[arg(
        long,
        value_name = "DIR",
        default_value = "reports",
        requires = "check"
    )]
    pub against: PathBuf,
}
