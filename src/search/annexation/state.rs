//! Stores the state of a group of bit-sliced playouts.

use super::Tally;
use super::counters::Counters;
use super::rows::{BANDS_A_LOOK, Rows};
use crate::games::annexation::{Board, Lanes};

#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) owned: [Vec<Lanes>; 2],
    /// The gains of waiting cells, which are applied after all other rows have been read.
    pub(super) gains: Vec<Lanes>,
    /// The open rows of each row group: the ascending indices of the rows whose cells a player may still gain.
    pub(super) open: [Vec<Vec<u16>>; 2],
    /// Playouts that are decided or were not requested.
    pub(super) decided: Lanes,
    /// For each player, the outermost band in which the player owns a cell, and the outermost band with open rows.
    reach: [(u32, u32); 2],
    pub(super) over: [bool; 2],
    /// Number of additional cells that each player's start stands for.
    more: [u32; 2],
}

/// Number of playouts that end with unowned cells, number of unowned cells, and number of playouts whose result is not
/// certain. A result is certain if a player has more than half of the cells, or if both have half.
pub type Unowned = [u64; 3];

#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) tally: Tally,
    /// Counted only if the playouts were played to the end.
    pub(super) unowned: Unowned,
    /// For each player, the playouts in which the player has more cells than the opponent.
    pub(super) ahead: [Lanes; 2],
}

impl State {
    pub(super) fn new(board: &Board, groups: &[Vec<Rows>; 2]) -> State {
        let waiting = |groups: &Vec<Rows>| {
            let waiting = groups.iter().filter(|group| group.waits);
            waiting.map(|group| group.bands.len()).sum::<usize>()
        };
        let rows = |group: &Rows| Vec::with_capacity(group.bands.len());
        State {
            owned: [0, 1].map(|_| vec![Lanes::NONE; board.cells()]),
            gains: vec![Lanes::NONE; groups.iter().map(waiting).max().unwrap_or(0)],
            open: [0, 1].map(|player: usize| groups[player].iter().map(rows).collect()),
            decided: Lanes::NONE,
            reach: [(0, 0); 2],
            over: [false; 2],
            more: board.start_cells.map(|cells| cells - 1),
        }
    }

    /// Starts the requested playouts. `owners` sets the owned cells.
    #[inline(always)]
    pub(super) fn begin(
        &mut self,
        groups: &[Vec<Rows>; 2],
        asked: &Lanes,
        owners: impl FnOnce(&mut [Vec<Lanes>; 2]),
    ) {
        self.owned
            .iter_mut()
            .for_each(|cells| cells.fill(Lanes::NONE));
        owners(&mut self.owned);
        self.decided = !*asked;
        self.over = [false; 2];
        self.reach = [(0, 0); 2];
        for player in 0..2 {
            self.open[player].iter_mut().for_each(Vec::clear);
            self.open_rows(&groups[player], player, u32::MAX, 0);
        }
    }

    /// Opens the rows that the mover can reach before the next update.
    #[inline(always)]
    pub(super) fn look(&mut self, groups: &[Rows], mover: usize) {
        self.open_rows(groups, mover, self.reach[mover].1, BANDS_A_LOOK);
    }

    /// Finds the player's outermost owned cell in the bands up to `until`. Opens rows up to `ahead` bands beyond it.
    #[inline(always)]
    fn open_rows(&mut self, groups: &[Rows], player: usize, until: u32, ahead: u32) {
        let own = &self.owned[player];
        let (mut farthest, opened) = self.reach[player];
        for group in groups {
            let rows = group.rows_to(farthest)..group.rows_to(until);
            for row in rows {
                if own[group.cell(row)] != Lanes::NONE {
                    farthest = group.bands[row];
                }
            }
        }
        let open = farthest + ahead;
        for (group, rows) in groups.iter().zip(&mut self.open[player]) {
            let more = group.rows_to(opened)..group.rows_to(open);
            rows.extend(more.map(|row| row as u16));
        }
        self.reach[player] = (farthest, open);
    }

    /// Closes the rows whose cells are owned in every undecided playout. A player without open rows cannot gain more
    /// cells, because bands must be crossed in order.
    #[inline(always)]
    pub(super) fn drop_owned(&mut self, groups: &[Rows], mover: usize) {
        let [first, second] = &self.owned;
        let mut over = true;
        for (group, open) in groups.iter().zip(&mut self.open[mover]) {
            let mut kept = 0;
            for place in 0..open.len() {
                let row = open[place];
                let cell = group.cell(usize::from(row));
                let all = (first[cell] | second[cell] | self.decided).is_all();
                open[kept] = row;
                kept += usize::from(!all);
            }
            open.truncate(kept);
            over &= kept == 0;
        }
        self.over[mover] = over;
    }

    /// Marks playouts as decided if a player has more than half of the cells or both have half.
    #[inline(always)]
    pub(super) fn decide(&mut self) {
        self.decided = self.decided | self.decided_by(&self.counted());
    }

    #[inline(always)]
    fn decided_by(&self, [first, second]: &[Counters; 2]) -> Lanes {
        let cells = self.owned[0].len() + (self.more[0] + self.more[1]) as usize;
        let majority = first.above(cells / 2) | second.above(cells / 2);
        // Both players have at least half. This is impossible if the number of cells is odd.
        let least = cells.div_ceil(2) - 1;
        majority | first.above(least) & second.above(least)
    }

    #[inline(always)]
    pub(super) fn end(&self, asked: &Lanes, counts_unowned: bool) -> Ended {
        let counted = self.counted();
        let [first, second] = &counted;
        let (more, fewer) = first.compare(second);
        let (wins, losses) = ((more & *asked).count(), (fewer & *asked).count());
        Ended {
            tally: Tally {
                wins,
                draws: asked.count() - wins - losses,
                losses,
                ..Tally::default()
            },
            unowned: match counts_unowned {
                true => self.unowned(asked, &counted),
                false => Unowned::default(),
            },
            ahead: [more, fewer],
        }
    }

    #[inline(always)]
    fn counted(&self) -> [Counters; 2] {
        [0, 1].map(|player: usize| Counters::of(&self.owned[player], self.more[player]))
    }

    #[inline(always)]
    fn unowned(&self, asked: &Lanes, counted: &[Counters; 2]) -> Unowned {
        let (mut playouts, mut cells) = (Lanes::NONE, 0);
        for (first, second) in self.owned[0].iter().zip(&self.owned[1]) {
            let unowned = !(*first | *second) & *asked;
            playouts = playouts | unowned;
            cells += unowned.count();
        }
        let undecided = *asked & !self.decided_by(counted);
        [playouts.count(), cells, undecided.count()]
    }
}
