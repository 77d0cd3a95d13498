//! `bench new`: a kernel or a program to begin with.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, anyhow};

use super::args::{NewArgs, NewKind};
use super::exit::{Exit, Failure};

/// A kernel for each game and contract that has one: right, slow and commented.
const KERNELS: &[(&str, &str, &str)] = &[
    (
        "annexation",
        "playouts",
        include_str!("../../docs/kernels/annexation_playouts.cl"),
    ),
    (
        "checkers",
        "playouts",
        include_str!("../../docs/kernels/checkers_playouts.cl"),
    ),
    (
        "checkers",
        "perft",
        include_str!("../../docs/kernels/checkers_perft.cl"),
    ),
    (
        "connect-four",
        "playouts",
        include_str!("../../docs/kernels/connect_four_playouts.cl"),
    ),
    (
        "connect-four",
        "perft",
        include_str!("../../docs/kernels/connect_four_perft.cl"),
    ),
    (
        "connect-four",
        "subtrees",
        include_str!("../../docs/kernels/connect_four_subtrees.cl"),
    ),
    (
        "connect-four",
        "evaluate",
        include_str!("../../docs/kernels/connect_four_evaluate.cl"),
    ),
    (
        "reversi",
        "subtrees",
        include_str!("../../docs/kernels/reversi_subtrees.cl"),
    ),
    (
        "reversi",
        "evaluate",
        include_str!("../../docs/kernels/reversi_evaluate.cl"),
    ),
    (
        "gomoku",
        "subtrees",
        include_str!("../../docs/kernels/gomoku_subtrees.cl"),
    ),
    (
        "gomoku",
        "evaluate",
        include_str!("../../docs/kernels/gomoku_evaluate.cl"),
    ),
];

/// A program of Python's standard library alone.
const PROGRAM: &str = include_str!("../../scripts/adapters/connect_four.py");

/// Writes the file, which must not be there, and says what to put into an experiment.
pub fn run(args: &NewArgs) -> Result<Exit, Failure> {
    let (file, text, entry) = match &args.kind {
        NewKind::Kernel {
            game,
            contract,
            file,
        } => {
            let mut all = KERNELS.iter();
            let found =
                all.find(|(of, under, _)| (*of, *under) == (game.as_str(), contract.as_str()));
            let Some((_, _, text)) = found else {
                let pairs = KERNELS.iter().map(|(of, under, _)| format!("{of} {under}"));
                let pairs = pairs.collect::<Vec<_>>().join(", ");
                return Err(Failure::usage(anyhow!(
                    "{game} {contract}: no kernel of that game and contract; allowed: {pairs}"
                )));
            };
            let shown = file.display();
            // What draws its own numbers says so.
            let own = match text.contains("`own-random = true`") {
                true => "\nown-random = true",
                false => "",
            };
            let entry = format!("kernel = \"{shown}\"\ncontract = \"{contract}\"{own}");
            (file, *text, entry)
        }
        NewKind::Program { file } => {
            let entry = format!("command = [\"python3\", \"{}\"]", file.display());
            (file, PROGRAM, entry)
        }
    };
    write(file, text)?;
    println!(
        "{} is written. In an experiment:\n\n[[technique]]\n{entry}",
        file.display()
    );
    Ok(Exit::Good)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let mut opened = match opened {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let there = anyhow!("{}: is there already", file.display());
            return Err(Failure::usage(there));
        }
        opened => opened
            .with_context(|| format!("{}: cannot be written", file.display()))
            .map_err(Failure::files)?,
    };
    opened
        .write_all(text.as_bytes())
        .with_context(|| format!("{}: cannot be written", file.display()))
        .map_err(Failure::files)
}
