//! `bench worker`: what a parent starts. Not for people.

use serde::{Deserialize, Serialize};

use super::args::WorkerArgs;
use super::exit::{Exit, Failure};
use super::session::program;
use super::{devices, peaks};
use crate::harness::{self, PROTOCOL, WorkerOptions};
use crate::results::Program;

/// What a program says of itself to another that is to start its workers.
#[derive(Serialize, Deserialize)]
pub struct Description {
    /// What its workers speak, as [`PROTOCOL`].
    pub protocol: u32,
    /// Its sources and its kernels.
    pub program: Program,
}

/// Serves requests, or describes the program or the devices.
pub fn run(args: &WorkerArgs) -> Result<Exit, Failure> {
    if args.describe {
        let description = Description {
            protocol: PROTOCOL,
            program: program(None)?,
        };
        let line = serde_json::to_string(&description).map_err(Failure::usage)?;
        println!("{line}");
        return Ok(Exit::Good);
    }
    if args.probe {
        return devices::describe_to_parent(args.platform);
    }
    if let (Some(milliseconds), Some(device)) = (args.peaks, args.device) {
        return peaks::tell_parent(device, milliseconds, args);
    }
    let options = WorkerOptions {
        device: args.device,
        threads: args.threads,
        kernels: args.kernels.clone(),
        cache: args.cache.clone(),
    };
    harness::serve(&options).map_err(Failure::usage)?;
    Ok(Exit::Good)
}
