/// The median of samples in any order; `None` without samples. For an even count, the mean of the two middle samples,
/// rounded down: the lower one would favour cells with two samples.
pub fn median(samples: &[u64]) -> Option<u64> {
    (!samples.is_empty()).then(|| median_of_sorted(&sorted(samples)))
}

pub(super) fn sorted(samples: &[u64]) -> Vec<u64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted
}

/// `sorted` must be ascending and not empty.
pub(super) fn median_of_sorted(sorted: &[u64]) -> u64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        midpoint(sorted[middle - 1], sorted[middle])
    }
}

/// Rounded down; `low` must not exceed `high`.
pub(super) fn midpoint(low: u64, high: u64) -> u64 {
    low + (high - low) / 2
}
