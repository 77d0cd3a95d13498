use std::fmt;
use std::path::Path;

use ocl::ffi;
use serde::{Deserialize, Serialize};

use super::address::{address, has_connected_display, part_of};
use super::query::{DeviceId, Platform};
use super::status::CallError;
use super::units::bytes_in_words;
use crate::words::{Fault, worded};

/// `CL_DEVICE_OPENCL_C_ALL_VERSIONS`, which is missing in `ocl`'s header.
const OPENCL_C_ALL_VERSIONS: u32 = 0x1066;
/// `CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES` in OpenCL 3.0. Bit 0 means that kernels may enqueue kernels.
const DEVICE_ENQUEUE_CAPABILITIES: u32 = 0x1070;

/// `CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV`: true if the driver kills kernels that run for seconds.
const KERNEL_EXEC_TIMEOUT_NV: u32 = 0x4005;
/// The kind of an OpenCL device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// A graphics processor.
    Gpu,
    /// Another compute device.
    Accelerator,
    /// The host's CPU.
    Cpu,
    /// A device that has no compiler or whose kind OpenCL does not name.
    Custom,
}

/// Substrings of device names that show that a device runs on the CPU.
const SOFTWARE: [&str; 5] = [
    "llvmpipe",
    "basic render driver",
    "swiftshader",
    "pthread-",
    "cpu-",
];

impl DeviceKind {
    fn from_bits(bits: u64) -> DeviceKind {
        let kinds = [
            (ffi::CL_DEVICE_TYPE_GPU, DeviceKind::Gpu),
            (ffi::CL_DEVICE_TYPE_ACCELERATOR, DeviceKind::Accelerator),
            (ffi::CL_DEVICE_TYPE_CPU, DeviceKind::Cpu),
        ];
        let kind = kinds.into_iter().find(|(bit, _)| bits & bit != 0);
        kind.map_or(DeviceKind::Custom, |(_, kind)| kind)
    }
}

worded! { DeviceKind { Gpu "gpu" Accelerator "accelerator" Cpu "cpu" Custom "custom" } }

/// A device as its driver describes it. Numbers that the driver does not report are 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Index of the device's platform in the loader's order, including platforms without devices.
    pub platform_index: usize,
    /// Index of the device in its platform.
    pub device_index: usize,
    /// The device's name in rows and reports, with `#1`, `#2` … if several devices share it.
    pub label: String,
    /// Distinguishes identical devices of this machine: `uuid …`, `pci …`, or both. If the driver reports neither, it
    /// is the device's index in its platform: `device 1`.
    pub address: String,
    /// Platform name.
    pub platform: String,
    /// Platform version, such as `OpenCL 3.0 PoCL 3.1+debian …`.
    pub platform_version: String,
    /// Device name.
    pub name: String,
    /// Vendor.
    pub vendor: String,
    /// Kind of the device.
    pub kind: DeviceKind,
    /// Driver version.
    pub driver: String,
    /// OpenCL version of the device.
    pub version: String,
    /// OpenCL C version, as queried in OpenCL 1.1 to 2.2. At most 1.2 if the driver's 2.0 is incomplete.
    pub c_version: String,
    /// All OpenCL C versions that the build option accepts, such as `1.2`. Empty before OpenCL 3.0.
    pub c_versions: Vec<String>,
    /// Number of compute units.
    pub compute_units: u32,
    /// Clock frequency, MHz.
    pub clock_mhz: u32,
    /// Size of global memory, bytes.
    pub global_memory_bytes: u64,
    /// Maximum size of a buffer, bytes.
    pub max_allocation_bytes: u64,
    /// Size of local memory, bytes.
    pub local_memory_bytes: u64,
    /// Maximum number of work-items in a work-group.
    pub max_work_group: usize,
    /// Maximum number of work-items in each dimension of a work-group.
    pub max_work_items: Vec<usize>,
    /// Preferred number of 32-bit integers in a vector: 1 on a GPU, 16 with AVX-512.
    pub native_int_width: u32,
    /// Resolution of the event timer, ns.
    pub timer_resolution_ns: u64,
    /// True if the device supports images.
    pub images: bool,
    /// True if kernels can enqueue kernels.
    pub device_enqueue: bool,
    /// True if the device is little-endian.
    pub little_endian: bool,
    /// True if a display is attached, so that the driver kills long launches. Only detected on NVIDIA and on Linux.
    #[serde(default)]
    pub has_display: bool,
    /// True if the device shares the host's memory, as CPUs and their integrated GPUs do.
    #[serde(default)]
    pub unified_memory: bool,
    /// The [`numbers`](Self::numbers) of an earlier entry in the loader for the same device, if any.
    #[serde(default)]
    pub same_as: Option<String>,
    /// Names of the supported extensions.
    pub extensions: Vec<String>,
}

const LONGEST_NAME: usize = 100;

impl DeviceInfo {
    pub(super) fn read(
        (platform_index, platform): (usize, Platform),
        (device_index, device): (usize, DeviceId),
    ) -> Result<DeviceInfo, CallError> {
        // A driver that cannot name a device cannot run it either. All other information may be missing.
        let name = name_of(&device.text(ffi::CL_DEVICE_NAME)?);
        let text = |what| device.text(what).unwrap_or_default();
        let number = |what| device.number(what).unwrap_or(0);
        let bytes = |what| device.bytes(what).unwrap_or_default();
        let version = text(ffi::CL_DEVICE_VERSION);
        Ok(DeviceInfo {
            platform_index,
            device_index,
            label: name.clone(),
            address: address(&device),
            platform: platform.text(ffi::CL_PLATFORM_NAME).unwrap_or_default(),
            platform_version: platform.text(ffi::CL_PLATFORM_VERSION).unwrap_or_default(),
            name,
            vendor: text(ffi::CL_DEVICE_VENDOR),
            kind: DeviceKind::from_bits(number(ffi::CL_DEVICE_TYPE)),
            driver: text(ffi::CL_DRIVER_VERSION),
            c_version: text(ffi::CL_DEVICE_OPENCL_C_VERSION),
            c_versions: c_versions(&bytes(OPENCL_C_ALL_VERSIONS)),
            compute_units: number(ffi::CL_DEVICE_MAX_COMPUTE_UNITS) as u32,
            clock_mhz: number(ffi::CL_DEVICE_MAX_CLOCK_FREQUENCY) as u32,
            global_memory_bytes: number(ffi::CL_DEVICE_GLOBAL_MEM_SIZE),
            max_allocation_bytes: number(ffi::CL_DEVICE_MAX_MEM_ALLOC_SIZE),
            local_memory_bytes: number(ffi::CL_DEVICE_LOCAL_MEM_SIZE),
            max_work_group: number(ffi::CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize,
            max_work_items: sizes(&bytes(ffi::CL_DEVICE_MAX_WORK_ITEM_SIZES)),
            native_int_width: number(ffi::CL_DEVICE_NATIVE_VECTOR_WIDTH_INT) as u32,
            timer_resolution_ns: number(ffi::CL_DEVICE_PROFILING_TIMER_RESOLUTION),
            images: number(ffi::CL_DEVICE_IMAGE_SUPPORT) != 0,
            device_enqueue: device_enqueue(&version, &number),
            little_endian: number(ffi::CL_DEVICE_ENDIAN_LITTLE) != 0,
            has_display: number(KERNEL_EXEC_TIMEOUT_NV) != 0
                || has_connected_display(Path::new("/sys/class/drm"), &address(&device)),
            unified_memory: number(ffi::CL_DEVICE_HOST_UNIFIED_MEMORY) != 0,
            same_as: None,
            extensions: text(ffi::CL_DEVICE_EXTENSIONS)
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            version,
        })
    }

    /// Rejects work-groups that need more local memory than the device has ([`Fault::Memory`]), because drivers abort
    /// or return garbage. `whose` begins the message, for example `a board of 64x64 needs`.
    pub fn check_local(&self, bytes: u64, whose: impl fmt::Display) -> Result<(), Fault> {
        if bytes <= self.local_memory_bytes {
            return Ok(());
        }
        Err(Fault::Memory(format!(
            "{whose} {} of local memory, device has {}",
            bytes_in_words(bytes),
            bytes_in_words(self.local_memory_bytes)
        )))
    }

    /// Returns the [`address`](Self::address) of a device whose driver reports no unique address.
    pub(super) fn place(&self) -> String {
        format!("device {}", self.device_index)
    }

    /// Returns the platform and device indices as on the command line: `0:1`.
    pub fn numbers(&self) -> String {
        format!("{}:{}", self.platform_index, self.device_index)
    }

    /// Returns a note if the device claims to be a GPU but has the name of a software renderer or a CPU.
    pub fn emulated(&self) -> Option<&'static str> {
        let name = self.name.to_lowercase();
        let is_software = SOFTWARE.iter().any(|own| name.contains(own));
        let note = "the driver reports a GPU with a CPU's name: launches are small, as on a GPU";
        (self.kind == DeviceKind::Gpu && is_software).then_some(note)
    }

    /// True if this device is a different one than `own`, rather than a second entry for the same device.
    pub fn is_beside(&self, own: &DeviceInfo) -> bool {
        let numbers = self.numbers();
        self.same_as.is_none() && numbers != own.numbers() && own.same_as != Some(numbers)
    }

    /// True if both entries in the loader are the same device, according to the bus address or the UUID. If both are
    /// missing, all reported information must agree, because the same library may be loaded twice.
    pub(super) fn is_same(&self, other: &DeviceInfo) -> bool {
        if self.platform_index == other.platform_index {
            return false;
        }
        let shared = |kind: &str| {
            let [own, others] = [self, other].map(|it| part_of(&it.address, kind));
            own.zip(others).map(|(own, others)| own == others)
        };
        if let Some(is_same) = shared("pci").or_else(|| shared("uuid")) {
            return is_same;
        }
        let anywhere = |it: &DeviceInfo| DeviceInfo {
            platform_index: 0,
            label: String::new(),
            same_as: None,
            ..it.clone()
        };
        anywhere(self) == anywhere(other)
    }
}

/// True if kernels can enqueue kernels, according to queries. Trying it would abort the process on pocl.
fn device_enqueue(version: &str, number: &dyn Fn(u32) -> u64) -> bool {
    match major(version) {
        Some(0..=1) | None => false,
        Some(2) => number(ffi::CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES) != 0,
        Some(_) => number(DEVICE_ENQUEUE_CAPABILITIES) & 1 != 0,
    }
}

pub(super) fn major(version: &str) -> Option<u32> {
    let (major, _) = version.strip_prefix("OpenCL ")?.split_once('.')?;
    major.parse().ok()
}

pub(super) fn sizes(bytes: &[u8]) -> Vec<usize> {
    bytes
        .as_chunks()
        .0
        .iter()
        .copied()
        .map(usize::from_ne_bytes)
        .collect()
}

/// Sorts the versions of `cl_name_version` entries: a number (major from bit 22, minor from bit 12), then 64 bytes.
fn c_versions(bytes: &[u8]) -> Vec<String> {
    let entries = bytes.as_chunks::<{ 4 + 64 }>().0.iter();
    let mut versions: Vec<u32> = entries
        .filter_map(|entry| entry.first_chunk().copied().map(u32::from_ne_bytes))
        .collect();
    versions.sort_unstable();
    let show = |number: u32| format!("{}.{}", number >> 22, number >> 12 & 0x3ff);
    versions.into_iter().map(show).collect()
}

/// Shortens a device's name for rows and file names. Renames it if the name is empty or means no device in rows.
pub(super) fn name_of(told: &str) -> String {
    let name: String = told.chars().take(LONGEST_NAME).collect();
    match name.as_str() {
        "" | "host" | "none" => format!("device {name:?}"),
        _ => name,
    }
}

/// A device for tests: a CPU on pocl 6.
#[cfg(test)]
pub(crate) fn example(platform_index: usize, device_index: usize, name: &str) -> DeviceInfo {
    DeviceInfo {
        platform_index,
        device_index,
        label: name.to_owned(),
        address: format!("device {device_index}"),
        platform: "Portable Computing Language".to_owned(),
        platform_version: "OpenCL 3.0 PoCL 6.0 Linux, RELOC".to_owned(),
        name: name.to_owned(),
        vendor: "GenuineIntel".to_owned(),
        kind: DeviceKind::Cpu,
        driver: "6.0".to_owned(),
        version: "OpenCL 3.0 PoCL HSTR: cpu".to_owned(),
        c_version: "OpenCL C 1.2 PoCL".to_owned(),
        c_versions: Vec::new(),
        compute_units: 2,
        clock_mhz: 2_000,
        global_memory_bytes: 4 << 30,
        max_allocation_bytes: 1 << 30,
        local_memory_bytes: 1 << 19,
        max_work_group: 4_096,
        max_work_items: vec![4_096; 3],
        native_int_width: 8,
        timer_resolution_ns: 1,
        images: true,
        device_enqueue: false,
        little_endian: true,
        has_display: false,
        unified_memory: true,
        same_as: None,
        extensions: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_side_enqueue_is_asked_by_version() {
        let three = |what| u64::from(what == DEVICE_ENQUEUE_CAPABILITIES) * 3;
        let two = |what| u64::from(what == ffi::CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES);
        assert!(device_enqueue("OpenCL 3.0 Intel", &three));
        assert!(!device_enqueue("OpenCL 3.0 Intel", &two));
        assert!(device_enqueue("OpenCL 2.1 AMD-APP", &two));
        assert!(!device_enqueue("OpenCL 1.2 CUDA", &|_| 3));
        assert!(!device_enqueue("", &|_| 3));
    }

    #[test]
    fn c_versions_are_unpacked() {
        let mut bytes = Vec::new();
        for version in [3u32 << 22, 1 << 22 | 2 << 12] {
            bytes.extend(version.to_ne_bytes());
            bytes.extend([0; 64]);
        }
        assert_eq!(c_versions(&bytes), ["1.2", "3.0"]);
        assert!(c_versions(&bytes[..40]).is_empty());
    }
}
