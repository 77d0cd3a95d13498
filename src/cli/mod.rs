//! The command line: one file per command.

#[macro_use]
mod terminal;

mod args;
mod boards;
mod brought;
mod cache;
mod check;
mod compare;
mod compare_args;
pub mod devices;
mod echo;
mod exit;
mod export;
mod list;
mod machine;
mod matrix;
mod merge;
mod new;
mod pace;
mod peaks;
mod picture;
mod position_args;
mod progress;
mod published;
mod report;
mod results_args;
mod run;
mod run_args;
mod score;
mod session;
mod shard;
mod single;
mod submit;
mod targets;
mod timing;
mod tune;
mod tuned;
mod validate;
mod verified;
mod verify;
mod verify_table;
mod worker;
mod workers_args;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
pub use exit::Exit;
use exit::Failure;

/// Runs the program with the process's own arguments.
pub fn main() -> ExitCode {
    terminal::end_where_stdout_cannot_be_written();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` go to stdout with 0, everything else to stderr with 1.
            let code = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Good
            };
            match error.use_stderr() {
                true => eprintln!("{}", error.to_string().trim_end()),
                false => drop(error.print()),
            }
            return code.into();
        }
    };
    match dispatch(&cli) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("bench: {:#}", failure.error);
            failure.exit.into()
        }
    }
}

fn dispatch(cli: &Cli) -> Result<Exit, Failure> {
    if let Some(feature) = crate::harness::missing_feature() {
        return Err(Failure::usage(anyhow::anyhow!(
            "this program was built for a processor with {feature}, which this one lacks; build \
             it here with ./scripts/bench, or with RUSTFLAGS=\"-C target-cpu=x86-64-v2\""
        )));
    }
    match &cli.command {
        Command::Run(args) => run::run(args),
        Command::Score(args) => score::run(args),
        Command::Tune(args) => tune::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Devices(args) => devices::command(args.json),
        Command::Peaks(args) => peaks::run(args),
        Command::List(args) => list::run(args),
        Command::Report(args) => report::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Export(args) => export::run(args),
        Command::Submit(args) => submit::run(args),
        Command::Validate(args) => validate::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Matrix(args) => matrix::run(args),
        Command::Cache(args) => cache::run(args),
        Command::Check(args) => check::run(args),
        Command::New(args) => new::run(args),
        Command::Perft(args) => single::perft(args),
        Command::Search(args) => single::search(args),
        Command::Boards(args) => boards::run(args),
        Command::Picture(args) => picture::run(args),
        Command::Playouts(args) => single::playouts(args),
        Command::Choose(args) => single::choose(args),
        Command::Worker(args) => worker::run(args),
        Command::Echo => echo::run(),
        Command::Completions { shell } => {
            let mut command = Cli::command();
            clap_complete::generate(*shell, &mut command, "bench", &mut std::io::stdout());
            Ok(Exit::Good)
        }
    }
}
