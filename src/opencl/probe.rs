use serde::{Deserialize, Serialize};

use super::device::{Device, open};
use super::info::DeviceInfo;
use super::quirks::Quirks;
use crate::words::Timer;

/// A device, and the results of opening it and running a small kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probed {
    /// The device as its driver describes it.
    #[serde(flatten)]
    pub info: DeviceInfo,
    /// Preferred work-group multiple of a small kernel; 0 if the device did not open.
    pub preferred_multiple: usize,
    /// Median time to launch an empty kernel and read one word back, ns; `None` if not measured.
    pub round_trip_ns: Option<u64>,
    /// Verdict on its timer.
    pub timer: Timer,
    /// Its quirks, with the workarounds and the reasons.
    pub quirks: Vec<String>,
    /// The reason, if it did not open.
    pub fault: Option<String>,
    /// Set if its driver is loaded alone, without the others.
    #[serde(skip)]
    pub alone: Option<Alone>,
}

/// A process in which one driver is loaded without the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone {
    /// The platform's index there.
    pub platform_index: usize,
    /// Environment variables that must be set before the loader looks for drivers.
    pub environment: Vec<(String, String)>,
}

/// Opens a device and checks it. Drivers may crash or hang here: call this function in an expendable process.
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
