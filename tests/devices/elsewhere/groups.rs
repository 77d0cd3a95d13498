//! Tests that answers are correct if work-group sizes are multiples of 8, 32 or 64. No kernel may assume groups of 32.

use plybench::harness::{Verdict, compare};
use plybench::opencl::{DeviceInfo, DeviceKind};
use plybench::techniques::registry;
use plybench::words::{Counts, Fault, Params, resource};

use super::{cells, device_as};

/// Gives a real device the limits of a GPU, so that techniques choose groups of more than one work-item.
fn like_a_gpu(info: DeviceInfo) -> DeviceInfo {
    DeviceInfo {
        kind: DeviceKind::Gpu,
        max_work_group: info.max_work_group.min(1024),
        local_memory_bytes: info.local_memory_bytes.min(48 << 10),
        native_int_width: 1,
        ..info
    }
}

/// Techniques whose group size is a multiple of the device's preferred multiple.
const FOLLOW: &str = "root-split move-sets-even flat flat-refill flat-xorshift mcts";

fn answers_are_right_in_groups_of(multiple: usize) {
    let Some((_turn, mut device)) = device_as(like_a_gpu) else {
        return;
    };
    device.assume_preferred_multiple(multiple);
    let mut ran = 0;
    for mut cell in cells() {
        let name = cell.name();
        let technique = cell.choice.technique.clone();
        let mut sampler = match cell.prepare(&technique, Some(&device)) {
            Ok(sampler) => sampler,
            Err(Fault::Unsupported(why)) => {
                eprintln!("{name}: {why}");
                continue;
            }
            Err(fault) => panic!("{name}: {fault}"),
        };
        let found = sampler
            .sample()
            .unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let group = sampler.telemetry().resources;
        let group = group.iter().find(|(name, _)| name == resource::GROUP);
        if FOLLOW.split(' ').any(|it| it == technique) {
            let (_, group) = group.unwrap_or_else(|| panic!("{name} reports no group"));
            assert_eq!(group % multiple as u64, 0, "{name}: groups of {group}");
        }
        let shape = sampler.telemetry().shape;
        drop(sampler);

        let entry = registry::find(&cell.experiment.game, &technique)
            .unwrap()
            .entry;
        // Pass only the parameters that the reference knows. They include the shape of the tree, even if the device
        // chose it.
        let known = registry::find(&cell.experiment.game, entry.reference).unwrap();
        let known = known.entry.params.iter().map(|param| param.name);
        let known: Vec<&str> = known.collect();
        let shared = std::mem::take(&mut cell.choice.params).into_iter();
        cell.choice.params = shared
            .chain(shape)
            .filter(|(name, _)| known.contains(&name.as_str()))
            .collect::<Params>();
        let mut reference = cell.prepare(entry.reference, None).unwrap();
        let expected = reference.sample().unwrap();
        if entry.counts == Counts::As(entry.reference) {
            assert_eq!(found.1, expected.1, "{name}: counters");
        }
        match compare(&Params::new(), &expected.0, &found.0) {
            Verdict::Agrees => {}
            Verdict::Differs(why) => panic!("{name} in groups of a multiple of {multiple}: {why}"),
            Verdict::OtherMoves(moves) => {
                for (unit, best, value) in moves {
                    let worth = reference.value_of(unit, &best).unwrap();
                    assert_eq!(worth, value, "{name}: {best} of position {unit}");
                }
            }
        }
        ran += 1;
    }
    assert!(ran > 20, "only {ran} cells ran");
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of a kernel"]
fn long_answers_are_right_in_groups_of_multiples_of_8_and_32() {
    answers_are_right_in_groups_of(8);
    answers_are_right_in_groups_of(32);
}

#[test]
fn answers_are_right_in_groups_of_a_multiple_of_64() {
    answers_are_right_in_groups_of(64);
}
