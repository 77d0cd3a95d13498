use std::collections::HashMap;
use std::ptr::null_mut;

use ocl::ffi;
use serde::{Deserialize, Serialize};

use super::info::DeviceInfo;
use super::query::{DeviceId, Platform};
use super::status::{CallError, check};

/// Why there is no device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoDevices {
    /// There is no OpenCL loader, or no driver is registered with it.
    #[error("no OpenCL is installed here. {HOW_TO_GET_ONE}")]
    NoPlatform,
    /// There are drivers, but none has a device; the text names them and says why.
    #[error("no OpenCL device is here: {0}. {HOW_TO_GET_ONE}")]
    NoDevice(String),
}

/// The remedy, for messages.
const HOW_TO_GET_ONE: &str = "To run on the processor, on Debian and Ubuntu: \
    apt-get install pocl-opencl-icd. For a GPU: its vendor's driver, which brings OpenCL.";

/// Whether the loader finds any platform. Takes microseconds if there is none.
pub fn platforms_present() -> bool {
    platforms().is_ok_and(|found| !found.is_empty())
}

/// Every platform, in the loader's order; empty if there is none.
///
/// `ocl`'s own function waits ten seconds if there is none, and then panics.
pub(super) fn platforms() -> Result<Vec<Platform>, CallError> {
    let call = "clGetPlatformIDs";
    let mut count = 0;
    // SAFETY: the call only writes the count.
    let status = unsafe { ffi::clGetPlatformIDs(0, null_mut(), &mut count) };
    if status == ffi::CL_PLATFORM_NOT_FOUND_KHR || (status == ffi::CL_SUCCESS && count == 0) {
        return Ok(Vec::new());
    }
    check(call, status)?;
    let mut found = vec![null_mut(); count as usize];
    // SAFETY: there is space for `count` platforms.
    check(call, unsafe {
        ffi::clGetPlatformIDs(count, found.as_mut_ptr(), null_mut())
    })?;
    Ok(found.into_iter().map(Platform).collect())
}

/// Every device of a platform; empty if there is none.
pub(super) fn devices(platform: Platform) -> Result<Vec<DeviceId>, CallError> {
    let call = "clGetDeviceIDs";
    let all = ffi::CL_DEVICE_TYPE_ALL;
    let mut count = 0;
    // SAFETY: the call only writes the count, and the platform comes from the loader.
    let status = unsafe { ffi::clGetDeviceIDs(platform.0, all, 0, null_mut(), &mut count) };
    if status == ffi::CL_DEVICE_NOT_FOUND || (status == ffi::CL_SUCCESS && count == 0) {
        return Ok(Vec::new());
    }
    check(call, status)?;
    let mut found = vec![null_mut(); count as usize];
    // SAFETY: there is space for `count` devices.
    check(call, unsafe {
        ffi::clGetDeviceIDs(platform.0, all, count, found.as_mut_ptr(), null_mut())
    })?;
    Ok(found.into_iter().map(DeviceId).collect())
}

/// The number of platforms that the loader finds.
///
/// # Errors
///
/// [`NoDevices`] if there is none.
pub fn platform_count() -> Result<usize, NoDevices> {
    match platforms() {
        Ok(found) if found.is_empty() => Err(NoDevices::NoPlatform),
        Ok(found) => Ok(found.len()),
        Err(error) => Err(NoDevices::NoDevice(error.to_string())),
    }
}

/// Every device of one platform, by the platform's index.
///
/// # Errors
///
/// [`NoDevices::NoDevice`] if it has none, or the driver fails.
pub fn list_platform(platform_index: usize) -> Result<Vec<DeviceInfo>, NoDevices> {
    let failed = |error: CallError| NoDevices::NoDevice(error.to_string());
    let platforms = platforms().map_err(failed)?;
    let platform = *platforms.get(platform_index).ok_or(NoDevices::NoPlatform)?;
    let name = platform.text(ffi::CL_PLATFORM_NAME).unwrap_or_default();
    let here = |error: CallError| NoDevices::NoDevice(format!("{name}: {error}"));
    let devices = devices(platform).map_err(here)?;
    if devices.is_empty() {
        return Err(NoDevices::NoDevice(format!("{name} has none")));
    }
    let numbered = devices.into_iter().enumerate();
    numbered
        .map(|device| DeviceInfo::read((platform_index, platform), device).map_err(here))
        .collect()
}

/// Every device of every platform.
///
/// A platform without devices, or one that fails, does not hide the devices of others.
///
/// # Errors
///
/// [`NoDevices`], with the platforms found, if none has a device.
pub fn list() -> Result<Vec<DeviceInfo>, NoDevices> {
    let mut found = Vec::new();
    let mut failed = Vec::new();
    for index in 0..platform_count()? {
        match list_platform(index) {
            Ok(devices) => found.extend(devices),
            Err(NoDevices::NoDevice(why)) => failed.push(why),
            Err(NoDevices::NoPlatform) => {}
        }
    }
    if found.is_empty() {
        return Err(NoDevices::NoDevice(failed.join(", ")));
    }
    number_labels(found.iter_mut());
    Ok(found)
}

/// Distinguishes devices that share a name: by their addresses, and by numbers in their labels, in the order
/// of the addresses, which does not depend on the driver's order. A device without an address of its own gets
/// its place in the list.
pub fn number_labels<'a>(devices: impl Iterator<Item = &'a mut DeviceInfo>) {
    let mut devices: Vec<&mut DeviceInfo> = devices.collect();
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    let of_driver = |device: &DeviceInfo| (device.platform.clone(), device.address.clone());
    for device in &devices {
        *seen.entry(of_driver(device)).or_default() += 1;
    }
    for device in &mut devices {
        if device.address.is_empty() || seen[&of_driver(device)] > 1 {
            device.address = device.place();
        }
    }
    let mut alike: HashMap<String, Vec<&mut DeviceInfo>> = HashMap::new();
    for device in devices {
        alike.entry(device.name.clone()).or_default().push(device);
    }
    for group in alike.values_mut().filter(|group| group.len() > 1) {
        group.sort_by_key(|device| (device.platform.clone(), device.address.clone()));
        for (at, device) in group.iter_mut().enumerate() {
            device.label = format!("{} #{}", device.name, at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::info::example;
    use super::*;

    #[test]
    fn devices_that_share_a_name_are_numbered() {
        let mut devices = [example(0, 0, "A"), example(0, 1, "B"), example(1, 0, "A")];
        number_labels(devices.iter_mut());
        let labels: Vec<&str> = devices.iter().map(|device| device.label.as_str()).collect();
        assert_eq!(labels, ["A #1", "B", "A #2"]);
    }

    /// Address and label of two devices with these addresses.
    fn told_apart(addresses: [&str; 2]) -> [(String, String); 2] {
        let mut devices = [example(0, 0, "H"), example(0, 1, "H")];
        for (device, address) in devices.iter_mut().zip(addresses) {
            device.address = address.to_owned();
        }
        number_labels(devices.iter_mut());
        devices.map(|device| (device.address, device.label))
    }

    #[test]
    fn like_cards_keep_their_numbers_in_whatever_order_they_are_listed() {
        let (one, other) = ("pci 0000:17:00.0", "pci 0000:b3:00.0");
        let mut turned = told_apart([other, one]);
        turned.reverse();
        assert_eq!(turned, told_apart([one, other]));
        assert_eq!(turned[0], (one.to_owned(), "H #1".to_owned()));
    }

    #[test]
    fn an_address_that_several_have_is_none() {
        for address in ["", "uuid 00ff"] {
            let found = told_apart([address; 2]).map(|(address, _)| address);
            assert_eq!(found, ["device 0", "device 1"]);
        }
    }
}
