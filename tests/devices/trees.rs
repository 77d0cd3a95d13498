//! Compares tree searches with playouts on a real device with the same searches on the host.

use super::{Ask, held, params};
use plybench::games::Game as _;
use plybench::games::checkers::{Checkers, Position, Rules};
use plybench::opencl::Device;
use plybench::techniques::Sampler;
use plybench::words::{Answer, Chosen, Counters, Params, Parts, Task};

const ANY: &str = "capture=any draw-after=80";

/// The start position, a middlegame, kings with captures that turn corners, White to move shortly before a draw, and a
/// position that will be decided within a few plies.
const CHECKERS: [&str; 5] = [
    "start",
    "W:W16,19,21,22,23,27,30:B1,2,6,7,9,12,14",
    "B:W6,7,14,15,22,23,K24:BK2,K10,K19,K26,11",
    "W:W32,K31,30:BK1,2,K3",
    "B:W18,27,30:B14,15",
];

/// The other games. Each has a board and three positions. The last position is finished.
const OTHERS: [(&str, &str, [&str; 3]); 4] = [
    (
        "connect-four",
        "",
        [
            "44",
            "25642645712775536177141145421754",
            super::connect_four::DRAWN,
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

fn block(game: &'static str, case: &str, position: &str, given: &str) -> Ask<'static> {
    Ask {
        options: params(if game == "checkers" { ANY } else { "" }),
        params: params(given),
        position: (position != "start").then(|| position.to_owned()),
        ..Ask::new(game, "mcts-block", Task::Choose, case)
    }
}

fn checkers(effort: &str, position: &str, given: &str) -> Ask<'static> {
    block("checkers", &format!("effort={effort}"), position, given)
}

fn choose(sampler: &mut dyn Sampler) -> (Chosen, Counters) {
    match sampler.sample().unwrap() {
        (Answer::Chosen(mut chosen), counters) => (chosen.remove(0), counters),
        (other, _) => panic!("no choice: {other:?}"),
    }
}

/// Chooses a move with a host technique.
fn by_host(ask: &Ask<'_>, name: &str, given: &Params) -> (Chosen, Counters) {
    choose(&mut *ask.of(name, given).made(None).unwrap())
}

/// Chooses a move with `mcts-block`. Its trees must match its CPU twin's, with the same visits, nodes and plies.
fn as_the_twin(device: &Device, ask: &Ask<'_>) -> (Chosen, Counters) {
    let mut on_device = ask.ready(device);
    let shape = on_device.telemetry().shape;
    for (name, value) in &ask.params {
        assert_eq!(shape[name], *value, "{name}");
    }
    let found = choose(&mut *on_device);
    let expected = by_host(ask, "mcts-block-rayon", &ask.params);
    assert_eq!(found, expected, "{ask:?}");
    assert_eq!(choose(&mut *on_device), found, "{ask:?}, again");
    found
}

/// Covers groups of one item with different numbers of lanes, groups with barriers or several warps, and full trees.
#[test]
fn the_trees_of_every_game_are_those_of_the_twin() {
    let Some(device) = held() else { return };
    for (layout, rules) in [
        ("groups=2 group=1 lanes=16 nodes=64", ANY),
        (
            "groups=3 group=1 lanes=1 nodes=4096",
            "capture=longest draw-after=50",
        ),
        (
            "groups=4 group=32 lanes=1 nodes=16384",
            "capture=any draw-after=3",
        ),
        ("groups=1 group=5 lanes=16 nodes=300", ANY),
    ] {
        let efforts = ["1000", "77", "1", "500", "700"];
        for (seed, (position, effort)) in (1..).zip(CHECKERS.into_iter().zip(efforts)) {
            let ask = Ask {
                options: params(rules),
                seed,
                ..checkers(effort, position, layout)
            };
            as_the_twin(&device, &ask);
        }
    }
    for (game, board, positions) in OTHERS {
        for (layout, seed, effort) in [
            ("groups=2 group=1 lanes=16 nodes=1024", 1, 301),
            ("groups=3 group=1 lanes=1 nodes=4096", 77, 200),
            ("groups=4 group=5 lanes=1 nodes=300", 3, 500),
            ("groups=1 group=3 lanes=8 nodes=4096", 4, 97),
            ("groups=2 group=64 lanes=1 nodes=1024", 5, 51),
        ] {
            for position in positions {
                let case = format!("{board}effort={effort}");
                let ask = Ask {
                    seed,
                    ..block(game, &case, position, layout)
                };
                let visits = as_the_twin(&device, &ask).0.visits.iter().sum::<u64>();
                let over = position == positions[2];
                assert_eq!(visits, if over { 0 } else { effort }, "{ask:?}");
            }
        }
    }
}

/// A single group grows its tree leaf by leaf. The twin's tree must match the host's tree with batches of one leaf:
/// random numbers, games and formula are the same, except that the twin computes in single precision. No game may end
/// within the tree, because the host plays no playouts from such nodes.
#[test]
fn the_tree_of_one_group_is_that_of_batches_of_one_leaf() {
    let of_checkers = CHECKERS[..2].iter().flat_map(|position| {
        let layouts = [(1, 1), (1, 16), (32, 1), (5, 16)];
        layouts.map(|layout| ("checkers", "effort=300".to_owned(), *position, layout))
    });
    let others = OTHERS
        .map(|(game, board, positions)| (game, format!("{board}effort=200"), positions[0], (3, 8)));
    for (game, case, position, (group, lanes)) in of_checkers.chain(others) {
        for seed in [1, 2, 77] {
            let layout = format!("groups=1 group={group} lanes={lanes}");
            let ask = Ask {
                seed,
                ..block(game, &case, position, &layout)
            };
            let batches = params(&format!("leaves=1 playouts={}", group * lanes));
            let expected = by_host(&ask, "mcts-batched-serial", &batches);
            let found = by_host(&ask, "mcts-block-rayon", &ask.params);
            assert_eq!(found, expected, "{ask:?}");
        }
    }
}

/// The first or second quiet move ends the game. The search plays games from leaves until the tree is complete. After
/// that, device and host use the results of the finished games in the tree.
#[test]
fn games_that_end_in_the_tree_are_not_played() {
    let Some(device) = held() else { return };
    for (group, lanes) in [(1, 16), (5, 1)] {
        for (draw_after, played) in [(1, 0), (2, 7)] {
            let layout = format!("groups=1 group={group} lanes={lanes}");
            let ask = Ask {
                options: params(&format!("capture=any draw-after={draw_after}")),
                ..checkers("500", "start", &layout)
            };
            let found = choose(&mut *ask.ready(&device));
            assert_eq!(found.1.leaves, 500);
            assert_eq!(found.1.playouts, played * group * lanes);
            let batches = params(&format!("leaves=1 playouts={}", group * lanes));
            let expected = by_host(&ask, "mcts-batched-serial", &batches);
            assert_eq!(found, expected, "{ask:?}");
        }
    }
}

/// Returns the size of the complete game tree, in positions, and its depth in plies, according to the host's rules.
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

/// A tree with at most this many positions is complete after 300,000 descents, whatever the values of its moves.
const SOON_WHOLE: u64 = 100;
/// In larger trees, some bad moves are still unvisited after 300,000 descents.
const LARGE: u64 = 1_000;

/// Returns positions with small trees: `position` itself or, if its tree is too large, positions below it.
fn with_small_trees(game: &Checkers, position: Position) -> Vec<Position> {
    if whole_tree(game, &position).0 <= SOON_WHOLE {
        return vec![position];
    }
    let moves = game.legal_moves(&position);
    let after = moves.map(|mv| game.play(&position, mv));
    let after = after.filter(|position| !game.is_over(position));
    after
        .flat_map(|position| with_small_trees(game, position))
        .collect()
}

/// If a quiet move ends the game, only captures extend the tree. Such a tree is soon complete. It must have exactly the
/// positions that the host's rules reach, including captures of three or more jumps. A larger tree is compared with the
/// CPU twin's tree. The trees below its moves are complete.
#[test]
fn trees_grow_until_they_are_whole() {
    let Some(device) = held() else { return };
    for capture in ["any", "longest"] {
        for (position, draw_after) in [
            (CHECKERS[0], 2),
            (CHECKERS[1], 1),
            (CHECKERS[2], 1),
            (CHECKERS[3], 1),
            // The kings are surrounded by men that they can capture.
            ("B:WK6,7,8,14,15,16,22,23,24:BK2,K10,K1", 1),
        ] {
            let options = params(&format!("capture={capture} draw-after={draw_after}"));
            let game = Checkers::new(Rules::new(&options).unwrap());
            let start = match position {
                "start" => Position::start(),
                text => game.parse(text).unwrap(),
            };
            let grows = |position: &Position, lanes, is_small: bool| {
                let layout = format!("groups=1 group=1 lanes={lanes}");
                let ask = Ask {
                    options: options.clone(),
                    ..checkers("300000", &position.to_string(), &layout)
                };
                if is_small {
                    let (found, _) = choose(&mut *ask.ready(&device));
                    let tree = (found.tree_nodes, found.tree_depth);
                    assert_eq!(tree, whole_tree(&game, position), "{ask:?}");
                } else {
                    as_the_twin(&device, &ask);
                }
            };
            let is_small = whole_tree(&game, &start).0 <= LARGE;
            for lanes in [1, 16] {
                grows(&start, lanes, is_small);
            }
            if !is_small {
                for start in with_small_trees(&game, start) {
                    grows(&start, 1, true);
                }
            }
        }
    }
}

#[test]
fn a_tree_without_room_goes_on_playing() {
    let Some(device) = held() else { return };
    let ask = checkers("4000", "start", "groups=2 nodes=64");
    let (chosen, counters) = choose(&mut *ask.ready(&device));
    assert_eq!(chosen.visits.iter().sum::<u64>(), 4_000);
    assert_eq!(counters.leaves, 4_000);
    // The root, its seven children and most of its grandchildren fit.
    assert!((2 * 40..=2 * 64).contains(&chosen.tree_nodes), "{chosen:?}");
}

/// The visits and plies of each root must match the host's. If the visits match, the points of each leaf match, too.
#[test]
fn the_tree_grown_by_a_device_is_the_hosts() {
    let Some(device) = held() else { return };
    for (rules, given, iterations) in [
        (
            "capture=longest draw-after=50",
            "leaves=256 playouts=32",
            1_500,
        ),
        (ANY, "leaves=100 playouts=5", 2_500),
        ("capture=any draw-after=1", "leaves=7 playouts=64", 400),
    ] {
        for (seed, position) in [1, 2, 77]
            .into_iter()
            .flat_map(|seed| CHECKERS.map(|it| (seed, it)))
        {
            let ask = Ask {
                name: "mcts",
                options: params(rules),
                seed,
                ..checkers(&iterations.to_string(), position, given)
            };
            let found = choose(&mut *ask.ready(&device));
            let expected = by_host(&ask, "mcts-batched-serial", &ask.params);
            assert_eq!(found, expected, "{ask:?}");
            assert_eq!(found.0.visits.iter().sum::<u64>(), iterations);
        }
    }
}

/// Takes samples until one choice keeps its time limit. One of 50 is enough, because other processes share the CPU.
fn keeps_to_its_time(
    sampler: &mut dyn Sampler,
    (least, most): (u128, u128),
    check: impl Fn(&Counters, &Parts),
) {
    sampler.sample().unwrap();
    sampler.telemetry();
    let is_in_time = (0..50).any(|_| {
        let start = std::time::Instant::now();
        let (chosen, counters) = choose(sampler);
        let took = start.elapsed();
        assert!(chosen.best.is_some() && counters.playouts > 0);
        assert!(took.as_millis() >= least, "{took:?}");
        let parts = sampler.telemetry().parts;
        assert!(parts.launches > 0 && parts.bytes_up > 0, "{parts:?}");
        assert!(u128::from(parts.sum_ns()) <= took.as_nanos(), "{parts:?}");
        check(&counters, &parts);
        took.as_millis() <= most
    });
    assert!(is_in_time, "{least} to {most} ms");
}

#[test]
fn a_choice_keeps_to_its_time_and_says_where_it_went() {
    let Some(device) = held() else { return };
    for (effort, least, most) in [("1ms", 0, 100), ("200ms", 100, 250)] {
        let ask = checkers(effort, "start", "");
        keeps_to_its_time(&mut *ask.ready(&device), (least, most), |_, parts| {
            // The upload is the root, which has four words.
            assert_eq!(parts.bytes_up, 16, "{parts:?}");
        });
        let mut mcts = ask
            .of("mcts", &params("leaves=4096 playouts=32"))
            .ready(&device);
        keeps_to_its_time(&mut *mcts, (least, most), |counters, parts| {
            let per_leaf = 4 * counters.playouts / 32 + 4 * 4 * parts.launches;
            assert_eq!(parts.bytes_down, per_leaf, "{parts:?}");
        });
    }
    for (case, most) in [
        ("board=hex200 turns=auto effort=10ms", 500),
        ("board=hex1000 turns=auto effort=200ms", 1_000),
    ] {
        let ask = Ask {
            options: params("boards=1"),
            ..Ask::new("annexation", "mcts", Task::Choose, case)
        };
        keeps_to_its_time(&mut *ask.ready(&device), (0, most), |counters, parts| {
            // Each seat of 32 playouts returns two 4-byte words. Some seats request no playouts.
            assert!(parts.bytes_down >= 8 * counters.playouts / 32, "{parts:?}");
        });
    }
}

#[test]
fn a_win_in_one_is_chosen_and_a_finished_game_has_no_choice() {
    let Some(device) = held() else { return };
    for layout in [
        "groups=2 group=1 lanes=16",
        "groups=3 group=1 lanes=1",
        "groups=4 group=32 lanes=1",
        "groups=1 group=5 lanes=16",
    ] {
        // The move 15x22 captures White's last piece.
        let won = checkers("2000", "B:W18:B15,1,2,12", layout);
        let (chosen, _) = choose(&mut *won.ready(&device));
        assert_eq!(chosen.best.as_deref(), Some("15x22"), "{layout}");
        let over = checkers("500", "B:W21:B", layout);
        assert_eq!(choose(&mut *over.ready(&device)).0, Chosen::default());
    }
    let over = checkers("100", "B:W21:B", "").of("mcts", &Params::new());
    assert_eq!(choose(&mut *over.ready(&device)).0, Chosen::default());
    let case = "board=hex7 turns=4 effort=100";
    let over = Ask {
        options: params("boards=1"),
        position: Some("hex7/1@0123".to_owned()),
        ..Ask::new("annexation", "mcts", Task::Choose, case)
    };
    let expected = (Chosen::default(), Counters::default());
    assert_eq!(choose(&mut *over.ready(&device)), expected);
}

#[test]
fn a_root_with_more_moves_than_a_tree_has_nodes_is_refused() {
    let Some(device) = held() else { return };
    let ask = block("gomoku", "board=15x15 effort=10", "", "groups=1 nodes=64");
    for (name, device) in [("mcts-block-rayon", None), ("mcts-block", Some(&*device))] {
        let made = ask.of(name, &ask.params).made(device);
        let refused = made.and_then(|mut sampler| sampler.sample().map(drop));
        let why = "the root has 225 moves; trees of 64 nodes take at most 63";
        assert!(refused.unwrap_err().to_string().contains(why), "{name}");
    }
}

/// Compares searches on the device with the host's. The visits below each root, and therefore the points of each leaf,
/// must match. Groups of the GPU shape are slow on a CPU, so the other shapes get eight times as many leaves. `all`
/// adds `shape=items`.
fn annexation(device: &Device, ask: &Ask<'_>, leaves: u64, all: bool) {
    let shapes = [("", 8), ("shape=groups", 1), ("shape=items", 8)];
    for (shape, times) in &shapes[..if all { 3 } else { 2 }] {
        let effort = leaves * times;
        let mut own = Ask {
            case: format!("{} effort={effort}", ask.case),
            ..ask.clone()
        };
        let host = own.of("mcts-batched-serial", &own.params).sample(device);
        own.params.extend(params(shape));
        let mut sampler = own.ready(device);
        let found = sampler.sample().unwrap();
        assert_eq!(found, host, "{own:?}");
        let Answer::Chosen(chosen) = &found.0 else {
            panic!("no choice: {found:?}")
        };
        for chosen in chosen {
            assert_eq!(chosen.visits.iter().sum::<u64>(), effort);
        }
        if *times > 1 {
            let again = sampler.sample().unwrap();
            assert_eq!(again, host, "the previous search must leave nothing");
        }
    }
}

#[test]
fn the_tree_grown_by_a_device_is_the_hosts_on_every_kind_of_board() {
    let Some(device) = held() else { return };
    for (board, leaves, seeds) in [
        ("hex7", 200, [1, 1 << 40, u64::MAX]),
        ("hex200", 40, [2, 77, 1 << 63]),
        ("hex200-merged", 40, [3, 5, 8]),
        ("hex1000", 12, [9, 10, 11]),
        ("hex1000-merged", 12, [6, 7, 1 << 33]),
    ] {
        let batches = [
            "leaves=4096 playouts=32",
            "leaves=100 playouts=45",
            "leaves=33 playouts=64",
        ];
        for (seed, batches) in seeds.into_iter().zip(batches) {
            let case = format!("board={board} turns=auto");
            let ask = Ask {
                options: params("boards=2"),
                params: params(batches),
                seed,
                ..Ask::new("annexation", "mcts", Task::Choose, &case)
            };
            annexation(&device, &ask, leaves, leaves > 100);
        }
    }
}

/// Covers positions with player 2 to move, with few remaining turns, and with start cells that stand for many cells.
#[test]
fn boards_of_ones_own_and_positions_under_way_are_searched() {
    let Some(device) = held() else { return };
    let own = plybench::games::annexation::write_board(&super::annexation::odd_board());
    let later = format!("{own}@012345670123");
    for (position, turns, batches) in [
        (own.as_str(), 50, "leaves=64 playouts=1"),
        (&later, 20, "leaves=40 playouts=70"),
        ("hex200/4@012345671234567", 200, "leaves=256 playouts=32"),
        ("hex200/5@0123456712345670", 21, "leaves=50 playouts=7"),
        ("hex7/1@01", 5, "leaves=16 playouts=1024"),
    ] {
        let case = format!("board=hex7 turns={turns}");
        let ask = Ask {
            options: params("boards=1"),
            params: params(batches),
            seed: 5,
            position: Some(position.to_owned()),
            ..Ask::new("annexation", "mcts", Task::Choose, &case)
        };
        annexation(&device, &ask, 60, true);
    }
}
