//! Runs one thread's search in one iteration.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use super::busy::Busy;
use super::entries::{Entry, NO_PLACE, Table};
use crate::games::{INFINITY, OrderedGame, Stuck};
use crate::search::{Window, count, descend};
use crate::words::Counters;

/// Minimum number of plies above [`OrderedGame::ORDERED_FROM`] at which children are looked up before any is searched.
const LOOKED_UP_FROM: u32 = 2;

/// Number of nodes between two checks of the clock. Searching this number of nodes takes tens of microseconds.
const NODES_PER_CHECK: u64 = 1 << 10;

/// Parts of the search that can be disabled for ablations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The transposition table, and also iterative deepening, which is useless without the table.
    Table,
    /// Move ordering. Without it, moves keep the game's order.
    Order,
    /// Iterative deepening.
    Deepening,
    /// Looking up all children in the table before searching any of them.
    LookUp,
}

pub struct Shared<'a> {
    pub table: &'a Table,
    /// Positions being searched, or `None` if there is only one thread.
    pub busy: Option<&'a Busy>,
    /// True if all threads must stop, because the iteration is complete or time is up.
    pub stop: &'a AtomicBool,
    pub deadline: Option<Instant>,
    /// The disabled part of the search, if any.
    pub ablated: Option<Feature>,
}

#[derive(Clone, Copy)]
struct Child<M> {
    /// Sort key, largest first: the move's priority and, in the low bits, its inverted index.
    rank: i64,
    mv: M,
    /// Index of the child's position, relative to the first child's position.
    at: u16,
    /// True if another thread was searching the child.
    deferred: bool,
}

impl<M> Child<M> {
    fn new(order_score: i32, place: u16, at: u16, mv: M) -> Child<M> {
        Child {
            rank: i64::from(order_score) << 16 | i64::from(!place),
            mv,
            at,
            deferred: false,
        }
    }

    fn place(&self) -> u16 {
        !(self.rank as u16)
    }
}

#[derive(Clone, Copy)]
struct Best {
    value: i32,
    place: u16,
}

impl Best {
    const NONE: Best = Best {
        value: -INFINITY,
        place: NO_PLACE,
    };
}

/// A position on the current path. `key` is set if the table stores the position.
struct Here<'p, P> {
    position: &'p P,
    key: u64,
    depth: u32,
    ply: u32,
    kind: Kind,
}

/// The expected kind of a node (Knuth and Moore, "An analysis of alpha-beta pruning", 1975).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Principal,
    Cut,
    All,
}

// A derived implementation would require `Clone` of the position.
impl<P> Clone for Here<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Here<'_, P> {}

pub struct Worker<'a, G: OrderedGame> {
    game: &'a G,
    shared: &'a Shared<'a>,
    /// The children of all nodes on the current path, starting at the root.
    children: Vec<Child<G::Move>>,
    /// The children's positions, in the game's order for each node, if the game keeps them.
    positions: Vec<G::Position>,
    pub counters: Counters,
    /// Number of positions that the thread stored in the table.
    pub kept: u64,
    /// True if the search was stopped. Later values are invalid.
    pub stopped: bool,
    next_check: u64,
    own: usize,
}

impl<'a, G: OrderedGame> Worker<'a, G> {
    pub fn new(game: &'a G, shared: &'a Shared<'a>) -> Worker<'a, G> {
        Worker {
            game,
            shared,
            children: Vec::new(),
            positions: Vec::new(),
            counters: Counters::default(),
            kept: 0,
            stopped: false,
            next_check: NODES_PER_CHECK,
            own: rayon::current_thread_index().unwrap_or(0),
        }
    }

    /// Returns the root's value and best move, or `None` if the search was stopped. Searches `first` before all other
    /// moves.
    pub fn root(
        &mut self,
        position: &G::Position,
        ply: u32,
        depth: u32,
        first: Option<G::Move>,
    ) -> Option<(i32, Option<G::Move>)> {
        let mut here = Here {
            position,
            key: 0,
            depth,
            ply,
            kind: Kind::Principal,
        };
        let over = depth == 0 || self.game.decided(position, ply).is_some();
        let (value, place) = if over || self.game.moves(position).next().is_none() {
            (self.search(here, Window::FULL), None)
        } else {
            here.key = self.game.key(position);
            count(&mut self.counters, false);
            let best = if G::ORDERS_BY_VALUE && depth == 1 && first.is_none() {
                self.best_leaf(here)
            } else {
                let first =
                    first.and_then(|first| self.game.moves(position).position(|mv| mv == first));
                let analysis = self.game.analyse(position);
                self.list(here, &analysis, first.map(|place| place as u16));
                self.best_of(here, Window::FULL, 0)
            };
            self.forget(0);
            (best.value, Some(best.place))
        };
        if self.stopped {
            return None;
        }
        let best = place.and_then(|place| self.game.moves(position).nth(usize::from(place)));
        Some((value, best))
    }

    /// Returns the first of the best moves at a node above leaves. Ordering would evaluate each leaf twice.
    fn best_leaf(&mut self, here: Here<'_, G::Position>) -> Best {
        let mut best = Best::NONE;
        for (place, mv) in (0..).zip(self.game.moves(here.position)) {
            count(&mut self.counters, true);
            let value = -self.game.value_after(here.position, mv, here.ply + 1);
            if value > best.value {
                best = Best { value, place };
            }
        }
        best
    }

    /// Appends a position's moves to the children, in the game's order. The move `first` gets the highest priority.
    #[inline]
    fn list(&mut self, here: Here<'_, G::Position>, analysis: &G::Analysis, first: Option<u16>) {
        let ordered = self.shared.ablated != Some(Feature::Order);
        let pruned = here.depth > 1 && self.game.known_value(analysis, here.ply).is_none();
        let mut at = 0;
        for (place, mv) in self.game.moves(here.position).enumerate() {
            if pruned && self.game.may_skip(analysis, mv) {
                continue;
            }
            let place = place as u16;
            let child =
                G::KEEPS_CHILDREN.then(|| self.game.play_after(here.position, analysis, mv));
            let order_score = if first == Some(place) {
                i32::MAX
            } else if ordered {
                let (position, child) = (here.position, child.as_ref());
                self.game
                    .order_score(position, analysis, mv, child, here.ply + 1)
            } else {
                0
            };
            self.children.push(Child::new(order_score, place, at, mv));
            self.positions.extend(child);
            at += 1;
        }
    }

    #[inline(always)]
    fn forget(&mut self, from: usize) {
        self.children.truncate(from);
        if G::KEEPS_CHILDREN {
            self.positions.truncate(from);
        }
    }

    /// Returns the position after a child's move. The node's children start at index `from`.
    #[inline(always)]
    fn played(&self, position: &G::Position, child: &Child<G::Move>, from: usize) -> G::Position {
        if G::KEEPS_CHILDREN {
            self.positions[from + usize::from(child.at)].clone()
        } else {
            self.game.play(position, child.mv)
        }
    }

    /// Returns the value of a node. It is exact inside the window, and otherwise a bound on the same side.
    #[inline]
    fn search(&mut self, here: Here<'_, G::Position>, window: Window) -> i32 {
        if here.depth >= G::ORDERED_FROM {
            self.with_table(here, window)
        } else if self.is_stored(here.depth) {
            self.shared_plies(here, window)
        } else {
            self.last_plies(here, window)
        }
    }

    /// Returns true if the table stores positions with this remaining depth. If threads share all ordered nodes, the
    /// table also stores their children. A thread that defers a child then finds the child's value in the table.
    #[inline(always)]
    fn is_stored(&self, depth: u32) -> bool {
        depth >= G::ORDERED_FROM
            || G::SHARED_FROM == 0 && depth + 1 == G::ORDERED_FROM && self.shared.busy.is_some()
    }

    /// Runs [`Worker::last_plies`] with the table.
    fn shared_plies(&mut self, here: Here<'_, G::Position>, window: Window) -> i32 {
        if self.told_to_stop() {
            return 0;
        }
        let (bounds, narrowed) = match self.narrow(here, self.known(here.key), window) {
            Ok(narrowed) => narrowed,
            Err(value) => return value,
        };
        let value = self.last_plies(here, narrowed);
        let best = Best {
            value,
            place: NO_PLACE,
        };
        self.keep(here, bounds, narrowed, best);
        value
    }

    /// Implements [`Worker::search`] at depths at which the table and move ordering do not pay off.
    #[inline]
    fn last_plies(&mut self, here: Here<'_, G::Position>, window: Window) -> i32 {
        let (position, depth, ply) = (here.position, here.depth, here.ply);
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

    /// Implements [`Worker::search`] with the table and move ordering.
    fn with_table(&mut self, here: Here<'_, G::Position>, window: Window) -> i32 {
        if self.told_to_stop() {
            return 0;
        }
        if let Some(value) = self.game.decided(here.position, here.ply) {
            count(&mut self.counters, true);
            return value;
        }
        let analysis = self.game.analyse(here.position);
        if let Some(value) = self.game.known_value(&analysis, here.ply) {
            count(&mut self.counters, true);
            return value;
        }
        let known = self.known(here.key);
        let (bounds, narrowed) = match self.narrow(here, known, window) {
            Ok(narrowed) => narrowed,
            Err(value) => return value,
        };
        let from = self.children.len();
        self.list(here, &analysis, known.map(|entry| entry.place));
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
        self.keep(here, bounds, narrowed, best);
        best.value
    }

    /// Returns the entry of a position with the same remaining depth, and the window that the entry's bounds leave
    /// open. If a bound closes the window, returns it as the error and counts the node as a leaf.
    #[inline(always)]
    fn narrow(
        &mut self,
        here: Here<'_, G::Position>,
        known: Option<Entry>,
        window: Window,
    ) -> Result<(Option<Entry>, Window), i32> {
        let bounds = known.filter(|entry| entry.depth == here.depth);
        let mut narrowed = window;
        if let Some(entry) = bounds {
            narrowed.alpha = narrowed.alpha.max(entry.lower);
            narrowed.beta = narrowed.beta.min(entry.upper);
            if narrowed.alpha >= narrowed.beta {
                count(&mut self.counters, true);
                return Err(if entry.lower >= window.beta {
                    entry.lower
                } else {
                    entry.upper
                });
            }
        }
        Ok((bounds, narrowed))
    }

    /// Stores the result of a search in the window `narrowed`. Keeps the other bound that the table already had.
    #[inline(always)]
    fn keep(
        &mut self,
        here: Here<'_, G::Position>,
        bounds: Option<Entry>,
        narrowed: Window,
        best: Best,
    ) {
        let (lower, upper) =
            bounds.map_or((-INFINITY, INFINITY), |entry| (entry.lower, entry.upper));
        let mut entry = Entry {
            depth: here.depth,
            lower,
            upper,
            place: best.place.min(NO_PLACE),
        };
        if best.value > narrowed.alpha {
            entry.lower = best.value;
        }
        if best.value < narrowed.beta {
            entry.upper = best.value;
        }
        if self.shared.ablated != Some(Feature::Table) {
            self.shared.table.keep(here.key, entry);
            self.kept += 1;
        }
    }

    #[inline(always)]
    fn known(&self, key: u64) -> Option<Entry> {
        if self.shared.ablated == Some(Feature::Table) {
            return None;
        }
        self.shared.table.get(key)
    }

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

    #[inline(always)]
    fn below<'p>(
        &self,
        here: Here<'_, G::Position>,
        child: &'p G::Position,
        mv: Option<G::Move>,
    ) -> Here<'p, G::Position> {
        let depth = here.depth - 1;
        let key = match mv {
            _ if !self.is_stored(depth) => 0,
            Some(mv) => self.game.key_after(here.key, mv, child),
            None => self.game.key(child),
        };
        Here {
            position: child,
            key,
            depth,
            ply: here.ply + 1,
            kind: match here.kind {
                Kind::All => Kind::Cut,
                Kind::Cut | Kind::Principal => Kind::All,
            },
        }
    }

    /// Returns a lower bound that closes the window, if the table has one. It is the negated upper bound of a child.
    #[inline]
    fn refuted_by_table(
        &mut self,
        here: Here<'_, G::Position>,
        beta: i32,
        from: usize,
    ) -> Option<i32> {
        if here.depth < G::ORDERED_FROM + LOOKED_UP_FROM
            || self.shared.ablated == Some(Feature::LookUp)
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

    /// Searches the children, which start at index `from`. The first child gets the full window. Each other child gets
    /// a null window, and is searched again with a wider window if necessary.
    ///
    /// With several threads, a child that another thread is searching is deferred (ABDADA: Weill, "The ABDADA
    /// distributed minimax search algorithm", 1996; in Kerrigan's simplified form). The first child is deferred only if
    /// no cutoff is expected, because the others need its bound. Each thread starts with a different deferred child.
    fn best_of(&mut self, here: Here<'_, G::Position>, window: Window, from: usize) -> Best {
        let to = self.children.len();
        let mut best = Best::NONE;
        let busy = self
            .shared
            .busy
            .filter(|_| here.depth >= G::ORDERED_FROM + G::SHARED_FROM);
        for again in [false, true] {
            let mut deferred = false;
            let turn = if again { self.own } else { 0 };
            for step in 0..to - from {
                let at = from + (step + turn) % (to - from);
                if !again && at < from + PICKED {
                    pick(&mut self.children[at..to]);
                }
                let child = self.children[at];
                if again && !child.deferred {
                    continue;
                }
                let position = self.played(here.position, &child, from);
                let mut below = self.below(here, &position, Some(child.mv));
                if here.kind == Kind::Principal {
                    below.kind = if at > from {
                        Kind::Cut
                    } else {
                        Kind::Principal
                    };
                }
                let mark = below.key ^ u64::from(below.depth);
                let mut place = None;
                if let Some(busy) = busy.filter(|_| at > from || here.kind == Kind::All) {
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

    /// Returns the value of a child from its parent's point of view, in the parent's current window.
    #[inline]
    fn child(&mut self, child: Here<'_, G::Position>, alpha: i32, beta: i32, first: bool) -> i32 {
        if first || alpha + 1 >= beta {
            return -self.search(child, Window::new(alpha, beta).turned());
        }
        let score = -self.search(child, Window::new(alpha, alpha + 1).turned());
        if score <= alpha || score >= beta || self.stopped {
            return score;
        }
        // The score is a lower bound, and may equal the value.
        let alpha = score - 1;
        -self.search(child, Window::new(alpha, beta).turned())
    }

    /// Checks the clock at intervals. Returns true if the search must stop.
    #[inline]
    fn told_to_stop(&mut self) -> bool {
        if self.counters.nodes >= self.next_check {
            self.next_check = self.counters.nodes + NODES_PER_CHECK;
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

/// Number of children that are selected in order. The order of later children rarely matters.
const PICKED: usize = 16;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::tests::random_position;
    use crate::games::reversi::{Evaluation, Representation, Rows};
    use crate::search::alpha_beta;
    use crate::words::Params;

    #[test]
    fn threads_share_the_children_of_the_lowest_ordered_node_on_a_large_board() {
        let evaluation = Evaluation::new("16x16".parse().unwrap(), &Params::new()).unwrap();
        let game = Rows::<u16, 16>::new(&evaluation);
        let board = game.load(&random_position(evaluation.size(), 60, 1));
        let mut table = Table::new(1 << 20);
        table.clear(1 << 14);
        let shared = Shared {
            table: &table,
            busy: Some(&Busy::new()),
            stop: &AtomicBool::new(false),
            deadline: None,
            ablated: None,
        };
        let search = || {
            let mut worker = Worker::new(&game, &shared);
            let found = worker.root(&board, 0, 3, None).unwrap();
            (found, worker.counters.nodes)
        };
        let ((value, best), alone) = search();
        assert_eq!(i64::from(value), alpha_beta(&game, &board, 3).value);
        let (after, nodes) = search();
        assert_eq!(after, (value, best));
        assert!(nodes * 10 < alone, "{nodes} nodes after {alone}");
    }
}
