//! Tests the CPU techniques through the interface of the harness.

use super::tasks::read_line_depth;
use crate::techniques::tests::Ask;
use crate::words::{Answer, Task, Value};

#[test]
fn a_match_begins_at_another_opening_each_time() {
    let ask = Ask::serial("connect-four", Task::Match, "stage=first depth=2");
    let mut sampler = ask.of("rayon").ready();
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
fn a_wrong_line_depth_is_named_with_what_is_allowed() {
    assert_eq!(
        read_line_depth(&Value::Int(13)).unwrap_err(),
        "line-depth: `13`; allowed is a whole number from 1 to 12: the depth at which `serial` plays \
         the line"
    );
}
