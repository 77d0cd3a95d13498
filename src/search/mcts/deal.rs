//! Selects a batch of leaves, from the root down.
//!
//! Points change only between batches, so the child that an arrival picks depends only on the node's children and on
//! earlier arrivals. All descents are dealt at the root first, then at each child, and so on. This gives the same
//! leaves in the same order as one descent after another. A node's children are read once per batch. Subtrees are
//! independent, so threads deal groups of subtrees level by level, and their memory reads overlap.

use std::mem::take;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::formula::{Formula, score};
use super::nodes::{Link, Node, Nodes};
use super::slots::{End, Open, Slot, Slots, Spot, end_all, share, sort};
use super::table::Table;
use crate::games::{Ahead, TreeRules};
use crate::random::{DRAW_ROUNDS, below, philox2x32};
use crate::search::threads::lock;

/// A thread's working memory and results.
#[derive(Default)]
pub(super) struct Hand {
    frontier: Vec<Spot>,
    next: Vec<Spot>,
    /// All spots at which this hand dealt descents or at which a descent ended.
    pub seen: Vec<Spot>,
    table: Table,
    picks: Vec<u32>,
    sorted: Vec<u32>,
    /// A range of unallocated nodes from which only this hand allocates.
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

/// The unused hands. They keep their memory and nodes between the parts of a batch.
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
    /// Number of descents in all earlier batches.
    pub before: u32,
    pub is_full: bool,
    pub in_pool: bool,
    /// The hands for other threads.
    pub hands: &'a Hands,
}

impl<G: TreeRules> Dealer<'_, G> {
    /// Deals all descents. `arrivals` holds their numbers. Each descent has one slot.
    pub fn deal(&self, arrivals: &mut [u32], ends: &mut [Slot<G::Position>], hand: &mut Hand) {
        hand.frontier.push(Spot {
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

    /// Deals the spots in a hand's frontier, and everything below them.
    fn descend(&self, mut slots: Slots<'_, G::Position>, hand: &mut Hand) {
        while !hand.frontier.is_empty() {
            if self.in_pool
                && let Some(own) = share(&hand.frontier)
            {
                return self.descend_apart(own, slots, hand);
            }
            self.step(&mut slots, hand);
        }
    }

    /// Continues with the `own` spots of a hand's frontier, and leaves the others to other threads.
    fn descend_apart(&self, own: Range<usize>, mut slots: Slots<'_, G::Position>, hand: &mut Hand) {
        let after = hand.frontier.split_off(own.end);
        let before: Vec<Spot> = hand.frontier.drain(..own.start).collect();
        let end = after.first().map_or(slots.end(), |spot| spot.start);
        let (mut until, slots_after) = slots.split(end);
        let (slots_before, own) = until.split(hand.frontier[0].start);
        rayon::join(
            || self.descend(own, hand),
            || match (before.is_empty(), after.is_empty()) {
                (false, false) => {
                    rayon::join(
                        || self.descend_from(&before, slots_before),
                        || self.descend_from(&after, slots_after),
                    );
                }
                (false, true) => self.descend_from(&before, slots_before),
                (true, _) => self.descend_from(&after, slots_after),
            },
        );
    }

    /// Deals these spots, and everything below them, with an unused or new hand.
    fn descend_from(&self, spots: &[Spot], slots: Slots<'_, G::Position>) {
        let mut hand = lock(&self.hands.0).pop().unwrap_or_default();
        hand.frontier.extend_from_slice(spots);
        self.descend(slots, &mut hand);
        lock(&self.hands.0).push(hand);
    }

    fn step(&self, slots: &mut Slots<'_, G::Position>, hand: &mut Hand) {
        let frontier = take(&mut hand.frontier);
        if frontier.len() > 1 {
            let touched =
                frontier
                    .iter()
                    .fold(0, |sum, spot| match self.nodes.at(spot.node).link() {
                        Link::Block(block) => sum ^ self.nodes.touch(block),
                        _ => sum,
                    });
            std::hint::black_box(touched);
        }
        if let [spot] = frontier[..] {
            // Follow a single descent to its end.
            let mut next = Some(spot);
            while let Some(spot) = next {
                next = self.visit(&spot, slots, hand);
            }
        } else {
            for spot in &frontier {
                let next = self.visit(spot, slots, hand);
                hand.next.extend(next);
            }
        }
        hand.frontier = std::mem::replace(&mut hand.next, frontier);
        hand.next.clear();
    }

    /// Deals the descents at a spot to the node's children. If there is only one descent, returns its next spot.
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
        let (start, made) = match spot.is_new {
            true => (spot.start + 1, 1),
            false => (spot.start, 0),
        };
        let block = match node.link() {
            Link::Block(block) => block,
            Link::Over(points) => {
                end_all(slots, spot, start, End::Over(points));
                return None;
            }
            Link::Open(place) => {
                let moves = match spot.is_new {
                    true => slots.ends[(spot.start - slots.first) as usize].moves,
                    false => self.open[place as usize].moves,
                };
                match self.add_block(moves, place, hand) {
                    Some(block) => {
                        node.set_link(Link::Block(block));
                        block
                    }
                    None => {
                        self.stay(slots, spot, start, place);
                        return None;
                    }
                }
            }
        };
        let (_, children) = self.nodes.block(block);
        // One of the visits created the node itself.
        let untried = (children.len() as u32 + 1).saturating_sub(before + made);
        if spot.end - start == 1 {
            let child = match untried {
                0 => self.best_child(children, before + made),
                _ => {
                    let arrival = slots.arrivals[(start - slots.first) as usize];
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
            return None;
        }
        self.deal_many(spot, (start, before + made), block, slots, hand);
        None
    }

    /// Returns the first child with the largest score.
    #[inline(always)]
    pub fn best_child(&self, children: &[Node], visits: u32) -> u32 {
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

    /// Draws the untried child that a descent creates. Returns its index among the untried children.
    #[inline(always)]
    pub fn draw(&self, arrival: u32, untried: u32) -> u32 {
        // The first descent in a search has number 1.
        let number = self.before + arrival + 1;
        let draw = philox2x32([number, 0], self.key, DRAW_ROUNDS)[0];
        below(draw, untried)
    }

    /// Deals the descents, starting at slot `start`: first to random untried children, then to the child with the best
    /// score.
    fn deal_many(
        &self,
        spot: &Spot,
        (start, visits): (u32, u32),
        block: u32,
        slots: &mut Slots<'_, G::Position>,
        hand: &mut Hand,
    ) {
        let own = (start - slots.first) as usize..(spot.end - slots.first) as usize;
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
                hand.next.push(below);
            }
        }
    }

    /// Creates a child for a spot's first descent, which ends there. All other descents continue from the child.
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
            // The parent was also created in this batch.
            _ if parent.is_new => {
                let parent = &slots.ends[(parent.start - slots.first) as usize];
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
        let place = (spot.start - slots.first) as usize;
        let (link, end, moves) = match self.game.ahead(&position) {
            Ahead::Moves(moves) => {
                let place = self.places[spot.start as usize];
                (Link::Open(place), End::Made, moves)
            }
            Ahead::Over(points) => {
                // Convert the result to the point of view of the side that moved there.
                let points = 2 - points;
                (Link::Over(points), End::Over(points), 0)
            }
        };
        self.nodes.at(spot.node).set_link(link);
        slots.ends[place] = Slot {
            position,
            moves,
            arrival: slots.arrivals[place],
            depth: spot.depth,
            end,
        };
        if spot.end - spot.start > 1 {
            hand.next.push(*spot);
        } else {
            self.nodes.at(spot.node).set_visits(1);
            hand.seen.push(*spot);
        }
    }

    /// Allocates the children of a node whose position is at `place` in `open`. Returns `None` if the tree is full.
    #[inline(always)]
    pub fn add_block(&self, moves: u32, place: u32, hand: &mut Hand) -> Option<u32> {
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

    /// Ends the descents at a node that cannot have children.
    fn stay(&self, slots: &mut Slots<'_, G::Position>, spot: &Spot, start: u32, place: u32) {
        let position = match spot.is_new {
            true => slots.ends[(spot.start - slots.first) as usize]
                .position
                .clone(),
            false => self.open[place as usize].position.clone(),
        };
        let own = (start - slots.first) as usize..(spot.end - slots.first) as usize;
        for at in own.clone() {
            slots.ends[at].position = position.clone();
        }
        end_all(slots, spot, start, End::Again);
    }
}

#[inline(always)]
pub(super) fn untried_child(children: &[Node], mut number: u32) -> u32 {
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
