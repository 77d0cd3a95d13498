//! The parameter `devices` selects the devices of a host that share each sample of a technique.

use super::{ParamEntry, Params, Value};

/// The parameter. Techniques that have it divide a sample into independent ranges, or grow one tree per device.
pub const DEVICES: ParamEntry = ParamEntry {
    name: "devices",
    allowed: "`all` devices of the host with the same platform and name as the cell's device, the number of \
        devices from 1 to 64, or a list of labels from `bench devices` that includes the cell's device",
    default: "1",
    check: |value| Devices::read(value).map(drop),
};

/// Maximum number of devices that share a sample.
const MOST: i64 = 64;

/// A value of [`DEVICES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Devices {
    /// All devices with the same platform and name as the cell's device.
    All,
    /// This number of devices with the same platform and name, including the cell's device.
    Number(usize),
    /// The devices with these labels.
    Listed(Vec<String>),
}

/// The properties of a device that determine whether it is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The platform's name.
    pub platform: &'a str,
    /// The device's name. Devices of the same model share it.
    pub name: &'a str,
    /// The device's label, unique on the host.
    pub label: &'a str,
    /// The device's address, unique within the platform.
    pub address: &'a str,
}

impl Devices {
    /// Parses a value. The error names the key, the value and the allowed values.
    pub fn read(value: &Value) -> Result<Devices, String> {
        match value {
            Value::Text(text) if text == "all" => Ok(Devices::All),
            Value::List(items) if !items.is_empty() => {
                let labels = items.iter().map(|item| item.as_text().map(str::to_owned));
                let labels = labels.collect::<Option<_>>().map(Devices::Listed);
                labels.ok_or_else(|| DEVICES.refused(value))
            }
            _ => DEVICES.whole(value, 1..=MOST).map(Devices::Number),
        }
    }

    /// Returns the value in a technique's parameters, or `None` for one device. Fails like [`Devices::read`].
    pub fn of(params: &Params) -> Result<Option<Devices>, String> {
        let given = params.get(DEVICES.name).map(Devices::read).transpose()?;
        Ok(given.filter(|given| *given != Devices::Number(1)))
    }

    /// Returns the devices to use besides `own`, as indices into `all`. They are sorted by address, so they do not
    /// depend on the driver's order. Fails if the host has too few matching devices, or if a listed one is missing.
    pub fn beside(&self, own: Place<'_>, all: &[Place<'_>]) -> Result<Vec<usize>, String> {
        let key = DEVICES.name;
        let is_own = |it: &Place<'_>| (it.platform, it.address) == (own.platform, own.address);
        let is_like = |it: &Place<'_>| (it.platform, it.name) == (own.platform, own.name);
        let labelled = |label: &String| {
            let mut places = 0..all.len();
            let place = places.find(|at| all[*at].label.eq_ignore_ascii_case(label));
            place.ok_or_else(|| {
                let there: Vec<&str> = all.iter().map(|it| it.label).collect();
                format!("{key}: `{label}`; this host has {}", there.join(", "))
            })
        };
        let mut chosen: Vec<usize> = match self {
            Devices::Listed(labels) => labels.iter().map(labelled).collect::<Result<_, _>>()?,
            _ => (0..all.len()).filter(|at| is_like(&all[*at])).collect(),
        };
        chosen.sort_by_key(|at| (all[*at].platform, all[*at].address));
        chosen.dedup();
        let there = chosen.len();
        chosen.retain(|at| !is_own(&all[*at]));
        match self {
            Devices::Listed(_) if chosen.len() == there => {
                Err(format!("{key}: {} is not in the list", own.label))
            }
            Devices::Number(number) if there < *number => Err(format!(
                "{key}: `{number}`; this host has {there} of {}",
                own.name
            )),
            Devices::Number(number) => Ok(chosen.into_iter().take(number - 1).collect()),
            _ => Ok(chosen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn place<'a>(platform: &'a str, name: &'a str, label: &'a str) -> Place<'a> {
        Place {
            platform,
            name,
            label,
            address: label,
        }
    }

    const HOST: [Place<'static>; 4] = [
        place("pocl", "cpu", "cpu"),
        place("cuda", "H200", "H200 #1"),
        place("cuda", "H200", "H200 #2"),
        place("cuda", "A2", "A2"),
    ];

    fn beside(value: &str, own: usize) -> Result<Vec<usize>, String> {
        Devices::read(&Value::parse(value))?.beside(HOST[own], &HOST)
    }

    #[test]
    fn like_devices_are_taken_unless_a_list_says_otherwise() {
        assert_eq!(beside("all", 2), Ok(vec![1]));
        assert_eq!(beside("all", 3), Ok(Vec::new()));
        assert_eq!(beside("2", 1), Ok(vec![2]));
        assert_eq!(beside("1", 1), Ok(Vec::new()));
        let mixed = r#"["a2","H200 #1","A2","cpu"]"#;
        assert_eq!(beside(mixed, 1), Ok(vec![3, 0]));
    }

    #[test]
    fn what_the_host_lacks_is_named() {
        let told = |value, own| beside(value, own).unwrap_err();
        assert_eq!(told("3", 1), "devices: `3`; this host has 2 of H200");
        let expected = "devices: `H200 #3`; this host has cpu, H200 #1, H200 #2, A2";
        assert_eq!(told(r#"["H200 #3"]"#, 1), expected);
        assert_eq!(told(r#"["A2"]"#, 1), "devices: H200 #1 is not in the list");
        for wrong in ["0", "65", "some", "[]", "[1]", "true"] {
            let said = told(wrong, 1);
            let part = format!("devices: `{wrong}`; allowed is `all`");
            assert!(said.starts_with(&part), "{said}");
        }
    }

    #[test]
    fn one_device_is_the_default() {
        let of = |value: Value| Devices::of(&Params::from([("devices".to_owned(), value)]));
        assert_eq!(Devices::of(&Params::new()), Ok(None));
        assert_eq!(of(Value::Int(1)), Ok(None));
        assert_eq!(of(Value::Int(2)), Ok(Some(Devices::Number(2))));
    }
}
