//! The command line: one file per command.

#[macro_use]
mod terminal;

mod args;
mod brought;
mod built_in;
mod check;
mod compare;
mod devices;
mod exit;
mod list;
mod machine;
mod merge;
mod new;
mod progress;
mod published;
mod report;
mod run;
mod score;
mod session;
mod single;
mod targets;
mod verify;
mod worker;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
pub use built_in::BuiltIn;
pub use exit::Exit;
use exit::Failure;

use crate::words::{Task, Value};

/// Runs the program with the process's arguments. `has_stdout` is true if the process started with a standard output.
pub fn main(files: BuiltIn, has_stdout: bool) -> ExitCode {
    built_in::set(files);
    terminal::end_where_stdout_cannot_be_written();
    terminal::outlive_a_limit_on_files();
    if !has_stdout {
        eprintln!("bench: standard output: is closed; `>/dev/null` discards what is printed");
        return Exit::Files.into();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` print to stdout and exit with 0. Errors print to stderr and exit with 1.
            let is_wrong = error.use_stderr();
            match terminal::colour() {
                _ if is_wrong => eprintln!("{}", error.to_string().trim_end()),
                true => print!("{}", error.render().ansi()),
                false => print!("{}", error.render()),
            }
            return Exit::Usage.when(is_wrong).into();
        }
    };
    match dispatch(cli) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("bench: {:#}", failure.error);
            failure.exit.into()
        }
    }
}

fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    if let Some(feature) = crate::harness::missing_feature() {
        usage!(
            "this program was built for a processor with {feature}, which this one lacks; build \
             it here with ./scripts/bench, or with RUSTFLAGS=\"-C target-cpu=x86-64-v2\""
        );
    }
    match cli.command {
        Command::Run(args) => run::run(args),
        Command::Score(args) => score::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Devices { json } => devices::command(json),
        Command::List(args) => list::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::New(kind) => new::run(&kind),
        Command::Perft(args) => single::run(&args.one, Task::Perft, Value::Int(args.depth)),
        Command::Search(args) => single::run(&args.one, Task::Search, Value::Int(args.depth)),
        Command::Playouts { one, count } => single::run(&one, Task::Playouts, Value::Int(count)),
        Command::Choose { one, effort } => single::run(&one, Task::Choose, Value::parse(&effort)),
        Command::Worker {
            options,
            describe,
            probe,
        } => worker::run(&options, describe, probe),
        Command::Completions { shell } => {
            let (mut command, mut script) = (Cli::command(), Vec::new());
            clap_complete::generate(shell, &mut command, "bench", &mut script);
            print!("{}", String::from_utf8_lossy(&script));
            Ok(Exit::Good)
        }
    }
}
