//! Tests every game's host techniques through the interface of the harness.

use std::time::Instant;

use super::registry::find;
use super::*;
use crate::words::{Answer, Chosen, Counters, Searched};

/// Returns the setup of a host technique at the start of a game, with seed 1 and two threads.
pub(crate) fn host_setup<'a>(task: Task, case: &'a Case, none: &'a Params) -> Setup<'a> {
    Setup {
        task,
        case,
        options: none,
        params: none,
        seed: 1,
        threads: 2,
        device: None,
        kernels: None,
        position: None,
        positions: None,
        opponent: None,
    }
}

/// A test's request to a host technique.
#[derive(Clone, Debug)]
pub(crate) struct Ask<'a> {
    pub game: &'a str,
    pub name: &'a str,
    pub task: Task,
    pub case: &'a str,
    pub options: Params,
    pub params: Params,
    pub seed: u64,
    pub threads: usize,
    pub position: Option<&'a str>,
    pub positions: Option<usize>,
    pub opponent: Option<&'a str>,
}

impl<'a> Ask<'a> {
    pub fn serial(game: &'a str, task: Task, case: &'a str) -> Ask<'a> {
        Ask {
            game,
            name: "serial",
            task,
            case,
            options: Params::new(),
            params: Params::new(),
            seed: 1,
            threads: 2,
            position: None,
            positions: None,
            opponent: (task == Task::Match).then_some("serial"),
        }
    }

    /// Returns the same request to another technique.
    pub fn of(&self, name: &'a str) -> Ask<'a> {
        Ask {
            name,
            ..self.clone()
        }
    }

    pub fn made(&self) -> Result<Box<dyn Sampler>, Fault> {
        let (case, none) = (Case::parse(self.case).unwrap(), Params::new());
        let opponent = self.opponent.map(|it| find(self.game, it).unwrap());
        (find(self.game, self.name).unwrap().prepare)(&Setup {
            options: &self.options,
            params: &self.params,
            seed: self.seed,
            threads: self.threads,
            position: self.position,
            positions: self.positions,
            opponent: opponent.map(|it| (it, &none)),
            ..host_setup(self.task, &case, &none)
        })
    }

    pub fn ready(&self) -> Box<dyn Sampler> {
        let made = self.made();
        made.unwrap_or_else(|fault| panic!("{self:?}: {fault}"))
    }

    pub fn refused(&self) -> String {
        let refused = self.made().and_then(|mut it| it.sample().map(drop));
        refused.expect_err(self.case).to_string()
    }

    pub fn sample(&self) -> (Answer, Counters) {
        self.ready().sample().unwrap()
    }

    pub fn choose(&self) -> (Chosen, Counters) {
        chosen(self.sample())
    }
}

pub(crate) fn chosen(sample: (Answer, Counters)) -> (Chosen, Counters) {
    match sample {
        (Answer::Chosen(mut chosen), counters) => (chosen.remove(0), counters),
        (other, _) => panic!("no choice: {other:?}"),
    }
}

pub(crate) fn searched(sampler: &mut dyn Sampler) -> Vec<Searched> {
    match sampler.sample().unwrap().0 {
        Answer::Searched(answers) => answers,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn params(text: &str) -> Params {
    hard::read(text).unwrap()
}

#[test]
fn parts_have_every_thing_once() {
    for count in [0, 1, 7, 1_000, 1 << 53] {
        let mut next = 0;
        for (from, to) in [(0, 1), (1, 1), (1, 3), (3, 7)] {
            let [from, to] = [from, to].map(|at| f64::from(at) / 7.0);
            let things = Part { from, to }.of_things(count);
            assert_eq!(things.start, next);
            next = things.end;
        }
        assert_eq!(next, count);
    }
}

#[test]
fn a_tree_has_all_threads_beside_a_gpu_and_one_where_cores_are_the_device() {
    assert_eq!(beside(DeviceKind::Gpu, 132, 16), 16);
    assert_eq!(beside(DeviceKind::Gpu, 1, 16), 1);
    assert_eq!(beside(DeviceKind::Cpu, 64, 16), 1);
}

/// Refused requests: game, technique, task, case, options, position, and the expected error.
const REFUSED: &str = "\
gomoku | serial | search | board=4x4 depth=1 | | | board: `4x4`; allowed is NxN, N from 5 to 32
gomoku | serial | search | board=33x33 depth=1 | | | board: `33x33`; allowed is NxN, N from 5 to 32
gomoku | serial | search | board=6x6 depth=0 | | | depth: `0`; allowed is a whole number from 1 to 8
gomoku | serial | search | board=6x6 depth=9 | | | depth: `9`; allowed is a whole number from 1 to 8
connect-four | serial | search | stage=first depth=0 | | | depth: `0`; allowed is a whole number from 1 to 20
connect-four | serial | search | stage=first depth=21 | | | depth: `21`; allowed is a whole number from 1 to 20
connect-four | serial | search | stage=middle depth=2 | | | stage: `middle`; allowed are first
checkers | serial | playouts | playouts=-1 | | | allowed is a whole number from 0 to 10^12
checkers | serial | playouts | playouts=many | | | playouts: `many`; allowed is a whole number
checkers | serial | playouts | position=W:W1:B1 playouts=1 | | | position: 
checkers | serial | playouts | position=7 playouts=1 | | | position: `7`; allowed is start, or a position in PDN's FEN
checkers | serial | choose | effort=0ms | | | effort: `0ms`; allowed is a time per move
checkers | serial | choose | position=start | | | depth: the case does not say
checkers | mcts-serial | choose | effort=5000000000 | | | effort: 5000000000 iterations; a tree counts at most 4294967294
checkers | mcts-batched-serial | choose | effort=5000000000 | | | effort: 5000000000 iterations; a tree counts at most 4294967294
checkers | mcts-batched-rayon | choose | effort=5000000000 | | | effort: 5000000000 iterations; a tree counts at most 4294967294
annexation | serial | playouts | board=hex9 playouts=1 | boards=1 | | board: `hex9`; allowed is hex7, hex200
annexation | serial | playouts | playouts=-1 | boards=1 | | playouts: `-1`; allowed is a whole number from 0 to 10^12
annexation | serial | playouts | turns=65536 playouts=1 | boards=1 | | turns: `65536`; allowed are turns of both
annexation | serial | playouts | turns=soon playouts=1 | boards=1 | | turns: `soon`; allowed are turns of both
annexation | serial | playouts | playouts=1 | boards=17 | | boards: `17`; allowed is the number of boards of
annexation | serial | playouts | playouts=1 | boards=0 | | boards: `0`; allowed is
annexation | serial | choose | board=hex7 | boards=1 | | effort: the case does not say
annexation | serial | playouts | board=hex7 playouts=1 | boards=1 | hex7/x | position: character 6, `x`: no number of a board; allowed is a whole number from 0 to 4294967295
annexation | serial | playouts | board=hex7 playouts=1 | boards=1 | hex7@08 | position: character 7, `8`: no move; allowed are colours 0 to 7 and -
annexation | serial | playouts | board=hex7 playouts=1 | boards=1 | colours = 3 | position:1: colours: invalid type: integer `3`, expected a sequence
annexation | serial | playouts | board=hex7 playouts=1 | boards=1 | a = hex9 | position:1: 
annexation | serial | playouts | board=hex7 playouts=1 | boards=1 | hex9 | position: character 1, `hex9`: no board; allowed are hex7, hex200, hex1000, hex200-merged, hex1000-merged, each
reversi | serial | game | board=8x8 depth=2 plies=0,99 | | | plies: `99`
reversi | serial | game | board=8x8 depth=3 plies=random-0 | | | plies: `random
reversi | serial | game | board=8x8 depth=3 plies=random-5000 | | | plies: `random
reversi | serial | game | board=8x8 depth=3 plies=random- | | | plies: `random
reversi | serial | game | board=8x8 depth=3 plies=random | | | plies: `random
reversi | serial | search | board=8x8 depth=3 | | f5 f5 | position: character 4, `f5`: move 2 is not legal for O; allowed: f4 d6 f6
reversi | serial | search | board=8x8 depth=3 | | f5i9 | position: character 3, `i9`: move 2 is no square of the 8x8 board; allowed are letters a to h and a rank from 1 to 8, or -- for a pass
reversi | serial | search | board=8x8 depth=3 | | ---------------------------OX------XO--------------------------- | character 65, the end: the side to move
reversi | serial | search | board=64x64 depth=1 | | bm1 | letters a to bl
connect-four | serial | search | stage=first depth=2 | | 448 | position: character 3, `8`: move 3 is no column; allowed are 1 to 7
connect-four | serial | search | stage=first depth=2 | | 44444414 | position: character 8, `4`: move 8: the column is full; allowed: 1 2 3 5 6 7
connect-four | serial | search | stage=first depth=2 | | 2564264571277553617714114542175422363366331 | move 43: the column is full; allowed: nothing, the board is full
gomoku | serial | search | board=12x12 depth=1 | | g7m1 | position: character 3, `m1`: move 2 is no square of the 12x12 board; allowed are letters a to l and a row from 1 to 12
gomoku | serial | search | board=12x12 depth=1 | | g7 h8 g7 | position: character 7, `g7`: a stone is on that square; allowed is an empty square
gomoku | serial | search | board=6x6 depth=1 | | a1a2b1b2c1c2d1d2e1e2 | position: character 19, `e2`: a move after black's five in a row; allowed is nothing
gomoku | serial | search | board=32x32 depth=1 | | ag1 | letters a to af
checkers | serial | playouts | playouts=1 | | X:W1:B2 | position: character 1, `X`: no side to move; allowed before the first `:` is W or B
checkers | serial | playouts | playouts=1 | | B:W33:B2 | position: character 4, `33`: no piece of W; allowed is a number from 1 to 32 or a range, as 21-32, with K before it for kings
checkers | serial | playouts | playouts=1 | | B:W5,6:B2,K6 | position: character 11, `K6`: W already has a piece on 6
checkers | serial | playouts | playouts=1 | | B:W3:B2 | position: character 4, `3`: a man of W is crowned on 3; allowed is K3
checkers | serial | playouts | playouts=1 | | B:W5 | position: character 5, the end: no part B for B's squares before it; a side without pieces is written B alone
checkers | serial | playouts | playouts=1 | | B:W5:B6-18 | position: character 7, `6-18`: B has 13 pieces; allowed are at most 12";

#[test]
fn bad_input_is_named_with_what_is_allowed() {
    for row in REFUSED.lines() {
        let fields: Vec<&str> = row.split('|').map(str::trim).collect();
        let [game, name, task, case, options, position, why] = fields[..] else {
            panic!("{row}")
        };
        let mut tasks = Task::ALL.into_iter();
        let task = tasks.find(|own| own.word() == task).unwrap();
        let ask = Ask {
            options: params(options),
            position: (!position.is_empty()).then_some(position),
            ..Ask::serial(game, task, case).of(name)
        };
        let said = ask.refused();
        assert!(said.contains(why), "{row}: {said}");
    }
    for (case, game, why) in [
        (
            "depth=3",
            "connect-four",
            "depth: it searches for an effort",
        ),
        (
            "board=17x17 effort=10",
            "gomoku",
            "board: `17x17`; random games are played",
        ),
        (
            "board=16x16 effort=10",
            "reversi",
            "board: `16x16`; random games need 8x8",
        ),
    ] {
        for name in TREES {
            let said = Ask::serial(game, Task::Choose, case).of(name).refused();
            assert!(said.starts_with(why), "{game} {name}: {said}");
        }
    }
    let ask = Ask::serial("checkers", Task::Choose, "effort=1").of("mcts-rayon");
    let ask = Ask {
        params: params("playouts=0"),
        ..ask
    };
    let part = "playouts: `0`; allowed is a whole number from 1 to 1024";
    assert!(ask.refused().starts_with(part), "{}", ask.refused());
}

const TREES: [&str; 4] = [
    "mcts-serial",
    "mcts-rayon",
    "mcts-batched-serial",
    "mcts-batched-rayon",
];

/// Each game with its board, a middlegame, a position with its only immediate win (if any), and a finished game.
type Game = (
    &'static str,
    &'static str,
    &'static str,
    (&'static str, &'static str),
    &'static str,
);

const GAMES: [Game; 3] = [
    (
        "connect-four",
        "",
        "444441213527",
        ("121212", "1"),
        "1212121",
    ),
    (
        "reversi",
        "board=8x8 ",
        "f5d6c3d3c4",
        ("", ""),
        "e6f4e3f6g5d6e7f5c5",
    ),
    (
        "gomoku",
        "board=9x9 ",
        "e5d5e6d6f4",
        ("e5a1e6a2e7b1e8e4", "e9"),
        "e5a1e6a2e7b1e8e4e9",
    ),
];

/// Returns a request for a choice, with seed 3.
fn tree<'a>(game: &'a str, name: &'a str, case: &'a str, position: Option<&'a str>) -> Ask<'a> {
    Ask {
        seed: 3,
        position,
        ..Ask::serial(game, Task::Choose, case).of(name)
    }
}

#[test]
fn visits_are_the_iterations_and_threads_change_nothing() {
    for (game, board, middle, ..) in GAMES {
        let case = format!("{board}effort=701");
        for position in [None, Some(middle)] {
            let of = |name| tree(game, name, &case, position).choose();
            for name in TREES {
                let (chosen, counters) = of(name);
                assert_eq!(chosen.visits.iter().sum::<u64>(), 701, "{game} {name}");
                let each = if name.contains("batched") { 32 } else { 1 };
                assert_eq!(counters.leaves, 701);
                assert!(counters.playouts <= 701 * each, "{counters:?}");
                assert!(counters.playouts > 600 * each, "{counters:?}");
                assert_eq!(of(name), (chosen, counters), "{game} {name}");
            }
            assert_eq!(of("mcts-batched-serial"), of("mcts-batched-rayon"));
        }
        // Tests batches that are smaller than a share, and numbers of leaves that are not a multiple of a share.
        for batches in [
            "leaves=7 playouts=64",
            "leaves=100 playouts=3",
            "leaves=1 playouts=1",
        ] {
            let of = |name| {
                let ask = Ask {
                    params: params(batches),
                    ..tree(game, name, &case, Some(middle))
                };
                ask.choose()
            };
            assert_eq!(of("mcts-batched-serial"), of("mcts-batched-rayon"));
            if batches == "leaves=1 playouts=1" {
                let textbook = tree(game, "mcts-serial", &case, Some(middle)).choose();
                assert_eq!(of("mcts-batched-serial").0, textbook.0, "{game}");
            }
        }
    }
}

#[test]
fn a_tree_a_thread_takes_several_playouts_a_leaf() {
    let ask = Ask {
        params: params("playouts=20"),
        threads: 1,
        ..Ask::serial("checkers", Task::Choose, "effort=301").of("mcts-rayon")
    };
    let (chosen, counters) = ask.choose();
    assert_eq!((counters.leaves, counters.playouts), (301, 20 * 301));
    assert_eq!(chosen.visits.iter().sum::<u64>(), 301);
}

#[test]
fn a_win_is_taken_and_a_finished_game_has_no_move() {
    let none = (Chosen::default(), Counters::default());
    for (game, board, _, (before, wins), over) in GAMES {
        for name in TREES {
            let case = format!("{board}effort=2000");
            let of = |position| tree(game, name, &case, Some(position)).choose();
            if !wins.is_empty() {
                assert_eq!(of(before).0.best.as_deref(), Some(wins), "{game} {name}");
            }
            assert_eq!(of(over), none, "{game} {name}");
        }
    }
    for name in TREES {
        let over = tree("checkers", name, "effort=100", Some("B:W21:B"));
        assert_eq!(over.choose(), none, "{name}");
        // A choice works even with fewer leaves than trees.
        let few = Ask {
            threads: 3,
            ..tree("checkers", name, "effort=1", None)
        };
        let (chosen, _) = few.choose();
        assert_eq!(chosen.visits.iter().sum::<u64>(), 1, "{name}");
        assert!(chosen.best.is_some());
    }
    for name in ["mcts-serial", "mcts-batched-serial"] {
        let over = Ask {
            options: params("boards=1"),
            ..tree(
                "annexation",
                name,
                "board=hex7 turns=4 effort=100",
                Some("hex7/1@0123"),
            )
        };
        assert_eq!(over.choose(), none, "{name}");
    }
    // Black has no pieces and has lost.
    for name in ["serial", "rayon"] {
        let over = Ask {
            position: Some("B:W21:B"),
            ..Ask::serial("checkers", Task::Playouts, "playouts=10").of(name)
        };
        let Answer::Tallies(tallies) = over.sample().0 else {
            panic!("no tallies");
        };
        assert_eq!((tallies[0].losses, tallies[0].plies), (10, 0), "{name}");
        assert!(tallies[0].by_first_move.is_empty());
        let choice = tree("checkers", name, "effort=10", Some("B:W21:B")).choose();
        assert_eq!(choice.0.best, None, "{name}");
    }
}

/// Other processes share the CPU, so one success in many tries is enough.
#[test]
fn a_time_bounds_a_choice() {
    let trees = TREES
        .iter()
        .flat_map(|name| [(*name, "effort=1ms", 150), (name, "effort=100ms", 250)]);
    for (name, case, most) in trees.chain([("serial", "effort=30ms", 300)]) {
        let mut sampler = Ask::serial("checkers", Task::Choose, case).of(name).ready();
        sampler.sample().unwrap();
        let is_in_time = (0..50).any(|_| {
            let start = Instant::now();
            let (chosen, counters) = chosen(sampler.sample().unwrap());
            assert!(chosen.best.is_some() && counters.playouts > 0);
            assert!(chosen.visits.is_empty(), "the clock decided");
            let enough = name != "serial" || counters.playouts >= 1_000;
            enough && start.elapsed().as_millis() < most
        });
        assert!(is_in_time, "{name} {case}");
    }
}
