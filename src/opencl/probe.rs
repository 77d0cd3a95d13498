use serde::{Deserialize, Serialize};

use super::device::open;
use super::info::DeviceInfo;
use super::quirks::Quirks;
use crate::words::Timer;

/// A device, and what opening it and running a small kernel showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probed {
    /// What its driver says of it.
    #[serde(flatten)]
    pub info: DeviceInfo,
    /// Preferred work-group multiple of a small kernel; 0 where the device did not open.
    pub preferred_multiple: usize,
    /// What it takes to start an empty kernel and give a word back, ns; `None` where that was not
    /// measured.
    pub round_trip_ns: Option<u64>,
    /// Verdict on its timer.
    pub timer: Timer,
    /// What is done differently on it, and why.
    pub quirks: Vec<String>,
    /// Why it did not open, where it did not.
    pub fault: Option<String>,
}

/// Opens a device to see what it is like. Drivers may crash or hang at that: to be called in a
/// process that may.
pub fn probe(info: DeviceInfo) -> Probed {
    let quirks = Quirks::of(&info).words();
    match open(&info) {
        Ok(device) => Probed {
            preferred_multiple: device.preferred_multiple(),
            round_trip_ns: device.round_trip_ns(),
            timer: device.timer().into(),
            quirks,
            fault: None,
            info,
        },
        Err(fault) => Probed {
            preferred_multiple: 0,
            round_trip_ns: None,
            timer: Timer::Unknown,
            quirks,
            fault: Some(fault.to_string()),
            info,
        },
    }
}
