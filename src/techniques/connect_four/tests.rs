//! The CPU techniques through the interface that the harness uses.

use super::*;
use crate::games::connect_four::tests::random_position;
use crate::games::connect_four::{Bits, COLUMNS, Evaluation, Order, Position, WIN};
use crate::search::{Remembering, value_of_move};
use crate::techniques::registry::find;
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Counters, Fault, Kind, Searched};

fn prepare(
    task: Task,
    case: &str,
    position: Option<&str>,
    name: &str,
) -> Result<Box<dyn Sampler>, Fault> {
    let case = Case::parse(case).unwrap();
    let none = Params::new();
    let options = Params::from([(LINE_DEPTH.name.to_owned(), Value::Int(5))]);
    let serial = find("connect-four", "serial").unwrap();
    let setup = Setup {
        task,
        case: &case,
        options: &options,
        params: &none,
        seed: 1,
        threads: 2,
        device: None,
        kernels: None,
        position,
        positions: None,
        opponent: (task == Task::Match).then_some((serial, &none)),
    };
    (find("connect-four", name).unwrap().prepare)(&setup)
}

fn sampled(sampler: &mut dyn Sampler) -> (Vec<Searched>, Counters) {
    match sampler.sample().unwrap() {
        (Answer::Searched(answers), counters) => (answers, counters),
        other => panic!("{other:?}"),
    }
}

/// The techniques on the host whose answers those of another must equal, moves included.
fn with_reference(reference: &str) -> Vec<&'static str> {
    let entries = TECHNIQUES.iter().map(|technique| technique.entry);
    let host =
        entries.filter(|entry| entry.kind != Kind::Device && !entry.name.ends_with("-table"));
    host.filter(|entry| entry.reference == reference)
        .map(|entry| entry.name)
        .collect()
}

#[test]
fn every_stage_is_searched_and_all_techniques_of_a_kind_agree() {
    let line = |stage: &str| {
        let case = format!("stage={stage} depth=4");
        let mut serial = prepare(Task::Game, &case, None, "serial").unwrap();
        let (expected, _) = sampled(&mut *serial);
        assert_eq!(serial.units(), expected.len() as u64);
        assert!(serial.telemetry().facts.contains(&(
            format!("stage={stage}"),
            "positions".into(),
            expected.len() as f64
        )));
        let names = with_reference("serial");
        assert_eq!(names.len(), 4);
        for name in names {
            let mut sampler = prepare(Task::Game, &case, None, name).unwrap();
            assert_eq!(sampled(&mut *sampler).0, expected, "{name} {case}");
        }
        for name in ["serial-table", "rayon-table"] {
            let mut sampler = prepare(Task::Game, &case, None, name).unwrap();
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
        expected
    };
    let (first, last, all) = (line("first"), line("last"), line("average"));
    assert_eq!((first.len(), last.len()), (1, 1));
    assert_eq!((all.first(), all.last()), (first.first(), last.first()));
}

/// Also of moves that win or lose, and of those that end the game.
#[test]
fn a_moves_value_is_the_same_with_a_table() {
    let game = Bits::new(&Evaluation::default(), Order::CentreFirst);
    let (mut won, mut lost) = (0, 0);
    let mut table = Remembering::new(1 << 22, 1, None);
    for seed in 0..120 {
        let position = random_position(seed as usize % 42, seed);
        let board = game.load(&position);
        for column in position.legal_moves() {
            for depth in 1..=6 {
                let value = value_of_move(&game, &board, column, depth);
                let with_table = table.value_of_move(&game, &board, column, depth);
                assert_eq!(
                    with_table,
                    i64::from(value),
                    "{position} {column:?} {depth}"
                );
                won += u32::from(value > WIN / 2);
                lost += u32::from(value < -WIN / 2);
            }
        }
    }
    assert!(won > 100 && lost > 100, "{won} {lost}");
}

/// A line of play does not depend on the depth that its positions are searched to.
#[test]
fn the_line_is_serials_game_at_the_lines_depth() {
    let mut at_five = prepare(Task::Game, "stage=average depth=5", None, "serial").unwrap();
    let (answers, _) = sampled(&mut *at_five);
    let mut position = Position::start();
    for answer in &answers {
        assert!(!position.is_over());
        let column = answer.best.as_ref().unwrap().parse::<usize>().unwrap();
        position = position
            .play(crate::games::connect_four::Column::new(column - 1).unwrap())
            .unwrap();
    }
    assert!(position.is_over());
    let at_two = prepare(Task::Game, "stage=average depth=2", None, "serial").unwrap();
    assert_eq!(at_two.units(), answers.len() as u64);
}

#[test]
fn move_sets_tell_every_moves_sum_and_a_forced_move_needs_none() {
    let ask = |position: &str, name: &str| {
        let case = "stage=first depth=4";
        let mut sampler = prepare(Task::Search, case, Some(position), name).unwrap();
        let (mut answers, counters) = sampled(&mut *sampler);
        (answers.remove(0), counters.nodes)
    };
    let (start, nodes) = ask("", "move-sets-serial");
    assert_eq!(start.by_move.len(), COLUMNS);
    assert_eq!(start.best.as_deref(), Some("4"));
    assert_eq!(Some(&start.value), start.by_move.iter().max());
    assert_eq!(nodes, 1 + 7 + 49 + 343 + 2401);
    // A full column has no sum.
    assert_eq!(ask("444444", "move-sets-serial").0.by_move.len(), 6);
    assert_eq!(
        ask("444444", "move-sets-optimistic-serial").0.by_move.len(),
        6
    );
    for (position, best, value) in [("717171", "7", 999_999), ("71717", "7", 0)] {
        let (forced, nodes) = ask(position, "move-sets-serial");
        assert_eq!(forced.best.as_deref(), Some(best));
        assert_eq!((forced.value, forced.by_move, nodes), (value, vec![], 1));
    }
    for name in ["move-sets-serial", "move-sets-optimistic-serial"] {
        let (over, nodes) = ask("7171717", name);
        assert_eq!((over.value, over.best, nodes), (0, None, 1), "{name}");
    }
    // The best set wins at ply 3 with the opponent's help; the sum blocks.
    let (hopeful, _) = ask("71717", "move-sets-optimistic-serial");
    assert_eq!(hopeful.value, 999_997);
}

#[test]
fn a_match_begins_at_another_opening_each_time() {
    let mut sampler = prepare(Task::Match, "stage=first depth=2", None, "rayon").unwrap();
    let mut openings = std::collections::HashSet::new();
    for taken in 0..238 {
        sampler.begin(taken);
        let (Answer::Match(score), _) = sampler.sample().unwrap() else {
            panic!("no match");
        };
        assert_eq!(score.opening, taken);
        assert_eq!(score.games.len(), 2);
        // Equal players mirror each other.
        assert_eq!(score.games[0].1, score.games[1].1);
        assert_eq!(score.games[0].0, -score.games[1].0);
        openings.insert(score.games[0].1[..3].to_owned());
    }
    assert_eq!(openings.len(), 238);
}

#[test]
fn perft_gives_the_known_counts() {
    for (depth, leaves) in (1..).zip([7, 49, 343, 2_401, 16_807, 117_649, 823_536]) {
        for name in with_reference("serial") {
            let case = format!("stage=first depth={depth}");
            let mut sampler = prepare(Task::Perft, &case, None, name).unwrap();
            assert_eq!(
                sampler.sample().unwrap().0,
                Answer::Leaves(leaves),
                "{name}"
            );
        }
    }
}

#[test]
fn bad_input_is_named_with_what_is_allowed() {
    let refused = |case: &str, position| match prepare(Task::Search, case, position, "serial") {
        Err(Fault::Input(text)) => text,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("{case} was taken"),
    };
    let case = "stage=first depth=2";
    for depth in [0, 21] {
        assert_eq!(
            refused(&format!("stage=first depth={depth}"), None),
            format!("depth: `{depth}`; allowed is a whole number from 1 to 20")
        );
    }
    assert!(
        refused("stage=middle depth=2", None).starts_with("stage: `middle`; allowed are first")
    );
    assert_eq!(
        refused(case, Some("4438")),
        "position: move 4 is `8`; allowed are the columns 1 to 7"
    );
    assert_eq!(
        refused(case, Some("1111111")),
        "position: move 7: column 1 is full; allowed: 2 3 4 5 6 7"
    );
    assert!(refused(case, Some("12121213")).starts_with("position: move 8, 3, follows four"));
    assert_eq!(
        LINE_DEPTH.read(&Value::Int(13)).unwrap_err(),
        "line-depth: `13`; allowed is a whole number from 1 to 12: the depth at which `serial` plays \
         the line"
    );
}
