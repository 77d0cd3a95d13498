use anyhow::anyhow;

use super::info::{DeviceInfo, DeviceKind};

/// Returns the devices that the selectors name, in order and without duplicates.
///
/// A selector is `gpu`, `cpu`, `accelerator` or `all`, the indices `platform:device` from `bench devices`, or a label.
/// It may also be part of a device's name or, failing that, of a platform's name or version. Case is ignored. If a
/// platform's devices share the name, the first is selected. A second entry for a device is selected only by index, by
/// label, or if nothing else matches. Without selectors, the best device is chosen. The order of preference is a GPU
/// with its own memory, another GPU, an accelerator, a CPU. Among several of the same kind, the device with the largest
/// product of compute units and clock wins.
///
/// Fails if a selector matches no device, or several devices where only one is allowed. The error lists the choices.
pub fn select<'a>(
    devices: &'a [DeviceInfo],
    selectors: &[String],
) -> anyhow::Result<Vec<&'a DeviceInfo>> {
    if selectors.is_empty() {
        let best = best(devices).ok_or_else(|| nothing("the best", devices))?;
        return Ok(vec![best]);
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

fn nothing(selector: &str, devices: &[DeviceInfo]) -> anyhow::Error {
    let choices = choices(devices);
    anyhow!("no device matches `{selector}`; available: {choices}; or gpu, cpu, accelerator, all")
}

fn matching<'a>(devices: &'a [DeviceInfo], selector: &str) -> anyhow::Result<Vec<&'a DeviceInfo>> {
    let wanted = selector.trim().to_lowercase();
    let among = |fits: &dyn Fn(&DeviceInfo) -> bool| -> Vec<&'a DeviceInfo> {
        devices.iter().filter(|device| fits(device)).collect()
    };
    let those = |fits: &dyn Fn(&DeviceInfo) -> bool| among(&|it| it.same_as.is_none() && fits(it));
    let nothing = || nothing(selector, devices);
    let of_kind = |kind: DeviceKind| those(&|device| device.kind == kind);
    let several = match wanted.as_str() {
        "" => return Err(nothing()),
        "all" => Some(those(&|_| true)),
        "gpu" => Some(of_kind(DeviceKind::Gpu)),
        "cpu" => Some(of_kind(DeviceKind::Cpu)),
        "accelerator" => Some(of_kind(DeviceKind::Accelerator)),
        // Names may also contain colons, so the text on both sides must be a whole number.
        _ => numbers(&wanted).map(|(platform, device)| {
            among(&|info| (info.platform_index, info.device_index) == (platform, device))
        }),
    };
    if let Some(found) = several {
        return Some(found)
            .filter(|found| !found.is_empty())
            .ok_or_else(nothing);
    }
    // The most specific match comes first. For example, a complete label precedes the same text inside a longer name.
    let is_label = |info: &DeviceInfo| info.label.to_lowercase() == wanted;
    let is_name = |info: &DeviceInfo| info.name.to_lowercase().contains(&wanted);
    let is_platform = |info: &DeviceInfo| {
        let platform = format!("{} {}", info.platform, info.platform_version);
        platform.to_lowercase().contains(&wanted)
    };
    let readings = [
        among(&is_label),
        those(&is_name),
        those(&is_platform),
        among(&is_name),
        among(&is_platform),
    ];
    let is_like = |one: &DeviceInfo, other: &DeviceInfo| {
        (one.platform_index, &one.name) == (other.platform_index, &other.name)
    };
    match readings.into_iter().find(|found| !found.is_empty()) {
        None => Err(nothing()),
        Some(found) if found.iter().all(|other| is_like(found[0], other)) => Ok(vec![found[0]]),
        Some(found) => Err(anyhow!(
            "`{selector}` is part of more than one device's name: {}; use the numbers",
            choices(found)
        )),
    }
}

fn numbers(text: &str) -> Option<(usize, usize)> {
    let (platform, device) = text.split_once(':')?;
    Some((platform.parse().ok()?, device.parse().ok()?))
}

fn rank(device: &DeviceInfo) -> (DeviceKind, bool) {
    // `DeviceKind` is ordered best first.
    let is_integrated = device.kind == DeviceKind::Gpu && device.unified_memory;
    (device.kind, is_integrated)
}

fn candidates(devices: &[DeviceInfo]) -> Vec<&DeviceInfo> {
    let once = || devices.iter().filter(|device| device.same_as.is_none());
    let best = once().map(rank).min();
    once().filter(|device| Some(rank(device)) == best).collect()
}

fn best(devices: &[DeviceInfo]) -> Option<&DeviceInfo> {
    let like = candidates(devices);
    let mut known: Vec<fn(&DeviceInfo) -> u32> = vec![|it| it.compute_units, |it| it.clock_mhz];
    known.retain(|of| like.iter().all(|it| of(it) > 0));
    let speed = |it: &DeviceInfo| known.iter().map(|of| u64::from(of(it))).product::<u64>();
    // `min_by_key` returns the first of several equal devices.
    like.iter()
        .copied()
        .min_by_key(|it| std::cmp::Reverse(speed(it)))
}

/// Explains why [`select`] chooses this device if there is no selector, for example `a GPU with its own memory`.
pub fn why_best(devices: &[DeviceInfo], chosen: &DeviceInfo) -> String {
    let kind = match rank(chosen) {
        (DeviceKind::Gpu, false) => "a GPU with its own memory",
        (DeviceKind::Gpu, true) => "a GPU in the host's memory",
        (DeviceKind::Accelerator, _) => "an accelerator",
        (DeviceKind::Cpu, _) => "a CPU",
        (DeviceKind::Custom, _) => "a custom device",
    };
    match candidates(devices).len() {
        0 | 1 => kind.to_owned(),
        many => format!("{kind}, the best of {many} by compute units times clock"),
    }
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
            unified_memory: false,
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

    fn numbers_of(selectors: &[&str]) -> anyhow::Result<Vec<String>> {
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
        assert!(select(&[], &[]).is_err());
    }

    /// Returns the index of the default GPU. `gpus` has each GPU's compute units, MHz, and whether it shares memory.
    fn default_of(gpus: &[(u32, u32, bool)]) -> usize {
        let gpus = gpus.iter().enumerate();
        let devices: Vec<DeviceInfo> = gpus
            .map(
                |(at, &(compute_units, clock_mhz, unified_memory))| DeviceInfo {
                    kind: DeviceKind::Gpu,
                    compute_units,
                    clock_mhz,
                    unified_memory,
                    ..example(0, at, "gpu")
                },
            )
            .collect();
        select(&devices, &[]).unwrap()[0].device_index
    }

    #[test]
    fn prefers_a_card_to_a_larger_gpu_in_the_hosts_memory() {
        assert_eq!(default_of(&[(96, 2_400, true), (10, 1_500, false)]), 1);
        let mut devices = machine();
        for device in &mut devices[1..4] {
            device.unified_memory = true;
        }
        let chosen = select(&devices, &[]).unwrap()[0];
        assert_eq!(chosen.numbers(), "1:0", "a GPU before an accelerator");
        let why = why_best(&devices, chosen);
        let expected = "a GPU in the host's memory, the best of 3 by compute units times clock";
        assert_eq!(why, expected);
        assert_eq!(why_best(&devices[4..], &devices[4]), "an accelerator");
    }

    #[test]
    fn leaves_out_numbers_that_a_driver_does_not_report() {
        assert_eq!(default_of(&[(10, 1_500, false), (132, 0, false)]), 1);
        assert_eq!(default_of(&[(10, 1_500, false), (0, 2_000, false)]), 1);
        assert_eq!(default_of(&[(0, 0, false), (0, 0, false)]), 0);
    }

    #[test]
    fn takes_a_second_entry_of_a_device_only_by_its_own_names() {
        let mut devices = machine();
        let mut entry = devices[1].clone();
        (entry.platform_index, entry.platform) = (3, "rusticl".to_owned());
        devices.push(entry);
        for device in [1, 5] {
            devices[device].address = "pci 0000:17:00.0".to_owned();
        }
        number_labels(devices.iter_mut());
        let numbers = |selector: &str| -> Vec<String> {
            let found = select(&devices, &[selector.to_owned()]).unwrap();
            found.iter().map(|it| it.numbers()).collect()
        };
        assert_eq!(numbers("gpu"), ["1:0", "1:1", "1:2"]);
        assert_eq!(numbers("all").len(), 5);
        assert_eq!(numbers("h200"), ["1:0"]);
        for own in ["3:0", "rusticl", "NVIDIA H200 (3:0)"] {
            assert_eq!(numbers(own), ["3:0"]);
        }
    }

    /// The first of several equal devices is chosen. Selected devices keep their order, without duplicates.
    #[test]
    fn every_form_of_selector_is_followed() {
        for (selectors, numbers) in [
            (&["0:0"][..], "0:0"),
            (&["GPU"], "1:0 1:1 1:2"),
            (&["cpu"], "0:0"),
            (&["accelerator"], "2:0"),
            (&["all"], "0:0 1:0 1:1 1:2 2:0"),
            (&[" a2 "], "1:2"),
            (&["nvidia h200 #2"], "1:1"),
            (&["h200"], "1:0"),
            (&["board: 0:9"], "2:0"),
            (&["A2", "0:0", "gpu"], "1:2 0:0 1:0 1:1"),
        ] {
            assert_eq!(numbers_of(selectors).unwrap().join(" "), numbers);
        }
        // A selector can name a platform if it matches no device.
        let devices = [example(0, 0, "cpu-skylake")];
        assert_eq!(select(&devices, &["pocl".to_owned()]).unwrap().len(), 1);
    }

    #[test]
    fn what_fits_nothing_or_too_much_lists_the_choices() {
        for nothing in ["0:1", "9:0", "radeon", "", "0:9"] {
            let error = numbers_of(&[nothing]).unwrap_err().to_string();
            let wanted = format!(
                "no device matches `{nothing}`; available: 0:0 cpu-skylake, 1:0 NVIDIA H200 #1, "
            );
            assert!(error.starts_with(&wanted), "{error}");
        }
        let expected = "`nvidia` is part of more than one device's name: 1:0 NVIDIA H200 #1, \
             1:1 NVIDIA H200 #2, 1:2 NVIDIA A2; use the numbers";
        assert_eq!(numbers_of(&["nvidia"]).unwrap_err().to_string(), expected);
    }
}
