//! Scalar playouts with frontier lists.

use super::{Playouts, Tally};
use crate::games::annexation::{
    Board, COLOURS, Draws, PLAYOUTS_A_DRAW, Player, Position, colour_of,
};
use crate::games::half_points;
use crate::random::{below, draw_key, playout_draw};

const OWNED: u8 = 1;

/// Flags, by player: the cell is or was on the player's frontier.
const SEEN: [u8; 2] = [2, 4];

/// Plays one playout at a time with lists, for each player and colour, of the unowned cells next to the player's.
///
/// A turn takes the named colour's list and adds the annexed cells' neighbours; those of the named colour wait for the
/// next turn. Each cell and edge is visited at most twice. A playout ends when its winner is certain.
#[derive(Clone, Debug)]
pub struct Frontiers {
    /// All cells, including those that a start stands for.
    cells: u32,
    starts: [u16; 2],
    more: [u32; 2],
    begins: Vec<u32>,
    /// Neighbours: the number in the lower 16 bits, the colour above.
    neighbours: Vec<u32>,
    /// Index of each player's list for each colour. A list has space for one entry more than the colour's cells,
    /// because an entry is written before it is known to be new.
    lists: [[u32; COLOURS]; 2],
    /// The playout in progress, from here on.
    state: Vec<u8>,
    entries: Vec<u16>,
    /// The part of each list that its player has not named yet.
    heads: [[u32; COLOURS]; 2],
    ends: [[u32; COLOURS]; 2],
    /// Unowned entries of each list; maintained only for playouts with legal colours.
    live: [[u32; COLOURS]; 2],
    owned: [u32; 2],
    /// The draws of the current block, by turn, as far as they were needed. They keep their memory between samples.
    drawn: Vec<[u32; 3]>,
}

impl Frontiers {
    /// Converts a board.
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
            state: vec![0; board.cells()],
            entries: vec![0; end as usize],
            heads: lists,
            ends: lists,
            live: [[0; COLOURS]; 2],
            owned: [0; 2],
            drawn: Vec::new(),
        }
    }

    /// Plays the requested playouts: the technique `serial`.
    pub fn tally(&mut self, playouts: &Playouts) -> Tally {
        let draws = Draws::new(playouts.seed);
        let (mut block, mut drawn) = (None, std::mem::take(&mut self.drawn));
        let tally = self.play_all::<false>(playouts, |_, playout, turn| {
            let own = playout / PLAYOUTS_A_DRAW;
            if block != Some(own) {
                block = Some(own);
                drawn.clear();
            }
            let words = drawn.get(turn as usize).copied().unwrap_or_else(|| {
                let words = draws.words(own, turn);
                drawn.push(words);
                words
            });
            Some(colour_of(words, (playout % PLAYOUTS_A_DRAW) as u32))
        });
        self.drawn = drawn;
        tally
    }

    /// Plays with legal colours only: at turn t, the legal colour that [`below`] selects by [`playout_draw`].
    pub fn tally_legal(&mut self, playouts: &Playouts) -> Tally {
        let key = draw_key(playouts.seed);
        self.play_all::<true>(playouts, |live, playout, turn| {
            let legal = live.iter().filter(|live| **live > 0).count() as u32;
            let chosen = below(playout_draw(key, playout, turn), legal);
            let mut colours = (0..COLOURS).filter(|colour| live[*colour] > 0);
            colours.nth(chosen as usize)
        })
    }

    /// Plays the requested playouts. `name` gets the mover's live entries of each colour, the playout and the turn.
    #[inline(always)]
    fn play_all<const LEGAL: bool>(
        &mut self,
        playouts: &Playouts,
        mut name: impl FnMut(&[u32; COLOURS], u64, u32) -> Option<usize>,
    ) -> Tally {
        let mut tally = Tally::default();
        for playout in playouts.first..playouts.end() {
            self.begin::<LEGAL>((0..).zip(self.starts));
            self.play::<LEGAL>(0, playouts.turns, |live, turn| name(live, playout, turn));
            let [first, second] = self.owned;
            match half_points(first, second) {
                2 => tally.wins += 1,
                1 => tally.draws += 1,
                _ => tally.losses += 1,
            }
        }
        tally
    }

    /// Plays one playout from a position of a tree. Returns half points of its side to move: 2 a win, 1 a draw.
    pub fn play_from(&mut self, position: &Position, draws: &Draws, playout: u64) -> u32 {
        let own = position.mover().index();
        let owned = |player: Player| {
            let cells = position.owned(player);
            cells.map(move |cell| (player.index(), cell as u16))
        };
        let [first, second] = [Player::First, Player::Second].map(owned);
        self.begin::<false>(first.chain(second));
        self.play::<false>(own, position.turns_left(), |_, turn| {
            Some(draws.colour(playout, turn))
        });
        let owned = self.owned;
        half_points(owned[own], owned[1 - own])
    }

    /// Plays turns until the winner is certain. Without a colour a turn passes.
    #[inline(always)]
    fn play<const LEGAL: bool>(
        &mut self,
        first: usize,
        turns: u32,
        mut name: impl FnMut(&[u32; COLOURS], u32) -> Option<usize>,
    ) {
        for turn in 0..turns {
            let mover = (first + turn as usize) % 2;
            let Some(colour) = name(&self.live[mover], turn) else {
                continue;
            };
            self.name::<LEGAL>(mover, colour);
            if self.is_decided(mover) {
                break;
            }
        }
    }

    /// Starts a playout in which players own these cells.
    #[inline(always)]
    fn begin<const LEGAL: bool>(&mut self, owned: impl Iterator<Item = (usize, u16)> + Clone) {
        self.state.fill(0);
        (self.heads, self.ends) = (self.lists, self.lists);
        self.live = [[0; COLOURS]; 2];
        self.owned = self.more;
        let cells = owned.clone();
        cells.for_each(|(_, cell)| self.state[usize::from(cell)] = OWNED);
        owned.for_each(|(player, cell)| self.annex::<LEGAL>(player, cell));
    }

    #[inline(always)]
    fn name<const LEGAL: bool>(&mut self, mover: usize, colour: usize) {
        let begin = self.heads[mover][colour];
        let end = self.ends[mover][colour];
        self.heads[mover][colour] = end;
        for entry in begin..end {
            let cell = self.entries[entry as usize];
            let state = &mut self.state[usize::from(cell)];
            if *state & OWNED != 0 {
                continue;
            }
            *state |= OWNED;
            if LEGAL {
                for player in 0..2 {
                    let seen = *state & SEEN[player] != 0;
                    self.live[player][colour] -= u32::from(seen);
                }
            }
            self.annex::<LEGAL>(mover, cell);
        }
    }

    /// Counts a cell that the mover annexed, and adds its unowned neighbours to the mover's lists.
    #[inline(always)]
    fn annex<const LEGAL: bool>(&mut self, mover: usize, cell: u16) {
        self.owned[mover] += 1;
        let begin = self.begins[usize::from(cell)] as usize;
        let end = self.begins[usize::from(cell) + 1] as usize;
        for packed in &self.neighbours[begin..end] {
            let neighbour = *packed as u16;
            let colour = (packed >> 16) as usize % COLOURS;
            let state = &mut self.state[usize::from(neighbour)];
            let new = u32::from(*state & (OWNED | SEEN[mover]) == 0);
            *state |= SEEN[mover];
            // Branch-free, because whether a neighbour is new is hard to predict.
            let end = &mut self.ends[mover][colour];
            self.entries[*end as usize] = neighbour;
            *end += new;
            if LEGAL {
                self.live[mover][colour] += new;
            }
        }
    }

    /// True if the last mover has more than half of the cells, or all are owned.
    #[inline(always)]
    fn is_decided(&self, mover: usize) -> bool {
        let owned = self.owned;
        2 * owned[mover] > self.cells || owned[0] + owned[1] == self.cells
    }
}
