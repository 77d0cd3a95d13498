//! The CPU techniques through the interface that the harness uses.

use super::*;
use crate::techniques::registry::find;
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Counters, Fault, Searched};

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
fn bad_input_is_named_with_what_is_allowed() {
    let none = Params::new();
    let refused =
        |case: &str, position| match prepare(Task::Search, case, position, &none, "serial") {
            Err(Fault::Input(text)) => text,
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("{case} was taken"),
        };
    let expected = "board: `4x4`; allowed is NxN, N from 5 to 32";
    assert_eq!(refused("board=4x4 depth=1", None), expected);
    let expected = "board: `33x33`; allowed is NxN, N from 5 to 32";
    assert_eq!(refused("board=33x33 depth=1", None), expected);
    for depth in [0, 9] {
        let expected = format!("depth: `{depth}`; allowed is a whole number from 1 to 8");
        assert_eq!(refused(&format!("board=6x6 depth={depth}"), None), expected);
    }
    let extra = "a1a2b1b2c1c2d1d2e1e2";
    assert!(
        refused("board=6x6 depth=1", Some(extra))
            .contains("`e2`: a move after black's five in a row")
    );
}
