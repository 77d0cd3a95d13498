/// Colours that a cell may have: 0 to 7.
pub const COLOURS: usize = 8;

/// Cells that a board may have: their numbers fit 16 bits.
pub const MOST_CELLS: usize = 1 << 16;

/// A board: cells with a colour each, which of them are neighbours, and where the players begin.
///
/// The neighbours of all cells stand in one list, in ascending order cell by cell, so that a kernel
/// can take them as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    colours: Vec<u8>,
    /// Where each cell's neighbours begin in `neighbours`, and where the last one's end.
    begins: Vec<u32>,
    neighbours: Vec<u16>,
    starts: [u16; 2],
    /// How many cells each start counts as.
    start_cells: [u32; 2],
}

/// Why something is no board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Too few cells for two players, or more than can be numbered.
    #[error("{0} cells; allowed are 2 to {MOST_CELLS}")]
    Cells(usize),
    /// A colour beyond the eighth.
    #[error("colour {colour} of cell {cell}; allowed are 0 to {}", COLOURS - 1)]
    Colour {
        /// The cell.
        cell: usize,
        /// Its colour.
        colour: u64,
    },
    /// An edge to a cell that is not there.
    #[error("edge to cell {cell}; there are cells 0 to {}", cells - 1)]
    EdgeTo {
        /// The edge, counted from 0.
        edge: usize,
        /// The cell that it names.
        cell: u64,
        /// How many cells there are.
        cells: usize,
    },
    /// An edge from a cell to itself.
    #[error("edge from cell {cell} to itself; allowed are edges between two cells")]
    Loop {
        /// The edge, counted from 0.
        edge: usize,
        /// The cell.
        cell: u64,
    },
    /// A cell that no edge names, which nobody could ever annex.
    #[error("cell {cell} has no neighbours; each must have one at least")]
    Alone {
        /// The cell.
        cell: usize,
    },
    /// A start that is no cell.
    #[error("start {cell}; there are cells 0 to {}", cells - 1)]
    Start {
        /// Which player's, 0 or 1.
        player: usize,
        /// The cell that is named.
        cell: u64,
        /// How many cells there are.
        cells: usize,
    },
    /// Both players begin on one cell.
    #[error("both players start on cell {0}; they must start on different cells")]
    EqualStarts(u64),
}

impl Board {
    /// A board of its cells' colours, its edges and the start of each player. An edge stands for
    /// both directions; given twice, it counts once. The graph need not be connected: what no player
    /// can reach stays unowned.
    ///
    /// # Errors
    /// The first thing that is wrong: colours before edges, edges before starts.
    pub fn new(colours: &[u64], edges: &[[u64; 2]], starts: [u64; 2]) -> Result<Self, BoardError> {
        let cells = colours.len();
        if !(2..=MOST_CELLS).contains(&cells) {
            return Err(BoardError::Cells(cells));
        }
        for (cell, colour) in colours.iter().copied().enumerate() {
            if colour >= COLOURS as u64 {
                return Err(BoardError::Colour { cell, colour });
            }
        }
        let mut lists = vec![Vec::new(); cells];
        for (edge, [a, b]) in edges.iter().copied().enumerate() {
            if let Some(cell) = [a, b].into_iter().find(|cell| *cell >= cells as u64) {
                return Err(BoardError::EdgeTo { edge, cell, cells });
            }
            if a == b {
                return Err(BoardError::Loop { edge, cell: a });
            }
            lists[a as usize].push(b as u16);
            lists[b as usize].push(a as u16);
        }
        if let Some(cell) = lists.iter().position(Vec::is_empty) {
            return Err(BoardError::Alone { cell });
        }
        for (player, cell) in starts.into_iter().enumerate() {
            if cell >= cells as u64 {
                let start = BoardError::Start {
                    player,
                    cell,
                    cells,
                };
                return Err(start);
            }
        }
        if starts[0] == starts[1] {
            return Err(BoardError::EqualStarts(starts[0]));
        }
        let colours = colours.iter().map(|colour| *colour as u8).collect();
        let starts = starts.map(|cell| cell as u16);
        Ok(Board::laid_out(colours, lists, starts, [1; 2]))
    }

    /// A board of cells whose lists of neighbours, in any order, name each other. What a list names
    /// twice counts once.
    pub(super) fn laid_out(
        colours: Vec<u8>,
        lists: Vec<Vec<u16>>,
        starts: [u16; 2],
        start_cells: [u32; 2],
    ) -> Board {
        let mut begins = vec![0];
        let mut neighbours = Vec::new();
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            neighbours.extend(list);
            begins.push(neighbours.len() as u32);
        }
        Board {
            colours,
            begins,
            neighbours,
            starts,
            start_cells,
        }
    }

    /// How many cells it has. A start that stands for several is one of them.
    pub fn cells(&self) -> usize {
        self.colours.len()
    }

    /// How many cells each start counts as when the winner is told: 1, but where a position under
    /// way was made a board of its own ([`super::Position::rest`]).
    pub fn start_cells(&self) -> [u32; 2] {
        self.start_cells
    }

    /// All cells that count when the winner is told.
    pub fn counted_cells(&self) -> u32 {
        self.cells() as u32 - 2 + self.start_cells.iter().sum::<u32>()
    }

    /// A cell's colour, 0 to 7.
    pub fn colour(&self, cell: usize) -> usize {
        usize::from(self.colours[cell])
    }

    /// The colours of all cells.
    pub fn colours(&self) -> &[u8] {
        &self.colours
    }

    /// A cell's neighbours, in ascending order.
    pub fn neighbours(&self, cell: usize) -> &[u16] {
        &self.neighbours[self.begins[cell] as usize..self.begins[cell + 1] as usize]
    }

    /// The most neighbours that a cell has.
    pub fn most_neighbours(&self) -> usize {
        let each = (0..self.cells()).map(|cell| self.neighbours(cell).len());
        each.max().unwrap_or(0)
    }

    /// Each edge once, the smaller cell first, in ascending order.
    pub fn edges(&self) -> impl Iterator<Item = [u16; 2]> {
        (0..self.cells()).flat_map(move |cell| {
            let later = self.neighbours(cell).iter().copied();
            let later = later.filter(move |other| usize::from(*other) > cell);
            later.map(move |other| [cell as u16, other])
        })
    }

    /// The cells on which player 1 and player 2 begin.
    pub fn starts(&self) -> [usize; 2] {
        self.starts.map(usize::from)
    }

    /// The turns of a playout where nothing else is said: the paper's 60 for its 7 cells and "about
    /// 200" for about 200 cells, and 400 for about 1,000.
    pub fn default_turns(&self) -> u32 {
        match self.cells() {
            ..50 => 60,
            50..500 => 200,
            _ => 400,
        }
    }
}
