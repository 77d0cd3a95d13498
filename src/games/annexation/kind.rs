//! Generates the boards of the experiments from a kind and a number.

use super::{Board, BoardError, COLOURS};
use crate::random::{BLOCK_ROUNDS, below, block_key, philox4x32};
use crate::words::worded;

/// Number of boards of each kind. Their numbers are 0 to 15.
pub const BOARDS_A_KIND: u32 = 16;

const COLOURING: u32 = 1;

/// A kind of board. Every second row of its hexagonal cells is shifted right by half a cell. The paper's boards have
/// "around 200 cells on average", and the largest have 1,000. The paper's game merges adjacent cells of equal colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The board in the paper's picture: one cell and the six cells around it.
    Hex7,
    /// 14 x 14 cells.
    Hex200,
    /// 31 x 32 cells.
    Hex1000,
    /// 17 x 18 cells before merging, about 200 after merging.
    Hex200Merged,
    /// 37 x 40 cells before merging, about 1,000 after merging.
    Hex1000Merged,
}

impl Kind {
    /// Returns the kind with this name.
    pub fn parse(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == name)
    }

    /// Returns each hexagon's column and row before merging. Columns ignore row shifts. Hexagon 0 is at the top left.
    pub fn hexagons(self) -> Vec<(u32, u32)> {
        let (width, height) = match self {
            // The middle row has three cells. The shifted rows above and below it have two cells each.
            Kind::Hex7 => return vec![(0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (0, 3), (1, 3)],
            Kind::Hex200 => (14, 14),
            Kind::Hex1000 => (31, 32),
            Kind::Hex200Merged => (17, 18),
            Kind::Hex1000Merged => (37, 40),
        };
        let row = |y| (0..width).map(move |x| (x, y));
        (0..height).flat_map(row).collect()
    }

    /// Returns board number `number` of this kind and, for each hexagon, the cell that contains it. Never fails.
    ///
    /// A hexagon's colour is the highest three bits of the first word from Philox4x32. The key is the board's number,
    /// and the counter is (hexagon, kind, attempt, 1). The players start in the first and the last hexagon. If merging
    /// joins these two, the next attempt is used.
    pub fn board(self, number: u32) -> Result<(Board, Vec<u16>), BoardError> {
        let hexagons = self.hexagons();
        let edges = touching(&hexagons);
        let mut attempt = 0;
        loop {
            let colours = (0..hexagons.len() as u32).map(|it| self.colour(number, it, attempt));
            let colours: Vec<u64> = colours.collect();
            let merges = matches!(self, Kind::Hex200Merged | Kind::Hex1000Merged);
            let cells = merged(&colours, if merges { &edges } else { &[] });
            let (first, last) = (cells[0], cells[cells.len() - 1]);
            if first != last {
                let mut of_cells = vec![0; cells.iter().max().map_or(0, |last| last + 1)];
                for (cell, colour) in cells.iter().zip(&colours) {
                    of_cells[*cell] = *colour;
                }
                let edges = edges.iter().map(|edge| edge.map(|it| cells[it] as u64));
                let edges: Vec<[u64; 2]> = edges.filter(|[a, b]| a != b).collect();
                let board = Board::new(&of_cells, &edges, [first as u64, last as u64])?;
                return Ok((board, cells.iter().map(|cell| *cell as u16).collect()));
            }
            attempt += 1;
        }
    }

    fn colour(self, number: u32, hexagon: u32, attempt: u32) -> u64 {
        let kind = Kind::ALL.iter().position(|kind| *kind == self);
        let counter = [hexagon, kind.unwrap_or_default() as u32, attempt, COLOURING];
        let [word, ..] = philox4x32(counter, block_key(u64::from(number)), BLOCK_ROUNDS);
        u64::from(below(word, COLOURS as u32))
    }
}

worded! {
    Kind {
        Hex7 "hex7"
        Hex200 "hex200"
        Hex1000 "hex1000"
        Hex200Merged "hex200-merged"
        Hex1000Merged "hex1000-merged"
    }
}

/// Returns the pairs of adjacent hexagons. Horizontally, their centres are 2 half-cells apart, or 1 in different rows.
fn touching(hexagons: &[(u32, u32)]) -> Vec<[usize; 2]> {
    let centre = |(x, y): (u32, u32)| (2 * x + y % 2, y);
    let mut edges = Vec::new();
    for (a, first) in hexagons.iter().enumerate() {
        for (b, second) in hexagons.iter().enumerate().skip(a + 1) {
            let (first, second) = (centre(*first), centre(*second));
            let apart = (first.0.abs_diff(second.0), first.1.abs_diff(second.1));
            if matches!(apart, (2, 0) | (1, 1)) {
                edges.push([a, b]);
            }
        }
    }
    edges
}

/// Returns, for each hexagon, its cell after merging. Cells are numbered in the order of their first hexagons.
fn merged(colours: &[u64], edges: &[[usize; 2]]) -> Vec<usize> {
    let mut firsts: Vec<usize> = (0..colours.len()).collect();
    for [a, b] in edges.iter().filter(|[a, b]| colours[*a] == colours[*b]) {
        let (first, other) = (firsts[*a].min(firsts[*b]), firsts[*a].max(firsts[*b]));
        let others = firsts.iter_mut().filter(|own| **own == other);
        others.for_each(|own| *own = first);
    }
    let mut numbers = firsts.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let number = |first: &usize| numbers.partition_point(|own| own < first);
    firsts.iter().map(number).collect()
}
