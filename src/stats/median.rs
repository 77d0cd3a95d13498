/// The median of samples in any order; `None` where there are none.
///
/// Of an even number it is the mean of the two middle samples, rounded down. The lower of the two
/// would be the smaller sample of a pair, which flatters whatever was sampled twice.
pub fn median(samples: &[u64]) -> Option<u64> {
    (!samples.is_empty()).then(|| median_of_sorted(&sorted(samples)))
}

pub(super) fn sorted(samples: &[u64]) -> Vec<u64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted
}

/// The samples must be sorted, and there must be one at least.
pub(super) fn median_of_sorted(sorted: &[u64]) -> u64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        midpoint(sorted[middle - 1], sorted[middle])
    }
}

/// The mean of two numbers, the first not the larger, rounded down.
pub(super) fn midpoint(low: u64, high: u64) -> u64 {
    low + (high - low) / 2
}
