//! Reports from made-up runs: no OpenCL, no clock.

// The lint's own exception for tests does not reach their helpers.
#![allow(clippy::unwrap_used)]

mod break_even;
mod claims;
mod comparative;
mod compare;
mod devices;
mod fixture;
mod folder;
mod limit;
mod pages;
mod ratios;
mod tables;
mod terminal;
mod views;
