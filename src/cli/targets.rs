//! Converts `--device` to the devices of a run.

use serde_json::json;

use super::devices::{self, ProbeError};
use super::exit::{Exit, Failure};
use super::session::executable;
use super::terminal::list;
use crate::harness::Target;
use crate::opencl::{self, DeviceInfo, Probed};
use crate::report::slug;

/// Returns the selected devices, or the best one. Without selectors, a failed probe yields the inner error.
pub fn choose(selectors: &[String]) -> Result<Result<Vec<Target>, ProbeError>, Failure> {
    match devices::probe(&executable()?) {
        Ok(probed) => select(&probed, selectors).map(Ok),
        Err(error) if selectors.is_empty() => Ok(Err(error)),
        Err(error) => Err(error.into()),
    }
}

fn select(probed: &[Probed], selectors: &[String]) -> Result<Vec<Target>, Failure> {
    let infos: Vec<_> = probed.iter().map(|device| device.info.clone()).collect();
    let chosen =
        opencl::select(&infos, selectors).map_err(|error| Failure::new(Exit::NoDevice, error))?;
    let several = infos.iter().filter(|info| info.same_as.is_none()).count() > 1;
    if let ([best], true) = (chosen.as_slice(), several && selectors.is_empty()) {
        let why = opencl::why_best(&infos, best);
        let (numbers, label) = (best.numbers(), &best.label);
        eprintln!("default device: {numbers} {label}, {why}; --device selects another");
    }
    let find = |info: &DeviceInfo| probed.iter().find(|it| it.info.numbers() == info.numbers());
    let mut targets = Vec::new();
    for own in chosen.into_iter().filter_map(find) {
        if let Some(note) = own.info.emulated() {
            eprintln!("{}: {note}", own.info.label);
        }
        let mut own_target = target(own)?;
        // A worker sees only the devices that were found with the same set of drivers.
        let is_beside = |it: &&Probed| it.info.is_beside(&own.info) && it.alone == own.alone;
        for other in probed.iter().filter(is_beside) {
            own_target.others.push(target(other)?.record);
        }
        targets.push(own_target);
    }
    Ok(targets)
}

/// Returns the device that the selector names, or the best one.
pub fn one(selector: &Option<String>) -> Result<Target, Failure> {
    let mut targets = choose(selector.as_slice())??;
    let names = list(targets.iter().map(|it| it.record.label.as_str()));
    let given = selector.as_deref().unwrap_or_default();
    if let (Some(target), true) = (targets.pop(), targets.is_empty()) {
        return Ok(target);
    }
    fail!(
        NoDevice,
        "--device {given}: one device is wanted, these match: {names}"
    );
}

/// Converts a device label or a CPU name to a portable path component, such as `nvidia-h200`.
pub fn plain_name(label: &str) -> String {
    const LONGEST: usize = 60;
    match slug(label).chars().take(LONGEST).collect::<String>() {
        name if name.is_empty() => "device".to_owned(),
        name => name,
    }
}

fn target(device: &Probed) -> anyhow::Result<Target> {
    let info = &device.info;
    let alone = device.alone.as_ref();
    let mut environment = opencl::worker_environment(info);
    environment.extend(alone.into_iter().flat_map(|it| it.environment.clone()));
    let platform_index = alone.map_or(info.platform_index, |it| it.platform_index);
    Ok(Target {
        address: (platform_index, info.device_index),
        has_display: info.has_display,
        environment,
        others: Vec::new(),
        // A record has a subset of a probed device's fields.
        record: serde_json::from_value(json!(device))?,
    })
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
