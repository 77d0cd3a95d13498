//! `bench report`: tables, charts and pages from run folders alone.

use super::args::ReportArgs;
use super::exit::{Exit, Failure};
use crate::report;
use crate::techniques::registry;

/// Writes each folder's report anew.
pub fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let paths = report::write(&args.runs, &registry::catalogue()).map_err(Failure::files)?;
    for path in paths {
        for warning in &path.warnings {
            eprintln!("{warning}");
        }
        println!("{}", path.markdown.display());
        println!("{}", path.page.display());
    }
    Ok(Exit::Good)
}
