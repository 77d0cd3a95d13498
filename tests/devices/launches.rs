//! Tests launches that end at a time limit and continue later, and the checks before a launch.

use std::time::Duration;

use super::elsewhere::device_as;
use super::{Ask, device, params, searched};
use plybench::opencl::DeviceInfo;
use plybench::techniques::{Sampler, registry};
use plybench::words::{Answer, Case, Counters, Fault, Params, Task};

/// Parses a line of [`SPLIT`] into a request.
fn ask(cell: &str) -> Ask<'_> {
    let fields: Vec<&str> = cell.split(';').map(str::trim).collect();
    let [game, name, task, case, given] = fields[..] else {
        panic!("{cell}")
    };
    let mut tasks = Task::ALL.into_iter();
    let task = tasks.find(|own| own.word() == task).unwrap();
    Ask::new(game, name, task, case).of(name, &params(given))
}

fn sampled(sampler: &mut dyn Sampler) -> (Answer, Counters, u64) {
    sampler.telemetry();
    let (answer, counters) = sampler.sample().unwrap();
    (answer, counters, sampler.telemetry().parts.launches)
}

/// A cell for each kind of work that can be split: game, technique, task, case, parameters.
const SPLIT: &str = "\
reversi; table-search; search; board=8x8 depth=10;
reversi; table-search; game; board=8x8 depth=5 plies=random-20; batch=on thresholds=8
connect-four; table-search; search; depth=12; group=7
gomoku; table-search; search; board=9x9 depth=4;
reversi; flat-refill; playouts; board=8x8 playouts=10000;
gomoku; flat-refill; playouts; board=9x9 playouts=10000;
checkers; flat-refill; playouts; playouts=10000;
checkers; flat; playouts; playouts=20000;
checkers; flat-xorshift; playouts; playouts=20000;
checkers; lists-8; playouts; playouts=10000;
annexation; sliced; playouts; board=hex200 playouts=50000;
reversi; pv-split; perft; board=8x8 depth=9;
checkers; flat-refill; perft; depth=10;
connect-four; prefix-sharing; perft; depth=7;
";

#[test]
fn split_launches_give_the_answers_of_whole_ones() {
    for cell in SPLIT.lines() {
        // With the shortest limit, each launch does only the minimum amount of work.
        let sampled = |limit| {
            device().map(|(_turn, device)| {
                device.limit_launches(limit);
                sampled(&mut *ask(cell).ready(&device))
            })
        };
        let Some((whole, counted, few)) = sampled(None) else {
            return;
        };
        let (split, counted_too, many) = sampled(Some(Duration::from_micros(1))).unwrap();
        if let Answer::Searched(_) = whole {
            // A split search may choose another move with the same value. Other tests check the values of moves.
            let values = |answer| {
                searched(answer)
                    .iter()
                    .map(|one| one.value)
                    .collect::<Vec<_>>()
            };
            assert_eq!(values(split), values(whole), "{cell}");
        } else {
            assert_eq!((split, counted_too), (whole, counted), "{cell}");
        }
        assert!(many >= 2 * few, "{cell}: {many} launches, whole {few}");
    }
}

#[test]
fn launches_of_a_gpu_have_a_limit_and_those_of_a_processor_have_none() {
    use plybench::opencl::{DeviceKind, LAUNCH_LIMIT};
    for (kind, limit) in [
        (DeviceKind::Gpu, Some(LAUNCH_LIMIT)),
        (DeviceKind::Cpu, None),
    ] {
        if let Some((_turn, device)) = device_as(|info| DeviceInfo { kind, ..info }) {
            assert_eq!(device.launch_limit(), limit);
            device.limit_launches(Some(Duration::from_secs(1)));
            assert_eq!(device.launch_limit(), Some(Duration::from_secs(1)));
        }
    }
}

/// Cells, each followed by a local memory size in bytes that is too small for it.
const LOCAL: &str = "\
reversi; table-search; search; board=8x8 depth=4; group=64 13000
connect-four; table-search; search; depth=8; group=64 1200
gomoku; table-search; search; board=15x15 depth=2; group=64 12000
reversi; flat-refill; playouts; board=8x8 playouts=100; group=64 lanes=1 868";

#[test]
fn local_memory_is_checked_before_a_launch() {
    for row in LOCAL.lines() {
        let (cell, least) = row.rsplit_once(' ').unwrap();
        let least = least.parse().unwrap();
        let with = |local_memory_bytes| {
            let device = device_as(|info| DeviceInfo {
                local_memory_bytes,
                ..info
            });
            device.map(|(_turn, device)| ask(cell).made(Some(&device)).map(drop))
        };
        let Some(refused) = with(least) else { return };
        let Err(Fault::Memory(why)) = refused else {
            panic!("{cell} with {least} bytes: {refused:?}")
        };
        assert!(why.contains("local memory"), "{why}");
        assert_eq!(with(48 << 10), Some(Ok(())), "{cell}");
    }
}

/// Cells with an invalid parameter, and the error for each cell.
const REFUSED: &str = "\
annexation; sliced; playouts; board=hex7 turns=1 playouts=32; shape=3 => shape: `3`; allowed is `auto`
annexation; frames; playouts; board=hex7 turns=1 playouts=32; rows=33 => rows: `33`; allowed is a multiple of 32
annexation; mcts; choose; board=hex7 turns=4 effort=100; shape=groups leaves=0 => leaves: `0`; allowed is a whole number from 1 to 65536
annexation; mcts; choose; board=hex7 turns=4 effort=100; shape=groups playouts=1025 => playouts: `1025`; allowed is a whole number from 1 to 1024
checkers; flat-refill; playouts; playouts=1; group=0 => group: `0`; allowed is `auto`
checkers; flat-refill; playouts; playouts=1; lanes=4 => lanes: `4`; allowed is `auto` (1, or 16 on a CPU)
checkers; flat-refill; playouts; playouts=1; refill=1 => refill: `1`; allowed is true, or false
checkers; mcts-block-rayon; choose; effort=10; lanes=17 => lanes: `17`; allowed is
connect-four; move-sets; game; stage=average depth=4; group=8x8 => group: `8x8`; allowed is `7x7` (as published) or `49x7`
connect-four; move-sets-even; game; stage=average depth=4; group=0 => group: `0`; allowed is
connect-four; move-sets-as-published; game; stage=first depth=11; => depth: `11`; groups and the largest grid
connect-four; root-split; game; stage=average depth=1; => depth: `1`; root-split
connect-four; mcts-block-rayon; choose; effort=10; nodes=63 => nodes: `63`; allowed is `auto`
reversi; mcts-block-rayon; choose; board=6x6 effort=10; nodes=64 => board: `6x6`; random games need 8x8
connect-four; table-search; choose; effort=10ms; hybrid=on => hybrid: `on`
";

#[test]
fn what_makes_no_sense_is_refused_with_what_is_allowed() {
    let Some((_turn, device)) = device() else {
        return;
    };
    for row in REFUSED.lines() {
        let (cell, why) = row.split_once(" => ").unwrap();
        let refused = ask(cell)
            .made(Some(&device))
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(refused.contains(why), "{cell}: {refused}");
    }
    // A plan without a device must report the same error.
    let entry = registry::find("connect-four", "move-sets-as-published");
    let deep = Case::parse("stage=first depth=11").unwrap();
    assert!((entry.unwrap().entry.check)(&deep, &Params::new()).is_err());
}
