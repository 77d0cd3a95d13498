//! Manages OpenCL devices, their quirks, program builds, and queues that time their transfers and kernels.
//!
//! Typical use: [`list`] the devices, [`select`] some of them, and [`open`] each. Build a [`Program`] and get a
//! [`Kernel`]. Create [`Buffer`]s and a [`Queue`], launch the kernel, and take the time parts from the queue. For a
//! technique with one kernel, a [`KernelPlan`] does most of this, and [`Outcomes`] hold the results.
//!
//! All calls use the C interface that `ocl` declares. `ocl`'s wrappers panic on unknown status codes, and when an
//! object of a lost device is released.

mod account;
mod address;
mod budget;
mod cache;
mod device;
mod enqueue;
mod files;
mod group;
mod handle;
mod info;
mod kernel;
mod list;
#[cfg(target_os = "linux")]
mod loader;
mod memory;
mod outcomes;
mod parts;
mod pocl_cache;
mod probe;
mod program;
mod query;
mod queue;
mod quirks;
mod runner;
mod select;
mod signature;
mod source;
mod status;
mod timer;
mod units;

pub use budget::{LaunchBudget, LaunchLimit, PLANNED};
pub use cache::Cache;
pub use device::{Device, LAUNCH_LIMIT, Programs, open, open_numbered};
pub(crate) use files::hash as hash_of_files;
pub use group::WorkGroup;
#[cfg(test)]
pub(crate) use info::example;
pub use info::{DeviceInfo, DeviceKind};
pub use kernel::{Kernel, LocalMemory, SetArgument, local_memory};
pub use list::{NoDevices, list, list_platform, number_labels, platform_count};
pub use memory::{Access, Buffer, Image};
pub use ocl::{OclPrm, prm};
pub use outcomes::{Outcome, Outcomes, SEARCHED_WORDS};
pub use probe::{Alone, Probed, probe};
pub use program::Program;
pub use queue::{Mark, Queue};
pub use quirks::{BuildNeeds, Quirks, worker_environment};
pub use runner::{Defines, KernelPlan, Runner};
pub use select::{select, why_best};
pub use source::{kernel_hash, load as kernel_source, load_own as own_kernel_source};
pub use units::bytes_in_words;
