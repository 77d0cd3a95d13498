use serde::{Deserialize, Serialize};

use super::device::{Device, open};
use super::info::DeviceInfo;
use super::quirks::Quirks;
use crate::words::Timer;

/// A device, with the results of opening it and running a small kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probed {
    /// The device as its driver describes it.
    #[serde(flatten)]
    pub info: DeviceInfo,
    /// Preferred work-group multiple of a small kernel, or 0 if the device did not open.
    pub preferred_multiple: usize,
    /// Median time to launch an empty kernel and read one word back, ns. `None` if not measured.
    pub round_trip_ns: Option<u64>,
    /// Verdict on the device's timer.
    pub timer: Timer,
    /// The device's quirks, with workarounds and reasons.
    pub quirks: Vec<String>,
    /// Why the device did not open, if it failed.
    pub fault: Option<String>,
    /// How to load the device's driver without the other drivers, if this is necessary.
    #[serde(skip)]
    pub alone: Option<Alone>,
}

/// Describes a process in which one driver is loaded without the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone {
    /// The platform's index in that process.
    pub platform_index: usize,
    /// Environment variables that must be set before the loader looks for drivers.
    pub environment: Vec<(String, String)>,
}

/// Opens a device and checks it. Drivers may crash or hang here, so call this function in an expendable process.
pub fn probe(info: DeviceInfo) -> Probed {
    let opened = open(&info);
    let device = opened.as_ref().ok();
    Probed {
        preferred_multiple: device.map_or(0, Device::preferred_multiple),
        round_trip_ns: device.and_then(Device::round_trip_ns),
        timer: device.map_or(Timer::Unknown, |device| device.timer().clone()),
        quirks: Quirks::of(&info).words(),
        fault: opened.as_ref().err().map(ToString::to_string),
        alone: None,
        info,
    }
}
