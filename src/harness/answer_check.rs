//! Compares every sample's answer with the reference's.

use std::fmt::Debug;

use super::statistics;
use crate::techniques::program::params::{COMMAND, OWN_RANDOM, RULES_DIFFER, is_set};
use crate::words::{Answer, Chosen, Counters, Params, Searched, Tally};

/// A best move other than the reference's: position, move, value of the root.
pub type OtherMove = (usize, String, i64);

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answers agree.
    Agrees,
    /// The answers differ; the text says where.
    Differs(String),
    /// The values agree, but other best moves were named. Such a move is correct if its own full-window value equals
    /// the root's.
    OtherMoves(Vec<OtherMove>),
}

/// Compares the answer of a technique with these parameters with the reference's.
///
/// Searches: every position's value must be equal, so must the values of its moves if both have them, and its best move
/// must be the same or another of the same value. Tallies and leaf counts must be exactly equal; random games other than
/// ours are compared by shares and mean length. A match has no reference: the players decide its moves, whose legality
/// is checked where the game is known. Games with other rules are not compared.
pub fn compare(params: &Params, reference: &Answer, answer: &Answer) -> Verdict {
    if params.contains_key(RULES_DIFFER) {
        return Verdict::Agrees;
    }
    match (reference, answer) {
        (Answer::Searched(expected), Answer::Searched(found)) => {
            let verdict = all(expected, found, searches);
            let pairs = expected.iter().zip(found).enumerate();
            let others = pairs.filter(|(_, (expected, found))| expected.best != found.best);
            let others = others.filter_map(|(unit, (expected, found))| {
                Some((unit, found.best.clone()?, expected.value))
            });
            let others: Vec<_> = others.collect();
            match verdict {
                Verdict::Agrees if !others.is_empty() => Verdict::OtherMoves(others),
                verdict => verdict,
            }
        }
        (Answer::Tallies(expected), Answer::Tallies(found)) => {
            let (own_random, is_program) =
                (is_set(params, OWN_RANDOM), params.contains_key(COMMAND));
            all(expected, found, |expected, found| match own_random {
                true => statistics::differ(expected, found),
                // A program need not tell its first moves apart.
                false => tallies(
                    expected,
                    found,
                    is_program && found.by_first_move.is_empty(),
                ),
            })
        }
        (Answer::Leaves(expected), Answer::Leaves(found)) => {
            all(&[*expected], &[*found], |expected, found| {
                unequal("leaves", found, expected)
            })
        }
        (Answer::Chosen(expected), Answer::Chosen(found)) => all(expected, found, choices),
        (Answer::Match(_), Answer::Match(_)) => Verdict::Agrees,
        _ => Verdict::Differs("an answer of another kind than the reference's".into()),
    }
}

/// Whether the answers for all positions agree, one by one.
fn all<A>(expected: &[A], found: &[A], differ: impl Fn(&A, &A) -> Option<String>) -> Verdict {
    if expected.len() != found.len() {
        let (answered, asked) = (found.len(), expected.len());
        return Verdict::Differs(format!("{answered} positions answered, {asked} asked"));
    }
    for (unit, (expected, found)) in expected.iter().zip(found).enumerate() {
        if let Some(how) = differ(expected, found) {
            return Verdict::Differs(format!("position {}: {how}", unit + 1));
        }
    }
    Verdict::Agrees
}

/// The difference of one part of an answer.
fn unequal<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Option<String> {
    let differs = found != expected;
    differs.then(|| format!("{what} {found:?}, the reference says {expected:?}"))
}

/// The difference of two searches of one position, another best move apart.
fn searches(expected: &Searched, found: &Searched) -> Option<String> {
    let both = !expected.by_move.is_empty() && !found.by_move.is_empty();
    let one = expected.best.is_some() != found.best.is_some();
    unequal("value", found.value, expected.value)
        .or_else(|| {
            unequal("its moves are worth", &found.by_move, &expected.by_move).filter(|_| both)
        })
        .or_else(|| unequal("best move", name(&found.best), name(&expected.best)).filter(|_| one))
}

fn name(best: &Option<String>) -> &str {
    best.as_deref().unwrap_or("none")
}

/// The difference of two tallies of one position.
fn tallies(expected: &Tally, found: &Tally, totals_only: bool) -> Option<String> {
    let totals = |it: &Tally| (it.wins, it.draws, it.losses, it.plies);
    let (ours, theirs) = (&found.by_first_move, &expected.by_first_move);
    unequal(
        "wins, draws, losses and plies",
        totals(found),
        totals(expected),
    )
    .or_else(|| {
        unequal("wins, draws and losses by first move", ours, theirs).filter(|_| !totals_only)
    })
}

/// The difference of two choices at one position. Within a time the clock decides, and the choices may differ; their
/// legality was checked where the game is known.
fn choices(expected: &Chosen, found: &Chosen) -> Option<String> {
    if expected.visits.is_empty() || found.visits.is_empty() {
        return None;
    }
    let tree = |chosen: &Chosen| (chosen.tree_nodes, chosen.tree_depth);
    unequal("visits of its moves", &found.visits, &expected.visits)
        .or_else(|| {
            unequal(
                "positions and plies of its tree",
                tree(found),
                tree(expected),
            )
        })
        .or_else(|| unequal("chose", name(&found.best), name(&expected.best)))
}

/// The error in counters that must equal those of a technique or of an earlier sample.
pub fn miscounted(found: &Counters, whose: &str, expected: &Counters) -> Option<String> {
    let text = |it: &Counters| {
        let Counters {
            nodes,
            leaves,
            playouts,
            plies,
        } = it;
        format!("{nodes} nodes, {leaves} leaves, {playouts} playouts, {plies} plies")
    };
    let differs = found != expected;
    differs.then(|| format!("counts {}; {whose} counts {}", text(found), text(expected)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(reference: &Answer, answer: &Answer) -> Verdict {
        compare(&Params::new(), reference, answer)
    }

    fn searched(value: i64, best: Option<&str>) -> Answer {
        Answer::Searched(vec![Searched {
            value,
            best: best.map(str::to_owned),
            by_move: Vec::new(),
        }])
    }

    fn differs(reference: &Answer, found: &Answer, how: &str) {
        match compared(reference, found) {
            Verdict::Differs(why) => assert!(why.contains(how), "{why}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_decide_and_other_moves_are_asked_about() {
        let reference = searched(12, Some("d3"));
        assert_eq!(compared(&reference, &reference), Verdict::Agrees);
        let other = compared(&reference, &searched(12, Some("c4")));
        assert_eq!(other, Verdict::OtherMoves(vec![(0, "c4".into(), 12)]));
        differs(&reference, &searched(11, Some("d3")), "");
        differs(&reference, &searched(12, None), "");
        differs(&reference, &Answer::Searched(Vec::new()), "");
        differs(&Answer::Leaves(4), &searched(4, None), "");
    }

    #[test]
    fn what_moves_are_worth_is_compared_where_both_tell() {
        let told = |by_move: &[i64]| match searched(7, Some("4")) {
            Answer::Searched(mut one) => {
                one[0].by_move = by_move.to_vec();
                Answer::Searched(one)
            }
            other => other,
        };
        let both = told(&[7, 3]);
        for (one, other) in [(&both, &both), (&both, &told(&[])), (&told(&[]), &both)] {
            assert_eq!(compared(one, other), Verdict::Agrees);
        }
        let how = "position 1: its moves are worth [7, 4], the reference says [7, 3]";
        differs(&both, &told(&[7, 4]), how);
    }

    #[test]
    fn choices_are_compared_where_no_clock_decided() {
        let chosen = |best: &str, visits: &[u64]| {
            Answer::Chosen(vec![Chosen {
                best: Some(best.to_owned()),
                visits: visits.to_vec(),
                ..Chosen::default()
            }])
        };
        let reference = chosen("4", &[3, 9]);
        assert_eq!(compared(&reference, &reference), Verdict::Agrees);
        assert_eq!(compared(&reference, &chosen("1", &[])), Verdict::Agrees);
        let how = "position 1: visits of its moves [4, 8], the reference says [3, 9]";
        differs(&reference, &chosen("4", &[4, 8]), how);
        let how = r#"position 1: chose "1", the reference says "4""#;
        differs(&reference, &chosen("1", &[3, 9]), how);
        differs(&reference, &Answer::Chosen(Vec::new()), "");
    }

    #[test]
    fn tallies_are_equal_or_wrong() {
        let tally = Tally {
            wins: 3,
            draws: 1,
            losses: 2,
            plies: 99,
            by_first_move: vec![(3, 0, 2), (0, 1, 0)],
        };
        let with = |change: fn(&mut Tally)| {
            let mut other = tally.clone();
            change(&mut other);
            Answer::Tallies(vec![other])
        };
        let reference = with(|_| {});
        assert_eq!(compared(&reference, &reference), Verdict::Agrees);
        let how = "position 1: wins, draws and losses by first move [(3, 0, 2), (0, 0, 1)], the reference says";
        differs(&reference, &with(|it| it.by_first_move[1] = (0, 0, 1)), how);
        differs(&reference, &with(|it| it.plies = 98), "");
    }
}
