//! Perft on a device: the host plays the first plies.

use crate::words::{Counters, Fault};

/// Fewest plies that are left to the device.
const LEAST_LEFT: u32 = 3;

/// Counts the move sequences of exactly `depth` plies from a position as leaves, and the positions entered as
/// nodes, like [`perft`](crate::search::perft). The host expands positions until there are `wanted` of them.
/// `below` then counts from at most `batch` of them at a time, to the remaining depth: at least 3, if `depth`
/// is.
///
/// # Errors
/// Any error of `below`.
pub fn perft_from_front<T>(
    position: T,
    depth: u32,
    (wanted, batch): (usize, usize),
    children: impl Fn(&T) -> Vec<T>,
    mut below: impl FnMut(&[T], u32) -> Result<Counters, Fault>,
) -> Result<Counters, Fault> {
    if depth == 0 {
        return Ok(Counters::of_leaves(1));
    }
    let mut counters = Counters::default();
    let mut front = vec![position];
    let mut left = depth;
    // A kernel with fewer plies left hardly walks: small depths would verify little of it.
    while left > LEAST_LEFT && front.len() < wanted && !front.is_empty() {
        counters.nodes += front.len() as u64;
        front = front.iter().flat_map(&children).collect();
        left -= 1;
    }
    for positions in front.chunks(batch) {
        counters += below(positions, left)?;
    }
    Ok(counters)
}
