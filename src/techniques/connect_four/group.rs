//! The parameter `group` of the techniques whose work-items each work alone: how many of them make a
//! work-group.

use crate::opencl::{Device, DeviceKind};
use crate::techniques::group::Group;
use crate::words::{Fault, ParamEntry, Params};

/// The parameter, as techniques list it.
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: "`auto`: 4 times the device's preferred multiple, on a processor that multiple; or the number of \
     work-items, from 1 to 1024",
    default: "auto",
    check: |value| Group::parse(value, &GROUP).map(drop),
};

/// Work-items of a group on a device.
///
/// # Errors
/// [`Fault::Input`] where the parameter makes no sense, [`Fault::Unsupported`] where the device takes no group of
/// the size asked for.
pub fn items(params: &Params, device: &Device) -> Result<usize, Fault> {
    let multiple = device.preferred_multiple().max(1);
    let auto = match device.info().kind {
        DeviceKind::Cpu => multiple,
        _ => 4 * multiple,
    };
    Group::read(params, &GROUP)?.or(auto).on(device.info())
}
