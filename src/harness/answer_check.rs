//! Compares the answer of every sample with the reference.

use std::fmt::Debug;

use crate::techniques::program::params::{COMMAND, OWN_RANDOM, RULES_DIFFER, is_set};
use crate::words::{Answer, Chosen, Counters, Params, Searched, Tally};

/// A best move that differs from the reference's: index of the position, move, and expected value of the position.
pub type OtherMove = (usize, String, i64);

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answers agree.
    Agrees,
    /// The answers differ. The text describes the first difference.
    Differs(String),
    /// The values agree, but the best moves differ. A move is correct if its full-window value equals the root's value.
    OtherMoves(Vec<OtherMove>),
}

/// Compares a technique's answer with the reference. `params` are the technique's parameters.
///
/// Search values must be equal for every position and, if both answers list moves, for every move. The best moves must
/// be the same or have the same value. Tallies and leaf counts must be equal. If the technique uses its own random
/// numbers, only the shares of results and the mean game lengths are compared. Matches and games under other rules are
/// not compared.
pub fn compare(params: &Params, reference: &Answer, answer: &Answer) -> Verdict {
    if params.contains_key(RULES_DIFFER) {
        return Verdict::Agrees;
    }
    match (reference, answer) {
        (Answer::Searched(expected), Answer::Searched(found)) => {
            let pairs = expected.iter().zip(found).enumerate();
            let others = pairs.filter(|(_, (expected, found))| expected.best != found.best);
            let others = others.filter_map(|(unit, (expected, found))| {
                Some((unit, found.best.clone()?, expected.value))
            });
            let others: Vec<_> = others.collect();
            match all(expected, found, searches) {
                Verdict::Agrees if !others.is_empty() => Verdict::OtherMoves(others),
                verdict => verdict,
            }
        }
        (Answer::Tallies(expected), Answer::Tallies(found)) => {
            // A user's program need not report a result for each first move.
            let is_program = params.contains_key(COMMAND);
            let totals_only = |it: &Tally| is_program && it.by_first_move.is_empty();
            all(expected, found, |expected, found| {
                match is_set(params, OWN_RANDOM) {
                    true => random_games(expected, found),
                    false => tallies(expected, found, totals_only(found)),
                }
            })
        }
        (Answer::Leaves(expected), Answer::Leaves(found)) => {
            all(&[*expected], &[*found], |one, other| {
                unequal("leaves", other, one)
            })
        }
        (Answer::Chosen(expected), Answer::Chosen(found)) => all(expected, found, choices),
        (Answer::Match(_), Answer::Match(_)) => Verdict::Agrees,
        _ => Verdict::Differs("the answer is of a different kind than the reference's".into()),
    }
}

/// Compares two answers position by position.
fn all<A>(expected: &[A], found: &[A], differ: impl Fn(&A, &A) -> Option<String>) -> Verdict {
    let (answered, asked) = (found.len(), expected.len());
    if answered != asked {
        return Verdict::Differs(format!("{answered} answers for {asked} positions"));
    }
    let mut pairs = (1..).zip(expected.iter().zip(found));
    let how = pairs.find_map(|(number, (expected, found))| {
        Some(format!("position {number}: {}", differ(expected, found)?))
    });
    how.map_or(Verdict::Agrees, Verdict::Differs)
}

/// Describes how one part of an answer differs from the reference.
fn unequal<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Option<String> {
    let differs = found != expected;
    differs.then(|| format!("{what} {found:?}, but the reference has {expected:?}"))
}

/// Describes how two searches of a position differ. Different best moves are not reported, but a missing best move is.
fn searches(expected: &Searched, found: &Searched) -> Option<String> {
    let both = !expected.by_move.is_empty() && !found.by_move.is_empty();
    let one = expected.best.is_some() != found.best.is_some();
    unequal("value", found.value, expected.value)
        .or_else(|| {
            unequal("values of its moves", &found.by_move, &expected.by_move).filter(|_| both)
        })
        .or_else(|| unequal("best move", name(&found.best), name(&expected.best)).filter(|_| one))
}

fn name(best: &Option<String>) -> &str {
    best.as_deref().unwrap_or("none")
}

/// Describes how two tallies of a position differ.
fn tallies(expected: &Tally, found: &Tally, totals_only: bool) -> Option<String> {
    let totals = |it: &Tally| (it.wins, it.draws, it.losses, it.plies);
    let (ours, theirs) = (&found.by_first_move, &expected.by_first_move);
    let by_move = || unequal("wins, draws and losses by first move", ours, theirs);
    let (own, expected) = (totals(found), totals(expected));
    let differ = unequal("wins, draws, losses and plies", own, expected);
    differ.or_else(|| by_move().filter(|_| !totals_only))
}

/// Maximum difference, in standard errors. One in 16,000 differences exceeds it by chance.
const MOST_ERRORS: f64 = 4.0;

/// Assumed standard deviation of a game's length, relative to its mean. Checkers and Connect Four stay below it.
const LENGTH_DEVIATION: f64 = 0.5;

/// Describes a difference too large for chance, in the shares of wins, draws and losses or in the mean game length.
fn random_games(expected: &Tally, found: &Tally) -> Option<String> {
    let (theirs, ours) = (expected.playouts() as f64, found.playouts() as f64);
    if theirs == 0.0 || ours == 0.0 {
        return (theirs != ours)
            .then(|| format!("{ours} playouts, but the reference has {theirs}"));
    }
    let inverse = 1.0 / theirs + 1.0 / ours;
    let share = |what, expected, found| {
        let pooled = (expected + found) as f64 / (theirs + ours);
        (what, expected, found, (pooled * (1.0 - pooled)).sqrt())
    };
    let of_length = match expected.plies {
        // If the reference's games have no plies, the lengths are not comparable.
        0 => f64::INFINITY,
        plies => LENGTH_DEVIATION * plies as f64 / theirs,
    };
    let quantities = [
        share("share of wins", expected.wins, found.wins),
        share("share of draws", expected.draws, found.draws),
        share("share of losses", expected.losses, found.losses),
        ("mean length", expected.plies, found.plies, of_length),
    ];
    quantities.into_iter().find_map(|(what, expected, found, deviation)| {
        let most = MOST_ERRORS * deviation * inverse.sqrt();
        let (theirs, ours) = (expected as f64 / theirs, found as f64 / ours);
        ((ours - theirs).abs() > most).then(|| {
            format!(
                "a {what} of {ours:.4}, but the reference has {theirs:.4}; {MOST_ERRORS} standard errors are {most:.4}"
            )
        })
    })
}

/// Describes how two choices at a position differ. Choices without visit counts may differ: their effort is a time.
fn choices(expected: &Chosen, found: &Chosen) -> Option<String> {
    if expected.visits.is_empty() || found.visits.is_empty() {
        return None;
    }
    let tree = |chosen: &Chosen| (chosen.tree_nodes, chosen.tree_depth);
    let trees = || unequal("nodes and depth of its tree", tree(found), tree(expected));
    unequal("visits of its moves", &found.visits, &expected.visits)
        .or_else(trees)
        .or_else(|| unequal("chosen move", name(&found.best), name(&expected.best)))
}

/// Describes the difference between counters that must be equal. `whose` names the technique or sample of `expected`.
pub fn miscounted(found: &Counters, whose: &str, expected: &Counters) -> Option<String> {
    let text = |it: &Counters| {
        let (nodes, leaves, playouts, plies) = (it.nodes, it.leaves, it.playouts, it.plies);
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
        let how = "position 1: values of its moves [7, 4], but the reference has [7, 3]";
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
        let how = "position 1: visits of its moves [4, 8], but the reference has [3, 9]";
        differs(&reference, &chosen("4", &[4, 8]), how);
        let how = r#"position 1: chosen move "1", but the reference has "4""#;
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
        let how = "position 1: wins, draws and losses by first move [(3, 0, 2), (0, 0, 1)], but the reference has";
        differs(&reference, &with(|it| it.by_first_move[1] = (0, 0, 1)), how);
        differs(&reference, &with(|it| it.plies = 98), "");
    }

    fn tally(wins: u64, draws: u64, losses: u64, plies: u64) -> Tally {
        Tally {
            wins,
            draws,
            losses,
            plies,
            ..Tally::default()
        }
    }

    #[test]
    fn chance_is_no_difference_and_another_game_is() {
        let expected = tally(5_540, 30, 4_430, 213_000);
        assert_eq!(
            random_games(&expected, &tally(5_480, 25, 4_495, 214_100)),
            None
        );
        assert_eq!(random_games(&expected, &tally(55, 0, 45, 2_180)), None);
        let more_wins = random_games(&expected, &tally(5_900, 30, 4_070, 213_000)).unwrap();
        let part = "a share of wins of 0.5900";
        assert!(more_wins.starts_with(part), "{more_wins}");
        let no_draws = random_games(&expected, &tally(5_560, 0, 4_440, 213_000)).unwrap();
        assert!(no_draws.starts_with("a share of draws"), "{no_draws}");
        let longer = random_games(&expected, &tally(5_540, 30, 4_430, 223_000)).unwrap();
        assert!(longer.starts_with("a mean length of 22.3000"), "{longer}");
        assert!(random_games(&expected, &tally(0, 0, 0, 0)).is_some());
    }
}
