//! Plybench: a portable OpenCL benchmarking harness for GPU game-tree search.
//!
//! This library contains the code of the program `bench`. Modules import one another in only one direction, as
//! docs/layout.md shows. [`words`] and [`random`] import no other module.

pub mod check;
pub mod cli;
pub mod config;
pub mod games;
pub mod harness;
pub mod opencl;
pub mod random;
pub mod report;
pub mod results;
pub mod search;
pub mod stats;
pub mod techniques;
pub mod words;
