//! The CPU techniques through the interface that the harness uses.

use crate::techniques::registry::find;
use crate::techniques::tests::host_setup;
use crate::words::{Case, Fault, Params, Task};

#[test]
fn bad_input_is_named_with_what_is_allowed() {
    let refused = |case: &str| {
        let (case, none) = (Case::parse(case).unwrap(), Params::new());
        let setup = host_setup(Task::Search, &case, &none);
        let prepared = (find("gomoku", "serial").unwrap().prepare)(&setup);
        match prepared.err() {
            Some(Fault::Input(text)) => text,
            other => panic!("{case:?}: {other:?}"),
        }
    };
    let board = |text| format!("board: `{text}`; allowed is NxN, N from 5 to 32");
    let depth = |text| format!("depth: `{text}`; allowed is a whole number from 1 to 8");
    for (case, expected) in [
        ("board=4x4 depth=1", board("4x4")),
        ("board=33x33 depth=1", board("33x33")),
        ("board=6x6 depth=0", depth("0")),
        ("board=6x6 depth=9", depth("9")),
    ] {
        assert_eq!(refused(case), expected);
    }
}
