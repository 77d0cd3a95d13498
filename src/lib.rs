//! Plybench: a portable OpenCL benchmarking harness for GPU game-tree search.
//!
//! The program is `bench`; this library is what it is made of. Imports run one way, as the picture of the house in
//! docs/layout.md has them. [`words`] and [`random`] import nothing.

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
