//! `bench report`: makes tables, charts and pages from run folders, or a site of several.

use anyhow::anyhow;

use super::check;
use super::exit::{Exit, Failure};
use super::results_args::ReportArgs;
use crate::report::{self, RunData, Site};
use crate::results::check_output;
use crate::techniques::registry;

/// Writes the reports or the site, or checks that all are current. A damaged row sets the exit code.
pub fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    for file in args.insert.iter().chain(&args.chart) {
        check_output(file)?;
    }
    let site = Site {
        out: args.out.as_deref(),
        insert: &args.insert,
        chart: args.chart.as_deref(),
    };
    let is_wanted = args.out.is_some() || args.chart.is_some() || !args.insert.is_empty();
    if args.check && !is_wanted {
        return check::run(&args.runs, &args.against);
    }
    let (site, catalogue) = (is_wanted.then_some(site), registry::catalogue());
    if args.json {
        for run in &args.runs {
            let analysis = report::analyse(RunData::read(run, &catalogue)?);
            println!(
                "{}",
                serde_json::to_string(&analysis).map_err(Failure::files)?
            );
        }
        return Ok(Exit::Good);
    }
    let made = report::make(&args.runs, site, &catalogue)?;
    for warning in made.reports.iter().flat_map(|paths| &paths.warnings) {
        eprintln!("{warning}");
    }
    let exit = match made.has_damage {
        true => Exit::Files,
        false => Exit::Good,
    };
    if args.check {
        return match made.files.first_difference()? {
            None => Ok(exit),
            Some(difference) => Err(Failure::files(anyhow!("{difference}"))),
        };
    }
    made.files.write()?;
    match made.landing {
        Some(page) => println!("{}", page.display()),
        None => {
            for paths in made.reports.iter().filter(|_| !is_wanted) {
                println!("{}", paths.markdown.display());
                println!("{}", paths.page.display());
            }
        }
    }
    Ok(exit)
}
