use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Mutex, OnceLock};

use super::cache::Cache;
use super::handle::{CommandQueue, Context, Owned};
use super::info::DeviceInfo;
use super::query::DeviceId;
use super::quirks::Quirks;

/// What everything made on a device has in common.
pub(super) struct Shared {
    pub info: DeviceInfo,
    pub quirks: Quirks,
    pub id: DeviceId,
    pub context: Owned<Context>,
    /// Bytes of all buffers that are alive.
    pub allocated: AtomicU64,
    /// Where kernels enqueue kernels, once a program needs it.
    pub default_queue: Mutex<Option<Owned<CommandQueue>>>,
    /// What kernels say of their preferred work-group multiple in the place of the driver; 0: what
    /// it says.
    pub assumed_multiple: AtomicUsize,
    /// What was asked to be built: file and options.
    pub planned: Mutex<Vec<(String, String)>>,
    /// Whether builds are noted and not made.
    pub only_plans: AtomicBool,
    /// Where built programs are kept, if they are.
    pub cache: OnceLock<Cache>,
    /// Programs built from their source.
    pub built: AtomicU64,
    /// Programs taken from the cache.
    pub cached: AtomicU64,
}
