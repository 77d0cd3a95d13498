//! Every CPU technique through the interface that the harness uses.

use super::tasks::LINE_DEPTH;
use super::*;
use crate::games::reversi::{Position, Size};
use crate::techniques::registry::find;
use crate::techniques::tests::host_setup;
use crate::techniques::{Reply, Sampler, Setup, Technique};
use crate::words::{Answer, Case, Counters, Fault, Params, Searched, Task, Value};

/// What a setup borrows.
struct Given {
    task: Task,
    case: Case,
    options: Params,
    params: Params,
    position: Option<&'static str>,
    positions: Option<usize>,
    opponent: Option<&'static str>,
}

fn given(task: Task, case: &str) -> Given {
    let case = Case::parse(case).unwrap();
    Given {
        task,
        case,
        options: Params::new(),
        params: Params::new(),
        position: None,
        positions: None,
        opponent: None,
    }
}

fn prepare(given: &Given, name: &str) -> Result<Box<dyn Sampler>, Fault> {
    let none = Params::new();
    let setup = Setup {
        options: &given.options,
        params: &given.params,
        position: given.position,
        positions: given.positions,
        opponent: given
            .opponent
            .map(|name| (find("reversi", name).unwrap(), &none)),
        ..host_setup(given.task, &given.case, &none)
    };
    (find("reversi", name).unwrap().prepare)(&setup)
}

fn searched(sampler: &mut dyn Sampler) -> Vec<Searched> {
    match sampler.sample().unwrap().0 {
        Answer::Searched(answers) => answers,
        other => panic!("{other:?}"),
    }
}

/// Those that answer with any of the best moves.
fn with_a_table() -> impl Iterator<Item = &'static str> {
    let names = TECHNIQUES.iter().map(|technique| technique.entry.name);
    names.filter(|name| name.ends_with("-table"))
}

#[test]
fn a_case_may_name_plies_of_the_line() {
    let all = searched(&mut *prepare(&given(Task::Game, "board=8x8 depth=2"), "serial").unwrap());
    let mut some = prepare(
        &given(Task::Game, "board=8x8 depth=2 plies=0,3,45"),
        "serial",
    )
    .unwrap();
    assert_eq!(some.units(), 3);
    assert_eq!(searched(&mut *some), [0, 3, 45].map(|ply| all[ply].clone()));
    match prepare(&given(Task::Game, "board=8x8 depth=2 plies=0,99"), "serial").err() {
        Some(Fault::Input(line)) => assert!(line.starts_with("plies: `99`"), "{line}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_case_may_name_random_positions() {
    let mut named = given(Task::Game, "board=8x8 depth=3 plies=random-20");
    let values = |name, given: &Given| -> Vec<i64> {
        let found = searched(&mut *prepare(given, name).unwrap());
        found.iter().map(|found| found.value).collect()
    };
    let expected = values("serial", &named);
    assert_eq!(expected.len(), 20);
    let holds = expected.iter().any(|value| *value != expected[0]);
    assert!(holds, "{expected:?}");
    // Side by side, a position a thread.
    named
        .params
        .insert("batch".to_owned(), Value::Text("on".into()));
    assert_eq!(values("rayon-table", &named), expected);
    let notes = |given: &Given| {
        let mut made = prepare(given, "rayon-table").unwrap();
        made.telemetry().notes
    };
    let wanted = "batch: a position a thread, 2 tables x 256 MiB";
    assert_eq!(notes(&named), wanted);
    named.params.clear();
    assert_eq!(notes(&named), "");
    for plies in ["random-0", "random-5000", "random-", "random"] {
        let case = format!("board=8x8 depth=3 plies={plies}");
        match prepare(&given(Task::Game, &case), "serial").err() {
            Some(Fault::Input(line)) => assert!(line.starts_with("plies: `random"), "{line}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_batch_is_of_the_positions_of_a_game_and_takes_no_hybrid() {
    let on = |names: &[&str]| -> Params {
        let text = |name: &&str| ((*name).to_owned(), Value::Text("on".into()));
        names.iter().map(text).collect()
    };
    for (task, case) in [
        (Task::Search, "board=8x8 depth=3"),
        (Task::Choose, "board=8x8 effort=20ms"),
        (Task::Match, "board=6x6 depth=2"),
    ] {
        let mut alone = given(task, case);
        alone.opponent = (task == Task::Match).then_some("serial");
        assert!(prepare(&alone, "rayon-table").is_ok(), "{case}");
        alone.params = on(&["batch"]);
        let expected = format!(
            "batch: `on`; the task {} has one position at a time, `game` has several",
            task.word()
        );
        let refused = prepare(&alone, "rayon-table").err();
        assert_eq!(refused, Some(Fault::Unsupported(expected)));
    }
    let check = find("reversi", "table-search").unwrap().entry.check;
    let case = Case::parse("board=8x8 depth=3").unwrap();
    for one in ["batch", "hybrid"] {
        assert_eq!(check(&case, &on(&[one])), Ok(()));
    }
    let both = Err("hybrid: `on`; allowed is off where batch is on".to_owned());
    assert_eq!(check(&case, &on(&["batch", "hybrid"])), both);
}

#[test]
fn a_technique_with_a_clock_chooses_within_a_time_and_plays_so() {
    for name in with_a_table().chain(["rayon-shared"]) {
        let mut chooses = prepare(&given(Task::Choose, "board=8x8 effort=20ms"), name).unwrap();
        let (answer, counters) = chooses.sample().unwrap();
        let Answer::Chosen(chosen) = answer else {
            panic!("{answer:?}");
        };
        assert!(chosen[0].best.is_some() && counters.nodes > 0, "{name}");
        assert!((2..=60).contains(&chosen[0].tree_depth), "{chosen:?}");
        assert!(matches!(
            prepare(&given(Task::Choose, "board=8x8 depth=3"), name).err(),
            Some(Fault::Input(line)) if line.starts_with("effort")
        ));
        // By depth it plays as before, and against one that knows both tasks.
        let mut pairs = given(Task::Match, "board=6x6 depth=2");
        pairs.opponent = Some("rayon-table");
        prepare(&pairs, name).unwrap().sample().unwrap();
    }
    let mut pairs = given(Task::Match, "board=4x4 effort=1ms");
    pairs.opponent = Some("rayon-shared");
    let (answer, _) = prepare(&pairs, "serial-table").unwrap().sample().unwrap();
    assert!(matches!(answer, Answer::Match(score) if score.games.len() == 2));
    pairs.opponent = Some("serial-table");
    assert!(matches!(
        prepare(&pairs, "serial").err(),
        Some(Fault::Unsupported(_))
    ));
}

#[test]
fn fewer_positions_are_the_middles_of_equal_stretches() {
    let mut given = given(Task::Game, "board=8x8 depth=1");
    let all = searched(&mut *prepare(&given, "serial").unwrap());
    given.positions = Some(20);
    let mut sampler = prepare(&given, "serial").unwrap();
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
fn a_search_takes_a_position_and_refuses_a_bad_one() {
    let mut given = given(Task::Search, "board=8x8 depth=3");
    given.position = Some("f5d6c3");
    let mut sampler = prepare(&given, "serial").unwrap();
    let answer = searched(&mut *sampler).remove(0);
    let best = answer.best.unwrap();
    assert_eq!(sampler.value_of(0, &best), Ok(answer.value));
    // No other move is better, and one at least is worse.
    let position = Position::parse(Size::STANDARD, "f5d6c3").unwrap();
    let names = position
        .legal_moves()
        .into_iter()
        .map(|square| Size::STANDARD.name(square));
    let values: Vec<_> = names
        .map(|name| sampler.value_of(0, &name).unwrap())
        .collect();
    assert_eq!(values.iter().max(), Some(&answer.value));
    assert!(values.iter().any(|value| *value < answer.value));
    for (unit, wrong) in [(0, "a1"), (0, "z9"), (1, best.as_str())] {
        let holds = matches!(sampler.value_of(unit, wrong), Err(Fault::Input(_)));
        assert!(holds, "{wrong}");
    }

    given.position = Some("f5f5");
    match prepare(&given, "serial").err() {
        Some(Fault::Input(line)) => assert!(line.contains("move 2 is not legal"), "{line}"),
        other => panic!("{other:?}"),
    }
}

/// An opponent that answers a square that every board has, and that is taken.
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
    let (given, none) = (given(Task::Match, "board=6x6 depth=2"), Params::new());
    let setup = Setup {
        options: &given.options,
        opponent: Some((cheat, &none)),
        ..host_setup(given.task, &given.case, &none)
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
