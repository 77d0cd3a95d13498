//! `bench picture`: playouts as their frames, boards as their hexagons and as their texture; how PV-split runs on a device.

mod frames;
mod hexagons;
mod reversi;
mod table;
mod textures;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};

use super::exit::{Exit, Failure};
use super::position_args::PictureArgs;
use crate::games::annexation::{Board, Draws, Player, Position};

/// The largest image, bytes of its pixels.
const MOST_BYTES: usize = 256 << 20;

/// Draws what is asked for, and prints how the playouts ended as the paper does.
pub fn run(args: &PictureArgs) -> Result<Exit, Failure> {
    let files = [
        ("annexation", "--states", &args.states),
        ("annexation", "--hexagons", &args.hexagons),
        ("annexation", "--texture", &args.texture),
        ("annexation", "--steps", &args.steps),
        ("annexation", "--table", &args.table),
        ("reversi", "--levels", &args.levels),
        ("reversi", "--squares", &args.squares),
    ];
    let mut others = files.iter().filter(|(game, ..)| *game != args.game);
    if let Some((game, option, _)) = others.find(|(.., file)| file.is_some()) {
        let own = files.iter().filter(|(game, ..)| *game == args.game);
        let own: Vec<&str> = own.map(|(_, option, _)| *option).collect();
        let (asked, own) = (&args.game, own.join(", "));
        return Err(Failure::usage(anyhow!(
            "{option}: is a picture of {game}; those of {asked} are {own}"
        )));
    }
    if args.game == "reversi" {
        type Draw = fn() -> anyhow::Result<String>;
        let drawn: [(_, Draw); 2] = [
            (&args.levels, reversi::two_levels),
            (&args.squares, reversi::squares),
        ];
        for (file, draw) in drawn {
            if let Some(file) = file {
                write(file, draw().map_err(Failure::files)?.as_bytes())?;
            }
        }
        return Ok(Exit::Good);
    }
    let (board, cells) = args.kind.board(args.number).map_err(Failure::usage)?;
    let board = Arc::new(board);
    let turns = args.turns.unwrap_or_else(|| board.default_turns());
    if args.states.is_some() {
        let rows = usize::from(args.count);
        let bytes = frames::bytes(board.cells(), rows, turns as usize + 1);
        if bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
            return Err(Failure::usage(anyhow!(
                "--count {rows}, --turns {turns}: {} of pixels on {} cells; allowed are {}",
                bytes.map_or_else(|| "too many bytes".into(), megabytes),
                board.cells(),
                megabytes(MOST_BYTES)
            )));
        }
    }
    let published = args.published.as_deref().map(table::read).transpose()?;
    let played = play(&board, args, turns);
    if let Some(file) = &args.states {
        let image = frames::draw(&played).map_err(Failure::usage)?;
        write(file, &image)?;
    }
    if let (Some(file), Some(frames)) = (&args.hexagons, played.first()) {
        let states: Vec<&Position> = frames.first().into_iter().chain(frames.last()).collect();
        let drawn = hexagons::draw(args.kind, &cells, &states);
        write(file, drawn.as_bytes())?;
    }
    if let Some(file) = &args.texture {
        write(file, textures::board(&board).as_bytes())?;
    }
    if let Some(file) = &args.steps {
        let drawn = textures::steps(&board, args.seed)
            .ok_or_else(|| Failure::usage(anyhow!("--steps: nobody annexes a cell there")))?;
        write(file, drawn.as_bytes())?;
    }
    let ends: Vec<table::End> = played
        .iter()
        .filter_map(|frames| frames.last())
        .map(|end| table::End {
            cells: [Player::First, Player::Second].map(|player| end.cells(player)),
        })
        .collect();
    if let Some(file) = &args.table {
        let text = table::markdown(&ends, published.as_deref());
        write(file, text.as_bytes())?;
    }
    print!("{}", table::plain(&ends));
    Ok(Exit::Good)
}

fn megabytes(bytes: usize) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

/// The frames of each playout: the start, and the state after each turn; where these are not drawn, after the
/// last alone.
fn play(board: &Arc<Board>, args: &PictureArgs, turns: u32) -> Vec<Vec<Position>> {
    let draws = Draws::new(args.seed);
    let one = |playout: u64| {
        let mut frames = vec![Position::start(board)];
        let mut last = Position::start(board);
        for turn in 0..turns {
            last = last.play(draws.colour(playout, turn));
            if args.states.is_some() || turn + 1 == turns {
                frames.push(last.clone());
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
