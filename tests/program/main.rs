//! Tests the program as a user runs it: commands, files, exit codes, and failures.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod adapters;
mod annexation_boards;
mod built_in;
mod cache;
mod cluster;
mod compare;
mod documents;
mod experiments;
mod faults;
mod handing_on;
mod hostile;
mod invocations;
mod kernels;
mod machine;
mod million;
mod one_position;
mod openspiel;
mod package;
mod pasted;
mod place;
mod positions;
mod private;
mod programs;
mod refused;
mod setup;
mod several_devices;
mod shards;
mod truth;
mod verify;
mod whole;

#[path = "../needed/mod.rs"]
mod needed;

/// Returns true if the machine has no OpenCL device. In this case, prints a message.
fn no_device() -> bool {
    needed::devices().is_none()
}
