//! `bench devices`: lists the OpenCL devices.

mod entries;
mod probe;
mod table;

use std::time::Duration;

pub use probe::{ProbeError, describe_to_parent, probe};

use super::exit::{Exit, Failure, print_json};
use super::targets::executable;

/// Timeout of a child process that describes devices.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Prints the devices as a table or a JSON array; fails with [`Exit::NoDevice`] without one.
pub fn command(json: bool) -> Result<Exit, Failure> {
    let devices = probe(&executable()?, PATIENCE).map_err(|error| {
        if json {
            println!("[]");
        }
        Failure::no_device(error)
    })?;
    if json {
        print_json(&devices)?;
    } else {
        print!("{}", table::of(&devices));
    }
    Ok(Exit::Good)
}
