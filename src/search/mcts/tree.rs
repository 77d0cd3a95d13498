//! Grows a tree: stores its nodes and the positions of nodes without children, and selects and credits batches.

use rayon::prelude::*;

use super::batch::{Batch, Due, From};
use super::deal::{Dealer, Hand, Hands};
use super::formula::Formula;
use super::lone::Reached;
use super::nodes::{Link, MOST_NODES, Nodes};
use super::slots::{End, Open, Slot, Spot};
use crate::games::TreeRules;
use crate::random::{BLOCK_ROUNDS, block_key, philox4x32};

/// Parameters of a tree search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uct {
    /// The exploration constant c of UCT.
    pub c: f64,
    /// Whether a batch is selected while the previous batch is played, instead of after the previous batch is credited.
    pub overlap: bool,
    /// Capacity of the tree in nodes. A full tree stops growing, and games start from existing leaves.
    pub most_nodes: usize,
    /// Seed for the order of untried moves.
    pub seed: u64,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grown {
    /// Number of leaves selected below each root move, in the game's order. Empty if the game is over.
    pub visits: Vec<u64>,
    /// Number of positions in the tree, including the root.
    pub nodes: u64,
    /// Number of plies from the root to the deepest position.
    pub depth: u64,
    /// Number of random games played.
    pub playouts: u64,
    /// Number of plies in the random games.
    pub plies: u64,
}

impl Grown {
    /// Returns the index of the first move with the most visits, or `None` if there are no moves.
    pub fn best(&self) -> Option<usize> {
        let places = 0..self.visits.len();
        places.reduce(|best, place| match self.visits[place] > self.visits[best] {
            true => place,
            false => best,
        })
    }
}

pub(super) struct Tree<P> {
    nodes: Nodes,
    open: Vec<Open<P>>,
    /// Free places in `open`.
    places: Vec<u32>,
    formula: Formula,
    /// Number of half points for a leaf if all its games are won.
    all_won: u64,
    most_nodes: u64,
    key: u32,
    pub in_pool: bool,
    selected: u32,
    hand: Hand,
    /// Hands of other threads.
    hands: Hands,
    arrivals: Vec<u32>,
    slots: Vec<Slot<P>>,
    slot_of: Vec<u32>,
    /// For each slot, the number of half points that all earlier slots together add to nodes at even depth.
    sums: Vec<u64>,
    path: Vec<u32>,
}

const CREDITED_AT_ONCE: usize = 1024;

const ROOT: u32 = 0;
const FIRST_BLOCK: u32 = 1;

impl<P: Clone + Send + Sync> Tree<P> {
    pub fn new(uct: &Uct, playouts: u32) -> Tree<P> {
        let most_nodes = uct.most_nodes.min(MOST_NODES);
        Tree {
            nodes: Nodes::new(most_nodes),
            open: Vec::new(),
            places: Vec::new(),
            formula: Formula::new(uct.c, playouts),
            all_won: 2 * u64::from(playouts),
            most_nodes: most_nodes as u64,
            // The key for the games' random numbers is derived with a different counter.
            key: philox4x32([0, 0, 0, 1], block_key(uct.seed), BLOCK_ROUNDS)[0],
            in_pool: false,
            selected: 0,
            hand: Hand::default(),
            hands: Hands::default(),
            arrivals: Vec::new(),
            slots: Vec::new(),
            slot_of: Vec::new(),
            sums: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Starts a new tree. The root starts with one visit, because every other node is created by a visit.
    pub fn plant(&mut self, root: &P, moves: u32) {
        self.nodes.clear();
        self.open.clear();
        self.places.clear();
        self.slots.clear();
        self.selected = 0;
        let position = root.clone();
        self.open.push(Open { position, moves });
        let mut chunk = 0..0;
        // The root gets children even if the capacity is too small.
        if self.nodes.add(&mut chunk, moves + 2) == Some(ROOT) {
            self.nodes.at(ROOT).set_visits(1);
            self.nodes.at(ROOT).set_link(Link::Block(FIRST_BLOCK));
            self.nodes.at(FIRST_BLOCK).set_visits(moves);
        }
        let hand = &mut self.hand;
        (hand.made, hand.depth, hand.chunk) = (1, 0, chunk);
        hand.allocated = u64::from(moves) + 2;
        for hand in self.hands.all() {
            hand.chunk = 0..0;
        }
    }

    /// Selects `size` leaves, and stores them in the empty `batch`.
    pub fn select<G>(&mut self, game: &G, size: u32, batch: &mut Batch<P>)
    where
        G: TreeRules<Position = P>,
    {
        self.make_room(size);
        let visits = self.selected.saturating_add(size);
        self.formula.cover(visits.saturating_add(1));
        let mut seen = std::mem::take(&mut batch.seen);
        let hands = std::iter::once(&mut self.hand).chain(self.hands.all());
        hands.for_each(|hand| hand.seen = seen.pop().unwrap_or_default());
        let dealer = Dealer {
            game,
            nodes: &self.nodes,
            open: &self.open,
            places: &self.places,
            formula: &self.formula,
            key: self.key,
            before: self.selected,
            is_full: self.hand.allocated >= self.most_nodes,
            in_pool: self.in_pool,
            hands: &self.hands,
        };
        let (arrivals, slots) = (&mut self.arrivals, &mut self.slots);
        let mut deal = || dealer.deal(arrivals, slots, &mut self.hand);
        if self.in_pool {
            // The next batch may be a quarter larger.
            let next = visits.saturating_add(2 * size);
            let ((), ahead) = rayon::join(deal, || self.formula.ahead(next));
            self.formula.append(ahead);
        } else {
            deal();
        }
        self.selected += size;
        for hand in self.hands.all() {
            self.hand.absorb(hand);
            seen.push(std::mem::take(&mut hand.seen));
        }
        seen.push(std::mem::take(&mut self.hand.seen));
        batch.seen = seen;
        self.gather(batch);
    }

    /// Selects one leaf as [`select`](Self::select) does, but without slots and sums. Returns its position or, if the
    /// game is over, the half points of the side that moved there.
    pub fn select_one<G>(&mut self, game: &G) -> Result<&P, u32>
    where
        G: TreeRules<Position = P>,
    {
        // The root's visit count is one larger than the number of leaves.
        self.formula.cover(self.selected + 1);
        let Tree { hand, path, .. } = self;
        let dealer = Dealer {
            game,
            nodes: &self.nodes,
            open: &self.open,
            places: &[],
            formula: &self.formula,
            key: self.key,
            before: self.selected,
            is_full: hand.allocated >= self.most_nodes,
            in_pool: false,
            hands: &self.hands,
        };
        self.selected += 1;
        let made = match dealer.descend_alone(path, hand) {
            Reached::Made(made) => made,
            Reached::Again(place) => return Ok(&self.open[place as usize].position),
            Reached::Over(points) => return Err(points),
        };
        let place = match self.places.pop() {
            Some(place) => {
                self.open[place as usize] = made;
                place
            }
            None => {
                self.open.push(made);
                self.open.len() as u32 - 1
            }
        };
        let leaf = path.last().copied().unwrap_or(ROOT);
        self.nodes.at(leaf).set_link(Link::Open(place));
        Ok(&self.open[place as usize].position)
    }

    /// Credits the descent of [`select_one`](Self::select_one).
    pub fn credit_one(&self, from: From, points: &[u32]) {
        let mut own = self.own(from, points);
        for node in self.path.iter().rev() {
            self.nodes.at(*node).add(own);
            own = self.all_won - own;
        }
    }

    fn make_room(&mut self, size: u32) {
        let count = size as usize;
        self.arrivals.clear();
        self.arrivals.extend(0..size);
        self.slot_of.resize(count, 0);
        let Open { position, moves } = &self.open[0];
        let (position, moves) = (position.clone(), *moves);
        self.slots.resize(
            count,
            Slot {
                position: position.clone(),
                moves,
                arrival: 0,
                depth: 0,
                end: End::Again,
            },
        );
        while self.places.len() < count {
            self.places.push(self.open.len() as u32);
            let position = position.clone();
            self.open.push(Open { position, moves });
        }
    }

    /// Moves the positions of new nodes and the batch's leaves out of the slots.
    fn gather(&mut self, batch: &mut Batch<P>) {
        let mut kept = 0;
        batch.due.clear();
        for (at, slot) in self.slots.iter().enumerate() {
            self.slot_of[slot.arrival as usize] = at as u32;
            let place = self.places[at];
            if slot.end == End::Made {
                let open = &mut self.open[place as usize];
                open.position.clone_from(&slot.position);
                open.moves = slot.moves;
            } else {
                self.places[kept] = place;
                kept += 1;
            }
            batch.due.push(Due {
                odd: slot.depth % 2 != 0,
                from: match slot.end {
                    End::Over(points) => From::Over(points),
                    End::Made | End::Again => From::Leaf(0),
                },
            });
        }
        self.places.drain(kept..self.slots.len());
        for at in &self.slot_of {
            let due = &mut batch.due[*at as usize];
            if let From::Leaf(number) = &mut due.from {
                *number = batch.leaves.len() as u32;
                batch.leaves.push(self.slots[*at as usize].position.clone());
            }
        }
    }

    /// Credits a batch's descents. `points` holds the half points of each leaf's side to move.
    pub fn credit(&mut self, batch: &Batch<P>, points: &[u32]) {
        let mut sum = 0;
        self.sums.clear();
        self.sums.push(0);
        for due in &batch.due {
            let own = self.own(due.from, points);
            sum += if due.odd { self.all_won - own } else { own };
            self.sums.push(sum);
        }
        let credit = |spots: &[Spot]| {
            for spot in spots {
                let even = self.sums[spot.end as usize] - self.sums[spot.start as usize];
                let points = match spot.depth % 2 {
                    0 => even,
                    _ => u64::from(spot.end - spot.start) * self.all_won - even,
                };
                self.nodes.at(spot.node).add(points);
            }
        };
        match self.in_pool {
            true => {
                let parts = batch.seen.par_iter();
                parts
                    .flat_map(|spots| spots.par_chunks(CREDITED_AT_ONCE))
                    .for_each(credit);
            }
            false => batch.seen.iter().for_each(|spots| credit(spots)),
        }
    }

    /// Returns the half points of the side that moved to the end of a descent.
    fn own(&self, from: From, points: &[u32]) -> u64 {
        match from {
            From::Leaf(leaf) => self.all_won - u64::from(points[leaf as usize]),
            From::Over(points) => u64::from(points) * self.all_won / 2,
        }
    }

    /// Returns the result of the search, without the counts of its games.
    pub fn grown(&self) -> Grown {
        let (_, children) = self.nodes.block(FIRST_BLOCK);
        Grown {
            visits: children.iter().map(|child| child.visits().into()).collect(),
            nodes: self.hand.made.into(),
            depth: self.hand.depth.into(),
            ..Grown::default()
        }
    }
}
