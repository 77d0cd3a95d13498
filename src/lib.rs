//! Plybench: a portable OpenCL benchmarking harness for GPU game-tree search.
//!
//! The program is `bench`, and this library contains its code. Modules import each other in one direction only, as
//! docs/layout.md shows. [`words`] and [`random`] import nothing.

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
