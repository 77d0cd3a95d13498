use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;

use ocl::ffi;
use serde::{Deserialize, Serialize};

use super::info::DeviceInfo;
#[cfg(target_os = "linux")]
use super::loader::has_loader;
use super::pocl_cache;
use super::query::{DeviceId, Platform};
use super::quirks::POCL;
use super::status::{CallError, check};

/// The reason why no device was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoDevices {
    /// The OpenCL loader is missing.
    #[error("no OpenCL loader (libOpenCL.so.1) is installed here")]
    NoLoader,
    /// The loader has no registered driver.
    #[error("no OpenCL driver is installed here")]
    NoPlatform,
    /// Drivers are installed, but none of them has a device. The text gives the reasons.
    #[error("no OpenCL device was found: {0}")]
    NoDevice(String),
    /// A driver is installed but cannot work. The text gives the remedy.
    #[error("no OpenCL device was found: {0}")]
    Unusable(String),
}

#[cfg(not(target_os = "linux"))]
fn has_loader() -> bool {
    true
}

/// Lists all platforms, in the loader's order. `ocl`'s function waits ten seconds and panics if there is no platform.
pub(super) fn platforms() -> Result<Vec<Platform>, CallError> {
    let absent = ffi::CL_PLATFORM_NOT_FOUND_KHR;
    // SAFETY: `handles` passes either a buffer for this many platforms or the address of a count.
    let found = handles("clGetPlatformIDs", absent, &|most, place, count| unsafe {
        ffi::clGetPlatformIDs(most, place, count)
    })?;
    Ok(found.into_iter().map(Platform).collect())
}

pub(super) fn devices(platform: Platform) -> Result<Vec<DeviceId>, CallError> {
    let all = ffi::CL_DEVICE_TYPE_ALL;
    let absent = ffi::CL_DEVICE_NOT_FOUND;
    // SAFETY: as in `platforms`, and the platform comes from the loader.
    let found = handles("clGetDeviceIDs", absent, &|most, place, count| unsafe {
        ffi::clGetDeviceIDs(platform.0, all, most, place, count)
    })?;
    Ok(found.into_iter().map(DeviceId).collect())
}

/// Lists handles with two calls. The first call returns their number, or the status `absent` if there are none.
fn handles(
    call: &'static str,
    absent: i32,
    ask: &dyn Fn(u32, *mut *mut c_void, *mut u32) -> i32,
) -> Result<Vec<*mut c_void>, CallError> {
    let mut count = 0;
    let status = ask(0, null_mut(), &mut count);
    if status == absent || (status == ffi::CL_SUCCESS && count == 0) {
        return Ok(Vec::new());
    }
    check(call, status)?;
    let mut found = vec![null_mut(); count as usize];
    check(call, ask(count, found.as_mut_ptr(), null_mut()))?;
    Ok(found)
}

/// Returns the number of platforms that the loader finds, or [`NoDevices`] if there are none.
pub fn platform_count() -> Result<usize, NoDevices> {
    match platforms() {
        Ok(found) if found.is_empty() && !has_loader() => Err(NoDevices::NoLoader),
        Ok(found) if found.is_empty() => Err(NoDevices::NoPlatform),
        Ok(found) => Ok(found.len()),
        Err(error) => Err(NoDevices::NoDevice(error.to_string())),
    }
}

/// Lists the devices of the platform with this index. Fails with [`NoDevices::NoDevice`] if it has none or fails.
pub fn list_platform(platform_index: usize) -> Result<Vec<DeviceInfo>, NoDevices> {
    let failed = |error: CallError| NoDevices::NoDevice(error.to_string());
    let platforms = platforms().map_err(failed)?;
    let platform = *platforms.get(platform_index).ok_or(NoDevices::NoPlatform)?;
    let name = platform.text(ffi::CL_PLATFORM_NAME).unwrap_or_default();
    let here = |error: CallError| NoDevices::NoDevice(format!("{name}: {error}"));
    let devices = devices(platform).map_err(here)?;
    if devices.is_empty()
        && name == POCL
        && let Some(problem) = pocl_cache::problem()
    {
        return Err(NoDevices::Unusable(problem));
    }
    if devices.is_empty() {
        return Err(NoDevices::NoDevice(format!("{name} has no device")));
    }
    let numbered = devices.into_iter().enumerate();
    numbered
        .map(|device| DeviceInfo::read((platform_index, platform), device).map_err(here))
        .collect()
}

/// Lists the devices of all working platforms. If there is no device, [`NoDevices`] names the platforms.
pub fn list() -> Result<Vec<DeviceInfo>, NoDevices> {
    let mut found = Vec::new();
    let mut failed = Vec::new();
    for index in 0..platform_count()? {
        match list_platform(index) {
            Ok(devices) => found.extend(devices),
            Err(NoDevices::NoDevice(why) | NoDevices::Unusable(why)) => failed.push(why),
            Err(NoDevices::NoLoader | NoDevices::NoPlatform) => {}
        }
    }
    if found.is_empty() {
        return Err(NoDevices::NoDevice(failed.join(", ")));
    }
    number_labels(found.iter_mut());
    Ok(found)
}

/// Distinguishes devices with the same name by their addresses, and numbers their labels in the order of the addresses.
/// A device without an address gets its index instead. A later entry for the same device gets `same_as`.
pub fn number_labels<'a>(devices: impl Iterator<Item = &'a mut DeviceInfo>) {
    let mut devices: Vec<&mut DeviceInfo> = devices.collect();
    for at in 1..devices.len() {
        let (before, rest) = devices.split_at_mut(at);
        let own = &mut rest[0];
        let mut earlier = before.iter().filter(|it| it.same_as.is_none());
        if let Some(first) = earlier.find(|it| own.is_same(it)) {
            own.same_as = Some(first.numbers());
            own.label = format!("{} ({})", own.name, own.numbers());
            if own.address.is_empty() {
                own.address = own.place();
            }
        }
    }
    devices.retain(|device| device.same_as.is_none());
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
        devices[2].driver = "another".to_owned();
        number_labels(devices.iter_mut());
        let labels: Vec<&str> = devices.iter().map(|device| device.label.as_str()).collect();
        assert_eq!(labels, ["A #1", "B", "A #2"]);
    }

    /// Returns the final addresses and labels of two devices with these `addresses`.
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

    /// Puts two devices on two platforms, changes them, and returns the `same_as` field of the second.
    fn second_entry(change: impl FnOnce(&mut [DeviceInfo; 2])) -> Option<String> {
        let mut devices = [example(0, 0, "A"), example(1, 0, "A")];
        change(&mut devices);
        number_labels(devices.iter_mut());
        assert_eq!(devices[0].same_as, None);
        devices[1].same_as.clone()
    }

    #[test]
    fn a_card_behind_two_platforms_is_one_device() {
        let twice = |one: &str, other: &str| {
            second_entry(|devices| {
                devices[0].address = one.to_owned();
                devices[1].address = other.to_owned();
                devices[1].name = "A on another driver".to_owned();
                devices[1].platform = "rusticl".to_owned();
            })
        };
        let (card, other) = ("pci 0000:17:00.0", "pci 0000:b3:00.0");
        assert_eq!(twice(card, card).as_deref(), Some("0:0"));
        let with_uuid = format!("uuid 00ff {card}");
        assert_eq!(twice(&with_uuid, card).as_deref(), Some("0:0"));
        assert_eq!(twice("uuid 00ff", "uuid 00ff").as_deref(), Some("0:0"));
        assert_eq!(twice(card, other), None);
        assert_eq!(twice("uuid 00ff", card), None, "nothing to compare");
    }

    #[test]
    fn a_library_that_is_loaded_twice_has_one_set_of_devices() {
        assert_eq!(second_entry(|_| {}).as_deref(), Some("0:0"));
        let another = second_entry(|devices| devices[1].driver = "7.0".to_owned());
        assert_eq!(another, None);
        let another = second_entry(|devices| devices[1].max_work_group = 1);
        assert_eq!(another, None);

        let mut devices = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(p, d)| example(p, d, "A"));
        number_labels(devices.iter_mut());
        let labels = devices.each_ref().map(|device| device.label.as_str());
        assert_eq!(labels, ["A #1", "A #2", "A (1:0)", "A (1:1)"]);
        let [one, two, three, four] = &devices;
        assert!(two.is_beside(one) && !three.is_beside(one) && !four.is_beside(one));
        assert!(!one.is_beside(three) && two.is_beside(three));
    }

    #[test]
    fn an_address_that_several_have_is_none() {
        for address in ["", "uuid 00ff"] {
            let found = told_apart([address; 2]).map(|(address, _)| address);
            assert_eq!(found, ["device 0", "device 1"]);
        }
    }
}
