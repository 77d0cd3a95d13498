//! Compares gomoku's `dynamic`, whose kernels enqueue kernels, and `dynamic-by-host` with alpha-beta and plain minimax
//! on the host. `dynamic` needs a device that can enqueue kernels (`scripts/intel-opencl` installs one). Without such a
//! device, its tests print a message and pass.

use super::gomoku::{adjacent, evaluation, random_position};
use super::{Ask, Turn, device_with, opened, params};
use plybench::games::gomoku::{Position, Representation, Visit, fastest};
use plybench::opencl::Device;
use plybench::search::alpha_beta;
use plybench::techniques::gomoku::tasks::Searcher;
use plybench::techniques::gomoku::{DeviceTree, TreePlan};
use plybench::techniques::hard::Draw;
use plybench::words::{Counters, Fault, Params, Task};

fn device(device_enqueue: bool) -> Option<(Turn, Device)> {
    opened(|| device_with(device_enqueue))
}

/// Opens a device for a tree whose kernels are enqueued by the host or by the kernels themselves.
fn device_for(by_host: bool) -> Option<(Turn, Device)> {
    if by_host {
        super::device()
    } else {
        device(true)
    }
}

fn minimax<R: Representation>(
    game: &R,
    board: &R::Position,
    depth: u32,
    ply: u32,
    counters: &mut Counters,
) -> i32 {
    counters.nodes += 1;
    if let Some(value) = game.decided(board, ply) {
        counters.leaves += 1;
        return value;
    }
    if depth == 0 {
        counters.leaves += 1;
        return game.evaluate(board);
    }
    let child = |mv| -minimax(game, &game.play(board, mv), depth - 1, ply + 1, counters);
    game.moves(board).map(child).max().unwrap()
}

/// Searches positions on the device and on the host.
struct Compare<'a>(DeviceTree, u32, &'a [Position], bool);

impl Visit for Compare<'_> {
    type Output = ();

    fn visit<R: Representation>(self, game: R) {
        let Compare(mut tree, depth, positions, whole) = self;
        tree.load(positions).unwrap();
        for (index, position) in positions.iter().enumerate() {
            let found = tree.search(index, depth).unwrap();
            let board = Representation::load(&game, position);
            let expected = alpha_beta(&game, &board, depth);
            let at = format!("{} depth {}: {position}", game.size(), depth);
            let wanted = (expected.value, expected.best);
            assert_eq!((found.value, found.best), wanted, "{at}");
            let mut every = Counters::default();
            if whole {
                minimax(&game, &board, depth, 0, &mut every);
                assert_eq!(found.counters, every, "{at}");
                // Each inner node runs one kernel. A leaf runs none.
                let inner = every.nodes - every.leaves;
                assert_eq!(tree.kernels(), inner, "{at}");
            } else {
                assert!(found.counters.leaves > 0, "{at}");
                assert!(found.counters.nodes >= found.counters.leaves, "{at}");
            }
        }
        let other = tree.search(0, depth + 1);
        assert!(matches!(other, Err(Fault::Input(_))), "{other:?}");
    }
}

fn compare(device: &Device, plan: TreePlan<'_>, whole: bool, positions: &[Position]) {
    let tree = DeviceTree::new(plan, device, None).unwrap();
    let comparison = Compare(tree, plan.depth, positions, whole);
    fastest(plan.evaluation, comparison);
}

#[test]
fn values_and_moves_are_serials_on_boards_of_every_kind() {
    values_and_moves_are_serials(false, [5, 9, 15, 28]);
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it on Intel's runtime, each week and after a change of the kernel"]
fn long_values_and_moves_are_serials_on_all_boards() {
    values_and_moves_are_serials(false, 5..=32);
}

#[test]
fn by_host_values_and_moves_are_serials() {
    values_and_moves_are_serials(true, [5, 8, 15, 28]);
}

fn values_and_moves_are_serials(by_host: bool, sides: impl IntoIterator<Item = usize>) {
    let Some((_turn, device)) = device_for(by_host) else {
        return;
    };
    let mut draw = Draw(1);
    for side in sides {
        let options = if side % 4 == 0 {
            adjacent()
        } else {
            Params::new()
        };
        let evaluation = evaluation(side, &options);
        let size = evaluation.size();
        // A build may take a second, so most boards are tested at only one depth.
        let depths = match side {
            // The host can enqueue only tens of thousands of kernels per second.
            8 if by_host => 3..=3,
            15 if by_host => 2..=2,
            5 => 2..=4,
            6 => 5..=6,
            11 => 1..=4,
            7..=12 => 4..=4,
            13..=20 => 3..=3,
            _ => 2..=2,
        };
        for depth in depths {
            // The positions range from the first stone to a board with few empty squares.
            let mut positions = vec![Position::first_stone(size)];
            let plies = |nth: usize| 2 + nth * (size.squares() - 3) / 4;
            positions.extend((0..5).map(|nth| random_position(size, plies(nth), &mut draw)));
            let group = [None, Some(16)][(side + depth as usize) % 2];
            let plan = TreePlan {
                evaluation: &evaluation,
                depth,
                levels: 1 + (side as u32 + 2 * depth) % 3,
                bounds: true,
                by_host,
                group,
            };
            compare(&device, plan, false, &positions);
        }
    }
}

#[test]
fn without_bounds_every_node_of_minimax_is_searched() {
    without_bounds(false);
}

#[test]
fn by_host_every_node_of_minimax_is_searched() {
    without_bounds(true);
}

fn without_bounds(by_host: bool) {
    let Some((_turn, device)) = device_for(by_host) else {
        return;
    };
    let mut draw = Draw(2);
    for (side, depths, options) in [
        (5, 1..=3, Params::new()),
        (if by_host { 7 } else { 9 }, 3..=3, adjacent()),
        (28, 2..=2, adjacent()),
    ] {
        let evaluation = evaluation(side, &options);
        let size = evaluation.size();
        for depth in depths {
            let mut positions = vec![Position::empty(size)];
            // The last positions are nearly full, so the board fills up within the search.
            let squares = size.squares();
            for plies in [squares / 3, squares - 6, squares - 3, squares - 1] {
                positions.push(random_position(size, plies, &mut draw));
            }
            let plan = TreePlan {
                evaluation: &evaluation,
                depth,
                levels: 3,
                bounds: false,
                by_host,
                group: [None, Some(7)][depth as usize % 2],
            };
            compare(&device, plan, true, &positions);
        }
    }
}

#[test]
fn the_technique_is_registered_and_reads_its_parameters() {
    let Some((_turn, device)) = device(true) else {
        return;
    };
    let serial = Ask::new("gomoku", "serial", Task::Search, "board=9x9 depth=3");
    let expected = serial.sample(&device).0;
    for given in [
        "levels=1 group=16 bounds=none",
        "levels=2 group=1 bounds=ancestors",
    ] {
        let given = params(given);
        let mut sampler = serial.of("dynamic", &given).ready(&device);
        for _ in 0..3 {
            assert_eq!(sampler.sample().unwrap().0, expected);
        }
        let used = format!(
            "{} plies of kernels, group {}, ",
            given["levels"], given["group"]
        );
        let told = sampler.telemetry();
        assert!(told.notes.starts_with(&used), "{}", told.notes);
        assert!(told.build_ns > 0);
        let parts = told.parts;
        assert!(parts.launches >= 3 && parts.kernel_ns > 0, "{parts:?}");
    }
    for (given, why) in [
        (
            "levels=4",
            "levels: `4`; allowed is a whole number from 1 to 3",
        ),
        (
            "levels=0",
            "levels: `0`; allowed is a whole number from 1 to 3",
        ),
        ("bounds=root", "bounds: `root`; allowed is `ancestors`"),
        ("group=0", "group: `0`; allowed is `auto`"),
    ] {
        match serial
            .of("dynamic", &params(given))
            .made(Some(&device))
            .err()
        {
            Some(Fault::Input(said)) => assert!(said.starts_with(why), "{said}"),
            other => panic!("{given}: {other:?}"),
        }
    }
}
