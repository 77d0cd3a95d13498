//! Describes the descents in a batch: the nodes through which they pass, and the nodes at which they end.

use std::ops::Range;

/// Minimum number of descents in a group that is divided among threads.
const LEAST: usize = 128;

/// A node through which some of a batch's descents pass. Their slots are adjacent, in the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub node: u32,
    pub start: u32,
    pub end: u32,
    pub depth: u16,
    /// True if the first descent created the node.
    pub is_new: bool,
}

/// The end of a descent. Slots are in the order of the tree.
#[derive(Clone)]
pub(super) struct Slot<P> {
    /// The leaf, unless the game is over.
    pub position: P,
    pub moves: u32,
    /// The number of the descent in its batch.
    pub arrival: u32,
    pub depth: u16,
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    Made,
    /// A node of a full tree, which cannot get children.
    Again,
    /// A finished game. Holds the half points of the side that made the last move.
    Over(u32),
}

/// A position whose children may be created.
pub(super) struct Open<P> {
    pub position: P,
    pub moves: u32,
}

/// The slots of several adjacent spots. The first slot has the number `first`.
pub(super) struct Slots<'a, P> {
    pub first: u32,
    pub arrivals: &'a mut [u32],
    pub ends: &'a mut [Slot<P>],
}

impl<P> Slots<'_, P> {
    pub fn end(&self) -> u32 {
        self.first + self.ends.len() as u32
    }

    /// Splits the slots into those before `at` and the rest.
    pub fn split(&mut self, at: u32) -> (Slots<'_, P>, Slots<'_, P>) {
        let middle = (at - self.first) as usize;
        let (arrivals, later) = self.arrivals.split_at_mut(middle);
        let (ends, later_ends) = self.ends.split_at_mut(middle);
        let before = Slots {
            first: self.first,
            arrivals,
            ends,
        };
        let after = Slots {
            first: at,
            arrivals: later,
            ends: later_ends,
        };
        (before, after)
    }
}

/// Ends the descents at a spot, starting with slot `start`.
pub(super) fn end_all<P>(slots: &mut Slots<'_, P>, spot: &Spot, start: u32, end: End) {
    for at in (start - slots.first) as usize..(spot.end - slots.first) as usize {
        let slot = &mut slots.ends[at];
        (slot.arrival, slot.depth, slot.end) = (slots.arrivals[at], spot.depth, end);
    }
}

/// Returns the spots that a thread keeps if enough descents remain for others: the first half of the descents, or a
/// single spot with more than half. The longest chain of levels therefore never waits for a thread to wake up.
pub(super) fn share(frontier: &[Spot]) -> Option<Range<usize>> {
    let number = |spot: &Spot| (spot.end - spot.start) as usize;
    let all: usize = frontier.iter().map(number).sum();
    if frontier.len() < 2 || all <= LEAST {
        return None;
    }
    if let Some(most) = frontier.iter().position(|spot| 2 * number(spot) > all) {
        return Some(most..most + 1);
    }
    let mut sum = 0;
    let before = frontier.iter().take_while(|spot| {
        sum += number(spot);
        sum <= all / 2
    });
    Some(0..before.count().clamp(1, frontier.len() - 1))
}

/// Sorts arrivals stably by pick. `taken` holds the number of arrivals per pick, and afterwards the index of their end.
#[inline(always)]
pub(super) fn sort(arrivals: &mut [u32], sorted: &mut Vec<u32>, picks: &[u32], taken: &mut [u32]) {
    let mut start = 0;
    for taken in taken.iter_mut() {
        start += std::mem::replace(taken, start);
    }
    if arrivals.len() == 1 {
        for pick in picks {
            taken[*pick as usize] += 1;
        }
        return;
    }
    sorted.clear();
    sorted.resize(arrivals.len(), 0);
    for (arrival, pick) in arrivals.iter().zip(picks) {
        let place = &mut taken[*pick as usize];
        sorted[*place as usize] = *arrival;
        *place += 1;
    }
    arrivals.copy_from_slice(sorted);
}
