//! `bench compare`: two runs of one experiment, cell by cell, from their folders alone.

use super::args::CompareArgs;
use super::exit::{Exit, Failure};
use super::terminal;
use crate::report::RunData;
use crate::report::compare::{Comparison, Options};
use crate::techniques::registry;

/// Prints the comparison. A damaged row, which counts as no answer, makes the exit code, and else a cell that
/// is slower than allowed.
pub fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let read = |folder| RunData::read(folder, &catalogue).map_err(Failure::files);
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    let damaged = [&a, &b].into_iter().filter(|data| data.has_damage());
    let lines = damaged.clone().flat_map(|data| {
        let folder = data.folder.display();
        data.warnings
            .iter()
            .map(move |line| format!("{folder}: {line}"))
    });
    lines.for_each(|line| eprintln!("{line}"));
    let is_damaged = damaged.count() > 0;
    let options = Options {
        same: args.same,
        fail_over: args.fail_over,
        technique: args.technique.clone(),
        cases: args.cases.clone(),
    };
    let comparison = Comparison::new(&a, &b, options).map_err(|error| match is_damaged {
        true => Failure::files(error),
        false => Failure::usage(error),
    })?;
    if args.json {
        println!("{:#}", comparison.json());
    } else {
        let (width, colour) = (terminal::width(), terminal::colour());
        print!("{}", comparison.text(width, colour, args.all));
    }
    Ok(match comparison.is_slower() {
        _ if is_damaged => Exit::Files,
        true => Exit::Slower,
        false => Exit::Good,
    })
}
