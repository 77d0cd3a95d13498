//! The schema of a run folder: reading, writing, and the key that decides what a resumed run may
//! skip. Imports `words` and `stats` alone, so that a report can be made where there is no OpenCL.

mod environment;
mod rows;

pub use environment::{DeviceRecord, Environment, Host, Program};
pub use rows::{FactRow, MeasurementRow, SampleRow};
