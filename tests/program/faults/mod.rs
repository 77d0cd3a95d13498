//! Injected faults, tested through the whole program: the exit code, the status and reason in the rows, complete
//! measurements of the other cells, no ratio for a wrong answer, and a folder that can be read and resumed.
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
