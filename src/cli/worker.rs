//! `bench worker`: internal, started by a parent process.

use serde::{Deserialize, Serialize};

use super::args::WorkerArgs;
use super::exit::{Exit, Failure};
use super::session::program;
use super::{devices, measure};
use crate::harness::{self, PROTOCOL, WorkerOptions};
use crate::results::Program;

/// A program's description for another program that starts its workers.
#[derive(Serialize, Deserialize)]
pub struct Description {
    pub protocol: u32,
    pub program: Program,
}

/// Serves requests, or describes the program or the devices.
pub fn run(args: &WorkerArgs) -> Result<Exit, Failure> {
    if args.describe {
        let (protocol, program) = (PROTOCOL, program(None)?);
        let line = serde_json::to_string(&Description { protocol, program });
        println!("{}", line.map_err(Failure::usage)?);
        return Ok(Exit::Good);
    }
    if args.probe {
        return devices::describe_to_parent();
    }
    if let (Some(first), Some(device)) = (&args.measure, args.device) {
        return measure::tell_parent(device, first, args);
    }
    let options = WorkerOptions {
        device: args.device,
        threads: args.threads,
        kernels: args.kernels.clone(),
        cache: args.cache.clone(),
        launch_limit: args.launch_limit,
    };
    harness::serve(&options).map_err(Failure::usage)?;
    Ok(Exit::Good)
}
