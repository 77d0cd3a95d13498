//! `bench devices`: lists the OpenCL devices.

mod entries;
mod probe;
mod table;

use std::time::Duration;

use anyhow::Context as _;

pub use probe::{ProbeError, describe_to_parent, probe};

use super::exit::{Exit, Failure, print_json};

/// Timeout of a child process that describes devices.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Prints the devices as a table or a JSON array; fails with [`Exit::NoDevice`] without one.
pub fn command(json: bool) -> Result<Exit, Failure> {
    let executable = std::env::current_exe()
        .context("where this program's file is")
        .map_err(Failure::files)?;
    let devices = match probe(&executable, PATIENCE) {
        Ok(devices) => devices,
        Err(error) => {
            if json {
                println!("[]");
            }
            return Err(Failure::no_device(error));
        }
    };
    if json {
        print_json(&devices)?;
    } else {
        print!("{}", table::of(&devices));
    }
    Ok(Exit::Good)
}
