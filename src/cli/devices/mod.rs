//! `bench devices`: lists the OpenCL devices.

mod entries;
mod probe;
mod table;

pub use probe::{PATIENCE, ProbeError, describe_to_parent, probe};

use super::exit::{Exit, Failure, print_json};
use super::targets::executable;

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
