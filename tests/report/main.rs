//! Reports from made-up runs: no OpenCL, no clock.

mod fixture;
mod pages;
mod tables;
mod terminal;
