//! `bench picture`: playouts as their frames, and boards as their hexagons.

mod frames;
mod hexagons;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use super::args::PictureArgs;
use super::exit::{Exit, Failure};
use crate::games::annexation::{Board, Draws, Player, Position};

/// Draws what is asked for, and prints how the playouts ended as the paper does.
pub fn run(args: &PictureArgs) -> Result<Exit, Failure> {
    let (board, cells) = args.kind.board(args.number).map_err(Failure::usage)?;
    let board = Arc::new(board);
    let turns = args.turns.unwrap_or_else(|| board.default_turns());
    let played = play(&board, args, turns);
    if let Some(file) = &args.states {
        let image = frames::draw(&played).map_err(Failure::usage)?;
        write(file, &image)?;
    }
    if let Some(file) = &args.hexagons {
        let last = played.iter().filter_map(|frames| frames.last()).next();
        let states: Vec<&Position> = played
            .first()
            .and_then(|frames| frames.first())
            .into_iter()
            .chain(last)
            .collect();
        let drawn = hexagons::draw(args.kind, &cells, &states);
        write(file, drawn.as_bytes())?;
    }
    println!("{:>3} {:>5} {:>5}  winner", "row", "red", "blue");
    for (row, frames) in played.iter().enumerate() {
        let Some(end) = frames.last() else { continue };
        let [red, blue] = [Player::First, Player::Second].map(|player| end.cells(player));
        let winner = match red.cmp(&blue) {
            std::cmp::Ordering::Greater => "red",
            std::cmp::Ordering::Equal => "nobody",
            std::cmp::Ordering::Less => "blue",
        };
        println!("{:>3} {red:>5} {blue:>5}  {winner}", row + 1);
    }
    Ok(Exit::Good)
}

/// The frames of each playout: the start, and the state after each turn.
fn play(board: &Arc<Board>, args: &PictureArgs, turns: u32) -> Vec<Vec<Position>> {
    let draws = Draws::new(args.seed);
    let one = |playout: u64| {
        let mut frames = vec![Position::start(board)];
        for turn in 0..turns {
            if let Some(before) = frames.last() {
                frames.push(before.play(draws.colour(playout, turn)));
            }
        }
        frames
    };
    (0..u64::from(args.count)).map(one).collect()
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = fs::write(file, bytes);
    written
        .with_context(|| file.display().to_string())
        .map_err(Failure::files)
}
