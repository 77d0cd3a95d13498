//! Compares `table-search` on a real device with the host's searches: the values of positions and moves.

use super::{Ask, held, params, searched};
use plybench::games::{gomoku, reversi};
use plybench::opencl::{Device, DeviceKind};
use plybench::techniques::hard::Draw;
use plybench::words::{Answer, Params, Task};

/// Returns a reversi position after `plies` random plies.
fn of_reversi(plies: usize, draw: &mut Draw) -> String {
    let mut position = reversi::Position::start(reversi::Size::STANDARD);
    for _ in 0..plies {
        let moves = position.legal_moves();
        position = match moves.is_empty() {
            true => position.pass(),
            false => position.play(moves[draw.below(moves.len())]).unwrap(),
        };
    }
    position.to_string()
}

fn of_connect_four(plies: usize, draw: &mut Draw) -> String {
    super::connect_four::random_position(plies, draw).to_string()
}

/// Returns a gomoku position after `plies` random stones, or fewer if the game ends.
fn of_gomoku<const SIDE: usize>(plies: usize, draw: &mut Draw) -> String {
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

/// A game, its board axis, a function for random positions, and an exclusive upper bound for their number of plies.
type Game = (
    &'static str,
    &'static str,
    fn(usize, &mut Draw) -> String,
    usize,
);

const REVERSI: Game = ("reversi", "board=8x8 ", of_reversi, 60);
const CONNECT_FOUR: Game = ("connect-four", "", of_connect_four, 42);
const GOMOKU_5: Game = ("gomoku", "board=5x5 ", of_gomoku::<5>, 26);
const GOMOKU_9: Game = ("gomoku", "board=9x9 ", of_gomoku::<9>, 60);
const GOMOKU_15: Game = ("gomoku", "board=15x15 ", of_gomoku::<15>, 100);

/// Compares the answers of `table-search` and of a host technique on random positions.
fn compare(device: &Device, game: Game, with: &str, depth: u32, count: usize, given: &str) {
    let (game, board, random, plies) = game;
    let mut draw = Draw(u64::from(depth));
    let ask = Ask {
        params: params(given),
        ..Ask::new(
            game,
            "table-search",
            Task::Search,
            &format!("{board}depth={depth}"),
        )
    };
    let mut ours = ask.ready(device);
    for number in 0..count {
        let position = random(draw.below(plies), &mut draw);
        let about = format!("{number}: {position}, depth {depth}");
        let found = ours.reply(&position).unwrap().searched.unwrap();
        let mut theirs = ask.of(with, &Params::new());
        theirs.position = Some(position);
        let mut theirs = theirs.ready(device);
        let expected = &searched(theirs.sample().unwrap().0)[0];
        assert_eq!(found.value, expected.value, "{about}");
        assert_eq!(found.best.is_some(), expected.best.is_some(), "{about}");
        if let Some(best) = &found.best {
            let worth = theirs.value_of(0, best).unwrap();
            assert_eq!(worth, expected.value, "{about}: {best}");
        }
    }
}

/// A game, a host technique, the depths, the number of positions per depth, and parameters.
type Comparison = (
    Game,
    &'static str,
    std::ops::RangeInclusive<u32>,
    usize,
    &'static str,
);

const COMPARED: [Comparison; 11] = [
    (REVERSI, "serial", 1..=3, 12, ""),
    (REVERSI, "serial", 5..=5, 12, ""),
    (REVERSI, "serial-table", 8..=8, 12, ""),
    (CONNECT_FOUR, "serial", 1..=8, 12, ""),
    (CONNECT_FOUR, "serial-table", 13..=13, 12, ""),
    (GOMOKU_5, "serial", 1..=4, 6, ""),
    (GOMOKU_9, "serial", 1..=4, 6, ""),
    (GOMOKU_15, "serial", 1..=3, 6, ""),
    (REVERSI, "serial", 5..=5, 6, "group=7"),
    (CONNECT_FOUR, "serial", 6..=6, 6, "group=64"),
    (GOMOKU_9, "serial", 3..=3, 6, "group=20"),
];

#[test]
fn values_and_moves_are_serials() {
    let Some(device) = held() else { return };
    for (game, with, depths, count, given) in COMPARED {
        for depth in depths {
            compare(&device, game, with, depth, count, given);
        }
    }
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of the kernel"]
fn long_values_and_moves_are_serials_at_depth_8() {
    let Some(device) = held() else { return };
    for game in [REVERSI, CONNECT_FOUR] {
        compare(&device, game, "serial", 8, 300, "");
    }
}

/// Creates a request to search positions of a game with `table-search`.
fn of_game((game, case): (&'static str, &str), given: &str) -> Ask<'static> {
    Ask {
        params: params(given),
        ..Ask::new(game, "table-search", Task::Game, case)
    }
}

fn values(answer: Answer) -> Vec<i64> {
    searched(answer).iter().map(|one| one.value).collect()
}

#[test]
fn positions_side_by_side_have_the_values_that_they_have_alone() {
    let Some(device) = held() else { return };
    for at in [
        ("reversi", "board=8x8 depth=4 plies=random-70"),
        // These positions share a table, although their wins are at different distances from their roots.
        ("connect-four", "stage=average depth=7 plies=random-70"),
    ] {
        let ask = of_game(at, "batch=on thresholds=2");
        let expected = values(ask.of("serial", &Params::new()).sample(&device).0);
        assert_eq!(expected.len(), 70);
        let mut batch = ask.ready(&device);
        // Take two samples, because the second starts with the first sample's table.
        for _ in 0..2 {
            let (found, counters) = batch.sample().unwrap();
            assert!(counters.nodes > 0);
            assert_eq!(values(found), expected, "{at:?}");
        }
    }
}

#[test]
fn host_and_device_answer_all_positions_of_a_hybrid() {
    let Some(device) = held() else { return };
    let mut by_either = [0; 2];
    for row in [
        "hybrid=1us | reversi | board=8x8 depth=7 plies=30,44,48,52",
        "hybrid=1h | reversi | board=8x8 depth=6 plies=0,10",
        "hybrid=1us | reversi | board=8x8 depth=2 plies=0,10,20,30",
        "hybrid=1us | connect-four | stage=average depth=8 plies=0,8,16",
        "hybrid=1us | gomoku | board=6x6 depth=5 plies=0,2",
    ] {
        let [hybrid, game, case] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let at = (game, case);
        let ask = of_game(at, hybrid);
        let mut ours = ask.ready(&device);
        let mut theirs = ask.of("serial-table", &Params::new()).ready(&device);
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
            assert!(hybrid == "hybrid=1us" || by_device == 0, "{at:?}");
            by_either[0] += by_host;
            by_either[1] += by_device;
        }
    }
    assert!(by_either[0] > 0 && by_either[1] > 0, "{by_either:?}");
}

/// On a CPU device, only the host searches. With one thread, it visits the same nodes as `serial-table`.
#[test]
fn a_hybrid_leaves_a_processor_alone() {
    let Some(device) = held() else { return };
    if device.info().kind != DeviceKind::Cpu {
        return;
    }
    let at = ("reversi", "board=8x8 depth=20 plies=48,50,52,54");
    let ask = Ask {
        threads: 1,
        ..of_game(at, "hybrid=on")
    };
    let mut ours = ask.ready(&device);
    let (expected, counted) = ask.of("serial-table", &Params::new()).sample(&device);
    let (found, counters) = ours.sample().unwrap();
    assert_eq!(values(found), values(expected));
    assert_eq!(counters, counted);
    assert_eq!(ours.telemetry().answered, Some([4, 0]));
}
