//! `bench report`: tables, charts and pages from run folders alone.

use anyhow::anyhow;

use super::args::ReportArgs;
use super::exit::{Exit, Failure};
use crate::report::{self, ReportError, Together};
use crate::techniques::registry;

/// Writes each folder's report anew and, where it is wanted, one of all together; or checks that they are
/// what they should be. A damaged row has no number in them, and makes the exit code.
pub fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let together = args.out.as_deref().map(|out| Together {
        out,
        insert: args.insert.as_deref(),
    });
    let made = report::make(&args.runs, together, &registry::catalogue()).map_err(failure)?;
    for warning in made.reports.iter().flat_map(|paths| &paths.warnings) {
        eprintln!("{warning}");
    }
    let exit = match made.has_damage {
        true => Exit::Files,
        false => Exit::Good,
    };
    if args.check {
        return match made.files.first_difference().map_err(failure)? {
            None => Ok(exit),
            Some(difference) => Err(Failure::files(anyhow!("{difference}"))),
        };
    }
    made.files.write().map_err(failure)?;
    let own = made
        .reports
        .into_iter()
        .map(|paths| (paths.markdown, paths.page));
    for (markdown, page) in own.chain(made.together) {
        println!("{}", markdown.display());
        println!("{}", page.display());
    }
    Ok(exit)
}

/// What the user asked for and cannot have is one thing, a file that cannot be read another.
fn failure(error: ReportError) -> Failure {
    match error {
        ReportError::Together(_) => Failure::usage(error),
        _ => Failure::files(error),
    }
}
