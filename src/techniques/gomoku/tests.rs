//! The CPU techniques through the interface that the harness uses.

use super::*;
use crate::techniques::registry::find;
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Counters, Fault, Kind, Searched};

fn prepare(
    task: Task,
    case: &str,
    position: Option<&str>,
    options: &Params,
    name: &str,
) -> Result<Box<dyn Sampler>, Fault> {
    let case = Case::parse(case).unwrap();
    let none = Params::new();
    let setup = Setup {
        task,
        case: &case,
        options,
        params: &none,
        seed: 1,
        threads: 2,
        device: None,
        kernels: None,
        position,
        positions: None,
        opponent: (task == Task::Match).then(|| (find("gomoku", "serial").unwrap(), &none)),
    };
    (find("gomoku", name).unwrap().prepare)(&setup)
}

fn sampled(sampler: &mut dyn Sampler) -> (Vec<Searched>, Counters) {
    match sampler.sample().unwrap() {
        (Answer::Searched(answers), counters) => (answers, counters),
        other => panic!("{other:?}"),
    }
}

/// Those that answer with the first of the best moves, as `serial` does.
fn cpu_techniques() -> impl Iterator<Item = &'static str> {
    TECHNIQUES
        .iter()
        .map(|technique| technique.entry)
        .filter(|entry| entry.kind != Kind::Device && !entry.name.ends_with("-table"))
        .filter(|entry| entry.tasks.contains(&Task::Search))
        .map(|entry| entry.name)
}

/// The others answer with any of the best moves.
#[test]
fn the_searches_with_a_table_find_the_values_of_a_game() {
    let options = Params::new();
    for case in [
        "board=6x6 depth=4",
        "board=9x9 depth=2",
        "board=10x10 depth=2",
    ] {
        let mut serial = prepare(Task::Game, case, None, &options, "serial").unwrap();
        let (expected, _) = sampled(&mut *serial);
        for name in ["serial-table", "rayon-table"] {
            let mut sampler = prepare(Task::Game, case, None, &options, name).unwrap();
            let (found, _) = sampled(&mut *sampler);
            for (unit, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found.value, expected.value, "{name} {case} {unit}");
                let best = found.best.as_deref().unwrap();
                assert_eq!(
                    sampler.value_of(unit, best),
                    Ok(found.value),
                    "{name} {case} {unit}"
                );
            }
        }
    }
}

#[test]
fn all_techniques_answer_the_first_stone_as_serial_does() {
    for case in [
        "board=6x6 depth=4",
        "board=9x9 depth=3",
        "board=12x12 depth=2",
        "board=24x24 depth=1",
    ] {
        for rule in ["all", "adjacent"] {
            let options = Params::from([("moves".to_owned(), Value::Text(rule.to_owned()))]);
            let answers = |name| {
                let mut sampler = prepare(Task::Search, case, None, &options, name).unwrap();
                sampled(&mut *sampler).0
            };
            let expected = answers("serial");
            assert_eq!(expected.len(), 1);
            for name in cpu_techniques() {
                assert_eq!(answers(name), expected, "{name} {case} {rule}");
            }
        }
    }
}

#[test]
fn the_published_baselines_search_the_same_nodes_and_more_than_serial() {
    let nodes = |name| {
        let options = Params::new();
        let mut sampler = prepare(Task::Search, "board=6x6 depth=4", None, &options, name).unwrap();
        sampled(&mut *sampler).1.nodes
    };
    assert_eq!(nodes("serial-as-published"), nodes("rayon-as-published"));
    assert!(nodes("serial-as-published") > 2 * nodes("serial"));
}

#[test]
fn a_game_is_the_one_that_each_technique_plays_against_itself() {
    let options = Params::new();
    for case in ["board=6x6 depth=2", "board=9x9 depth=1"] {
        let mut serial = prepare(Task::Game, case, None, &options, "serial").unwrap();
        let (expected, _) = sampled(&mut *serial);
        assert_eq!(serial.units(), expected.len() as u64);
        // Played on from the first stone by its own answers, it is this game.
        for name in cpu_techniques() {
            let mut game = prepare(Task::Game, case, None, &options, name).unwrap();
            assert_eq!(sampled(&mut *game).0, expected, "{name} {case}");
            let mut played = prepare(Task::Search, case, None, &options, name).unwrap();
            let side = case.trim_start_matches("board=").split('x').next().unwrap();
            let size: Size = format!("{side}x{side}").parse().unwrap();
            let mut position = crate::games::gomoku::Position::first_stone(size);
            for (ply, answer) in expected.iter().enumerate() {
                assert!(!position.is_over(), "{case} ply {ply}");
                let reply = played
                    .reply(&position.to_string())
                    .unwrap()
                    .searched
                    .unwrap();
                assert_eq!(reply, *answer, "{name} {case} ply {ply}");
                let square = size.find(reply.best.as_deref().unwrap()).unwrap();
                position = position.play(square).unwrap();
            }
            assert!(position.is_over());
        }
    }
}

#[test]
fn a_match_is_two_games_and_equal_players_mirror_each_other() {
    let options = Params::new();
    let mut sampler = prepare(Task::Match, "board=6x6 depth=2", None, &options, "rayon").unwrap();
    let (Answer::Match(score), _) = sampler.sample().unwrap() else {
        panic!("no match");
    };
    assert_eq!(score.games.len(), 2);
    assert_eq!(score.games[0].1, score.games[1].1);
    assert_eq!(score.games[0].0, -score.games[1].0);
}

#[test]
fn bad_input_is_named_with_what_is_allowed() {
    let none = Params::new();
    let refused =
        |case: &str, position| match prepare(Task::Search, case, position, &none, "serial") {
            Err(Fault::Input(text)) => text,
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("{case} was taken"),
        };
    assert_eq!(
        refused("board=4x4 depth=1", None),
        "board: `4x4`; allowed is NxN, N from 5 to 32"
    );
    assert_eq!(
        refused("board=33x33 depth=1", None),
        "board: `33x33`; allowed is NxN, N from 5 to 32"
    );
    for depth in [0, 9] {
        assert_eq!(
            refused(&format!("board=6x6 depth={depth}"), None),
            format!("depth: `{depth}`; allowed is a whole number from 1 to 8")
        );
    }
    let extra = "a1a2b1b2c1c2d1d2e1e2";
    assert!(refused("board=6x6 depth=1", Some(extra)).contains("move 10, e2, is one too many"));
}
