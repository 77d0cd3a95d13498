//! `bench compare`: two runs of one experiment, cell by cell, from their folders alone.

use super::args::CompareArgs;
use super::exit::{Exit, Failure};
use super::terminal;
use crate::report::RunData;
use crate::report::compare::{Comparison, Options};
use crate::techniques::registry;

/// Prints the comparison; a cell that is slower than allowed makes the exit code.
pub fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let read = |folder| RunData::read(folder, &catalogue).map_err(Failure::files);
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    let options = Options {
        same: args.same,
        fail_over: args.fail_over,
        technique: args.technique.clone(),
        cases: args.cases.clone(),
    };
    let comparison = Comparison::new(&a, &b, options).map_err(Failure::usage)?;
    if args.json {
        println!("{:#}", comparison.json());
    } else {
        let (width, colour) = (terminal::width(), terminal::colour());
        print!("{}", comparison.text(width, colour, args.all));
    }
    Ok(match comparison.is_slower() {
        true => Exit::Slower,
        false => Exit::Good,
    })
}
