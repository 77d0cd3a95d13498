use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ocl::{OclPrm, ffi};

use super::cache::Cache;
use super::context::Shared;
use super::handle::Owned;
use super::image::{self, Image};
use super::info::{DeviceInfo, name_of};
use super::latency;
use super::list::{devices, list, platforms};
use super::memory::{Access, Buffer};
use super::program::Program;
use super::queue::Queue;
use super::quirks::{BuildNeeds, Quirks};
use super::timer::{self, TimerVerdict};
use crate::words::Fault;

/// Origin of a device's programs, counted since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// Built from source.
    pub built: u64,
    /// Loaded from the cache.
    pub cached: u64,
}

/// An opened OpenCL device: a context, and the results of the checks at opening.
pub struct Device {
    pub(super) shared: Arc<Shared>,
    timer: TimerVerdict,
    round_trip_ns: Option<u64>,
    preferred_multiple: usize,
}

/// Opens a device and checks its timer, which builds and runs a small kernel.
///
/// # Errors
///
/// [`Fault::Device`] if the device is gone, another one has its numbers, or the driver refuses;
/// [`Fault::Build`] if the driver cannot build the small kernel.
pub fn open(info: &DeviceInfo) -> Result<Device, Fault> {
    let gone = || {
        Fault::Device(format!(
            "device {} {} is not there any more",
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
    let mut status = 0;
    // SAFETY: a list of properties that ends with 0, one device of that platform, no callback.
    let context = unsafe {
        let made =
            ffi::clCreateContext(properties.as_ptr(), 1, &id.0, None, null_mut(), &mut status);
        Owned::created("clCreateContext", made, status)?
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
    let (timer, preferred_multiple) = timer::check(&shared)?;
    let round_trip_ns = latency::round_trip(&shared, timer.trusted)?;
    Ok(Device {
        shared,
        timer,
        round_trip_ns,
        preferred_multiple,
    })
}

/// [`open`] the device of these numbers: platform and device.
///
/// # Errors
///
/// As [`open`], and [`Fault::Device`] if there is none of these numbers.
pub fn open_numbered((platform, number): (usize, usize)) -> Result<Device, Fault> {
    let devices = list().map_err(|none| Fault::Device(none.to_string()))?;
    let is_own =
        |info: &&DeviceInfo| (info.platform_index, info.device_index) == (platform, number);
    let gone = || Fault::Device(format!("there is no device {platform}:{number} any more"));
    open(devices.iter().find(is_own).ok_or_else(gone)?)
}

impl Device {
    /// The device as its driver describes it.
    pub fn info(&self) -> &DeviceInfo {
        &self.shared.info
    }

    /// The workarounds in use on it.
    pub fn quirks(&self) -> &Quirks {
        &self.shared.quirks
    }

    /// The verdict on its event timestamps, from the check at opening.
    pub fn timer(&self) -> &TimerVerdict {
        &self.timer
    }

    /// Median time to launch an empty kernel and read one word back, by the host's clock, ns, measured at
    /// opening; `None` on a device too slow to measure it.
    pub fn round_trip_ns(&self) -> Option<u64> {
        self.round_trip_ns
    }

    /// Bytes of all live buffers and images on it.
    pub fn allocated_bytes(&self) -> u64 {
        self.shared.allocated.load(Ordering::Relaxed)
    }

    /// Preferred multiple of the work-group size, as the driver reports it for a small kernel: 32 on NVIDIA,
    /// 64 on some AMD devices, 1 or the vector width on processors.
    pub fn preferred_multiple(&self) -> usize {
        self.preferred_multiple
    }

    /// Replaces the preferred work-group multiple that the driver reports for the device and its kernels:
    /// shows on one device what techniques choose on others.
    pub fn assume_preferred_multiple(&mut self, multiple: usize) {
        self.preferred_multiple = multiple;
        self.shared
            .assumed_multiple
            .store(multiple, Ordering::Relaxed);
    }

    /// From now on builds are recorded for [`Device::built`] and refused: shows what would be built on a
    /// device of which only the description exists.
    pub fn only_plan(&mut self) {
        self.shared.only_plans.store(true, Ordering::Relaxed);
    }

    /// Builds requested so far: each file with its options, in order.
    pub fn built(&self) -> Vec<(String, String)> {
        let built = self.shared.planned.lock();
        built.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on, programs are loaded from this cache, or built and stored in it. Only the first call has
    /// an effect.
    pub fn keep_programs_in(&self, cache: Cache) {
        let _ = self.shared.cache.set(cache);
    }

    /// The number of programs built and loaded so far.
    pub fn programs(&self) -> Programs {
        Programs {
            built: self.shared.built.load(Ordering::Relaxed),
            cached: self.shared.cached.load(Ordering::Relaxed),
        }
    }

    /// Builds a kernel file, such as `reversi/pv_split.cl`, with these constants as `-D`. The file comes from
    /// `kernels_dir` if given, else from the embedded ones.
    ///
    /// # Errors
    ///
    /// [`Fault::Build`] with the log; [`Fault::Input`] for a missing file or a constant that cannot be
    /// passed; [`Fault::Unsupported`], before any call to the driver, if the device cannot run such a program
    /// correctly.
    pub fn build(
        &self,
        path: &str,
        defines: &[(&str, String)],
        kernels_dir: Option<&Path>,
        needs: BuildNeeds,
    ) -> Result<Program, Fault> {
        Program::new(&self.shared, path, defines, kernels_dir, needs)
    }

    /// An in-order queue with timed commands.
    ///
    /// # Errors
    ///
    /// [`Fault::Device`] if the driver refuses.
    pub fn queue(&self) -> Result<Queue, Fault> {
        Queue::new(&self.shared, self.timer.trusted)
    }

    /// An image of `size` pixels: width and height.
    ///
    /// # Errors
    ///
    /// [`Fault::Unsupported`] if the device has no such images, [`Fault::Memory`] if the image is too large
    /// for it.
    pub fn image(&self, size: [usize; 2], access: Access) -> Result<Image, Fault> {
        Image::new(&self.shared, size, access)
    }

    /// Limits of an image's width and height, pixels.
    ///
    /// # Errors
    ///
    /// [`Fault::Unsupported`] if the device has no images.
    pub fn largest_image(&self) -> Result<[usize; 2], Fault> {
        image::limit(&self.shared)
    }

    /// A buffer of `len` elements in global memory.
    ///
    /// # Errors
    ///
    /// [`Fault::Memory`] if the buffer is too large for the device, alone or together with the live ones.
    pub fn buffer<T: OclPrm>(&self, len: usize, access: Access) -> Result<Buffer<T>, Fault> {
        Buffer::new(&self.shared, len, access)
    }
}
