//! `bench score`.

use super::{bench, said};

#[test]
fn a_score_needs_a_device() {
    let output = bench(&["score"]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
}
