//! Trees of work-groups of Connect Four, reversi and gomoku on a real device, pocl's on most machines, and on the host.

use super::checkers_mcts::choose;
use super::{device, held, setup};
use plybench::opencl::Device;
use plybench::techniques::{Sampler, Setup, registry};
use plybench::words::{Case, Chosen, Counters, Fault, Params, Task, Value};

/// A game, its board, and positions: an early one, a late one, one that is over.
type Game = (&'static str, &'static str, [&'static str; 3]);

const GAMES: [Game; 4] = [
    (
        "connect-four",
        "",
        [
            "44",
            "25642645712775536177141145421754",
            "256426457127755361771411454217542236336633",
        ],
    ),
    (
        "reversi",
        "board=8x8 ",
        ["f5d6c3d3c4", "f5d6c3d3c4", "e6f4e3f6g5d6e7f5c5"],
    ),
    (
        "gomoku",
        "board=9x9 ",
        ["e5d5", "e5d5e6d6e7d7f4", "e5a1e6a2e7b1e8e4e9"],
    ),
    (
        "gomoku",
        "board=16x16 ",
        ["h8", "h8a1h9a2h10b1p16o15", "h8a1h9a2h10b1h11e4h12"],
    ),
];

fn prepare(
    (game, name): (&str, &str),
    device: Option<&Device>,
    case: &str,
    (params, seed): (&[(&str, i64)], u64),
    position: &str,
) -> Result<Box<dyn Sampler>, Fault> {
    let params = params.iter();
    let params = params.map(|(name, number)| ((*name).to_owned(), Value::Int(*number)));
    let case = Case::parse(case).unwrap();
    (registry::find(game, name).unwrap().prepare)(&Setup {
        params: &params.collect::<Params>(),
        seed,
        position: Some(position),
        ..setup(Task::Choose, &case, device)
    })
}

fn chosen(
    technique: (&str, &str),
    device: Option<&Device>,
    case: &str,
    asked: (&[(&str, i64)], u64),
    position: &str,
) -> (Chosen, Counters) {
    let made = prepare(technique, device, case, asked, position);
    choose(&mut *made.map_err(|fault| fault.to_string()).unwrap())
}

/// Lanes of every number, groups that wait at barriers, trees that are full.
const LAYOUTS: [[(&str, i64); 4]; 5] = [
    [("groups", 2), ("group", 1), ("lanes", 16), ("nodes", 1024)],
    [("groups", 3), ("group", 1), ("lanes", 1), ("nodes", 4096)],
    [("groups", 4), ("group", 5), ("lanes", 1), ("nodes", 300)],
    [("groups", 1), ("group", 3), ("lanes", 8), ("nodes", 4096)],
    // More than a warp.
    [("groups", 2), ("group", 64), ("lanes", 1), ("nodes", 1024)],
];

#[test]
fn the_trees_of_every_game_are_those_of_the_twin() {
    let Some(device) = held() else { return };
    for (game, board, positions) in GAMES {
        let asked = [(1, 301), (77, 200), (3, 500), (4, 97), (5, 51)];
        for (layout, (seed, effort)) in LAYOUTS.iter().zip(asked) {
            let case = format!("{board}effort={effort}");
            for position in positions {
                let of =
                    |name, device| chosen((game, name), device, &case, (layout, seed), position);
                let found = of("mcts-block", Some(&*device));
                let expected = of("mcts-block-rayon", None);
                assert_eq!(found, expected, "{case} {position} {layout:?}");
                let visits = found.0.visits.iter().sum::<u64>();
                let over = position == positions[2];
                assert_eq!(visits, if over { 0 } else { effort }, "{case} {position}");
            }
        }
    }
}

/// One group's tree, grown a leaf at a time, is that of batches of one leaf, as long as no game ends within it.
#[test]
fn the_tree_of_one_group_is_that_of_batches_of_one_leaf() {
    for (game, board, [position, ..]) in GAMES {
        let case = format!("{board}effort=200");
        for seed in [1, 2, 77] {
            let of = |name, params: &[(&str, i64)]| {
                chosen((game, name), None, &case, (params, seed), position)
            };
            let found = of(
                "mcts-block-rayon",
                &[("groups", 1), ("group", 3), ("lanes", 8)],
            );
            let expected = of("mcts-batched-serial", &[("leaves", 1), ("playouts", 24)]);
            assert_eq!(found, expected, "{game} {seed}");
        }
    }
}

#[test]
fn a_root_with_more_moves_than_a_tree_has_nodes_is_refused() {
    let refused = |name, device| {
        let asked: (&[_], _) = (&[("groups", 1), ("nodes", 64)], 1);
        let made = prepare(("gomoku", name), device, "board=15x15 effort=10", asked, "");
        let refused = made
            .and_then(|mut sampler| sampler.sample().map(drop))
            .err();
        let why = "the root has 225 moves; trees of 64 nodes take at most 63";
        assert!(refused.unwrap().to_string().contains(why), "{name}");
    };
    refused("mcts-block-rayon", None);
    if let Some((_turn, device)) = device() {
        refused("mcts-block", Some(&device));
    }
}
