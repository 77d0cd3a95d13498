//! Faults on demand, seen through the whole program: exit code, status and reason in the rows, the other cells
//! measured, no ratio where an answer was wrong, and a folder that can be read and gone on with.
//!
//! `layer.c` and `odd.c` are loaded in front of the OpenCL loader and the C library, which is how Linux does it.

#![cfg(target_os = "linux")]

mod calls;
mod clock;
mod device;
mod disk;
mod files;
mod interrupt;
mod kills;
mod matches;
mod names;
mod odd;
mod place;
mod resume;
