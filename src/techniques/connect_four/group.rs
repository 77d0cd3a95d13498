//! The parameter `group` of techniques whose work-items work alone.

use crate::opencl::{Device, DeviceKind};
use crate::techniques::group::Group;
use crate::words::{Fault, ParamEntry, Params};

/// The parameter `group`.
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`auto`: 4 times the device's preferred multiple, on a processor that multiple; or the number of \
     work-items, from 1 to 1024",
    default: "auto",
    check: |value| Group::parse(value, &GROUP).map(drop),
};

/// Work-items per group. Fails for an invalid value, or if the device refuses the size.
pub fn items(params: &Params, device: &Device) -> Result<usize, Fault> {
    let multiple = device.preferred_multiple().max(1);
    let auto = match device.info().kind {
        DeviceKind::Cpu => multiple,
        _ => 4 * multiple,
    };
    Group::read(params, &GROUP)?.or(auto).on(device.info())
}
