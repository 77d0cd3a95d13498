//! The CPU techniques through the interface that the harness uses.

use super::*;
use crate::games::connect_four::{COLUMNS, Position};
use crate::techniques::registry::find;
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Counters, Fault, Searched};

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
    let found = ask("444444", "move-sets-optimistic-serial").0.by_move.len();
    assert_eq!(found, 6);
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
    let expected = "position: character 4, `8`: move 4 is no column; allowed are 1 to 7";
    assert_eq!(refused(case, Some("4438")), expected);
    let expected = "position: character 7, `1`: move 7: the column is full; allowed: 2 3 4 5 6 7";
    assert_eq!(refused(case, Some("1111111")), expected);
    assert!(refused(case, Some("12121213")).contains("`3`: a move after four in a row"));
    assert_eq!(
        LINE_DEPTH.read(&Value::Int(13)).unwrap_err(),
        "line-depth: `13`; allowed is a whole number from 1 to 12: the depth at which `serial` plays \
         the line"
    );
}
