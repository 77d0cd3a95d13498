//! The cost limit of the host's checks, and their error.

use crate::words::Fault;

/// Steps of a check on the host, approximate limit: some tens of milliseconds.
const STEPS: u64 = 10_000_000;
/// The fewest and the most places checked, whatever a check costs.
const FEWEST: u64 = 4;
const MOST: u64 = 4_096;

/// Evenly spaced places of `count`, the last one included: as many as the limit allows at `steps` steps each.
pub fn places(count: usize, steps: u64) -> Vec<usize> {
    let wanted = (STEPS / steps.max(1)).clamp(FEWEST, MOST).min(count as u64) as usize;
    (1..=wanted)
        .map(|place| place * count / wanted - 1)
        .collect()
}

/// Refuses a result that differs from the host's.
pub fn equal(kernel: &str, place: usize, found: u32, right: u32) -> Result<(), Fault> {
    if found == right {
        return Ok(());
    }
    Err(Fault::Wrong(format!(
        "kernel `{kernel}` left {found:#x} at place {place}, right is {right:#x}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_few_where_they_are_dear_and_end_with_the_last() {
        assert_eq!(places(3, 1), [0, 1, 2]);
        assert_eq!(places(100, u64::MAX), [24, 49, 74, 99]);
        let many = places(1_000_000, 1);
        assert_eq!((many.len(), many.last()), (4_096, Some(&999_999)));
        assert!(places(0, 1).is_empty());
    }
}
