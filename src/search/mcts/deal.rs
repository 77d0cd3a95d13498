//! Selection of a batch, from the root down.
//!
//! Points change only between batches, so an arrival's child depends only on the node's children and on earlier
//! arrivals. All descents are dealt at the root first, then at each child, and so on. The leaves and their order are
//! the same as in one descent after another. A node's children are read once per batch. Subtrees are independent, so
//! that threads share them.

use std::mem::take;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::formula::{Formula, score};
use super::nodes::{Link, Node, Nodes};
use super::table::Table;
use crate::games::{Ahead, TreeRules};
use crate::random::{DRAW_ROUNDS, below, philox2x32};
use crate::search::threads::lock;

/// Descents below which a group is not divided among threads.
const LEAST: u32 = 128;

/// A node that some of a batch's descents pass, in adjacent slots and in the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub node: u32,
    pub start: u32,
    pub end: u32,
    pub depth: u16,
    /// True if the first descent made the node.
    pub is_new: bool,
}

/// A descent's end. The order of the slots is then the tree's.
#[derive(Clone)]
pub(super) struct Slot<P> {
    /// The leaf, unless the game is over.
    pub position: P,
    pub moves: u32,
    /// The descent's number in its batch; once the batch is gathered, the leaf's.
    pub number: u32,
    pub depth: u16,
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    Made,
    /// A node of a full tree.
    Again,
    /// A finished game, with the half points of the side that moved there.
    Over(u32),
}

/// A position whose children may be made.
pub(super) struct Open<P> {
    pub position: P,
    pub moves: u32,
}

/// The slots of some spots; the first slot has the number `first`.
struct Slots<'a, P> {
    first: u32,
    arrivals: &'a mut [u32],
    ends: &'a mut [Slot<P>],
}

impl<P> Slots<'_, P> {
    /// The index of a slot's number.
    #[inline(always)]
    fn index(&self, slot: u32) -> usize {
        (slot - self.first) as usize
    }

    /// The slots before `at`, and the others.
    fn split(&mut self, at: u32) -> (Slots<'_, P>, Slots<'_, P>) {
        let middle = self.index(at);
        let (arrivals, later) = self.arrivals.split_at_mut(middle);
        let (ends, later_ends) = self.ends.split_at_mut(middle);
        let slots = |first, arrivals, ends| Slots {
            first,
            arrivals,
            ends,
        };
        (
            slots(self.first, arrivals, ends),
            slots(at, later, later_ends),
        )
    }

    /// Ends descents of a spot.
    fn end(&mut self, spot: &Spot, slots: Range<u32>, end: End) {
        for at in self.index(slots.start)..self.index(slots.end) {
            let slot = &mut self.ends[at];
            (slot.number, slot.depth, slot.end) = (self.arrivals[at], spot.depth, end);
        }
    }
}

/// A thread's working memory and results.
#[derive(Default)]
pub(super) struct Hand {
    /// The spots to deal, in the order of their slots.
    stack: Vec<Spot>,
    /// Every spot from which it dealt, or at which it ended.
    pub seen: Vec<Spot>,
    table: Table,
    picks: Vec<u32>,
    sorted: Vec<u32>,
    /// Nodes that only this hand allocates.
    pub chunk: Range<u32>,
    pub made: u32,
    pub depth: u16,
    pub allocated: u64,
}

impl Hand {
    /// Adds another hand's counts.
    pub fn absorb(&mut self, other: &mut Hand) {
        self.made += take(&mut other.made);
        self.depth = self.depth.max(take(&mut other.depth));
        self.allocated += take(&mut other.allocated);
    }
}

/// Unused hands, which keep their memory and nodes between parts of a batch.
#[derive(Default)]
pub(super) struct Hands(Mutex<Vec<Hand>>);

impl Hands {
    pub fn all(&mut self) -> &mut [Hand] {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Dealer<'a, G: TreeRules> {
    pub game: &'a G,
    pub nodes: &'a Nodes,
    pub open: &'a [Open<G::Position>],
    pub places: &'a [u32],
    pub formula: &'a Formula,
    pub key: u32,
    /// Descents of earlier batches.
    pub before: u32,
    pub is_full: bool,
    pub in_pool: bool,
    /// Hands for these threads.
    pub hands: &'a Hands,
}

impl<G: TreeRules> Dealer<'_, G> {
    /// Deals all descents, whose numbers are `arrivals`; a slot each.
    pub fn deal(&self, arrivals: &mut [u32], ends: &mut [Slot<G::Position>], hand: &mut Hand) {
        hand.stack.push(Spot {
            node: 0,
            start: 0,
            end: arrivals.len() as u32,
            depth: 0,
            is_new: false,
        });
        let slots = Slots {
            first: 0,
            arrivals,
            ends,
        };
        self.descend(slots, hand);
    }

    /// Deals the spots of a hand's stack, and all below.
    fn descend(&self, mut slots: Slots<'_, G::Position>, hand: &mut Hand) {
        while let Some(last) = hand.stack.pop() {
            let first = hand.stack.first().map_or(last.start, |spot| spot.start);
            if !self.in_pool || first == last.start || last.end - first <= LEAST {
                // A lone descent continues to its end.
                let mut next = Some(last);
                while let Some(spot) = next {
                    next = self.visit(&spot, &mut slots, hand);
                }
                continue;
            }
            hand.stack.push(last);
            let middle = first + (last.end - first) / 2;
            let own = hand.stack.partition_point(|spot| spot.start < middle);
            let later = hand.stack.split_off(own.clamp(1, hand.stack.len() - 1));
            let (own, others) = slots.split(later[0].start);
            rayon::join(
                || self.descend(own, hand),
                || {
                    let mut hand = lock(&self.hands.0).pop().unwrap_or_default();
                    hand.stack.extend(later);
                    self.descend(others, &mut hand);
                    lock(&self.hands.0).push(hand);
                },
            );
            return;
        }
    }

    /// Deals a spot's descents to its children, which go to the stack. Returns the next spot of a lone descent.
    #[inline(always)]
    fn visit(
        &self,
        spot: &Spot,
        slots: &mut Slots<'_, G::Position>,
        hand: &mut Hand,
    ) -> Option<Spot> {
        hand.seen.push(*spot);
        let node = self.nodes.at(spot.node);
        let before = node.visits();
        node.set_visits(before + spot.end - spot.start);
        // A new node's first descent is its leaf.
        let made = u32::from(spot.is_new);
        let start = spot.start + made;
        let block = match node.link() {
            Link::Block(block) => block,
            Link::Over(points) => {
                slots.end(spot, start..spot.end, End::Over(points));
                return None;
            }
            Link::Open(place) => {
                let (position, moves) = match spot.is_new {
                    true => {
                        let leaf = &slots.ends[slots.index(spot.start)];
                        (&leaf.position, leaf.moves)
                    }
                    false => {
                        let open = &self.open[place as usize];
                        (&open.position, open.moves)
                    }
                };
                let Some(block) = self.add_block(moves, place, hand) else {
                    let position = position.clone();
                    for at in slots.index(start)..slots.index(spot.end) {
                        slots.ends[at].position = position.clone();
                    }
                    slots.end(spot, start..spot.end, End::Again);
                    return None;
                };
                node.set_link(Link::Block(block));
                block
            }
        };
        let (_, children) = self.nodes.block(block);
        // One visit made the node.
        let untried = (children.len() as u32 + 1).saturating_sub(before + made);
        if spot.end - start > 1 {
            self.deal_many(spot, (start, before + made), block, slots, hand);
            return None;
        }
        let child = match untried {
            0 => self.best_child(children, before + made),
            _ => {
                let arrival = slots.arrivals[slots.index(start)];
                untried_child(children, self.draw(arrival, untried))
            }
        };
        let next = Spot {
            node: block + 1 + child,
            start,
            end: spot.end,
            depth: spot.depth + 1,
            is_new: untried > 0,
        };
        if !next.is_new {
            return Some(next);
        }
        self.make(spot, &next, (block, child), slots, hand);
        None
    }

    /// The child with the largest score, the first among equals.
    #[inline(always)]
    fn best_child(&self, children: &[Node], visits: u32) -> u32 {
        let weight = self.formula.weight(visits);
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (place, child) in (0..).zip(children) {
            let root = self.formula.inverse_root(child.visits());
            let value = score(child.sum() * root, root, weight);
            if value > most {
                (best, most) = (place, value);
            }
        }
        best
    }

    /// The untried child of a node that a descent makes.
    #[inline(always)]
    fn draw(&self, arrival: u32, untried: u32) -> u32 {
        // The first descent of a search has the number 1.
        let number = self.before + arrival + 1;
        let draw = philox2x32([number, 0], self.key, DRAW_ROUNDS)[0];
        below(draw, untried)
    }

    /// Deals the descents from `start` at a node with `visits`: first to untried children at random, then to the best.
    fn deal_many(
        &self,
        spot: &Spot,
        (start, visits): (u32, u32),
        block: u32,
        slots: &mut Slots<'_, G::Position>,
        hand: &mut Hand,
    ) {
        let own = slots.index(start)..slots.index(spot.end);
        let Hand { table, picks, .. } = hand;
        let (_, children) = self.nodes.block(block);
        let count = children.len() as u32;
        let children = children.iter();
        table.load(self.formula, children.map(|it| (it.visits(), it.sum())));
        let untried = (count + 1).saturating_sub(visits);
        let arrivals = &slots.arrivals[own.clone()];
        picks.clear();
        picks.resize(arrivals.len(), 0);
        let mut made = 0;
        let of_each = picks.iter_mut().zip(arrivals);
        for (untried, (pick, arrival)) in (1..=untried).rev().zip(of_each) {
            let place = table.untried(self.draw(*arrival, untried));
            table.take(self.formula, place);
            *pick = place as u32;
            made += 1;
        }
        let after = visits + arrivals.len() as u32;
        let visits = visits + made as u32..after;
        table.pick_all(self.formula, visits, &mut picks[made..]);
        sort(
            &mut slots.arrivals[own],
            &mut hand.sorted,
            picks,
            &mut table.taken,
        );
        let mut next = start;
        for child in 0..count {
            let end = start + hand.table.taken[child as usize];
            if end == next {
                continue;
            }
            let node = block + 1 + child;
            let below = Spot {
                node,
                start: next,
                end,
                depth: spot.depth + 1,
                is_new: self.nodes.at(node).visits() == 0,
            };
            next = end;
            if below.is_new {
                self.make(spot, &below, (block, child), slots, hand);
            } else {
                hand.stack.push(below);
            }
        }
    }

    /// Makes a child for the first descent of its spot, the leaf; the others continue from there.
    #[inline(always)]
    fn make(
        &self,
        parent: &Spot,
        spot: &Spot,
        (block, index): (u32, u32),
        slots: &mut Slots<'_, G::Position>,
        hand: &mut Hand,
    ) {
        let position = match self.nodes.at(block).link() {
            // The parent is new in this batch too.
            _ if parent.is_new => {
                let parent = &slots.ends[slots.index(parent.start)];
                self.game.after(&parent.position, index)
            }
            Link::Open(place) => {
                let parent = &self.open[place as usize];
                self.game.after(&parent.position, index)
            }
            Link::Block(_) | Link::Over(_) => return,
        };
        hand.made += 1;
        hand.depth = hand.depth.max(spot.depth);
        let place = slots.index(spot.start);
        let (link, end, moves) = match self.game.ahead(&position) {
            Ahead::Moves(moves) => {
                let place = self.places[spot.start as usize];
                (Link::Open(place), End::Made, moves)
            }
            Ahead::Over(points) => {
                // Converts to the side that moved there.
                let points = 2 - points;
                (Link::Over(points), End::Over(points), 0)
            }
        };
        self.nodes.at(spot.node).set_link(link);
        slots.ends[place] = Slot {
            position,
            moves,
            number: slots.arrivals[place],
            depth: spot.depth,
            end,
        };
        if spot.end - spot.start > 1 {
            hand.stack.push(*spot);
        } else {
            self.nodes.at(spot.node).set_visits(1);
            hand.seen.push(*spot);
        }
    }

    /// Allocates the children of a node whose position has this place in `open`; `None` if the tree is full.
    #[inline(always)]
    fn add_block(&self, moves: u32, place: u32, hand: &mut Hand) -> Option<u32> {
        if self.is_full {
            return None;
        }
        let block = self.nodes.add(&mut hand.chunk, moves + 1)?;
        hand.allocated += u64::from(moves) + 1;
        let header = self.nodes.at(block);
        header.set_visits(moves);
        header.set_link(Link::Open(place));
        Some(block)
    }
}

#[inline(always)]
fn untried_child(children: &[Node], mut number: u32) -> u32 {
    let mut last = 0;
    for (place, child) in (0..).zip(children) {
        if child.visits() == 0 {
            last = place;
            if number == 0 {
                break;
            }
            number -= 1;
        }
    }
    last
}

/// Sorts arrivals by their picks, stably. `taken` has the number of each pick, and gets each end.
#[inline(always)]
fn sort(arrivals: &mut [u32], sorted: &mut Vec<u32>, picks: &[u32], taken: &mut [u32]) {
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
