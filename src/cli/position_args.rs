//! The arguments of the commands about single positions.

use clap::Args;

use super::run_args::WorkersArgs;

/// The arguments that these commands share.
#[derive(Args, Clone, Debug)]
pub struct OneArgs {
    /// The game, as `bench list` names it
    pub game: String,
    /// The position, in a form of docs/commands.md [default: start]
    #[arg(short, long, value_name = "P", allow_hyphen_values = true)]
    pub position: Option<String>,
    /// Set another axis of the case, AXIS=VALUE
    #[arg(short, long = "case", value_name = "AXIS=VALUE")]
    pub cases: Vec<String>,
    /// Set an option of the game or a parameter of the technique, for example capture=any
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The technique
    #[arg(short, long, value_name = "T", default_value = "serial")]
    pub technique: String,
    /// Seed of random numbers: equal on every device
    #[arg(short, long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
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
pub struct DepthArgs {
    #[command(flatten)]
    pub one: OneArgs,
    /// Plies
    #[arg(short = 'N', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub depth: u32,
}

#[derive(Args, Debug)]
pub struct PlayoutsArgs {
    #[command(flatten)]
    pub one: OneArgs,
    /// Random games per position
    #[arg(short = 'N', long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    pub count: u64,
}

#[derive(Args, Debug)]
pub struct ChooseArgs {
    #[command(flatten)]
    pub one: OneArgs,
    /// Cost of the move: a time, for example 100ms, or a number of iterations
    #[arg(short, long, value_name = "TIME|N")]
    pub effort: String,
}
