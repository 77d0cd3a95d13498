//! `table-search` against the searches of the host, on a real device: values, and what its moves are worth.

use super::device;
use plybench::games::reversi::{Position, Size};
use plybench::opencl::Device;
use plybench::techniques::hard::Draw;
use plybench::techniques::{Setup, registry};
use plybench::words::{Answer, Case, Params, Searched, Task, Value};

/// A position after this number of random plies.
fn after(plies: usize, draw: &mut Draw) -> Position {
    let mut position = Position::start(Size::STANDARD);
    for _ in 0..plies {
        let moves = position.legal_moves();
        position = match moves.is_empty() {
            true => position.pass(),
            false => position.play(moves[draw.below(moves.len())]).unwrap(),
        };
    }
    position
}

/// Searches random positions with `table-search` and with a technique of the host, and compares.
fn compare(device: &Device, with: &str, depth: u32, count: usize, group: Option<i64>) {
    let technique = registry::find("reversi", "table-search").unwrap();
    let host = registry::find("reversi", with).unwrap();
    let case = Case::parse(&format!("board=8x8 depth={depth}")).unwrap();
    let none = Params::new();
    let of_device: Params = group
        .map(|items| ("group".to_owned(), Value::Int(items)))
        .into_iter()
        .collect();
    let mut draw = Draw(u64::from(depth));
    for number in 0..count {
        let position = after(draw.below(60), &mut draw).to_string();
        let setup = Setup {
            task: Task::Search,
            case: &case,
            options: &none,
            params: &of_device,
            seed: 1,
            threads: 2,
            device: Some(device),
            kernels: None,
            position: Some(&position),
            positions: None,
            opponent: None,
        };
        let mut ours = (technique.prepare)(&setup).unwrap();
        let mut theirs = (host.prepare)(&Setup {
            params: &none,
            ..setup.clone()
        })
        .unwrap();
        let found = |answer| match answer {
            Answer::Searched(mut found) => found.pop().unwrap(),
            other => panic!("{other:?}"),
        };
        let Searched { value, best, .. } = found(ours.sample().unwrap().0);
        let expected = found(theirs.sample().unwrap().0);
        assert_eq!(value, expected.value, "{number}: {position}, depth {depth}");
        assert_eq!(
            best.is_some(),
            expected.best.is_some(),
            "{number}: {position}"
        );
        if let Some(best) = best {
            let worth = theirs.value_of(0, &best).unwrap();
            assert_eq!(
                worth, expected.value,
                "{number}: {position}, {best} at depth {depth}"
            );
        }
    }
}

#[test]
fn values_and_moves_are_serials() {
    if let Some((_turn, device)) = device() {
        for depth in [1, 2, 3, 5] {
            compare(&device, "serial", depth, 12, None);
        }
        compare(&device, "serial-table", 8, 12, None);
    }
}

#[test]
fn larger_groups_find_the_same() {
    if let Some((_turn, device)) = device() {
        compare(&device, "serial", 5, 6, Some(7));
    }
}

#[test]
#[ignore = "minutes: 300 positions to depth 8, where one group's search fills most of a core"]
fn long_values_and_moves_are_serials_at_depth_8() {
    if let Some((_turn, device)) = device() {
        compare(&device, "serial", 8, 300, None);
    }
}

#[test]
fn positions_side_by_side_have_the_values_that_they_have_alone() {
    if let Some((_turn, device)) = device() {
        let case = Case::parse("board=8x8 depth=4 plies=random-70").unwrap();
        let none = Params::new();
        let batch: Params = [("batch", "on"), ("thresholds", "2")]
            .map(|(name, value)| (name.to_owned(), Value::parse(value)))
            .into();
        let values = |name, params| {
            let setup = Setup {
                task: Task::Game,
                case: &case,
                options: &none,
                params,
                seed: 1,
                threads: 2,
                device: Some(&device),
                kernels: None,
                position: None,
                positions: None,
                opponent: None,
            };
            let technique = registry::find("reversi", name).unwrap();
            let mut sampler = (technique.prepare)(&setup).unwrap();
            // Twice, as the second one begins with what the first has left.
            let (first, counters) = sampler.sample().unwrap();
            let (second, _) = sampler.sample().unwrap();
            assert!(counters.nodes > 0);
            [first, second].map(|answer| match answer {
                Answer::Searched(found) => found.iter().map(|one| one.value).collect::<Vec<_>>(),
                other => panic!("{other:?}"),
            })
        };
        let expected = values("serial", &none);
        assert_eq!(expected[0].len(), 70);
        assert_eq!(values("table-search", &batch), expected);
    }
}
