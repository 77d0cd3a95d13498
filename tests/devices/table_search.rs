//! `table-search` against the searches of the host, on a real device: values, and what its moves are worth.

use super::{device, setup};
use plybench::games::reversi::Size;
use plybench::games::{connect_four, gomoku, reversi};
use plybench::opencl::{Device, DeviceKind};
use plybench::techniques::hard::Draw;
use plybench::techniques::{Sampler, Setup, registry};
use plybench::words::{Answer, Case, Params, Searched, Task, Value};

/// A position of reversi after this number of random plies.
fn reversi(plies: usize, draw: &mut Draw) -> String {
    let mut position = reversi::Position::start(Size::STANDARD);
    for _ in 0..plies {
        let moves = position.legal_moves();
        position = match moves.is_empty() {
            true => position.pass(),
            false => position.play(moves[draw.below(moves.len())]).unwrap(),
        };
    }
    position.to_string()
}

/// A position of Connect Four after this number of random plies, or the end of its game.
fn connect_four(plies: usize, draw: &mut Draw) -> String {
    let mut position = connect_four::Position::start();
    for _ in 0..plies {
        let moves = position.legal_moves();
        match moves.get(draw.below(moves.len())) {
            Some(column) => position = position.play(*column).unwrap(),
            None => break,
        }
    }
    position.to_string()
}

/// A position of gomoku after this number of random stones, or the end of its game.
fn gomoku<const SIDE: usize>(plies: usize, draw: &mut Draw) -> String {
    let mut position = gomoku::Position::empty(gomoku::Size::new(SIDE).unwrap());
    for _ in 0..plies {
        let moves = position.legal_moves();
        match moves.get(draw.below(moves.len())) {
            Some(square) => position = position.play(*square).unwrap(),
            None => break,
        }
    }
    position.to_string()
}

/// A game, its board on the axis, and random positions of it after fewer plies than this.
type Game = (&'static str, &'static str, Random, usize);
type Random = fn(usize, &mut Draw) -> String;

const REVERSI: Game = ("reversi", "board=8x8 ", reversi, 60);
const CONNECT_FOUR: Game = ("connect-four", "", connect_four, 42);
const GOMOKU_5: Game = ("gomoku", "board=5x5 ", gomoku::<5>, 26);
const GOMOKU_9: Game = ("gomoku", "board=9x9 ", gomoku::<9>, 60);
const GOMOKU_15: Game = ("gomoku", "board=15x15 ", gomoku::<15>, 100);

/// Searches random positions with `table-search` and with a technique of the host, and compares.
fn compare(device: &Device, game: Game, with: &str, depth: u32, count: usize, group: Option<i64>) {
    let (game, board, random, plies) = game;
    let technique = registry::find(game, "table-search").unwrap();
    let host = registry::find(game, with).unwrap();
    let case = Case::parse(&format!("{board}depth={depth}")).unwrap();
    let none = Params::new();
    let of_device: Params = group
        .map(|items| ("group".to_owned(), Value::Int(items)))
        .into_iter()
        .collect();
    let mut draw = Draw(u64::from(depth));
    for number in 0..count {
        let position = random(draw.below(plies), &mut draw);
        let setup = Setup {
            params: &of_device,
            threads: 2,
            position: Some(&position),
            ..setup(Task::Search, &case, Some(device))
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

/// Games, the host's technique, depths, and positions of each.
type Comparison = (Game, &'static str, std::ops::RangeInclusive<u32>, usize);

const COMPARED: [Comparison; 8] = [
    (REVERSI, "serial", 1..=3, 12),
    (REVERSI, "serial", 5..=5, 12),
    (REVERSI, "serial-table", 8..=8, 12),
    (CONNECT_FOUR, "serial", 1..=8, 12),
    (CONNECT_FOUR, "serial-table", 13..=13, 12),
    (GOMOKU_5, "serial", 1..=4, 6),
    (GOMOKU_9, "serial", 1..=4, 6),
    (GOMOKU_15, "serial", 1..=3, 6),
];

#[test]
fn values_and_moves_are_serials() {
    if let Some((_turn, device)) = device() {
        for (game, with, depths, count) in COMPARED {
            for depth in depths {
                compare(&device, game, with, depth, count, None);
            }
        }
    }
}

#[test]
fn larger_groups_find_the_same() {
    if let Some((_turn, device)) = device() {
        compare(&device, REVERSI, "serial", 5, 6, Some(7));
        compare(&device, CONNECT_FOUR, "serial", 6, 6, Some(64));
        compare(&device, GOMOKU_9, "serial", 3, 6, Some(20));
    }
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of the kernel"]
fn long_values_and_moves_are_serials_at_depth_8() {
    if let Some((_turn, device)) = device() {
        for game in [REVERSI, CONNECT_FOUR] {
            compare(&device, game, "serial", 8, 300, None);
        }
    }
}

/// The values of a game's random positions, each alone, and side by side.
fn compare_batch(device: &Device, at: (&str, &str)) {
    let batch: Params = [("batch", "on"), ("thresholds", "2")]
        .map(|(name, value)| (name.to_owned(), Value::parse(value)))
        .into();
    let values = |name, params| {
        let mut sampler = of_game(at, name, params, 2, device);
        // Twice, as the second one begins with what the first has left.
        let (first, counters) = sampler.sample().unwrap();
        let (second, _) = sampler.sample().unwrap();
        assert!(counters.nodes > 0);
        [first, second].map(values)
    };
    let none = Params::new();
    let expected = values("serial", &none);
    assert_eq!(expected[0].len(), 70);
    assert_eq!(values("table-search", &batch), expected);
}

#[test]
fn positions_side_by_side_have_the_values_that_they_have_alone() {
    if let Some((_turn, device)) = device() {
        compare_batch(&device, ("reversi", "board=8x8 depth=4 plies=random-70"));
        // Positions with wins at different plies from their roots share the table.
        let connect_four = "stage=average depth=7 plies=random-70";
        compare_batch(&device, ("connect-four", connect_four));
    }
}

/// A technique on the positions of a game, with so many threads.
fn of_game(
    (game, case): (&str, &str),
    name: &str,
    params: &Params,
    threads: usize,
    device: &Device,
) -> Box<dyn Sampler> {
    let technique = registry::find(game, name).unwrap();
    (technique.prepare)(&Setup {
        params,
        threads,
        ..setup(Task::Game, &Case::parse(case).unwrap(), Some(device))
    })
    .unwrap()
}

fn values(answer: Answer) -> Vec<i64> {
    match answer {
        Answer::Searched(found) => found.iter().map(|one| one.value).collect(),
        other => panic!("{other:?}"),
    }
}

fn hybrid(value: &str) -> Params {
    Params::from([("hybrid".to_owned(), Value::Text(value.into()))])
}

#[test]
fn host_and_device_answer_all_positions_of_a_hybrid() {
    let Some((_turn, device)) = device() else {
        return;
    };
    let mut by_either = [0; 2];
    for (threshold, at) in [
        ("1us", ("reversi", "board=8x8 depth=8 plies=30,40,44,48,52")),
        ("1h", ("reversi", "board=8x8 depth=6 plies=0,10")),
        ("1us", ("reversi", "board=8x8 depth=2 plies=0,10,20,30")),
        (
            "1us",
            ("connect-four", "stage=average depth=9 plies=0,4,8,12,16"),
        ),
        ("1us", ("gomoku", "board=9x9 depth=5 plies=0,2")),
    ] {
        let mut ours = of_game(at, "table-search", &hybrid(threshold), 2, &device);
        let mut theirs = of_game(at, "serial-table", &Params::new(), 1, &device);
        let expected = values(theirs.sample().unwrap().0);
        assert_eq!(theirs.telemetry().answered, None);
        assert_eq!(ours.telemetry().answered, Some([0, 0]));
        for _ in 0..2 {
            assert_eq!(values(ours.sample().unwrap().0), expected, "{at:?}");
            let told = ours.telemetry();
            let [by_host, by_device] = told.answered.unwrap();
            assert_eq!(by_host + by_device, ours.units(), "{at:?}");
            assert_eq!(told.parts.launches > 0, by_device > 0, "{at:?}");
            assert_eq!(told.positions_ns.len() as u64, ours.units(), "{at:?}");
            assert!(threshold == "1us" || by_device == 0, "{at:?}");
            by_either[0] += by_host;
            by_either[1] += by_device;
        }
    }
    assert!(by_either[0] > 0 && by_either[1] > 0, "{by_either:?}");
}

/// If a processor is the device, the host answers alone, and with one thread visits the nodes of `serial-table`.
#[test]
fn a_hybrid_leaves_a_processor_alone() {
    let Some((_turn, device)) = device() else {
        return;
    };
    if device.info().kind != DeviceKind::Cpu {
        return;
    }
    let at = ("reversi", "board=8x8 depth=20 plies=48,50,52,54");
    let mut ours = of_game(at, "table-search", &hybrid("on"), 1, &device);
    let mut theirs = of_game(at, "serial-table", &Params::new(), 1, &device);
    let (expected, counted) = theirs.sample().unwrap();
    let (found, counters) = ours.sample().unwrap();
    assert_eq!(values(found), values(expected));
    assert_eq!(counters, counted);
    assert_eq!(ours.telemetry().answered, Some([4, 0]));
}
