use super::*;
use crate::games::connect_four::RandomColumns;
use crate::techniques::Sampler;
use crate::techniques::connect_four::tasks::ConnectFour;
use crate::techniques::registry::find;
use crate::techniques::tasks::At;
use crate::techniques::tests::host_setup;
use crate::words::{Answer, Case, Chosen, Counters, Params, Value};

type Game = (
    &'static str,
    &'static str,
    &'static str,
    (&'static str, &'static str),
    &'static str,
);

/// Each game, its board, a middle game, and a position with one move that wins at once, a full board or none.
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

const ON_HOST: [&str; 4] = [
    "mcts-serial",
    "mcts-rayon",
    "mcts-batched-serial",
    "mcts-batched-rayon",
];

fn prepare(
    (game, name): (&str, &str),
    case: &str,
    params: &Params,
    position: Option<&str>,
) -> Result<Box<dyn Sampler>, Fault> {
    (find(game, name).unwrap().prepare)(&Setup {
        params,
        seed: 3,
        position,
        ..host_setup(Task::Choose, &Case::parse(case).unwrap(), &Params::new())
    })
}

fn choose(
    technique: (&str, &str),
    case: &str,
    params: &Params,
    position: Option<&str>,
) -> (Chosen, Counters) {
    let mut sampler = prepare(technique, case, params, position).unwrap();
    match sampler.sample().unwrap() {
        (Answer::Chosen(mut chosen), counters) => (chosen.remove(0), counters),
        (other, _) => panic!("no choice: {other:?}"),
    }
}

#[test]
fn visits_are_the_iterations_and_threads_change_nothing() {
    for (game, board, middle, ..) in GAMES {
        let case = format!("{board}effort=701");
        for position in [None, Some(middle)] {
            let of = |name| choose((game, name), &case, &Params::new(), position);
            for name in ON_HOST {
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
        // Batches smaller than a share, and a number of leaves that shares do not divide.
        for (leaves, playouts) in [(7, 64), (100, 3), (1, 1)] {
            let params = Params::from([
                ("leaves".to_owned(), Value::Int(leaves)),
                ("playouts".to_owned(), Value::Int(playouts)),
            ]);
            let of = |name| choose((game, name), &case, &params, Some(middle));
            assert_eq!(of("mcts-batched-serial"), of("mcts-batched-rayon"));
            if (leaves, playouts) == (1, 1) {
                let textbook = choose((game, "mcts-serial"), &case, &Params::new(), Some(middle));
                assert_eq!(of("mcts-batched-serial").0, textbook.0, "{game}");
            }
        }
    }
}

#[test]
fn a_win_is_taken_and_a_finished_game_has_no_move() {
    for (game, board, _, (before, wins), over) in GAMES {
        for name in ON_HOST {
            let case = format!("{board}effort=2000");
            let of = |position| choose((game, name), &case, &Params::new(), Some(position));
            if !wins.is_empty() {
                assert_eq!(of(before).0.best.as_deref(), Some(wins), "{game} {name}");
            }
            assert_eq!(of(over), (Chosen::default(), Counters::default()));
        }
    }
}

#[test]
fn what_trees_do_not_take_is_refused() {
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
        for name in ON_HOST {
            let refused = prepare((game, name), case, &Params::new(), None).err();
            let refused = refused.unwrap().to_string();
            assert!(refused.starts_with(why), "{game} {name}: {refused}");
        }
    }
}

#[test]
fn a_tree_on_several_threads_says_so_and_is_the_same() {
    let grown = |threads| {
        let game = RandomColumns;
        let settings = Settings::read(&Params::new()).unwrap();
        let tree = on_core(&game, settings, 5).on_threads(threads).unwrap();
        let mut tree: Box<dyn Chooser<_>> = Box::new(tree);
        let case = Case::parse("effort=3000").unwrap();
        let play = ConnectFour::read(&case, &Params::new()).unwrap();
        let effort = play.amount().effort.unwrap();
        let (play, position) = (&play, &play.start());
        let choice = tree.choose(&At { play, position }, effort).unwrap();
        (choice, tree.telemetry().notes)
    };
    let (choice, notes) = grown(1);
    assert_eq!(notes, "");
    assert_eq!(grown(3), (choice, "tree on 3 threads".to_owned()));
}
