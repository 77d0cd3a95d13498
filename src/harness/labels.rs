//! The labels of devices in a run folder.

use std::collections::HashSet;
use std::path::Path;

use super::plan::Target;
use crate::config::Experiment;
use crate::results::{DeviceRecord, read_environment};
use crate::words::Devices;

/// The devices of a run, each with the label that its folder has for it: a label has a number if the host has several
/// devices of that name, and its rows stay if the host gets another. Labels stay if the experiment lists devices by them.
pub fn called_as_before(targets: &[Target], experiment: &Experiment, folder: &Path) -> Vec<Target> {
    let mut called = targets.to_vec();
    let mut choices = experiment.techniques.iter();
    let is_listed =
        choices.any(|it| matches!(Devices::of(&it.params), Ok(Some(Devices::Listed(_)))));
    // A damaged folder is refused when it is opened.
    let (Ok(environment), false) = (read_environment(folder), is_listed) else {
        return called;
    };
    let known = environment.invocations.iter().flat_map(|it| &it.devices);
    let known: Vec<&DeviceRecord> = known.collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut new = Vec::new();
    for target in &mut called {
        let own = &target.record;
        let is_it = |it: &&&DeviceRecord| {
            !it.address.is_empty()
                && (&it.platform, &it.name, &it.address) == (&own.platform, &own.name, &own.address)
        };
        match known.iter().find(is_it) {
            Some(earlier) if taken.insert(earlier.label.clone()) => {
                target.record.label.clone_from(&earlier.label);
            }
            _ => new.push(target),
        }
    }
    let labels: HashSet<&str> = known.iter().map(|it| it.label.as_str()).collect();
    for target in new {
        if taken.contains(&target.record.label) {
            let own = target.record.label.clone();
            let name = own.rsplit_once(" #").map_or(&*own, |(name, _)| name);
            let mut numbered = (1..).map(|number| format!("{name} #{number}"));
            let is_free = |it: &String| !labels.contains(it.as_str()) && !taken.contains(it);
            target.record.label = numbered.find(is_free).unwrap_or(own);
        }
        taken.insert(target.record.label.clone());
    }
    called
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Invocation, RunFolder};

    fn device(address: &str, label: &str) -> Target {
        Target {
            address: (0, 0),
            record: DeviceRecord {
                label: label.into(),
                name: "card".into(),
                address: address.into(),
                ..DeviceRecord::default()
            },
            has_display: false,
            environment: Vec::new(),
            others: Vec::new(),
        }
    }

    /// The labels of devices in a folder that was measured with others.
    fn called(before: &[(&str, &str)], now: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let of = |all: &[(&str, &str)]| -> Vec<Target> {
            all.iter()
                .map(|(address, label)| device(address, label))
                .collect()
        };
        let invocation = Invocation {
            devices: of(before).into_iter().map(|it| it.record).collect(),
            ..Invocation::default()
        };
        let run = RunFolder::create(folder.path()).unwrap();
        run.add_invocation(&invocation.with_id()).unwrap();
        let text =
            "name = \"x\"\ngame = \"connect-four\"\ntask = \"perft\"\ncases = [{ depth = 1 }]\n";
        let catalogue = crate::techniques::registry::catalogue();
        let experiment = crate::config::parse(text, "x", &catalogue).unwrap();
        let called = called_as_before(&of(now), &experiment, folder.path());
        called.into_iter().map(|it| it.record.label).collect()
    }

    #[test]
    fn a_device_keeps_its_label_with_other_devices_beside_it() {
        let two = [("a", "card #1"), ("b", "card #2")];
        assert_eq!(called(&two, &[("b", "card")]), ["card #2"]);
        assert_eq!(called(&[("b", "card")], &two), ["card #1", "card"]);
        assert_eq!(called(&two, &two), ["card #1", "card #2"]);
        // Another device takes no other's label.
        let other = [("b", "card #1"), ("c", "card #2")];
        assert_eq!(called(&two, &other), ["card #2", "card #3"]);
        assert_eq!(called(&[("a", "card")], &[("c", "card")]), ["card"]);
        // Without an address they cannot be told apart.
        assert_eq!(called(&[("", "card #1")], &[("", "card")]), ["card"]);
    }
}
