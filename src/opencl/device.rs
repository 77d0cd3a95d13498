use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ocl::{OclPrm, ffi};

use super::cache::Cache;
use super::handle::{CommandQueue, Context, Owned};
use super::info::{DeviceInfo, DeviceKind, name_of};
use super::list::{devices, list, platforms};
use super::memory::{Access, Buffer, Image, image_limit};
use super::program::Program;
use super::query::DeviceId;
use super::queue::Queue;
use super::quirks::{BuildNeeds, Quirks};
use super::timer;
use super::units::bytes_in_words;
use crate::words::{Fault, Timer};

/// State shared by all objects of a device.
pub(super) struct Shared {
    pub info: DeviceInfo,
    pub quirks: Quirks,
    pub id: DeviceId,
    pub context: Owned<Context>,
    /// Total size of all live buffers and images, in bytes.
    pub allocated: AtomicU64,
    /// The default on-device queue for device-side enqueue. It is created when a program first needs it.
    pub default_queue: Mutex<Option<Owned<CommandQueue>>>,
    /// A preferred work-group multiple that replaces the driver's, or 0.
    pub assumed_multiple: AtomicUsize,
    /// The builds requested so far: each kernel file and its build options.
    pub planned: Mutex<Vec<(String, String)>>,
    /// True if builds are only recorded and then refused.
    pub only_plans: AtomicBool,
    /// The cache of built programs.
    pub cache: OnceLock<Cache>,
    pub built: AtomicU64,
    pub cached: AtomicU64,
}

impl Shared {
    /// Describes the memory of all live buffers and images, and the device's memory.
    pub fn account(&self) -> String {
        let needed = bytes_in_words(self.allocated.load(Ordering::Relaxed));
        let memory = bytes_in_words(self.info.global_memory_bytes);
        format!("needs {needed}, device has {memory}")
    }
}

/// Counts how a device's programs were obtained since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// Number of programs built from source.
    pub built: u64,
    /// Number of programs loaded from the cache.
    pub cached: u64,
}

/// The default launch limit on a GPU. Launches freeze the display, and drivers kill launches that take too long.
pub const LAUNCH_LIMIT: Duration = Duration::from_millis(50);

/// An open OpenCL device with its context and the results of the checks made when it was opened.
pub struct Device {
    pub(super) shared: Arc<Shared>,
    timer: Timer,
    round_trip_ns: Option<u64>,
    preferred_multiple: usize,
    launch_limit: OnceLock<Option<Duration>>,
}

/// Opens a device and checks its timer with a small kernel. Fails with [`Fault::Device`] if the device is missing, is
/// now at other indices or cannot be opened. Fails with [`Fault::Build`] if the kernel does not build.
pub fn open(info: &DeviceInfo) -> Result<Device, Fault> {
    let gone = || {
        Fault::Device(format!(
            "device {} {} is no longer present",
            info.numbers(),
            info.label
        ))
    };
    let platform = *platforms()?.get(info.platform_index).ok_or_else(gone)?;
    let id = *devices(platform)?.get(info.device_index).ok_or_else(gone)?;
    if name_of(&id.text(ffi::CL_DEVICE_NAME)?) != info.name {
        return Err(gone());
    }
    let properties = [
        ffi::CL_CONTEXT_PLATFORM as ffi::cl_context_properties,
        platform.0 as ffi::cl_context_properties,
        0,
    ];
    // SAFETY: the property list ends with 0, the device belongs to the platform, and there is no callback.
    let context = unsafe {
        Owned::created("clCreateContext", |status| {
            ffi::clCreateContext(properties.as_ptr(), 1, &id.0, None, null_mut(), status)
        })?
    };
    let shared = Arc::new(Shared {
        info: info.clone(),
        quirks: Quirks::of(info),
        id,
        context,
        allocated: AtomicU64::new(0),
        default_queue: Mutex::new(None),
        assumed_multiple: AtomicUsize::new(0),
        planned: Mutex::new(Vec::new()),
        only_plans: AtomicBool::new(false),
        cache: OnceLock::new(),
        built: AtomicU64::new(0),
        cached: AtomicU64::new(0),
    });
    let (timer, preferred_multiple, round_trip_ns) = timer::check(&shared)?;
    Ok(Device {
        shared,
        timer,
        round_trip_ns,
        preferred_multiple,
        launch_limit: OnceLock::new(),
    })
}

/// Opens the device with this platform number and device number. Fails with [`Fault::Device`] if it does not exist.
pub fn open_numbered((platform, number): (usize, usize)) -> Result<Device, Fault> {
    let devices = list().map_err(|none| Fault::Device(none.to_string()))?;
    let is_own =
        |info: &&DeviceInfo| (info.platform_index, info.device_index) == (platform, number);
    let gone = || Fault::Device(format!("device {platform}:{number} is no longer present"));
    open(devices.iter().find(is_own).ok_or_else(gone)?)
}

impl Device {
    /// Returns the device as its driver describes it.
    pub fn info(&self) -> &DeviceInfo {
        &self.shared.info
    }

    /// Returns the workarounds in use on this device.
    pub fn quirks(&self) -> &Quirks {
        &self.shared.quirks
    }

    /// Returns the result of the timestamp check made when the device was opened.
    pub fn timer(&self) -> &Timer {
        &self.timer
    }

    /// Returns the median time to launch an empty kernel and read a word, in ns. `None` if measuring takes too long.
    pub fn round_trip_ns(&self) -> Option<u64> {
        self.round_trip_ns
    }

    /// Returns the total size of all live buffers and images on the device, in bytes.
    pub fn allocated_bytes(&self) -> u64 {
        self.shared.allocated.load(Ordering::Relaxed)
    }

    /// Returns the preferred work-group multiple of a small kernel: 32 on NVIDIA, and 1 or the vector width on CPUs.
    pub fn preferred_multiple(&self) -> usize {
        self.preferred_multiple
    }

    /// Replaces the preferred work-group multiple of the device and its kernels, to test the choices for other devices.
    pub fn assume_preferred_multiple(&mut self, multiple: usize) {
        self.preferred_multiple = multiple;
        self.shared
            .assumed_multiple
            .store(multiple, Ordering::Relaxed);
    }

    /// Makes later builds fail after recording them for [`Device::built`], to plan for a device that is not present.
    pub fn only_plan(&mut self) {
        self.shared.only_plans.store(true, Ordering::Relaxed);
    }

    /// Returns the builds requested so far, in order: each file with its build options.
    pub fn built(&self) -> Vec<(String, String)> {
        let built = self.shared.planned.lock();
        built.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Limits the duration of a launch. `None` means no limit. Only the first call has an effect.
    pub fn limit_launches(&self, limit: Option<Duration>) {
        let _ = self.launch_limit.set(limit);
    }

    /// Returns the maximum duration of a launch. The default is [`LAUNCH_LIMIT`] on GPUs, and no limit on CPUs.
    pub fn launch_limit(&self) -> Option<Duration> {
        let is_processor = self.info().kind == DeviceKind::Cpu;
        let default = (!is_processor).then_some(LAUNCH_LIMIT);
        self.launch_limit.get().copied().unwrap_or(default)
    }

    /// Makes later builds load programs from this cache and store new ones in it. Only the first call has an effect.
    pub fn keep_programs_in(&self, cache: Cache) {
        let _ = self.shared.cache.set(cache);
    }

    /// Returns the numbers of programs built and loaded so far.
    pub fn programs(&self) -> Programs {
        Programs {
            built: self.shared.built.load(Ordering::Relaxed),
            cached: self.shared.cached.load(Ordering::Relaxed),
        }
    }

    /// Builds a kernel file, such as `reversi/pv_split.cl`, from `kernels_dir` or the embedded files. The constants
    /// become `-D` options. Returns [`Fault::Build`] with the log, or [`Fault::Input`] for a missing file or a bad
    /// constant. If the device is known to run the program incorrectly, returns [`Fault::Unsupported`].
    pub fn build(
        &self,
        path: &str,
        defines: &[(&str, String)],
        kernels_dir: Option<&Path>,
        needs: BuildNeeds,
    ) -> Result<Program, Fault> {
        Program::new(&self.shared, path, defines, kernels_dir, needs)
    }

    /// Creates an in-order queue that times its commands. Fails with [`Fault::Device`] if the driver refuses.
    pub fn queue(&self) -> Result<Queue, Fault> {
        Queue::new(&self.shared, self.timer.is_trusted())
    }

    /// Creates an image of the given `size` (width and height in pixels). Fails with [`Fault::Unsupported`] without
    /// image support, and [`Fault::Memory`] if the image is too large.
    pub fn image(&self, size: [usize; 2], access: Access) -> Result<Image, Fault> {
        Image::new(&self.shared, size, access)
    }

    /// Returns an image's maximum width and height, in pixels. Fails with [`Fault::Unsupported`] without image support.
    pub fn largest_image(&self) -> Result<[usize; 2], Fault> {
        image_limit(&self.shared)
    }

    /// Allocates a buffer of `len` elements in global memory. Fails with [`Fault::Memory`] if memory is insufficient.
    pub fn buffer<T: OclPrm>(&self, len: usize, access: Access) -> Result<Buffer<T>, Fault> {
        Buffer::new(&self.shared, len, access)
    }
}
