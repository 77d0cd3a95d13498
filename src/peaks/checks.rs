//! What a check may cost, and how it says that something is wrong.

use crate::words::Fault;

/// Steps that a check does on the host at most, about: some tens of milliseconds.
const STEPS: u64 = 10_000_000;
/// Places that are looked at, however dear they are, and at most.
const FEWEST: u64 = 4;
const MOST: u64 = 4_096;

/// So many places of `count`, evenly apart, the last one among them, as checks of `steps` each allow.
pub fn places(count: usize, steps: u64) -> Vec<usize> {
    let wanted = (STEPS / steps.max(1)).clamp(FEWEST, MOST).min(count as u64) as usize;
    (1..=wanted)
        .map(|place| place * count / wanted - 1)
        .collect()
}

/// Refuses a result that is not the host's.
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
