//! Plays scalar playouts with frontier lists.

use super::{Playouts, Tally};
use crate::games::annexation::{
    Board, COLOURS, Draws, PLAYOUTS_A_DRAW, Player, Position, colour_of,
};
use crate::games::half_points;
use crate::random::{below, draw_key, playout_draw};

const OWNED: u8 = 1;

/// For each player, the flag that is set if the cell is or was on the player's frontier.
const SEEN: [u8; 2] = [2, 4];

/// Plays one playout at a time. For each player and colour, a list holds the unowned cells next to the player's cells.
///
/// A turn annexes the cells in the named colour's list and adds their neighbours to the lists. Neighbours of that
/// colour wait for a later turn. Each cell and edge is visited at most twice. A playout ends when it is decided.
#[derive(Clone, Debug)]
pub struct Frontiers {
    /// Number of cells. A start cell counts as all the cells that it stands for.
    cells: u32,
    starts: [u16; 2],
    more: [u32; 2],
    begins: Vec<u32>,
    /// The neighbours of all cells. The lower 16 bits hold a neighbour's index, and the upper bits its colour.
    neighbours: Vec<u32>,
    /// Index of the list for each player and colour. A list has space for one more entry than there are cells of its
    /// colour, because an entry is written before it is known to be new.
    lists: [[u32; COLOURS]; 2],
    scratch: Scratch,
}

#[derive(Clone, Debug)]
struct Scratch {
    state: Vec<u8>,
    entries: Vec<u16>,
    begins: [[u32; COLOURS]; 2],
    ends: [[u32; COLOURS]; 2],
    /// Number of unowned entries in each list. Updated only in playouts with legal colours.
    live: [[u32; COLOURS]; 2],
    owned: [u32; 2],
    /// The draws of the current block, one entry per turn. Draws are generated when a turn first needs them.
    drawn: Vec<[u32; 3]>,
}

impl Frontiers {
    /// Converts a board to lists of neighbours.
    pub fn new(board: &Board) -> Frontiers {
        let mut of_colour = [0_u32; COLOURS];
        let mut begins = vec![0];
        let mut neighbours = Vec::new();
        for cell in 0..board.cells() {
            of_colour[board.colour(cell)] += 1;
            for other in board.neighbours(cell) {
                let colour = board.colour(usize::from(*other)) as u32;
                neighbours.push(u32::from(*other) | colour << 16);
            }
            begins.push(neighbours.len() as u32);
        }
        let mut lists = [[0; COLOURS]; 2];
        let mut end = 0;
        for list in lists.iter_mut() {
            for colour in 0..COLOURS {
                list[colour] = end;
                end += of_colour[colour] + 1;
            }
        }
        Frontiers {
            cells: board.counted_cells(),
            more: board.start_cells.map(|cells| cells - 1),
            starts: board.starts().map(|cell| cell as u16),
            begins,
            neighbours,
            lists,
            scratch: Scratch {
                state: vec![0; board.cells()],
                entries: vec![0; end as usize],
                begins: lists,
                ends: lists,
                live: [[0; COLOURS]; 2],
                owned: [0; 2],
                drawn: Vec::new(),
            },
        }
    }

    /// Plays the requested playouts, as the technique `serial` does.
    pub fn tally(&mut self, playouts: &Playouts) -> Tally {
        let draws = Draws::new(playouts.seed);
        let mut tally = Tally::default();
        let mut block = None;
        for playout in playouts.first..playouts.end() {
            if block != Some(playout / PLAYOUTS_A_DRAW) {
                block = Some(playout / PLAYOUTS_A_DRAW);
                self.scratch.drawn.clear();
            }
            let bit = (playout % PLAYOUTS_A_DRAW) as u32;
            self.begin::<false>((0..).zip(self.starts));
            for turn in 0..playouts.turns {
                let words = match self.scratch.drawn.get(turn as usize) {
                    Some(words) => *words,
                    None => {
                        let words = draws.words(playout / PLAYOUTS_A_DRAW, turn);
                        self.scratch.drawn.push(words);
                        words
                    }
                };
                let mover = turn as usize % 2;
                self.name::<false>(mover, colour_of(words, bit));
                if self.is_decided(mover) {
                    break;
                }
            }
            self.count(&mut tally);
        }
        tally
    }

    /// Plays the playouts with legal colours only. At turn t, [`below`] maps [`playout_draw`] to a legal colour.
    pub fn tally_legal(&mut self, playouts: &Playouts) -> Tally {
        let key = draw_key(playouts.seed);
        let mut tally = Tally::default();
        for playout in playouts.first..playouts.end() {
            self.begin::<true>((0..).zip(self.starts));
            for turn in 0..playouts.turns {
                let mover = turn as usize % 2;
                let live = &self.scratch.live[mover];
                let legal = live.iter().filter(|live| **live > 0).count() as u32;
                let chosen = below(playout_draw(key, playout, turn), legal);
                let mut colours = (0..COLOURS).filter(|colour| live[*colour] > 0);
                let Some(colour) = colours.nth(chosen as usize) else {
                    continue;
                };
                self.name::<true>(mover, colour);
                if self.is_decided(mover) {
                    break;
                }
            }
            self.count(&mut tally);
        }
        tally
    }

    fn count(&self, tally: &mut Tally) {
        let [first, second] = self.scratch.owned;
        match half_points(first, second) {
            2 => tally.wins += 1,
            1 => tally.draws += 1,
            _ => tally.losses += 1,
        }
    }

    /// Plays one playout from a position in a tree. Returns the half points of that position's mover (win 2, draw 1).
    pub fn play_from(&mut self, position: &Position, draws: &Draws, playout: u64) -> u32 {
        let own = position.mover().index();
        let owned = |player: Player| {
            let cells = position.owned(player);
            cells.map(move |cell| (player.index(), cell as u16))
        };
        let [first, second] = [Player::First, Player::Second].map(owned);
        self.begin::<false>(first.chain(second));
        for turn in 0..position.turns_left() {
            let mover = (own + turn as usize) % 2;
            self.name::<false>(mover, draws.colour(playout, turn));
            if self.is_decided(mover) {
                break;
            }
        }
        let owned = self.scratch.owned;
        half_points(owned[own], owned[1 - own])
    }

    /// Starts a playout in which the players own these cells.
    #[inline(always)]
    fn begin<const LEGAL: bool>(&mut self, owned: impl Iterator<Item = (usize, u16)> + Clone) {
        let scratch = &mut self.scratch;
        scratch.state.fill(0);
        (scratch.begins, scratch.ends) = (self.lists, self.lists);
        scratch.live = [[0; COLOURS]; 2];
        scratch.owned = self.more;
        let cells = owned.clone();
        cells.for_each(|(_, cell)| scratch.state[usize::from(cell)] = OWNED);
        owned.for_each(|(player, cell)| self.annex::<LEGAL>(player, cell));
    }

    #[inline(always)]
    fn name<const LEGAL: bool>(&mut self, mover: usize, colour: usize) {
        let begin = self.scratch.begins[mover][colour];
        let end = self.scratch.ends[mover][colour];
        self.scratch.begins[mover][colour] = end;
        for entry in begin..end {
            let cell = self.scratch.entries[entry as usize];
            let state = &mut self.scratch.state[usize::from(cell)];
            if *state & OWNED != 0 {
                continue;
            }
            *state |= OWNED;
            if LEGAL {
                for player in 0..2 {
                    let seen = *state & SEEN[player] != 0;
                    self.scratch.live[player][colour] -= u32::from(seen);
                }
            }
            self.annex::<LEGAL>(mover, cell);
        }
    }

    /// Counts a cell that a player now owns, and adds its unowned neighbours to the player's lists.
    #[inline(always)]
    fn annex<const LEGAL: bool>(&mut self, mover: usize, cell: u16) {
        let scratch = &mut self.scratch;
        scratch.owned[mover] += 1;
        let begin = self.begins[usize::from(cell)] as usize;
        let end = self.begins[usize::from(cell) + 1] as usize;
        for packed in &self.neighbours[begin..end] {
            let neighbour = *packed as u16;
            let colour = (packed >> 16) as usize % COLOURS;
            let state = &mut scratch.state[usize::from(neighbour)];
            let new = u32::from(*state & (OWNED | SEEN[mover]) == 0);
            *state |= SEEN[mover];
            // This is branch-free, because it is hard to predict whether a neighbour is new.
            let end = &mut scratch.ends[mover][colour];
            scratch.entries[*end as usize] = neighbour;
            *end += new;
            if LEGAL {
                scratch.live[mover][colour] += new;
            }
        }
    }

    /// Returns true if the player who moved last has more than half of the cells, or if all cells are owned.
    #[inline(always)]
    fn is_decided(&self, mover: usize) -> bool {
        let owned = self.scratch.owned;
        2 * owned[mover] > self.cells || owned[0] + owned[1] == self.cells
    }
}
