//! Plybench: a portable OpenCL benchmarking harness for GPU game-tree search.
//!
//! The program is `bench`; this library is its implementation. Modules import in one direction only, as the
//! diagram in README.md shows. [`words`] and [`random`] import no other module.

pub mod cli;
pub mod config;
pub mod games;
pub mod harness;
pub mod opencl;
pub mod peaks;
pub mod random;
pub mod report;
pub mod results;
pub mod search;
pub mod stats;
pub mod techniques;
pub mod words;
