//! Kernels on a real device (pocl's on most machines) against the rules and searches of the host, and what the crate
//! makes of devices, drivers and their lack.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod annexation;
mod annexation_mcts;
mod blocks;
mod checkers;
mod checkers_block;
mod checkers_mcts;
mod connect_four;
mod connect_four_prefix;
mod elsewhere;
mod enqueue;
mod gomoku;
mod gomoku_dynamic;
mod gomoku_groups;
mod launches;
mod opencl;
mod playouts;
mod reversi;
mod reversi_lanes;
mod shared_tree;
mod table_search;

#[path = "../needed/mod.rs"]
mod needed;

use needed::{Turn, best, device, device_with, opened};
use plybench::opencl::Device;
use plybench::techniques::Setup;
use plybench::words::{Case, Params, Task};

/// What a technique is made ready with where a test says no more: no options, no parameters, seed 1.
fn setup<'a>(task: Task, case: &'a Case, device: Option<&'a Device>) -> Setup<'a> {
    static NONE: Params = Params::new();
    Setup {
        task,
        case,
        options: &NONE,
        params: &NONE,
        seed: 1,
        threads: 1,
        device,
        kernels: None,
        position: None,
        positions: None,
        opponent: None,
    }
}

/// The best device, its driver for this test alone.
struct Held {
    device: Device,
    _turn: Turn,
}

impl std::ops::Deref for Held {
    type Target = Device;

    fn deref(&self) -> &Device {
        &self.device
    }
}

/// The best device, or `None` with the word that there is none.
fn held() -> Option<Held> {
    device().map(|(_turn, device)| Held { device, _turn })
}
