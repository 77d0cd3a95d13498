use std::fmt;

use ocl::ffi;
use serde::{Deserialize, Serialize};

use super::query::{DeviceId, Platform};
use super::status::CallError;
use super::units::bytes_in_words;
use crate::words::Fault;

/// `CL_DEVICE_OPENCL_C_ALL_VERSIONS`, which `ocl`'s header lacks.
const OPENCL_C_ALL_VERSIONS: u32 = 0x1066;
/// `CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES` of OpenCL 3.0; bit 0: kernels may enqueue kernels.
const DEVICE_ENQUEUE_CAPABILITIES: u32 = 0x1070;

/// `CL_DEVICE_UUID_KHR` of `cl_khr_device_uuid`: 16 bytes.
const UUID: u32 = 0x106A;
/// `CL_DEVICE_PCI_BUS_INFO_KHR` of `cl_khr_pci_bus_info`: domain, bus, device, function.
const PCI_BUS_INFO: u32 = 0x410F;
/// `CL_DEVICE_PCI_BUS_ID_NV`, `…_SLOT_ID_NV`, `…_DOMAIN_ID_NV`: older NVIDIA drivers have only these.
const PCI_NV: [u32; 3] = [0x4008, 0x4009, 0x400A];
/// `CL_DEVICE_TOPOLOGY_AMD`: its last three bytes are bus, device and function.
const TOPOLOGY_AMD: u32 = 0x4037;

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// A graphics processor.
    Gpu,
    /// Another device for computation.
    Accelerator,
    /// The host's own processor.
    Cpu,
    /// A device without a compiler, or of a kind that OpenCL does not name.
    Custom,
}

impl DeviceKind {
    /// The word in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            DeviceKind::Gpu => "gpu",
            DeviceKind::Accelerator => "accelerator",
            DeviceKind::Cpu => "cpu",
            DeviceKind::Custom => "custom",
        }
    }

    fn from_bits(bits: u64) -> DeviceKind {
        if bits & ffi::CL_DEVICE_TYPE_GPU != 0 {
            DeviceKind::Gpu
        } else if bits & ffi::CL_DEVICE_TYPE_ACCELERATOR != 0 {
            DeviceKind::Accelerator
        } else if bits & ffi::CL_DEVICE_TYPE_CPU != 0 {
            DeviceKind::Cpu
        } else {
            DeviceKind::Custom
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A device as its driver describes it. A number that the driver does not report is 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Index of its platform in the loader's order, platforms without devices included.
    pub platform_index: usize,
    /// Index of the device in its platform.
    pub device_index: usize,
    /// Its name in rows and reports: the device's name, with `#1`, `#2` … if several devices share it.
    pub label: String,
    /// Distinguishes it from an identical device of this machine: `uuid …`, `pci …`, or both. If the driver
    /// reports neither, or the same for several devices, its place in its platform's list: `device 1`.
    pub address: String,
    /// Platform name.
    pub platform: String,
    /// Platform version: `OpenCL 3.0 PoCL 3.1+debian …`.
    pub platform_version: String,
    /// Device name.
    pub name: String,
    /// Vendor.
    pub vendor: String,
    /// Its kind.
    pub kind: DeviceKind,
    /// Driver version.
    pub driver: String,
    /// OpenCL version of the device.
    pub version: String,
    /// OpenCL C version, as queried in OpenCL 1.1 to 2.2; never above 1.2 if 2.0 is incomplete.
    pub c_version: String,
    /// Every OpenCL C version that a build option may name, as `1.2`; empty before OpenCL 3.0.
    pub c_versions: Vec<String>,
    /// Compute units.
    pub compute_units: u32,
    /// Clock frequency, MHz.
    pub clock_mhz: u32,
    /// Global memory, bytes.
    pub global_memory_bytes: u64,
    /// Size limit of a buffer, bytes.
    pub max_allocation_bytes: u64,
    /// Local memory, bytes.
    pub local_memory_bytes: u64,
    /// Work-group size limit.
    pub max_work_group: usize,
    /// Work-group size limit per dimension.
    pub max_work_items: Vec<usize>,
    /// Preferred number of 32-bit integers in a vector: 1 on a GPU, 16 with AVX-512.
    pub native_int_width: u32,
    /// Resolution of the event timer, ns.
    pub timer_resolution_ns: u64,
    /// Whether it supports images.
    pub images: bool,
    /// Whether kernels can enqueue kernels.
    pub device_enqueue: bool,
    /// Whether it is little-endian.
    pub little_endian: bool,
    /// Names of its extensions.
    pub extensions: Vec<String>,
}

/// Longer device names are cut to this many characters.
const LONGEST_NAME: usize = 100;

impl DeviceInfo {
    pub(super) fn read(
        (platform_index, platform): (usize, Platform),
        (device_index, device): (usize, DeviceId),
    ) -> Result<DeviceInfo, CallError> {
        // A driver that cannot name its device cannot run it. All other information may be missing.
        let name = name_of(&device.text(ffi::CL_DEVICE_NAME)?);
        let text = |what| device.text(what).unwrap_or_default();
        let number = |what| device.number(what).unwrap_or(0);
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
            c_versions: c_versions(&device.bytes(OPENCL_C_ALL_VERSIONS).unwrap_or_default()),
            compute_units: number(ffi::CL_DEVICE_MAX_COMPUTE_UNITS) as u32,
            clock_mhz: number(ffi::CL_DEVICE_MAX_CLOCK_FREQUENCY) as u32,
            global_memory_bytes: number(ffi::CL_DEVICE_GLOBAL_MEM_SIZE),
            max_allocation_bytes: number(ffi::CL_DEVICE_MAX_MEM_ALLOC_SIZE),
            local_memory_bytes: number(ffi::CL_DEVICE_LOCAL_MEM_SIZE),
            max_work_group: number(ffi::CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize,
            max_work_items: sizes(
                &device
                    .bytes(ffi::CL_DEVICE_MAX_WORK_ITEM_SIZES)
                    .unwrap_or_default(),
            ),
            native_int_width: number(ffi::CL_DEVICE_NATIVE_VECTOR_WIDTH_INT) as u32,
            timer_resolution_ns: number(ffi::CL_DEVICE_PROFILING_TIMER_RESOLUTION),
            images: number(ffi::CL_DEVICE_IMAGE_SUPPORT) != 0,
            device_enqueue: device_enqueue(&version, &number),
            little_endian: number(ffi::CL_DEVICE_ENDIAN_LITTLE) != 0,
            extensions: text(ffi::CL_DEVICE_EXTENSIONS)
                .split(' ')
                .filter(|e| !e.is_empty())
                .map(str::to_owned)
                .collect(),
            version,
        })
    }

    /// Refuses groups that need more local memory than the device has: drivers abort or return garbage.
    /// `whose` begins the message: `a board of 64x64 needs`.
    ///
    /// # Errors
    ///
    /// [`Fault::Memory`] with both numbers.
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

    /// The [`address`](Self::address) of a device whose driver does not distinguish it from others.
    pub(super) fn place(&self) -> String {
        format!("device {}", self.device_index)
    }

    /// Its two indices on the command line: `0:1`.
    pub fn numbers(&self) -> String {
        format!("{}:{}", self.platform_index, self.device_index)
    }

    /// The major number of its OpenCL version.
    pub(super) fn version_major(&self) -> Option<u32> {
        major(&self.version)
    }
}

/// The driver's own identification of a device; empty if there is none.
fn address(device: &DeviceId) -> String {
    let uuid = device.bytes(UUID).ok().filter(|bytes| bytes.len() == 16);
    let uuid = uuid.filter(|bytes| bytes.iter().any(|byte| *byte != 0));
    let uuid = uuid.map(|bytes| {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("uuid {digits}")
    });
    let parts = [uuid, pci(&|what| device.bytes(what).unwrap_or_default())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// `pci 0000:17:00.0`, by whichever extension the driver has.
fn pci(bytes: &dyn Fn(u32) -> Vec<u8>) -> Option<String> {
    let words = |what: u32| -> Vec<u32> {
        let bytes = bytes(what);
        let words = bytes
            .chunks_exact(4)
            .filter_map(|word| word.try_into().ok());
        words.map(u32::from_ne_bytes).collect()
    };
    let show = |domain: u32, bus: u32, device: u32, function: u32| {
        format!("pci {domain:04x}:{bus:02x}:{device:02x}.{function:x}")
    };
    if let &[domain, bus, device, function] = words(PCI_BUS_INFO).as_slice() {
        return Some(show(domain, bus, device, function));
    }
    if let [&[bus], &[slot]] = [PCI_NV[0], PCI_NV[1]]
        .map(words)
        .each_ref()
        .map(Vec::as_slice)
    {
        let domain = words(PCI_NV[2]).first().copied().unwrap_or(0);
        return Some(show(domain, bus, slot >> 3, slot & 7));
    }
    match bytes(TOPOLOGY_AMD).as_slice() {
        [.., bus, device, function] => {
            Some(show(0, (*bus).into(), (*device).into(), (*function).into()))
        }
        _ => None,
    }
}

/// Whether kernels can enqueue kernels, by queries only: trying it aborts the process on pocl.
fn device_enqueue(version: &str, number: &dyn Fn(u32) -> u64) -> bool {
    match major(version) {
        Some(0..=1) | None => false,
        Some(2) => number(ffi::CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES) != 0,
        Some(_) => number(DEVICE_ENQUEUE_CAPABILITIES) & 1 != 0,
    }
}

/// 3 of `OpenCL 3.0 …`.
fn major(version: &str) -> Option<u32> {
    version
        .strip_prefix("OpenCL ")?
        .split('.')
        .next()?
        .parse()
        .ok()
}

/// An array of the C type `size_t`.
fn sizes(bytes: &[u8]) -> Vec<usize> {
    bytes
        .chunks_exact(size_of::<usize>())
        .filter_map(|chunk| chunk.try_into().ok().map(usize::from_ne_bytes))
        .collect()
}

/// An array of `cl_name_version`: a number (major from bit 22, minor in bits 12 to 21) and a name of 64
/// bytes. Sorted ascending: Intel lists the newest first.
fn c_versions(bytes: &[u8]) -> Vec<String> {
    let mut versions: Vec<(u32, u32)> = bytes
        .chunks_exact(4 + 64)
        .filter_map(|entry| entry[..4].try_into().ok().map(u32::from_ne_bytes))
        .map(|number| (number >> 22, number >> 12 & 0x3ff))
        .collect();
    versions.sort_unstable();
    versions
        .iter()
        .map(|(major, minor)| format!("{major}.{minor}"))
        .collect()
}

/// A device's name in rows and file names. Drivers are known that report 64 characters, and a longer name may
/// exceed the limit of a file name. Two words are reserved for rows of the host and of no device.
pub(super) fn name_of(told: &str) -> String {
    let name: String = told.chars().take(LONGEST_NAME).collect();
    match name.as_str() {
        "" | "host" | "none" => format!("device {name:?}"),
        _ => name,
    }
}

/// A device for tests: a processor on pocl 6, except for what the test changes.
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
    fn a_pci_address_is_read_from_each_extension() {
        let packed = |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let khronos = |what| match what {
            PCI_BUS_INFO => packed(&[1, 0x17, 2, 3]),
            _ => Vec::new(),
        };
        assert_eq!(pci(&khronos).as_deref(), Some("pci 0001:17:02.3"));
        let nvidia = |what| match what {
            0x4008 => packed(&[0xb3]),
            0x4009 => packed(&[2 << 3 | 1]),
            _ => Vec::new(),
        };
        assert_eq!(pci(&nvidia).as_deref(), Some("pci 0000:b3:02.1"));
        let amd = |what| match what {
            TOPOLOGY_AMD => [vec![0; 21], vec![0x0a, 0, 0]].concat(),
            _ => Vec::new(),
        };
        assert_eq!(pci(&amd).as_deref(), Some("pci 0000:0a:00.0"));
        assert_eq!(pci(&|_| Vec::new()), None);
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
