//! Tests the whole program with injected faults. The tests check the exit code, the status and the reason in the rows,
//! the other cells, and that the folder can be read and resumed. A wrong answer must not get a ratio.
//!
//! The tests load `layer.c` and `odd.c` before the OpenCL loader and the C library, with LD_PRELOAD on Linux.

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
