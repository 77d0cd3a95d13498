//! The arguments of the commands that read run folders.

use std::path::PathBuf;

use clap::Args;

pub const VALIDATE_HELP: &str = "\
Looks at run folders without a device, and says by file and line what does not agree:

  files       run files alone, in UTF-8, without control characters and HTML; no symbolic links
  rows        experiment, game, case, technique, kind, threads, reason and facts are those of
              experiment.toml and environment.toml; the key is that of program, machine and device
  statistics  medians, quartiles, mean, least and interval are those of the samples
  samples     the parts add up to the whole; numbers and order have no hole and no double; none begins
              before the one before has ended
  counters    the same in every sample of a technique that counts the same each time; equal to those of
              committed runs of the same kernels and sources
  revision    this program's, a committed run's, or one in the git history, or joined into one that is
              (joined.toml beside the committed runs)

What it cannot see: whether the device exists, and numbers that were made up as a whole. Not checked, as
nothing else says them: build_ns, setup_ns, predicted_ns, notes, timer, resources.csv.

Examples:
  bench validate reports/local/reversi
  bench validate reports/community/my-card --strict --history origin/main
      what continuous integration asks of a pull request

Exit codes: 0 all agree · 4 a finding, or a folder could not be read";

#[derive(Args, Debug)]
pub struct ValidateArgs {
    /// Run folders, or folders of run folders
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Committed runs to compare with; those being validated are left out
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub against: PathBuf,
    /// Take nothing that a submission must not have: derived files, users' paths, changed sources, runs
    /// of the first format
    #[arg(long)]
    pub strict: bool,
    /// Revisions in the history of this one are known
    #[arg(long, value_name = "REVISION", default_value = "HEAD")]
    pub history: String,
}

pub const MERGE_HELP: &str = "\
Makes one run folder of the shards that `bench run --shard I/N` measured, wherever they ran, and its report,
which is that of a run without shards. Every row keeps its invocation, and through it its node, and the address
of its device; ratios are within a shard, whose techniques were measured together. A match has the games of all
shards in one row, and its samples their invocations.

Each shard is checked first, as `bench validate` checks rows and samples: an edited row is named by file and
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
