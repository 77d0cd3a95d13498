//! Compares random games that were drawn differently from those of the reference, by their shares and mean length.

use crate::words::Tally;

/// Standard errors that a difference may have: of 16,000 true ones, one is larger.
const MOST_ERRORS: f64 = 4.0;

/// The standard deviation of a game's length, as a share of its mean. A tally does not tell it; games of checkers and
/// Connect Four have less.
const LENGTH_DEVIATION: f64 = 0.5;

/// How a tally differs from the reference's by more than chance: in a share of wins, draws or losses, or in the mean
/// length.
pub(super) fn differ(expected: &Tally, found: &Tally) -> Option<String> {
    let (theirs, ours) = (expected.playouts() as f64, found.playouts() as f64);
    if theirs == 0.0 || ours == 0.0 {
        return (theirs != ours).then(|| format!("{ours} playouts, the reference has {theirs}"));
    }
    let inverse = 1.0 / theirs + 1.0 / ours;
    let share = |what, expected, found| {
        let pooled = (expected + found) as f64 / (theirs + ours);
        (what, expected, found, (pooled * (1.0 - pooled)).sqrt())
    };
    let of_length = match expected.plies {
        // Where the reference ends games early, their lengths say nothing.
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
                "a {what} of {ours:.4}, the reference has {theirs:.4}; {MOST_ERRORS} standard errors are {most:.4}"
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(differ(&expected, &tally(5_480, 25, 4_495, 214_100)), None);
        assert_eq!(differ(&expected, &tally(55, 0, 45, 2_180)), None);
        let more_wins = differ(&expected, &tally(5_900, 30, 4_070, 213_000)).unwrap();
        let part = "a share of wins of 0.5900";
        assert!(more_wins.starts_with(part), "{more_wins}");
        let no_draws = differ(&expected, &tally(5_560, 0, 4_440, 213_000)).unwrap();
        assert!(no_draws.starts_with("a share of draws"), "{no_draws}");
        let longer = differ(&expected, &tally(5_540, 30, 4_430, 223_000)).unwrap();
        assert!(longer.starts_with("a mean length of 22.3000"), "{longer}");
        assert!(differ(&expected, &tally(0, 0, 0, 0)).is_some());
    }
}
