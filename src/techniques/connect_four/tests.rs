//! The CPU techniques through the interface that the harness uses.

use super::tasks::read_line_depth;
use crate::techniques::registry::find;
use crate::techniques::tests::host_setup;
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Case, Fault, Params, Task, Value};

fn prepare(
    task: Task,
    case: &str,
    position: Option<&str>,
    name: &str,
) -> Result<Box<dyn Sampler>, Fault> {
    let case = Case::parse(case).unwrap();
    let none = Params::new();
    let serial = find("connect-four", "serial").unwrap();
    let setup = Setup {
        position,
        opponent: (task == Task::Match).then_some((serial, &none)),
        ..host_setup(task, &case, &none)
    };
    (find("connect-four", name).unwrap().prepare)(&setup)
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
    assert_eq!(refused("stage=first depth=2", Some("4438")), expected);
    assert_eq!(
        read_line_depth(&Value::Int(13)).unwrap_err(),
        "line-depth: `13`; allowed is a whole number from 1 to 12: the depth at which `serial` plays \
         the line"
    );
}
