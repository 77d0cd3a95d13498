//! `bench worker`: what a parent starts. Not for people.

use super::args::WorkerArgs;
use super::exit::{Exit, Failure};
use super::{devices, peaks};
use crate::harness::{self, WorkerOptions};

/// Serves requests, or describes the devices.
pub fn run(args: &WorkerArgs) -> Result<Exit, Failure> {
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
        inject: args.inject.clone(),
    };
    harness::serve(&options).map_err(Failure::usage)?;
    Ok(Exit::Good)
}
