//! Supports kernels that enqueue kernels. OpenCL C 2.0 allows this, and in 3.0 it is an optional feature.
//!
//! Support is queried rather than tried, because trying it makes pocl and rusticl abort the process. The following
//! rules were observed on Intel's runtime 2026.2. `tests/kernels/tree.cl` follows them:
//!
//! - A kernel enqueues itself by calling itself in a block, which captures arguments and locals by value. The child may
//!   have work-groups, and the block's pointers may give it local memory. The device's work-group limit is not checked.
//! - A kernel cannot wait for its children. Children return values through a counter in global memory. The child that
//!   decrements it to 0 continues as the parent. The counter needs acquire and release semantics, which are optional
//!   in 3.0 (`__opencl_c_atomic_order_acq_rel`, `__opencl_c_atomic_scope_device`). If a child waits for events, enqueue
//!   it with `CLK_ENQUEUE_FLAGS_WAIT_KERNEL`. With `NO_WAIT`, some values are silently lost.
//! - On some drivers, a full queue rejects kernels. Count the rejected kernels, so that the host can detect them.
//! - Children run on their ancestors' stack, which overflows after thousands of generations.
//! - The next command in the queue starts only when all descendants have ended. The launch's time includes them.

use ocl::ffi;

use super::device::Shared;
use super::handle::{CommandQueue, Owned};
use super::info::{DeviceInfo, major};
use crate::words::Fault;

/// Returns the build option for an OpenCL C version with `enqueue_kernel`, or [`Fault::Unsupported`] if there is none.
pub(super) fn standard(info: &DeviceInfo) -> Result<&'static str, Fault> {
    match major(&info.version) {
        Some(2) if info.device_enqueue => Ok("-cl-std=CL2.0"),
        Some(3..) if info.device_enqueue => Ok("-cl-std=CL3.0"),
        Some(2..) => Err(unsupported(&format!(
            "its driver, {}, does not offer it",
            info.version
        ))),
        _ => Err(unsupported(&format!(
            "it needs OpenCL 2.0, but this is {}",
            info.version
        ))),
    }
}

/// Ensures that the device has a default queue for its kernels. The queue lives until the device is closed. OpenCL
/// allows one per context and device. It has the maximum size, because `enqueue_kernel` fails on a full queue. Fails
/// with [`Fault::Unsupported`] if the OpenCL loader is older than 2.0, and otherwise with the driver's status.
pub(super) fn ensure_queue(device: &Shared) -> Result<(), Fault> {
    // The slot stays valid if another thread panics, because it is either empty or contains a queue.
    let mut slot = device
        .default_queue
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if slot.is_none() {
        let size = device.id.number(ffi::CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE)?;
        *slot = Some(create_queue(device, size)?);
    }
    Ok(())
}

#[cfg(not(target_os = "macos"))]
fn create_queue(device: &Shared, size: u64) -> Result<Owned<CommandQueue>, Fault> {
    let properties = [
        ffi::CL_QUEUE_PROPERTIES.into(),
        ffi::CL_QUEUE_ON_DEVICE
            | ffi::CL_QUEUE_ON_DEVICE_DEFAULT
            | ffi::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        ffi::CL_QUEUE_SIZE.into(),
        size,
        0,
    ];
    let call = "clCreateCommandQueueWithProperties";
    let (context, id) = (device.context.raw(), device.id.0);
    // SAFETY: the property list ends with 0, and the context contains the device. A missing function returns an error.
    let queue = unsafe {
        Owned::created(call, |status| {
            ffi::clCreateCommandQueueWithProperties(context, id, properties.as_ptr(), status)
        })
    };
    queue.map_err(|error| match error.code {
        ffi::CL_INVALID_OPERATION => unsupported(&format!("the OpenCL loader has no {call}")),
        _ => error.into(),
    })
}

/// Apple's OpenCL library stops at 1.2 and lacks this function.
#[cfg(target_os = "macos")]
fn create_queue(_: &Shared, _: u64) -> Result<Owned<CommandQueue>, Fault> {
    Err(unsupported("Apple's OpenCL does not offer it"))
}

fn unsupported(why: &str) -> Fault {
    Fault::Unsupported(format!("no device-side enqueue: {why}"))
}

#[cfg(test)]
mod tests {
    use super::super::info::example;
    use super::*;

    fn on(version: &str, device_enqueue: bool) -> DeviceInfo {
        DeviceInfo {
            version: version.to_owned(),
            device_enqueue,
            ..example(0, 0, "device")
        }
    }

    #[test]
    fn the_standard_follows_the_devices_version() {
        let intel = on("OpenCL 3.1 (Build 0)", true);
        assert_eq!(standard(&intel), Ok("-cl-std=CL3.0"));
        let amd = on("OpenCL 2.0 AMD-APP (3590.0)", true);
        assert_eq!(standard(&amd), Ok("-cl-std=CL2.0"));
    }

    #[test]
    fn a_device_without_says_why() {
        for (version, why) in [
            (
                "OpenCL 3.0 PoCL HSTR: cpu",
                "no device-side enqueue: its driver, OpenCL 3.0 PoCL HSTR: cpu, does not offer it",
            ),
            (
                "OpenCL 1.2 Oclgrind",
                "no device-side enqueue: it needs OpenCL 2.0, but this is OpenCL 1.2 Oclgrind",
            ),
        ] {
            let refused = Err(Fault::Unsupported(why.to_owned()));
            assert_eq!(standard(&on(version, false)), refused);
        }
    }
}
