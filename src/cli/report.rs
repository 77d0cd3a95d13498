//! `bench report`: writes tables, charts and pages from run folders, or a site with several runs.

use super::args::ReportArgs;
use super::check;
use super::exit::{Exit, Failure};
use crate::report::{self, RunData};
use crate::results::check_output;
use crate::techniques::registry;

/// Writes the reports or the site, or checks that they are up to date. The exit code reports damaged rows.
pub fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let site = &args.site;
    let files = site.insert.iter().chain(&site.chart).chain(&site.scores);
    files.clone().try_for_each(|file| check_output(file))?;
    let is_wanted = site.out.is_some() || files.count() > 0;
    if args.check && !is_wanted {
        return check::run(&args.runs, &args.against);
    }
    let (site, catalogue) = (is_wanted.then_some(site), registry::catalogue());
    if args.json {
        let mut exit = Exit::Good;
        for run in &args.runs {
            let data = RunData::read(run, &catalogue)?;
            exit = exit.worse(check::damage([&data]));
            let line = serde_json::to_string(&report::analyse(data)).map_err(Failure::files)?;
            println!("{line}");
        }
        return Ok(exit);
    }
    let made = report::make(&args.runs, site, &catalogue)?;
    for warning in &made.warnings {
        eprintln!("{warning}");
    }
    let exit = Exit::Files.when(made.has_damage);
    if args.check {
        match made.first_difference() {
            None => return Ok(exit),
            Some(difference) => fail!(Files, "{difference}"),
        }
    }
    made.write()?;
    for page in &made.pages {
        println!("{}", page.display());
    }
    Ok(exit)
}
