use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Mutex, OnceLock};

use super::cache::Cache;
use super::handle::{CommandQueue, Context, Owned};
use super::info::DeviceInfo;
use super::query::DeviceId;
use super::quirks::Quirks;

/// What everything made on a device shares.
pub(super) struct Shared {
    pub info: DeviceInfo,
    pub quirks: Quirks,
    pub id: DeviceId,
    pub context: Owned<Context>,
    /// Bytes of all live buffers and images.
    pub allocated: AtomicU64,
    /// The queue for kernels that enqueue kernels, made when a program first needs it.
    pub default_queue: Mutex<Option<Owned<CommandQueue>>>,
    /// A preferred work-group multiple that replaces the driver's; 0 for the driver's own.
    pub assumed_multiple: AtomicUsize,
    /// Requested builds: file and options.
    pub planned: Mutex<Vec<(String, String)>>,
    /// True if builds are recorded and refused.
    pub only_plans: AtomicBool,
    /// The cache of built programs.
    pub cache: OnceLock<Cache>,
    pub built: AtomicU64,
    pub cached: AtomicU64,
}
