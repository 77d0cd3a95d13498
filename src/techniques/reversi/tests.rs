//! Tests all CPU techniques through the interface of the harness.

use super::tasks::LINE_DEPTH;
use super::*;
use crate::games::reversi::{Position, Size};
use crate::techniques::registry::find;
use crate::techniques::tests::{Ask, host_setup, params, searched};
use crate::techniques::{Reply, Sampler, Setup, Technique};
use crate::words::{Answer, Case, Counters, Fault, Params, Task, Value};

fn ask(task: Task, case: &str) -> Ask<'_> {
    Ask::serial("reversi", task, case)
}

/// Returns the techniques that may answer with any of the best moves.
fn with_a_table() -> impl Iterator<Item = &'static str> {
    let names = TECHNIQUES.iter().map(|technique| technique.entry.name);
    names.filter(|name| name.ends_with("-table"))
}

#[test]
fn a_case_may_name_plies_of_the_line() {
    let all = searched(&mut *ask(Task::Game, "board=8x8 depth=2").ready());
    let mut some = ask(Task::Game, "board=8x8 depth=2 plies=0,3,45").ready();
    assert_eq!(some.units(), 3);
    assert_eq!(searched(&mut *some), [0, 3, 45].map(|ply| all[ply].clone()));
}

#[test]
fn a_case_may_name_random_positions() {
    let mut named = ask(Task::Game, "board=8x8 depth=3 plies=random-20");
    let values = |ask: &Ask<'_>| -> Vec<i64> {
        let found = searched(&mut *ask.ready());
        found.iter().map(|found| found.value).collect()
    };
    let expected = values(&named);
    assert_eq!(expected.len(), 20);
    let holds = expected.iter().any(|value| *value != expected[0]);
    assert!(holds, "{expected:?}");
    // In a batch, each thread searches one position.
    named = named.of("rayon-table");
    assert_eq!(named.ready().telemetry().notes, "");
    named.params = params("batch=on");
    assert_eq!(values(&named), expected);
    let wanted = "batch: a position a thread, 2 tables x 256 MiB";
    assert_eq!(named.ready().telemetry().notes, wanted);
}

#[test]
fn a_batch_is_of_the_positions_of_a_game_and_takes_no_hybrid() {
    for (task, case) in [
        (Task::Search, "board=8x8 depth=3"),
        (Task::Choose, "board=8x8 effort=20ms"),
        (Task::Match, "board=6x6 depth=2"),
    ] {
        let mut alone = ask(task, case).of("rayon-table");
        alone.ready();
        alone.params = params("batch=on");
        let expected = format!(
            "batch: `on`; the task {} has one position at a time, `game` has several",
            task.word()
        );
        assert_eq!(alone.made().err(), Some(Fault::Unsupported(expected)));
    }
    let check = find("reversi", "table-search").unwrap().entry.check;
    let case = Case::parse("board=8x8 depth=3").unwrap();
    for one in ["batch=on", "hybrid=on"] {
        assert_eq!(check(&case, &params(one)), Ok(()));
    }
    let both = Err("hybrid: `on`; allowed is off where batch is on".to_owned());
    assert_eq!(check(&case, &params("batch=on hybrid=on")), both);
}

#[test]
fn a_technique_with_a_clock_chooses_within_a_time_and_plays_so() {
    for name in with_a_table().chain(["rayon-shared"]) {
        let choice = ask(Task::Choose, "board=8x8 effort=20ms").of(name);
        let (chosen, counters) = choice.choose();
        assert!(chosen.best.is_some() && counters.nodes > 0, "{name}");
        assert!((2..=60).contains(&chosen.tree_depth), "{chosen:?}");
        let refused = ask(Task::Choose, "board=8x8 depth=3").of(name).made().err();
        assert!(matches!(refused, Some(Fault::Input(line)) if line.starts_with("effort")));
        // With a depth limit, matches work as before, also against a technique that supports both kinds of limit.
        let pairs = Ask {
            opponent: Some("rayon-table"),
            ..ask(Task::Match, "board=6x6 depth=2").of(name)
        };
        pairs.sample();
    }
    let pairs = |name: &'static str, opponent| Ask {
        opponent: Some(opponent),
        ..ask(Task::Match, "board=4x4 effort=1ms").of(name)
    };
    let (answer, _) = pairs("serial-table", "rayon-shared").sample();
    assert!(matches!(answer, Answer::Match(score) if score.games.len() == 2));
    let refused = pairs("serial", "serial-table").made().err();
    assert!(matches!(refused, Some(Fault::Unsupported(_))));
}

#[test]
fn fewer_positions_are_the_middles_of_equal_stretches() {
    let mut ask = ask(Task::Game, "board=8x8 depth=1");
    let all = searched(&mut *ask.ready());
    ask.positions = Some(20);
    let mut sampler = ask.ready();
    assert_eq!(sampler.units(), 20);
    let twenty: Vec<_> = (0..20)
        .map(|place| all[(2 * place + 1) * all.len() / 40].clone())
        .collect();
    assert_eq!(searched(&mut *sampler), twenty);
    sampler.limit_units(3);
    let three = [1, 3, 5].map(|sixths| all[sixths * all.len() / 6].clone());
    assert_eq!(searched(&mut *sampler), three);
    sampler.limit_units(100_000);
    assert_eq!(searched(&mut *sampler), all);
}

#[test]
fn a_search_takes_a_position_and_values_its_moves() {
    let ask = Ask {
        position: Some("f5d6c3"),
        ..ask(Task::Search, "board=8x8 depth=3")
    };
    let mut sampler = ask.ready();
    let answer = searched(&mut *sampler).remove(0);
    let best = answer.best.unwrap();
    assert_eq!(sampler.value_of(0, &best), Ok(answer.value));
    // No other move is better, and at least one is worse.
    let position = Position::parse(Size::STANDARD, "f5d6c3").unwrap();
    let moves = position.legal_moves().into_iter();
    let names = moves.map(|square| Size::STANDARD.name(square));
    let values: Vec<_> = names
        .map(|name| sampler.value_of(0, &name).unwrap())
        .collect();
    assert_eq!(values.iter().max(), Some(&answer.value));
    assert!(values.iter().any(|value| *value < answer.value));
    for (unit, wrong) in [(0, "a1"), (0, "z9"), (1, best.as_str())] {
        let holds = matches!(sampler.value_of(unit, wrong), Err(Fault::Input(_)));
        assert!(holds, "{wrong}");
    }
}

/// An opponent that plays on a square that is occupied on every board.
struct Cheat;

impl Sampler for Cheat {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        Err(Fault::Unsupported("it only plays".into()))
    }

    fn units(&self) -> u64 {
        1
    }

    fn reply(&mut self, _position: &str) -> Result<Reply, Fault> {
        Ok(Reply {
            counters: Counters::default(),
            best: Some("c3".into()),
            searched: None,
            ns: 1,
        })
    }
}

#[test]
fn an_illegal_move_in_a_match_is_a_wrong_answer() {
    let cheat = Technique {
        entry: find("reversi", "serial").unwrap().entry,
        trials: &[],
        prepare: |_| Ok(Box::new(Cheat)),
    };
    let cheat: &'static Technique = Box::leak(Box::new(cheat));
    let (case, none) = (Case::parse("board=6x6 depth=2").unwrap(), Params::new());
    let setup = Setup {
        opponent: Some((cheat, &none)),
        ..host_setup(Task::Match, &case, &none)
    };
    let mut sampler = (find("reversi", "serial").unwrap().prepare)(&setup).unwrap();
    match sampler.sample() {
        Err(Fault::Wrong(line)) => assert!(line.contains("answered `c3` at"), "{line}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_wrong_value_is_named_with_what_is_allowed() {
    let text = |text: &str| Value::Text(text.to_owned());
    let refused = |axis, value| (GAME.check_axis)(axis, &value).unwrap_err();
    let expected = "board: `7x8`; allowed is WIDTHxHEIGHT, both even, from 4x4 to 64x64";
    assert_eq!(refused("board", text("7x8")), expected);
    assert_eq!(refused("board", Value::Int(8)), refused("board", text("8")));
    let expected = "depth: `0`; allowed is a whole number from 1 to 30";
    assert_eq!(refused("depth", Value::Int(0)), expected);
    assert!(refused("depth", text("deep")).contains("`deep`"));
    assert!(refused("colour", text("red")).contains("board, depth, plies, effort and playouts"));
    assert_eq!((GAME.check_axis)("board", &text("10x14")), Ok(()));

    let case = Case::parse("board=8x8 depth=3").unwrap();
    let with = |key: &str, value| (GAME.check)(&case, &Params::from([(key.to_owned(), value)]));
    assert_eq!(with(LINE_DEPTH.name, Value::Int(1)), Ok(()));
    assert!(
        with(LINE_DEPTH.name, Value::Int(7))
            .unwrap_err()
            .starts_with("line-depth: `7`; allowed")
    );
    assert!(
        with("mobility", Value::Flag(true))
            .unwrap_err()
            .starts_with("mobility: `true`; allowed")
    );
    let shallow = Case::parse("board=8x8").unwrap();
    let expected = Err("depth: the case does not say".to_owned());
    assert_eq!((GAME.check)(&shallow, &Params::new()), expected);
}
