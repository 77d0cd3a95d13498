//! What is known of a value, and which thresholds to ask next.

use crate::games::INFINITY;

/// What is known of a value, and the move that showed the lower bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
    pub(super) best: u32,
}

impl Bounds {
    /// Whether they lie no further apart than this.
    pub(super) fn are_within(self, width: i32) -> bool {
        self.upper.saturating_sub(self.lower) <= width
    }

    /// What to take the value for.
    pub(super) fn middle(self) -> i32 {
        match (self.lower, self.upper) {
            (lower, INFINITY) => lower,
            (lower, upper) if lower == -INFINITY => upper,
            (lower, upper) => lower + (upper - lower) / 2,
        }
    }
}

/// The thresholds to ask next, above the lower bound and at most the upper one; `stride` apart where little is known.
pub(super) fn thresholds(bounds: Bounds, guess: i32, stride: i32, most: usize) -> Vec<i32> {
    let mut asked = Vec::with_capacity(most);
    let most = most as i32;
    let Bounds { lower, upper, .. } = bounds;
    let open = (lower == -INFINITY, upper == INFINITY);
    match open {
        // Around the guess.
        (true, true) => asked.extend((0..most).map(|at| guess + stride * (2 * at - most + 1) / 2)),
        // From the bound on, twice as far each time.
        (false, true) => asked.extend((0..most).map(|at| lower + 1 + stride * ((1 << at) - 1))),
        (true, false) => {
            asked.extend((0..most).rev().map(|at| upper - stride * ((1 << at) - 1)));
        }
        (false, false) => {
            let width = upper - lower;
            let count = most.min(width);
            // The whole part of each share, so that a single one stands in the middle.
            asked.extend((1..=count).map(|at| {
                let share = i64::from(width) * i64::from(at) / i64::from(count + 1);
                lower + (share as i32).max(at)
            }));
        }
    }
    asked.dedup();
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_lie_inside_the_bounds_and_close_in() {
        let bounds = |lower, upper| Bounds {
            lower,
            upper,
            best: 0,
        };
        let ask = |bounds, guess, most| thresholds(bounds, guess, 15, most);
        assert_eq!(ask(bounds(-INFINITY, INFINITY), 7, 1), [7]);
        assert_eq!(ask(bounds(-INFINITY, INFINITY), 0, 4), [-22, -7, 7, 22]);
        assert_eq!(ask(bounds(10, INFINITY), 0, 3), [11, 26, 56]);
        assert_eq!(ask(bounds(-INFINITY, 10), 0, 3), [-35, -5, 10]);
        for width in 1..200 {
            for most in 1..=8 {
                let asked = ask(bounds(5, 5 + width), 0, most);
                assert!(!asked.is_empty());
                assert!(asked.is_sorted_by(|a, b| a < b), "{asked:?}");
                assert!(asked[0] > 5 && asked[asked.len() - 1] <= 5 + width);
                if width <= most as i32 {
                    assert_eq!(asked.len() as i32, width, "all are asked");
                }
            }
        }
    }
}
