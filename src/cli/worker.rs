//! `bench worker`: an internal command that a parent process starts.

use serde::{Deserialize, Serialize};

use super::devices;
use super::exit::{Exit, Failure};
use super::session::program;
use crate::harness::{self, PROTOCOL, WorkerOptions};
use crate::results::Program;

/// Description of this program for another program that starts its workers.
#[derive(Serialize, Deserialize)]
pub struct Description {
    pub protocol: u32,
    pub program: Program,
}

/// Serves requests, or describes the program or the devices.
pub fn run(options: &WorkerOptions, describe: bool, probe: bool) -> Result<Exit, Failure> {
    if describe {
        let (protocol, program) = (PROTOCOL, program(None)?);
        let line = serde_json::to_string(&Description { protocol, program });
        println!("{}", line.map_err(anyhow::Error::new)?);
    } else if probe {
        devices::describe_to_parent().map_err(Failure::files)?;
    } else {
        harness::serve(options)?;
    }
    Ok(Exit::Good)
}
