//! From `--device` to the devices of a run.

use anyhow::{Context, anyhow};

use super::devices::{self, ProbeError};
use super::exit::Failure;
use super::terminal::list;
use crate::harness::Target;
use crate::opencl::{self, Probed};
use crate::results::DeviceRecord;

/// The devices of the selectors, or the best one. Without OpenCL and selectors, none: the CPU baselines still run.
pub fn choose(selectors: &[String]) -> Result<Vec<Target>, Failure> {
    let executable = executable()?;
    let probed = match devices::probe(&executable, devices::PATIENCE) {
        Ok(probed) => probed,
        Err(error) if selectors.is_empty() => {
            // Other errors mean that the machine has no device. A failing driver is reported here.
            use opencl::NoDevices::{NoDevice, NoPlatform};
            if !matches!(error, ProbeError::NoDevices(NoPlatform | NoDevice(_))) {
                eprintln!("bench: {error}");
            }
            Vec::new()
        }
        Err(error) => return Err(Failure::no_device(error)),
    };
    if probed.is_empty() && selectors.is_empty() {
        return Ok(Vec::new());
    }
    let infos: Vec<_> = probed.iter().map(|device| device.info.clone()).collect();
    let chosen = opencl::select(&infos, selectors).map_err(Failure::no_device)?;
    let several = infos.iter().filter(|info| info.same_as.is_none()).count() > 1;
    if let ([best], true) = (chosen.as_slice(), several && selectors.is_empty()) {
        let why = opencl::why_best(&infos, best);
        let (numbers, label) = (best.numbers(), &best.label);
        eprintln!("default device: {numbers} {label}, {why}; --device takes another");
    }
    let probed_of = |info: &opencl::DeviceInfo| {
        let mut all = probed.iter();
        all.find(|device| device.info.numbers() == info.numbers())
    };
    let with_others = |own: &Probed| {
        // A worker loads only its device's drivers.
        let is_beside =
            |other: &&Probed| other.info.is_beside(&own.info) && other.alone == own.alone;
        let others = probed.iter().filter(is_beside);
        Target {
            others: others.map(|other| target(other).record).collect(),
            ..target(own)
        }
    };
    let chosen = chosen.into_iter().filter_map(probed_of);
    Ok(chosen.map(with_others).collect())
}

pub fn one(selector: Option<&str>) -> Result<Target, Failure> {
    let selectors: Vec<String> = selector.map(str::to_owned).into_iter().collect();
    let mut targets = choose(&selectors)?;
    if targets.len() > 1 {
        let names = list(targets.iter().map(|it| it.record.label.as_str()));
        let given = selector.unwrap_or_default();
        let why = anyhow!("--device {given}: one device is wanted, these match: {names}");
        return Err(Failure::no_device(why));
    }
    let none = || Failure::no_device(anyhow!("no OpenCL device; `bench devices` says more"));
    targets.pop().ok_or_else(none)
}

/// A device's label, or a processor's name, as a portable path component: `nvidia-h200`.
pub fn plain_name(label: &str) -> String {
    const LONGEST: usize = 60;
    let words = label.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name = words.join("-").to_lowercase();
    match name.chars().take(LONGEST).collect::<String>() {
        name if name.is_empty() => "device".to_owned(),
        name => name,
    }
}

pub fn executable() -> Result<std::path::PathBuf, Failure> {
    let file = std::env::current_exe().context("where this program's file is");
    file.map_err(Failure::files)
}

fn target(device: &Probed) -> Target {
    let info = &device.info;
    let mut environment = opencl::worker_environment(info);
    let mut platform_index = info.platform_index;
    if let Some(alone) = &device.alone {
        environment.extend(alone.environment.iter().cloned());
        platform_index = alone.platform_index;
    }
    Target {
        address: (platform_index, info.device_index),
        has_display: info.has_display,
        environment,
        others: Vec::new(),
        record: DeviceRecord {
            label: info.label.clone(),
            address: info.address.clone(),
            platform: info.platform.clone(),
            platform_version: info.platform_version.clone(),
            name: info.name.clone(),
            vendor: info.vendor.clone(),
            kind: info.kind.to_string(),
            driver: info.driver.clone(),
            version: info.version.clone(),
            c_version: info.c_version.clone(),
            compute_units: info.compute_units,
            clock_mhz: info.clock_mhz,
            global_memory_bytes: info.global_memory_bytes,
            max_allocation_bytes: info.max_allocation_bytes,
            local_memory_bytes: info.local_memory_bytes,
            max_work_group: info.max_work_group,
            preferred_multiple: device.preferred_multiple,
            images: info.images,
            device_enqueue: info.device_enqueue,
            timer: device.timer.clone(),
            quirks: device.quirks.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_one_part_of_a_path() {
        assert_eq!(plain_name("NVIDIA H200 #2"), "nvidia-h200-2");
        assert_eq!(plain_name("../..\\ÄÖ"), "device");
        assert_eq!(plain_name(&"a".repeat(100)).len(), 60);
    }
}
