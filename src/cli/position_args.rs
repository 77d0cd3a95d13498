//! The arguments of the commands that show or ask about single positions and boards.

use std::path::PathBuf;

use clap::Args;

use super::workers_args::WorkersArgs;
use crate::games::annexation::Kind;

/// What the commands that ask one technique about one position have in common.
#[derive(Args, Clone, Debug)]
pub struct OneArgs {
    /// The game, as `bench list` names it
    pub game: String,
    /// The position, in the game's notation, or `start` [default: start]
    #[arg(short, long, value_name = "P", allow_hyphen_values = true)]
    pub position: Option<String>,
    /// Further axes of the case, as AXIS=VALUE
    #[arg(short, long = "case", value_name = "AXIS=VALUE")]
    pub cases: Vec<String>,
    /// Options of the game or parameters of the technique, as KEY=VALUE
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Checkers: which captures are legal, any or longest; the same as --set capture=RULE
    #[arg(long, value_name = "RULE")]
    pub capture: Option<String>,
    /// Device, for device techniques: part of its name, PLATFORM:DEVICE, gpu, cpu
    #[arg(short, long, value_name = "SEL")]
    pub device: Option<String>,
    #[command(flatten)]
    pub workers: WorkersArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct PerftArgs {
    #[command(flatten)]
    pub one: OneArgs,
    /// Plies
    #[arg(short = 'N', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub depth: u32,
    /// The technique
    #[arg(short, long, value_name = "T", default_value = "serial")]
    pub technique: String,
}

#[derive(Args, Debug)]
pub struct SearchArgs {
    #[command(flatten)]
    pub one: OneArgs,
    /// Plies
    #[arg(short = 'N', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub depth: u32,
    /// The technique
    #[arg(short, long, value_name = "T")]
    pub technique: String,
}

#[derive(Args, Debug)]
pub struct PlayoutsArgs {
    #[command(flatten)]
    pub one: OneArgs,
    /// Annexation: a file with a board of one's own, as `bench boards` prints them
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    pub board: Option<PathBuf>,
    /// Random games; as many as the game's positions times this, where it has several
    #[arg(short = 'N', long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    pub count: u64,
    /// Seeds them: the same seed and position give the same tally on every device
    #[arg(short, long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// The technique
    #[arg(short, long, value_name = "T", default_value = "serial")]
    pub technique: String,
}

#[derive(Args, Debug)]
pub struct BoardsArgs {
    /// The game; those with boards that can be written as files
    #[arg(value_parser = ["annexation"])]
    pub game: String,
    /// Print one board of this kind, as --board FILE takes it
    #[arg(short, long, value_name = "KIND", value_parser = board_kind)]
    pub kind: Option<Kind>,
    /// The board's number; experiments play on 0 to 15
    #[arg(short, long, value_name = "N", requires = "kind")]
    pub number: Option<u32>,
}

#[derive(Args, Debug)]
pub struct PictureArgs {
    /// The game
    #[arg(value_parser = ["annexation", "reversi"])]
    pub game: String,
    /// The kind of the board
    #[arg(short, long, value_name = "KIND", value_parser = board_kind, default_value = "hex7")]
    pub kind: Kind,
    /// The board's number
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub number: u32,
    /// Random games
    #[arg(short = 'N', long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub count: u16,
    /// Turns [default: those of the board]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub turns: Option<u32>,
    /// Seeds the games
    #[arg(short, long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Write the state texture of each turn into this PNG
    #[arg(long, value_name = "FILE")]
    pub states: Option<PathBuf>,
    /// Write the board before and after the first game into this SVG
    #[arg(long, value_name = "FILE")]
    pub hexagons: Option<PathBuf>,
    /// Write the board texture, each cell's colour and neighbours, into this SVG
    #[arg(long, value_name = "FILE")]
    pub texture: Option<PathBuf>,
    /// Write the steps of the first game's first frame in which a cell is annexed into this SVG
    #[arg(long, value_name = "FILE")]
    pub steps: Option<PathBuf>,
    /// Reversi: write the launches of a search and the work-items of a group into this SVG
    #[arg(long, value_name = "FILE")]
    pub levels: Option<PathBuf>,
    /// Reversi: write which squares a work-item has into this SVG
    #[arg(long, value_name = "FILE")]
    pub squares: Option<PathBuf>,
    /// Write how the games ended as a table into this Markdown file
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// With --table: a published table to stand beside it, a CSV with the columns row, name and value
    #[arg(long, value_name = "FILE", requires = "table")]
    pub published: Option<PathBuf>,
}

fn board_kind(text: &str) -> Result<Kind, String> {
    let names = || Kind::ALL.map(Kind::name).join(", ");
    Kind::parse(text).ok_or_else(|| format!("allowed: {}", names()))
}

#[derive(Args, Debug)]
pub struct ChooseArgs {
    #[command(flatten)]
    pub one: OneArgs,
    /// Annexation: a file with a board of one's own, as `bench boards` prints them
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    pub board: Option<PathBuf>,
    /// What the move may cost: a time, as 100ms, or a number of iterations
    #[arg(short, long, value_name = "TIME|N")]
    pub effort: String,
    /// Seeds what is random
    #[arg(short, long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// The technique
    #[arg(short, long, value_name = "T")]
    pub technique: String,
}
