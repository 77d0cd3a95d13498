//! Perft on a device: the host plays the first plies.

use crate::techniques::part::Part;
use crate::words::{Counters, Fault};

/// Fewest plies that are left to the device.
const LEAST_LEFT: u32 = 3;

/// The host expands positions to this many before the front is divided among devices: subtrees of thousands of
/// positions in a row differ little in size.
const DIVIDED: usize = 4096;

/// Counts the move sequences of exactly `depth` plies from a position as leaves, and the positions entered as
/// nodes, like [`perft`](crate::search::perft). The host expands positions until there are `wanted` of them.
/// `below` then counts from at most `batch` of them at a time, to the remaining depth: at least 3, if `depth`
/// is.
///
/// A part expands and counts only the positions of its share; the nodes above them count in the first part. The front
/// to divide does not depend on the device, so parts of different devices fit together.
///
/// # Errors
/// Any error of `below`.
pub fn perft_from_front<T: Clone>(
    position: T,
    depth: u32,
    part: &Part,
    (wanted, batch): (usize, usize),
    children: impl Fn(&T) -> Vec<T>,
    mut below: impl FnMut(&[T], u32) -> Result<Counters, Fault>,
) -> Result<Counters, Fault> {
    let mut counters = Counters::default();
    let (mut front, mut left) = (vec![position], depth);
    // A kernel with fewer plies left hardly walks: small depths would verify little of it.
    let expand = |front: &mut Vec<T>, left: &mut u32, wanted: usize| {
        let mut nodes = 0;
        while *left > LEAST_LEFT && front.len() < wanted && !front.is_empty() {
            nodes += front.len() as u64;
            *front = front.iter().flat_map(&children).collect();
            *left -= 1;
        }
        nodes
    };
    if !part.is_whole() {
        let above = expand(&mut front, &mut left, DIVIDED);
        let share = part.of_things(front.len() as u64);
        front = front[share.start as usize..share.end as usize].to_vec();
        counters.nodes += if part.units.start == 0 { above } else { 0 };
    }
    counters.nodes += expand(&mut front, &mut left, wanted);
    if left == 0 {
        // The root alone, of a perft to depth 0.
        return Ok(Counters::of_leaves(front.len()));
    }
    for positions in front.chunks(batch) {
        counters += below(positions, left)?;
    }
    Ok(counters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Game;
    use crate::games::checkers::{Checkers, Position};
    use crate::search::perft;

    /// Counts in parts, with fronts of different sizes, as unlike devices have them.
    #[test]
    fn parts_of_unlike_devices_add_up_to_the_whole() {
        let game = Checkers::default();
        let children = |position: &Position| -> Vec<Position> {
            match game.is_over(position) {
                true => Vec::new(),
                false => game
                    .legal_moves(position)
                    .map(|mv| game.play(position, mv))
                    .collect(),
            }
        };
        let count = |depth, part: &Part, fronts| {
            let below = |positions: &[Position], left| {
                let mut sum = Counters::default();
                positions
                    .iter()
                    .for_each(|position| sum += perft(&game, position, left));
                Ok(sum)
            };
            perft_from_front(Position::start(), depth, part, fronts, children, below).unwrap()
        };
        for depth in [0, 1, 3, 4, 7] {
            let whole = perft(&game, &Position::start(), depth);
            assert_eq!(count(depth, &Part::WHOLE, (64, 50)), whole, "{depth}");
            let mut sum = Counters::default();
            for (units, front) in [(0..3, 1), (3..3, 9), (3..11, 6_000), (11..16, 200)] {
                let part = Part { units, of: 16 };
                sum += count(depth, &part, (front, 50));
            }
            assert_eq!(sum, whole, "{depth}");
        }
    }
}
