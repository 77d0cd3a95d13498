//! `bench boards`: the boards of games whose boards are files.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, anyhow};

use super::exit::{Exit, Failure};
use super::position_args::BoardsArgs;
use crate::games::annexation::{BOARDS_A_KIND, Board, Kind, read_board, write_board};

/// The one game with such boards.
const GAME: &str = "annexation";

/// Prints boards.
pub fn run(args: &BoardsArgs) -> Result<Exit, Failure> {
    let text = match args.kind {
        Some(kind) => write_board(&board(kind, args.number.unwrap_or(0))?),
        None => table()?,
    };
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes());
    written.context("standard output").map_err(Failure::files)?;
    Ok(Exit::Good)
}

fn board(kind: Kind, number: u32) -> Result<Board, Failure> {
    let (board, _) = kind.board(number).map_err(Failure::usage)?;
    Ok(board)
}

/// What the experiments play on, a line a board.
fn table() -> Result<String, Failure> {
    let mut text = format!(
        "{:<16} {:>6} {:>6} {:>6} {:>6}\n",
        "kind", "number", "cells", "edges", "turns"
    );
    for kind in Kind::ALL {
        for number in 0..BOARDS_A_KIND {
            let board = board(kind, number)?;
            text.push_str(&format!(
                "{kind:<16} {number:>6} {:>6} {:>6} {:>6}\n",
                board.cells(),
                board.edges().count(),
                board.default_turns()
            ));
        }
    }
    Ok(text)
}

/// The text of a board file, as a technique takes it for a position, when it is one.
pub fn text_of(file: &Path, game: &str) -> Result<String, Failure> {
    let name = file.display().to_string();
    if game != GAME {
        return Err(Failure::usage(anyhow!(
            "--board {name}: {game} has no board files; allowed with {GAME}"
        )));
    }
    let text = crate::words::read_text(file);
    let text = text.with_context(|| name.clone()).map_err(Failure::files)?;
    read_board(&name, &text).map_err(Failure::usage)?;
    Ok(text)
}
