//! The parameter `group` of the techniques whose work-items each work alone: how many of them make a
//! work-group.

use crate::opencl::{Device, DeviceKind};
use crate::words::{Fault, ParamEntry, Params, Value};

/// Work-items in a work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Four times what the device prefers a multiple of; on a processor that itself.
    Auto,
    /// So many.
    Items(usize),
}

const ALLOWED: &str = "`auto`: 4 times the device's preferred multiple, on a processor that multiple; or the number of \
     work-items, from 1 to 1024";

/// The parameter, as techniques list it.
pub const GROUP: ParamEntry = ParamEntry {
    name: "group",
    allowed: ALLOWED,
    default: "auto",
    check: |value| Group::parse(value).map(drop),
};

impl Group {
    /// Reads the parameter; [`Group::Auto`] where it is not given.
    ///
    /// # Errors
    /// One line that names the key, the value and what is allowed.
    pub fn read(params: &Params) -> Result<Group, String> {
        params.get(GROUP.name).map_or(Ok(Group::Auto), Group::parse)
    }

    /// Reads one value of the parameter.
    ///
    /// # Errors
    /// As [`Group::read`].
    pub fn parse(value: &Value) -> Result<Group, String> {
        match (value.as_text(), value.as_int()) {
            (Some("auto"), _) => Ok(Group::Auto),
            (_, Some(items @ 1..=1024)) => Ok(Group::Items(items as usize)),
            _ => Err(format!("group: `{value}`; allowed is {ALLOWED}")),
        }
    }

    /// Work-items on a device.
    ///
    /// # Errors
    /// [`Fault::Unsupported`] where the device takes no group of the size asked for.
    pub fn items(self, device: &Device) -> Result<usize, Fault> {
        let info = device.info();
        let multiple = device.preferred_multiple().max(1);
        let most = info.max_work_group.max(1);
        match self {
            Group::Items(items) if items > most => Err(Fault::Unsupported(format!(
                "group: {items} work-items; the device takes at most {most}"
            ))),
            Group::Items(items) => Ok(items),
            Group::Auto if info.kind == DeviceKind::Cpu => Ok(multiple.min(most)),
            Group::Auto => Ok((4 * multiple).min(most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_automatic_or_a_number() {
        assert_eq!(Group::read(&Params::new()), Ok(Group::Auto));
        assert_eq!(Group::parse(&Value::Text("auto".into())), Ok(Group::Auto));
        assert_eq!(Group::parse(&Value::Int(33)), Ok(Group::Items(33)));
        for wrong in [Value::Int(0), Value::Int(1025), Value::Flag(true)] {
            let error = Group::parse(&wrong).unwrap_err();
            assert!(error.starts_with(&format!("group: `{wrong}`; allowed is `auto`")));
        }
    }
}
