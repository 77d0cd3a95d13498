//! The arguments of the commands about single positions and boards.

use std::path::PathBuf;

use clap::Args;

use super::run_args::WorkersArgs;

/// What the commands that ask one technique about one position have in common.
#[derive(Args, Clone, Debug)]
pub struct OneArgs {
    /// The game, as `bench list` names it
    pub game: String,
    /// The position, in a form of docs/commands.md, or `start`; gomoku: or `empty` [default: start]
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
    /// Annexation: a file with a board of one's own, as `bench list annexation hex200` prints it
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
pub struct ChooseArgs {
    #[command(flatten)]
    pub one: OneArgs,
    /// Annexation: a file with a board of one's own, as `bench list annexation hex200` prints it
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
