//! Kernels on a real device (pocl's on most machines) against the rules and searches of the host,
//! and what the crate makes of devices, drivers and their lack.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod absent;
mod annexation;
mod annexation_mcts;
mod checkers;
mod checkers_block;
mod checkers_layout;
mod checkers_mcts;
mod checkers_perft;
mod connect_four;
mod connect_four_prefix;
mod elsewhere;
mod enqueue;
mod gomoku;
mod gomoku_dynamic;
mod gomoku_groups;
mod opencl;
mod reversi;

#[path = "../needed/mod.rs"]
mod needed;

use needed::{Turn, best, device, device_with, opened};
