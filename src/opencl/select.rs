use super::info::{DeviceInfo, DeviceKind};

/// Why a `--device` selector was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// It matches no device.
    #[error("no device matches `{selector}`; here are: {choices}; or gpu, cpu, accelerator, all")]
    Nothing {
        /// The selector.
        selector: String,
        /// The devices, with their indices.
        choices: String,
    },
    /// It matches the names of several devices.
    #[error("`{selector}` is part of more than one device's name: {choices}; give the numbers")]
    Ambiguous {
        /// The selector.
        selector: String,
        /// The matching devices, with their indices.
        choices: String,
    },
}

/// The devices that the selectors name, in the order of the selectors, without duplicates.
///
/// A selector is `gpu`, `cpu` or `accelerator` (all devices of that kind), `all`, the two indices
/// `platform:device` of `bench devices`, a device's label, a part of one device's name, or, if no device's
/// name contains it, a part of one platform's name or version. Case does not matter. Where several devices of
/// one platform have the same name, a part of that name selects the first of them. Without selectors the best
/// device is chosen: a GPU before an accelerator before a CPU, then the larger product of compute units and
/// clock, then the first.
///
/// # Errors
///
/// A selector that matches no device, or several where it must match one; the error lists the choices.
pub fn select<'a>(
    devices: &'a [DeviceInfo],
    selectors: &[String],
) -> Result<Vec<&'a DeviceInfo>, SelectError> {
    if selectors.is_empty() {
        return best(devices)
            .map(|device| vec![device])
            .ok_or_else(|| SelectError::Nothing {
                selector: "the best".to_owned(),
                choices: choices(devices),
            });
    }
    let mut selected: Vec<&DeviceInfo> = Vec::new();
    for selector in selectors {
        for device in matching(devices, selector)? {
            if !selected.iter().any(|other| std::ptr::eq(*other, device)) {
                selected.push(device);
            }
        }
    }
    Ok(selected)
}

/// The devices of one selector, at least one.
fn matching<'a>(
    devices: &'a [DeviceInfo],
    selector: &str,
) -> Result<Vec<&'a DeviceInfo>, SelectError> {
    let wanted = selector.trim().to_lowercase();
    let those = |fits: &dyn Fn(&DeviceInfo) -> bool| -> Vec<&'a DeviceInfo> {
        devices.iter().filter(|device| fits(device)).collect()
    };
    let nothing = || SelectError::Nothing {
        selector: selector.to_owned(),
        choices: choices(devices),
    };
    let of_kind = |kind: DeviceKind| those(&|device| device.kind == kind);
    let several = match wanted.as_str() {
        "" => return Err(nothing()),
        "all" => Some(those(&|_| true)),
        "gpu" => Some(of_kind(DeviceKind::Gpu)),
        "cpu" => Some(of_kind(DeviceKind::Cpu)),
        "accelerator" => Some(of_kind(DeviceKind::Accelerator)),
        // Names may contain colons too, so both sides must be whole numbers.
        _ => numbers(&wanted).map(|(platform, device)| {
            those(&|info| (info.platform_index, info.device_index) == (platform, device))
        }),
    };
    if let Some(found) = several {
        return if found.is_empty() {
            Err(nothing())
        } else {
            Ok(found)
        };
    }
    // The most specific match first: a complete label takes precedence over the same text inside a longer
    // name.
    let readings = [
        those(&|info| info.label.to_lowercase() == wanted),
        those(&|info| info.name.to_lowercase().contains(&wanted)),
        those(&|info| {
            let platform = format!("{} {}", info.platform, info.platform_version);
            platform.to_lowercase().contains(&wanted)
        }),
    ];
    let is_like = |one: &DeviceInfo, other: &DeviceInfo| {
        (one.platform_index, &one.name) == (other.platform_index, &other.name)
    };
    match readings.into_iter().find(|found| !found.is_empty()) {
        None => Err(nothing()),
        Some(found) if found.iter().all(|other| is_like(found[0], other)) => Ok(vec![found[0]]),
        Some(found) => Err(SelectError::Ambiguous {
            selector: selector.to_owned(),
            choices: choices(found),
        }),
    }
}

/// The two indices of `0:1`.
fn numbers(text: &str) -> Option<(usize, usize)> {
    let (platform, device) = text.split_once(':')?;
    Some((platform.parse().ok()?, device.parse().ok()?))
}

/// The device to use without a selector.
fn best(devices: &[DeviceInfo]) -> Option<&DeviceInfo> {
    // `DeviceKind` is ordered best first; among equals `min_by_key` takes the first.
    devices.iter().min_by_key(|device| {
        let speed = u64::from(device.compute_units) * u64::from(device.clock_mhz);
        (device.kind, std::cmp::Reverse(speed))
    })
}

fn choices<'a>(devices: impl IntoIterator<Item = &'a DeviceInfo>) -> String {
    let named: Vec<String> = devices
        .into_iter()
        .map(|device| format!("{} {}", device.numbers(), device.label))
        .collect();
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::info::example;
    use super::super::list::number_labels;
    use super::*;

    fn machine() -> Vec<DeviceInfo> {
        let gpu = |device, name, units| DeviceInfo {
            kind: DeviceKind::Gpu,
            platform: "NVIDIA CUDA".to_owned(),
            platform_version: "OpenCL 3.0 CUDA".to_owned(),
            compute_units: units,
            ..example(1, device, name)
        };
        let mut devices = vec![
            example(0, 0, "cpu-skylake"),
            gpu(0, "NVIDIA H200", 132),
            gpu(1, "NVIDIA H200", 132),
            gpu(2, "NVIDIA A2", 10),
            DeviceInfo {
                kind: DeviceKind::Accelerator,
                ..example(2, 0, "Board: 0:9")
            },
        ];
        number_labels(devices.iter_mut());
        devices
    }

    fn numbers_of(selectors: &[&str]) -> Result<Vec<String>, SelectError> {
        let selectors: Vec<String> = selectors.iter().map(|&text| text.to_owned()).collect();
        let devices = machine();
        select(&devices, &selectors).map(|found| found.iter().map(|it| it.numbers()).collect())
    }

    #[test]
    fn without_a_selector_it_is_the_first_of_the_best() {
        assert_eq!(numbers_of(&[]).unwrap(), ["1:0"]);
        let mut devices = machine();
        devices.retain(|device| device.kind != DeviceKind::Gpu);
        assert_eq!(
            select(&devices, &[]).unwrap()[0].kind,
            DeviceKind::Accelerator
        );
        assert!(matches!(select(&[], &[]), Err(SelectError::Nothing { .. })));
    }

    #[test]
    fn every_form_of_selector_is_followed() {
        assert_eq!(numbers_of(&["0:0"]).unwrap(), ["0:0"]);
        assert_eq!(numbers_of(&["GPU"]).unwrap(), ["1:0", "1:1", "1:2"]);
        assert_eq!(numbers_of(&["cpu"]).unwrap(), ["0:0"]);
        assert_eq!(numbers_of(&["accelerator"]).unwrap(), ["2:0"]);
        assert_eq!(numbers_of(&["all"]).unwrap().len(), 5);
        assert_eq!(numbers_of(&[" a2 "]).unwrap(), ["1:2"]);
        assert_eq!(numbers_of(&["nvidia h200 #2"]).unwrap(), ["1:1"]);
        // The first of like ones.
        assert_eq!(numbers_of(&["h200"]).unwrap(), ["1:0"]);
        assert_eq!(numbers_of(&["board: 0:9"]).unwrap(), ["2:0"]);
    }

    #[test]
    fn several_keep_their_order_and_come_once() {
        assert_eq!(
            numbers_of(&["A2", "0:0", "gpu"]).unwrap(),
            ["1:2", "0:0", "1:0", "1:1"]
        );
    }

    #[test]
    fn a_platform_can_be_named_where_no_device_is() {
        let devices = [example(0, 0, "cpu-skylake")];
        assert_eq!(select(&devices, &["pocl".to_owned()]).unwrap().len(), 1);
    }

    #[test]
    fn what_fits_nothing_or_too_much_lists_the_choices() {
        for nothing in ["0:1", "9:0", "radeon", "", "0:9"] {
            let error = numbers_of(&[nothing]).unwrap_err();
            let SelectError::Nothing { selector, choices } = &error else {
                panic!("{error}")
            };
            assert_eq!(selector, nothing);
            assert!(
                choices.starts_with("0:0 cpu-skylake, 1:0 NVIDIA H200 #1, "),
                "{choices}"
            );
        }
        assert_eq!(
            numbers_of(&["nvidia"]).unwrap_err().to_string(),
            "`nvidia` is part of more than one device's name: 1:0 NVIDIA H200 #1, \
             1:1 NVIDIA H200 #2, 1:2 NVIDIA A2; give the numbers"
        );
    }
}
