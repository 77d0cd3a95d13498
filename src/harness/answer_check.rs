//! Compares every sample's answer with the reference's.

use super::statistics;
use crate::techniques::program::params::{COMMAND, OWN_RANDOM, RULES_DIFFER, is_set};
use crate::words::{Answer, Chosen, Counters, Params, Searched, Tally};

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answers agree.
    Agrees,
    /// The answers differ; the text says where.
    Differs(String),
    /// The values agree, but other best moves were named. Such a move is correct if its own full-window value equals
    /// the root's: `(position, move, root value)`.
    OtherMoves(Vec<(usize, String, i64)>),
}

/// Compares an answer with the reference's.
///
/// Searches: every position's value must be equal, so must the values of its moves if both have them, and its best move
/// must be the same or another of the same value. Tallies and leaf counts must be exactly equal. A match has no
/// reference: the players decide its moves, whose legality is checked where the game is known.
pub fn compare(reference: &Answer, answer: &Answer) -> Verdict {
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
        (Answer::Tallies(expected), Answer::Tallies(found)) => all(expected, found, tallies),
        (Answer::Leaves(expected), Answer::Leaves(found)) if expected == found => Verdict::Agrees,
        (Answer::Leaves(expected), Answer::Leaves(found)) => {
            Verdict::Differs(format!("{found} leaves, the reference says {expected}"))
        }
        (Answer::Chosen(expected), Answer::Chosen(found)) => all(expected, found, choices),
        (Answer::Match(_), Answer::Match(_)) => Verdict::Agrees,
        _ => Verdict::Differs("an answer of another kind than the reference's".into()),
    }
}

/// [`compare`] for a technique with these parameters. Random games other than ours are compared by shares and mean
/// length. Games with other rules are not compared.
pub fn compare_as(params: &Params, reference: &Answer, answer: &Answer) -> Verdict {
    if params.contains_key(RULES_DIFFER) {
        return Verdict::Agrees;
    }
    match (reference, answer) {
        (Answer::Tallies(expected), Answer::Tallies(found)) if is_set(params, OWN_RANDOM) => {
            all(expected, found, statistics::differ)
        }
        (Answer::Tallies(expected), Answer::Tallies(found)) if params.contains_key(COMMAND) => {
            // A program need not tell its first moves apart.
            let found = found
                .iter()
                .zip(expected)
                .map(|(found, expected)| match found {
                    Tally { by_first_move, .. } if by_first_move.is_empty() => Tally {
                        by_first_move: expected.by_first_move.clone(),
                        ..found.clone()
                    },
                    found => found.clone(),
                });
            all(expected, &found.collect::<Vec<_>>(), tallies)
        }
        _ => compare(reference, answer),
    }
}

/// Whether the answers for all positions agree, one by one.
fn all<A>(expected: &[A], found: &[A], differ: fn(&A, &A) -> Option<String>) -> Verdict {
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

/// The difference of two searches of one position, another best move apart.
fn searches(expected: &Searched, found: &Searched) -> Option<String> {
    if expected.value != found.value {
        let (own, theirs) = (found.value, expected.value);
        return Some(format!("value {own}, the reference says {theirs}"));
    }
    let both = !expected.by_move.is_empty() && !found.by_move.is_empty();
    if both && expected.by_move != found.by_move {
        let (own, theirs) = (&found.by_move, &expected.by_move);
        return Some(format!(
            "its moves are worth {own:?}, the reference says {theirs:?}"
        ));
    }
    (expected.best.is_some() != found.best.is_some()).then(|| {
        let (own, theirs) = (name(&found.best), name(&expected.best));
        format!("best move {own}, the reference says {theirs}")
    })
}

/// The difference of two tallies of one position.
fn tallies(expected: &Tally, found: &Tally) -> Option<String> {
    if expected == found {
        return None;
    }
    let totals = |tally: &Tally| (tally.wins, tally.draws, tally.losses, tally.plies);
    if totals(expected) != totals(found) {
        let text = |tally: &Tally| {
            let (wins, draws, losses, plies) = totals(tally);
            format!("{wins}/{draws}/{losses} (wins, draws, losses) in {plies} plies")
        };
        let (own, theirs) = (text(found), text(expected));
        return Some(format!("tally {own}, the reference says {theirs}"));
    }
    let (ours, theirs) = (&found.by_first_move, &expected.by_first_move);
    let mut pairs = ours.iter().zip(theirs);
    Some(match pairs.position(|(ours, theirs)| ours != theirs) {
        Some(place) => format!(
            "tally of first move {}: {:?} (wins, draws, losses), the reference says {:?}",
            place + 1,
            ours[place],
            theirs[place]
        ),
        None => format!(
            "tallies of {} first moves, the reference says {}",
            ours.len(),
            theirs.len()
        ),
    })
}

/// The difference of two choices at one position. Within a time the clock decides, and the choices may differ; their
/// legality was checked where the game is known.
fn choices(expected: &Chosen, found: &Chosen) -> Option<String> {
    if expected.visits.is_empty() || found.visits.is_empty() {
        return None;
    }
    if expected.visits != found.visits {
        let (own, theirs) = (&found.visits, &expected.visits);
        let how = format!("its moves were tried {own:?} times, the reference says {theirs:?}");
        return Some(how);
    }
    let tree = |chosen: &Chosen| (chosen.tree_nodes, chosen.tree_depth);
    if tree(expected) != tree(found) {
        return Some(format!(
            "its tree has {} positions in {} plies, the reference's {} in {}",
            found.tree_nodes, found.tree_depth, expected.tree_nodes, expected.tree_depth
        ));
    }
    (expected.best != found.best).then(|| {
        let (own, theirs) = (name(&found.best), name(&expected.best));
        format!("chose {own}, the reference says {theirs}")
    })
}

fn name(best: &Option<String>) -> &str {
    best.as_deref().unwrap_or("none")
}

/// The twin's name for messages: another technique, or the technique's own model.
pub fn whose<'a>(technique: &str, twin: &'a str) -> &'a str {
    match technique == twin {
        true => "its model on the host",
        false => twin,
    }
}

/// The error in counters that must equal a twin's or an earlier sample's.
pub fn miscounted(found: &Counters, whose: &str, expected: &Counters) -> String {
    let text = |counters: &Counters| {
        let Counters {
            nodes,
            leaves,
            playouts,
            plies,
        } = counters;
        format!("{nodes} nodes, {leaves} leaves, {playouts} playouts, {plies} plies")
    };
    format!("counts {}; {whose} counts {}", text(found), text(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(value: i64, best: Option<&str>) -> Answer {
        Answer::Searched(vec![Searched {
            value,
            best: best.map(str::to_owned),
            by_move: Vec::new(),
        }])
    }

    /// An answer differs from the reference, and how.
    fn differs(reference: &Answer, found: &Answer, how: &str) {
        match compare(reference, found) {
            Verdict::Differs(why) => assert!(why.contains(how), "{why}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_decide_and_other_moves_are_asked_about() {
        let reference = searched(12, Some("d3"));
        assert_eq!(compare(&reference, &reference), Verdict::Agrees);
        let other = compare(&reference, &searched(12, Some("c4")));
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
            assert_eq!(compare(one, other), Verdict::Agrees);
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
        assert_eq!(compare(&reference, &reference), Verdict::Agrees);
        assert_eq!(compare(&reference, &chosen("1", &[])), Verdict::Agrees);
        let how = "position 1: its moves were tried [4, 8] times, the reference says [3, 9]";
        differs(&reference, &chosen("4", &[4, 8]), how);
        let how = "position 1: chose 1, the reference says 4";
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
        assert_eq!(compare(&reference, &reference), Verdict::Agrees);
        let how = "position 1: tally of first move 2: (0, 0, 1) (wins, draws, losses), the reference says (0, 1, 0)";
        differs(&reference, &with(|it| it.by_first_move[1] = (0, 0, 1)), how);
        differs(&reference, &with(|it| it.plies = 98), "");
    }
}
