//! Tree search of checkers with a tree for each work-group on a real device, pocl's on most machines.

use super::checkers::rules;
use super::checkers_mcts::{POSITIONS, choose, keeps_to_its_time};
use super::{held, setup};
use plybench::games::Game;
use plybench::games::checkers::{Checkers, Position, Rules};
use plybench::opencl::Device;
use plybench::techniques::{Sampler, Setup, registry};
use plybench::words::{Case, Chosen, Task, Value};

/// Where a choice is made, and how.
#[derive(Clone, Copy, Debug)]
struct Asked<'a> {
    position: &'a str,
    effort: &'a str,
    rules: (&'a str, i64),
    params: &'a [(&'a str, i64)],
    seed: u64,
}

const ASKED: Asked<'static> = Asked {
    position: "start",
    effort: "500",
    rules: ("any", 80),
    params: &[],
    seed: 1,
};

fn sampler(device: &Device, asked: Asked<'_>) -> Box<dyn Sampler> {
    technique("mcts-block", Some(device), asked)
}

fn technique(name: &str, device: Option<&Device>, asked: Asked<'_>) -> Box<dyn Sampler> {
    let technique = registry::find("checkers", name).unwrap();
    let case = Case(vec![
        ("position".to_owned(), Value::parse(asked.position)),
        ("effort".to_owned(), Value::parse(asked.effort)),
    ]);
    let params = asked.params.iter();
    let params = params.map(|(name, number)| ((*name).to_owned(), Value::Int(*number)));
    let made = (technique.prepare)(&Setup {
        options: &rules(asked.rules.0, asked.rules.1),
        params: &params.collect(),
        seed: asked.seed,
        ..setup(Task::Choose, &case, device)
    });
    made.map_err(|fault| fault.to_string()).unwrap()
}

/// A group of one, with 16 lanes and with one; groups that wait at barriers, their sizes no powers of two among them.
const LAYOUTS: [&[(&str, i64)]; 4] = [
    &[("groups", 2), ("group", 1), ("lanes", 16)],
    &[("groups", 3), ("group", 1), ("lanes", 1)],
    &[("groups", 4), ("group", 32), ("lanes", 1)],
    &[("groups", 1), ("group", 5), ("lanes", 16)],
];

/// Whatever groups there are, however large, and with as little room as may be: the trees of the host's twin,
/// visit for visit, node for node and ply for ply.
#[test]
fn the_trees_are_those_of_the_twin() {
    let Some(device) = held() else { return };
    let rules = [("any", 80), ("longest", 50), ("any", 3), ("any", 80)];
    for ((params, rules), room) in LAYOUTS.iter().zip(rules).zip([64, 1 << 12, 1 << 14, 300]) {
        let efforts = ["3000", "77", "1", "500", "2000"];
        for (seed, (position, effort)) in (1..).zip(POSITIONS.into_iter().zip(efforts)) {
            let mut params = params.to_vec();
            params.push(("nodes", room));
            let asked = Asked {
                position,
                effort,
                params: &params,
                rules,
                seed,
            };
            let mut on_device = sampler(&device, asked);
            let shape = on_device.telemetry().shape;
            for (name, number) in &params {
                assert_eq!(shape[*name], Value::Int(*number));
            }
            let found = choose(&mut *on_device);
            let expected = choose(&mut *technique("mcts-block-rayon", None, asked));
            assert_eq!(found, expected, "{asked:?}");
            assert_eq!(choose(&mut *on_device), found, "{asked:?}, again");
        }
    }
}

/// One group's tree, grown a leaf at a time, is the host's with batches of one leaf: the same draws, the
/// same games, the same formula, but in single precision. As long as no game ends within the tree; the host
/// plays none from there.
#[test]
fn the_tree_of_one_group_is_the_hosts() {
    let Some(device) = held() else { return };
    for (group, lanes) in [(1, 1), (1, 16), (32, 1), (5, 16)] {
        for position in &POSITIONS[..2] {
            for seed in [1, 2, 77] {
                let params = [("groups", 1), ("group", group), ("lanes", lanes)];
                let effort = "300";
                let asked = Asked {
                    position,
                    effort,
                    params: &params,
                    seed,
                    ..ASKED
                };
                let found = choose(&mut *sampler(&device, asked));
                let params = [("leaves", 1), ("playouts", group * lanes)];
                let asked = Asked {
                    params: &params,
                    ..asked
                };
                let expected = choose(&mut *technique("mcts-batched-serial", None, asked));
                assert_eq!(
                    found, expected,
                    "{position}, groups of {group} with {lanes} lanes, seed {seed}"
                );
            }
        }
    }
}

/// Where the first or the second quiet move ends the game: leaves are played until the whole tree is there,
/// and credited with its ends from then on, on device and host alike.
#[test]
fn games_that_end_in_the_tree_are_not_played() {
    let Some(device) = held() else { return };
    for (group, lanes) in [(1, 16), (5, 1)] {
        for (draw_after, played) in [(1, 0), (2, 7)] {
            let params = [("groups", 1), ("group", group), ("lanes", lanes)];
            let asked = Asked {
                rules: ("any", draw_after),
                params: &params,
                ..ASKED
            };
            let found = choose(&mut *sampler(&device, asked));
            let playouts = group * lanes;
            assert_eq!(found.1.leaves, 500);
            assert_eq!(found.1.playouts, played * playouts as u64);
            let params = [("leaves", 1), ("playouts", playouts)];
            let asked = Asked {
                params: &params,
                ..asked
            };
            let expected = choose(&mut *technique("mcts-batched-serial", None, asked));
            assert_eq!(found, expected, "{group} {lanes} {draw_after}");
        }
    }
}

/// Positions in the whole tree of games, and plies to the deepest, by the host's rules.
fn whole_tree(game: &Checkers, position: &Position) -> (u64, u64) {
    if game.is_over(position) {
        return (1, 0);
    }
    let moves = game.legal_moves(position);
    moves.fold((1, 0), |(nodes, depth), mv| {
        let (more, below) = whole_tree(game, &game.play(position, mv));
        (nodes + more, depth.max(below + 1))
    })
}

/// A tree of at most so many positions is whole after 300,000 descents, whatever its moves are worth.
const SOON_WHOLE: u64 = 100;
/// In a tree of more positions some bad moves are unvisited then.
const LARGE: u64 = 1_000;

/// Positions with trees that are soon whole: this one, or those after its moves.
fn with_small_trees(game: &Checkers, position: Position) -> Vec<Position> {
    if whole_tree(game, &position).0 <= SOON_WHOLE {
        return vec![position];
    }
    let after = game
        .legal_moves(&position)
        .map(|mv| game.play(&position, mv));
    let after = after.filter(|position| !game.is_over(position));
    after
        .flat_map(|position| with_small_trees(game, position))
        .collect()
}

/// If a quiet move ends the game, only captures are left. The tree is soon whole, and has exactly the positions that
/// the host's rules reach. Moves of three jumps and more are among them. A tree that is too large for that is the
/// twin's, and the trees after its moves are whole.
#[test]
fn trees_grow_until_they_are_whole() {
    let Some(device) = held() else { return };
    for capture in ["any", "longest"] {
        for (position, draw_after) in [
            (POSITIONS[0], 2),
            (POSITIONS[1], 1),
            (POSITIONS[2], 1),
            (POSITIONS[3], 1),
            // Kings with rings of men to take.
            ("B:WK6,7,8,14,15,16,22,23,24:BK2,K10,K1", 1),
        ] {
            let options = rules(capture, draw_after);
            let game = Checkers::new(Rules::new(&options).unwrap());
            let start = match position {
                "start" => Position::start(),
                text => game.parse(text).unwrap(),
            };
            let grows = |position: &str, lanes, is_small: bool| {
                let params = [("groups", 1), ("group", 1), ("lanes", lanes)];
                let asked = Asked {
                    position,
                    effort: "300000",
                    rules: (capture, draw_after),
                    params: &params,
                    ..ASKED
                };
                let found = choose(&mut *sampler(&device, asked));
                let start = game.parse(position).unwrap();
                let tree = (found.0.tree_nodes, found.0.tree_depth);
                if is_small {
                    assert_eq!(tree, whole_tree(&game, &start), "{asked:?}");
                } else {
                    let expected = choose(&mut *technique("mcts-block-rayon", None, asked));
                    assert_eq!(found, expected, "{asked:?}");
                }
            };
            let is_small = whole_tree(&game, &start).0 <= LARGE;
            for lanes in [1, 16] {
                grows(&start.to_string(), lanes, is_small);
            }
            if !is_small {
                for start in with_small_trees(&game, start) {
                    grows(&start.to_string(), 1, true);
                }
            }
        }
    }
}

#[test]
fn a_tree_without_room_goes_on_playing() {
    let Some(device) = held() else { return };
    let params = [("groups", 2), ("nodes", 64)];
    let asked = Asked {
        effort: "4000",
        params: &params,
        ..ASKED
    };
    let (chosen, counters) = choose(&mut *sampler(&device, asked));
    assert_eq!(chosen.visits.iter().sum::<u64>(), 4_000);
    assert_eq!(counters.leaves, 4_000);
    // The root and its seven children fit, and most of the others.
    assert!((2 * 40..=2 * 64).contains(&chosen.tree_nodes), "{chosen:?}");
}

#[test]
fn a_choice_keeps_to_its_time_and_says_where_it_went() {
    let Some(device) = held() else { return };
    for (effort, least, most) in [("1ms", 0, 100), ("200ms", 100, 250)] {
        let mut sampler = sampler(&device, Asked { effort, ..ASKED });
        keeps_to_its_time(&mut *sampler, (least, most), |_, parts| {
            // The root's four words.
            assert_eq!(parts.bytes_up, 16, "{parts:?}");
        });
    }
}

#[test]
fn a_win_in_one_is_chosen_and_a_finished_game_has_no_choice() {
    let Some(device) = held() else { return };
    for params in LAYOUTS {
        // 15x22 takes White's last piece.
        let position = "B:W18:B15,1,2,12";
        let won = Asked {
            position,
            params,
            effort: "2000",
            ..ASKED
        };
        let (chosen, _) = choose(&mut *sampler(&device, won));
        assert_eq!(chosen.best.as_deref(), Some("15x22"), "{params:?}");
        let over = Asked {
            position: "B:W21:B",
            params,
            ..ASKED
        };
        assert_eq!(choose(&mut *sampler(&device, over)).0, Chosen::default());
    }
}
