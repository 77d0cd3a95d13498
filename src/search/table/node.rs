//! One thread's search of one iteration.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use super::busy::Busy;
use super::entries::{Entry, NO_PLACE, Table};
use crate::games::{INFINITY, Keyed, Stuck};
use crate::search::{Window, count, descend};
use crate::words::Counters;

/// Remaining depths above [`Keyed::ORDERED_FROM`] from which all children are looked up before one is
/// searched. Their own remaining depth is one less.
const LOOKED_UP_FROM: u32 = 2;

/// Remaining depths above [`Keyed::ORDERED_FROM`] from which threads keep out of each other's way. What
/// lies below is searched sooner than another thread can make use of it.
const SHARED_FROM: u32 = 1;

/// Nodes after which a thread looks at the clock again: some tens of microseconds.
const NODES_A_LOOK: u64 = 1 << 10;

/// What the search is made of, as far as it can be left out to see what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idea {
    /// Remembering positions; with it goes deepening, which serves nothing else.
    Table,
    /// Trying moves in the order of what they promise, rather than in the game's.
    Order,
    /// Searching less deep before.
    Deepening,
    /// Looking all children up before one is searched.
    LookUp,
}

/// What the threads of one iteration share.
pub struct Shared<'a> {
    pub table: &'a Table,
    /// What they have in hand; `None` where there is one thread.
    pub busy: Option<&'a Busy>,
    /// Whether they are to leave everything as it is: the iteration is done, or time is up.
    pub stop: AtomicBool,
    pub deadline: Option<Instant>,
    /// The one thing that is left out, to see what it gives.
    pub without: Option<Idea>,
}

/// A move of a node in hand.
#[derive(Clone, Copy)]
struct Child<M> {
    /// The best first: what the move promises, and in the low bits its place in the game's order with
    /// all bits turned, so that of equals the first comes first.
    rank: i64,
    mv: M,
    /// Where its position is kept, counted from the node's first.
    at: u16,
    /// Another thread had it in hand.
    deferred: bool,
}

impl<M> Child<M> {
    fn new(promise: i32, place: u16, at: u16, mv: M) -> Child<M> {
        Child {
            rank: i64::from(promise) << 16 | i64::from(!place),
            mv,
            at,
            deferred: false,
        }
    }

    fn place(&self) -> u16 {
        !(self.rank as u16)
    }
}

/// What comes of the children of a node.
#[derive(Clone, Copy)]
struct Best {
    value: i32,
    /// The place of the best child in the game's order.
    place: u16,
}

/// A position on the way down, with its key where it is remembered.
struct Here<'p, P> {
    position: &'p P,
    key: u64,
    depth: u32,
    ply: u32,
}

// Derived, these would ask the same of the position.
impl<P> Clone for Here<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Here<'_, P> {}

/// One thread in one iteration.
pub struct Worker<'a, G: Keyed> {
    game: &'a G,
    shared: &'a Shared<'a>,
    /// The children of all nodes in hand, the root's first.
    children: Vec<Child<G::Move>>,
    /// Their positions, those of a node in the game's order, where they are kept.
    positions: Vec<G::Position>,
    pub counters: Counters,
    /// Positions that it put into the table.
    pub kept: u64,
    /// Whether it was told to stop: no value that it returns means anything from then on.
    pub stopped: bool,
    /// The number of nodes at which it looks at the clock.
    next_look: u64,
}

impl<'a, G: Keyed> Worker<'a, G> {
    pub fn new(game: &'a G, shared: &'a Shared<'a>) -> Worker<'a, G> {
        Worker {
            game,
            shared,
            children: Vec::new(),
            positions: Vec::new(),
            counters: Counters::default(),
            kept: 0,
            stopped: false,
            next_look: NODES_A_LOOK,
        }
    }

    /// The value of the root and its best move, the one of `first` before all others. `None` where it
    /// was told to stop.
    pub fn root(
        &mut self,
        position: &G::Position,
        depth: u32,
        first: Option<G::Move>,
    ) -> Option<(i32, Option<G::Move>)> {
        let mut here = Here {
            position,
            key: 0,
            depth,
            ply: 0,
        };
        let over = depth == 0 || self.game.decided(position, 0).is_some();
        let (value, place) = if over || self.game.moves(position).next().is_none() {
            (self.search(here, Window::FULL), None)
        } else {
            here.key = self.game.key(position);
            count(&mut self.counters, false);
            let first =
                first.and_then(|first| self.game.moves(position).position(|mv| mv == first));
            let look = self.game.look(position);
            self.list(here, &look, first.map(|place| place as u16));
            let best = self.best_of(here, Window::FULL, 0);
            self.forget(0);
            (best.value, Some(best.place))
        };
        if self.stopped {
            return None;
        }
        let best = place.and_then(|place| self.game.moves(position).nth(usize::from(place)));
        Some((value, best))
    }

    /// Puts the moves of a position behind the other children, in the game's order. The one at the
    /// place `first` promises more than all others.
    #[inline]
    fn list(&mut self, here: Here<'_, G::Position>, look: &G::Look, first: Option<u16>) {
        let ordered = self.shared.without != Some(Idea::Order);
        let pruned = here.depth > 1 && self.game.at_a_look(look, here.ply).is_none();
        let mut at = 0;
        for (place, mv) in self.game.moves(here.position).enumerate() {
            if pruned && !self.game.is_serious(look, mv) {
                continue;
            }
            let place = place as u16;
            let child = G::KEEPS_CHILDREN.then(|| self.game.play_after(here.position, look, mv));
            let promise = if first == Some(place) {
                i32::MAX
            } else if ordered {
                let (position, child) = (here.position, child.as_ref());
                self.game.promise(position, look, mv, child, here.ply + 1)
            } else {
                0
            };
            self.children.push(Child::new(promise, place, at, mv));
            self.positions.extend(child);
            at += 1;
        }
    }

    /// Forgets the children from `from` on.
    #[inline(always)]
    fn forget(&mut self, from: usize) {
        self.children.truncate(from);
        if G::KEEPS_CHILDREN {
            self.positions.truncate(from);
        }
    }

    /// The position after a move that stands among the children of a node, which begin at `from`.
    #[inline(always)]
    fn played(&self, position: &G::Position, child: &Child<G::Move>, from: usize) -> G::Position {
        if G::KEEPS_CHILDREN {
            self.positions[from + usize::from(child.at)].clone()
        } else {
            self.game.play(position, child.mv)
        }
    }

    /// The value of a node, exact inside the window and a bound on the right side of it outside.
    #[inline]
    fn search(&mut self, here: Here<'_, G::Position>, window: Window) -> i32 {
        let Here {
            position,
            depth,
            ply,
            ..
        } = here;
        if depth < G::ORDERED_FROM {
            return self.last_plies(position, depth, ply, window);
        }
        self.remembered(here, window)
    }

    /// [`Worker::search`] where neither the table nor an order pays.
    #[inline]
    fn last_plies(&mut self, position: &G::Position, depth: u32, ply: u32, window: Window) -> i32 {
        if depth == 2
            && self.game.decided(position, ply).is_none()
            && let Some(two) = self.game.last_two(position, ply, window.alpha, window.beta)
        {
            self.counters.nodes += 1 + two.nodes;
            self.counters.leaves += two.leaves;
            return two.value;
        }
        descend(self.game, position, depth, ply, window, &mut self.counters)
    }

    /// [`Worker::search`] with the table and in an order.
    fn remembered(&mut self, here: Here<'_, G::Position>, window: Window) -> i32 {
        if self.told_to_stop() {
            return 0;
        }
        if let Some(value) = self.game.decided(here.position, here.ply) {
            count(&mut self.counters, true);
            return value;
        }
        let look = self.game.look(here.position);
        if let Some(value) = self.game.at_a_look(&look, here.ply) {
            count(&mut self.counters, true);
            return value;
        }
        let known = self.known(here.key);
        let bounds = known.filter(|entry| entry.depth == here.depth);
        let mut narrowed = window;
        if let Some(entry) = bounds {
            narrowed.alpha = narrowed.alpha.max(entry.lower);
            narrowed.beta = narrowed.beta.min(entry.upper);
            if narrowed.alpha >= narrowed.beta {
                count(&mut self.counters, true);
                // What closed the window; both where the value is known.
                return if entry.lower >= window.beta {
                    entry.lower
                } else {
                    entry.upper
                };
            }
        }
        let from = self.children.len();
        self.list(here, &look, known.map(|entry| entry.place));
        if self.children.len() == from {
            return self.stuck(here, window);
        }
        count(&mut self.counters, false);
        let refuted = self.refuted_by_table(here, narrowed.beta, from);
        if let Some(lower) = refuted {
            self.forget(from);
            return lower;
        }
        let best = self.best_of(here, narrowed, from);
        self.forget(from);
        if self.stopped {
            return 0;
        }
        let (lower, upper) =
            bounds.map_or((-INFINITY, INFINITY), |entry| (entry.lower, entry.upper));
        let entry = Entry {
            depth: here.depth,
            lower: if best.value > narrowed.alpha {
                best.value
            } else {
                lower
            },
            upper: if best.value < narrowed.beta {
                best.value
            } else {
                upper
            },
            place: best.place.min(NO_PLACE),
        };
        if self.shared.without != Some(Idea::Table) {
            self.shared.table.keep(here.key, entry);
            self.kept += 1;
        }
        best.value
    }

    #[inline(always)]
    fn known(&self, key: u64) -> Option<Entry> {
        if self.shared.without == Some(Idea::Table) {
            return None;
        }
        self.shared.table.get(key)
    }

    /// The value of a node whose side has no move.
    fn stuck(&mut self, here: Here<'_, G::Position>, window: Window) -> i32 {
        match self.game.stuck(here.position, here.ply) {
            Stuck::Pass(child) => {
                count(&mut self.counters, false);
                let below = self.below(here, &child, None);
                -self.search(below, window.turned())
            }
            Stuck::Over(value) => {
                count(&mut self.counters, true);
                value
            }
        }
    }

    /// A child of a position, after a move or a pass.
    #[inline(always)]
    fn below<'p>(
        &self,
        here: Here<'_, G::Position>,
        child: &'p G::Position,
        mv: Option<G::Move>,
    ) -> Here<'p, G::Position> {
        let depth = here.depth - 1;
        let key = match mv {
            _ if depth < G::ORDERED_FROM => 0,
            Some(mv) => self.game.key_after(here.key, mv, child),
            None => self.game.key(child),
        };
        Here {
            position: child,
            key,
            depth,
            ply: here.ply + 1,
        }
    }

    /// A bound from below that closes the window, where the table has it of a child: its upper bound,
    /// turned.
    #[inline]
    fn refuted_by_table(
        &mut self,
        here: Here<'_, G::Position>,
        beta: i32,
        from: usize,
    ) -> Option<i32> {
        if here.depth < G::ORDERED_FROM + LOOKED_UP_FROM
            || self.shared.without == Some(Idea::LookUp)
        {
            return None;
        }
        self.children[from..].iter().find_map(|child| {
            let position = self.played(here.position, child, from);
            let below = self.below(here, &position, Some(child.mv));
            let entry = self.known(below.key)?;
            (entry.depth == below.depth && -entry.upper >= beta).then_some(-entry.upper)
        })
    }

    /// Searches the children that stand from `from` on: the first with the whole window, the others
    /// with an empty one, and again where that does not do.
    ///
    /// Where there are several threads, a child that another one has in hand is left for later, as its
    /// value may stand in the table by then (ABDADA: Weill, "The ABDADA distributed minimax search
    /// algorithm", 1996; as a list of what is in hand: Kerrigan's simplified form). The first child is
    /// never left: without a bound the others cost too much.
    fn best_of(&mut self, here: Here<'_, G::Position>, window: Window, from: usize) -> Best {
        let to = self.children.len();
        let mut best = Best {
            value: -INFINITY,
            place: NO_PLACE,
        };
        let busy = self
            .shared
            .busy
            .filter(|_| here.depth >= G::ORDERED_FROM + SHARED_FROM);
        for again in [false, true] {
            let mut deferred = false;
            for at in from..to {
                if !again && at < from + PICKED {
                    pick(&mut self.children[at..to]);
                }
                let child = self.children[at];
                if again && !child.deferred {
                    continue;
                }
                let position = self.played(here.position, &child, from);
                let below = self.below(here, &position, Some(child.mv));
                let mark = below.key ^ u64::from(below.depth);
                let mut place = None;
                if let Some(busy) = busy.filter(|_| at > from) {
                    if !again && busy.has(mark) {
                        self.children[at].deferred = true;
                        deferred = true;
                        continue;
                    }
                    place = busy.take(mark);
                }
                let alpha = window.alpha.max(best.value);
                let score = self.child(below, alpha, window.beta, best.value == -INFINITY);
                Busy::leave(place);
                if self.stopped {
                    return best;
                }
                if score > best.value {
                    best = Best {
                        value: score,
                        place: child.place(),
                    };
                    if score >= window.beta {
                        return best;
                    }
                }
            }
            if !deferred {
                break;
            }
        }
        best
    }

    /// The value of a child from its parent's side, for the parent's window as it stands.
    #[inline]
    fn child(&mut self, child: Here<'_, G::Position>, alpha: i32, beta: i32, first: bool) -> i32 {
        if first || alpha + 1 >= beta {
            return -self.search(child, Window { alpha, beta }.turned());
        }
        let null = Window {
            alpha,
            beta: alpha + 1,
        };
        let score = -self.search(child, null.turned());
        if score <= alpha || score >= beta || self.stopped {
            return score;
        }
        // The score is a bound from below, and may be the value.
        let alpha = score - 1;
        -self.search(child, Window { alpha, beta }.turned())
    }

    /// Looks at the clock where it is time to, and says whether to leave everything as it is.
    #[inline]
    fn told_to_stop(&mut self) -> bool {
        if self.counters.nodes >= self.next_look {
            self.next_look = self.counters.nodes + NODES_A_LOOK;
            if self
                .shared
                .deadline
                .is_some_and(|end| Instant::now() >= end)
            {
                self.shared.stop.store(true, Relaxed);
            }
        }
        self.stopped |= self.shared.stop.load(Relaxed);
        self.stopped
    }
}

/// Children of a node that are picked one after another, the best of those left each time. What comes
/// after so many seldom matters, and stays as it is: most nodes are cut after the first, and of those that
/// are not, most need all.
const PICKED: usize = 16;

/// Puts the best of the children first.
#[inline]
fn pick<M: Copy>(children: &mut [Child<M>]) {
    let (mut best, mut rank) = (0, i64::MIN);
    for (at, child) in children.iter().enumerate() {
        (best, rank) = if child.rank > rank {
            (at, child.rank)
        } else {
            (best, rank)
        };
    }
    children.swap(0, best);
}
