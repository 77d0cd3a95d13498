/// Number of colours. Colours are numbered from 0 to 7.
pub const COLOURS: usize = 8;

/// Number of bits per word in a set of cells.
pub(super) const BITS: usize = u64::BITS as usize;

/// Maximum number of cells on a board. Cell numbers must fit in 16 bits.
pub const MOST_CELLS: usize = 1 << 16;

/// A board: its coloured cells, their neighbours, and both starting cells. Kernels use the neighbour lists unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    colours: Vec<u8>,
    /// For each cell, the index of its first neighbour in `neighbours`. The last entry is the length of `neighbours`.
    begins: Vec<u32>,
    neighbours: Vec<u16>,
    starts: [u16; 2],
    /// Number of cells that each start stands for. It is 1 except on a board from [`super::Position::rest`].
    pub start_cells: [u32; 2],
    /// For each colour, the set of its cells: [`Board::words`] words with one bit per cell.
    of_colour: Vec<u64>,
}

/// The reason why a board is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct BoardError {
    pub(super) place: Place,
    problem: String,
}

/// The part of the board that is invalid, with its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Board,
    Colour(usize),
    Edge(usize),
    Starts,
}

impl Board {
    /// Creates a board with these colours, edges and starts. Edges are undirected, and duplicates count once. A cell
    /// that no player can reach never gets an owner. Fails at the first error, in the order colours, edges, starts.
    pub fn new(colours: &[u64], edges: &[[u64; 2]], starts: [u64; 2]) -> Result<Self, BoardError> {
        let cells = colours.len();
        let refuse = |place, problem| BoardError { place, problem };
        if !(2..=MOST_CELLS).contains(&cells) {
            let problem = format!("{cells} cells; allowed are 2 to {MOST_CELLS}");
            return Err(refuse(Place::Board, problem));
        }
        let most = COLOURS as u64 - 1;
        if let Some(cell) = colours.iter().position(|colour| *colour > most) {
            let colour = colours[cell];
            let problem = format!("colour {colour} of cell {cell}; allowed are 0 to {most}");
            return Err(refuse(Place::Colour(cell), problem));
        }
        let check = |place, what, pair: [u64; 2]| {
            let missing = pair.into_iter().find(|cell| *cell >= cells as u64);
            let problem = match missing {
                Some(cell) => format!("{what} {cell}; there are cells 0 to {}", cells - 1),
                None if pair[0] != pair[1] => return Ok(()),
                None => format!("{what} {} twice; the two cells must differ", pair[0]),
            };
            Err(refuse(place, problem))
        };
        let mut lists = vec![Vec::new(); cells];
        for (edge, [a, b]) in edges.iter().copied().enumerate() {
            check(Place::Edge(edge), "edge to cell", [a, b])?;
            lists[a as usize].push(b as u16);
            lists[b as usize].push(a as u16);
        }
        if let Some(cell) = lists.iter().position(Vec::is_empty) {
            let problem = format!("cell {cell} has no neighbours; each must have one at least");
            return Err(refuse(Place::Colour(cell), problem));
        }
        check(Place::Starts, "start", starts)?;
        let colours = colours.iter().map(|colour| *colour as u8).collect();
        let starts = starts.map(|cell| cell as u16);
        Ok(Board::laid_out(colours, lists, starts, [1; 2]))
    }

    /// Creates a board from symmetric lists of neighbours, in any order.
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
        let words = colours.len().div_ceil(BITS);
        let mut of_colour = vec![0; COLOURS * words];
        for (cell, colour) in colours.iter().enumerate() {
            of_colour[usize::from(*colour) * words + cell / BITS] |= 1 << (cell % BITS);
        }
        Board {
            colours,
            begins,
            neighbours,
            starts,
            start_cells,
            of_colour,
        }
    }

    /// Returns the number of words in a set of cells.
    pub(super) fn words(&self) -> usize {
        self.of_colour.len() / COLOURS
    }

    #[inline(always)]
    pub(super) fn of_colour(&self, colour: usize) -> &[u64] {
        &self.of_colour[colour * self.words()..][..self.words()]
    }

    /// Returns the number of cells. A start that stands for several cells counts as one.
    pub fn cells(&self) -> usize {
        self.colours.len()
    }

    /// Returns the number of cells that count towards the result.
    pub fn counted_cells(&self) -> u32 {
        self.cells() as u32 - 2 + self.start_cells.iter().sum::<u32>()
    }

    /// Returns a cell's colour, 0 to 7.
    pub fn colour(&self, cell: usize) -> usize {
        usize::from(self.colours[cell])
    }

    /// Returns the colours of all cells.
    pub fn colours(&self) -> &[u8] {
        &self.colours
    }

    /// Returns the neighbours of a cell, in ascending order.
    pub fn neighbours(&self, cell: usize) -> &[u16] {
        &self.neighbours[self.begins[cell] as usize..self.begins[cell + 1] as usize]
    }

    /// Returns the largest number of neighbours of any cell.
    pub fn most_neighbours(&self) -> usize {
        let each = (0..self.cells()).map(|cell| self.neighbours(cell).len());
        each.max().unwrap_or(0)
    }

    /// Returns each edge once, in ascending order. The smaller cell of an edge comes first.
    pub fn edges(&self) -> impl Iterator<Item = [u16; 2]> {
        (0..self.cells()).flat_map(move |cell| {
            let later = self.neighbours(cell).iter().copied();
            let later = later.filter(move |other| usize::from(*other) > cell);
            later.map(move |other| [cell as u16, other])
        })
    }

    /// Returns the starting cells of player 1 and player 2.
    pub fn starts(&self) -> [usize; 2] {
        self.starts.map(usize::from)
    }

    /// Returns the default number of turns: 60 for 7 cells, 200 for about 200 (as in the paper), 400 for about 1,000.
    pub fn default_turns(&self) -> u32 {
        match self.cells() {
            ..50 => 60,
            50..500 => 200,
            _ => 400,
        }
    }
}
