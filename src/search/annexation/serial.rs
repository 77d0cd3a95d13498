//! Scalar playouts over frontier lists.

use std::cmp::Ordering;

use super::Playouts;
use crate::games::annexation::{
    Board, COLOURS, Draws, Light, PLAYOUTS_A_DRAW, Player, Tally, colour_of,
};
use crate::random::{below, draw_key, playout_draw};

/// Somebody owns the cell.
const OWNED: u8 = 1;

/// The cell has been put on a player's frontier.
const SEEN: [u8; 2] = [2, 4];

/// Plays one playout at a time, over lists of each player's frontier: by colour, the unowned cells
/// next to the player's.
///
/// A turn takes the named colour's list and puts the neighbours of what it annexes on the lists, so
/// that a playout touches each cell and each edge twice at most, however many turns it has. Cells of
/// the named colour that come onto the list meanwhile wait for the next turn: they are next to cells
/// which the mover did not own before this one. What the opponent has annexed is left on the list and
/// skipped.
///
/// A playout ends as soon as one player has more than half of the cells, or all are owned: the rest
/// of its turns cannot change who wins.
#[derive(Clone, Debug)]
pub struct Frontiers {
    /// All that count, those that a start stands for too.
    cells: u32,
    starts: [u16; 2],
    /// Cells of each start besides the one.
    more: [u32; 2],
    /// Where each cell's entries begin in `neighbours`, and where the last one's end.
    begins: Vec<u32>,
    /// A neighbour's number, and its colour above the lower 16 bits.
    neighbours: Vec<u32>,
    /// Where each player's list for each colour begins. It has room for all cells of the colour and
    /// one more, because a cell is written before it is known whether it is new.
    lists: [[u32; COLOURS]; 2],
    scratch: Scratch,
}

/// One playout under way.
#[derive(Clone, Debug)]
struct Scratch {
    state: Vec<u8>,
    entries: Vec<u16>,
    begins: [[u32; COLOURS]; 2],
    ends: [[u32; COLOURS]; 2],
    /// Entries of each list that nobody owns yet; kept only where colours that annex something are
    /// asked for.
    live: [[u32; COLOURS]; 2],
    owned: [u32; 2],
    /// The draws of the block under way, by turn, as far as a playout went.
    drawn: Vec<[u32; 3]>,
}

impl Frontiers {
    /// Lays a board out.
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
            more: board.start_cells().map(|cells| cells - 1),
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

    /// Plays the playouts asked for: `serial`.
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
            self.begin::<false>();
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
            let [first, second] = self.scratch.owned;
            tally.count(first, second);
        }
        tally
    }

    /// Plays the playouts asked for with colours that annex something only, each of them equally
    /// likely: `serial-legal`. These are other playouts than [`Frontiers::tally`]'s.
    ///
    /// Of n such colours, in ascending order, the mover of playout k at turn t names the one that
    /// [`below`] picks from [`playout_draw`]. Where there are none, the turn changes nothing.
    pub fn tally_legal(&mut self, playouts: &Playouts) -> Tally {
        let key = draw_key(playouts.seed);
        let mut tally = Tally::default();
        for playout in playouts.first..playouts.end() {
            self.begin::<true>();
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
            let [first, second] = self.scratch.owned;
            tally.count(first, second);
        }
        tally
    }

    /// Plays one playout from a position of a tree on this board. Returns the half points of the side to
    /// move there: 2 for a win, 1 for a draw.
    pub fn play_from(&mut self, position: &Light, draws: &Draws, playout: u64) -> u32 {
        let own = position.mover().index();
        self.begin_from(position);
        for turn in 0..position.turns_left() {
            let mover = (own + turn as usize) % 2;
            self.name::<false>(mover, draws.colour(playout, turn));
            if self.is_decided(mover) {
                break;
            }
        }
        let owned = self.scratch.owned;
        match owned[own].cmp(&owned[1 - own]) {
            Ordering::Greater => 2,
            Ordering::Equal => 1,
            Ordering::Less => 0,
        }
    }

    /// A playout's start where each player owns what it owns in a position.
    fn begin_from(&mut self, position: &Light) {
        let scratch = &mut self.scratch;
        scratch.state.fill(0);
        (scratch.begins, scratch.ends) = (self.lists, self.lists);
        scratch.owned = self.more;
        let players = [Player::First, Player::Second];
        for cell in players
            .into_iter()
            .flat_map(|player| position.owned(player))
        {
            scratch.state[cell] = OWNED;
        }
        for player in players {
            for cell in position.owned(player) {
                self.annex::<false>(player.index(), cell as u16);
            }
        }
    }

    /// The start of a playout: each player owns one cell.
    #[inline(always)]
    fn begin<const LEGAL: bool>(&mut self) {
        let scratch = &mut self.scratch;
        scratch.state.fill(0);
        (scratch.begins, scratch.ends) = (self.lists, self.lists);
        scratch.live = [[0; COLOURS]; 2];
        scratch.owned = self.more;
        for cell in self.starts {
            scratch.state[usize::from(cell)] = OWNED;
        }
        for player in [Player::First, Player::Second] {
            self.annex::<LEGAL>(player.index(), self.starts[player.index()]);
        }
    }

    /// The mover names a colour.
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

    /// Counts a cell that the mover has just annexed, and puts its unowned neighbours on the mover's
    /// lists.
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
            // No branch: whether a neighbour is new is nearly a coin's toss.
            let end = &mut scratch.ends[mover][colour];
            scratch.entries[*end as usize] = neighbour;
            *end += new;
            if LEGAL {
                scratch.live[mover][colour] += new;
            }
        }
    }

    /// Whether the last mover has more than half of the cells, or all are owned.
    #[inline(always)]
    fn is_decided(&self, mover: usize) -> bool {
        let owned = self.scratch.owned;
        2 * owned[mover] > self.cells || owned[0] + owned[1] == self.cells
    }
}
