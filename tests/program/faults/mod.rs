//! Injected faults, tested through the whole program. The tests check the exit code, the status and reason in the rows,
//! the other cells, and that the folder can be read and resumed. A wrong answer must have no ratio.
//!
//! The tests load `layer.c` and `odd.c` in front of the OpenCL loader and the C library with Linux's LD_PRELOAD.

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
