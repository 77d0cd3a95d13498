//! Bit-sliced playouts: one bit a playout, 512 of them at a time.

use super::counters::Counters;
use super::rows::{HEAD, Rows, rows_of};
use super::{Playouts, Tally};
use crate::games::annexation::{
    Board, COLOURS, Draws, LANE_WORDS, Lanes, PLAYOUTS_A_DRAW, PLAYOUTS_A_GROUP, named,
};

const NONE: Lanes = Lanes([0; LANE_WORDS]);

/// Moves of a player between two looks at which cells are still to be had.
const MOVES_A_LOOK: u32 = 4;

/// Plays 512 playouts at a time: bit k of a cell's word is playout k, and a turn of all of them is
/// and, or and not on whole words, on any graph without a branch.
#[derive(Clone, Debug)]
pub struct Sliced {
    starts: [usize; 2],
    groups: [Vec<Rows>; 2],
    scratch: Scratch,
}

/// One group of playouts under way.
#[derive(Clone, Debug)]
struct Scratch {
    /// Each player's cells.
    owned: [Vec<Lanes>; 2],
    /// What touching cells of the named colour gain, until all were looked at.
    gains: Vec<Lanes>,
    /// The rows that each player may still gain, by group, and how many of the group's rows have
    /// been among them so far.
    open: [Vec<(Vec<u16>, usize)>; 2],
}

/// How groups of playouts ended.
#[derive(Clone, Copy, Debug, Default)]
struct Ended {
    tally: Tally,
    unsettled: u64,
}

impl Sliced {
    /// Lays a board out.
    pub fn new(board: &Board) -> Sliced {
        let groups = board.starts().map(|start| rows_of(board, start));
        let touching = |groups: &Vec<Rows>| {
            let touching = groups.iter().filter(|group| group.touching);
            touching.map(|group| group.moves.len()).sum::<usize>()
        };
        Sliced {
            starts: board.starts(),
            scratch: Scratch {
                owned: [0, 1].map(|_| vec![NONE; board.cells()]),
                gains: vec![NONE; groups.iter().map(touching).max().unwrap_or(0)],
                open: [0, 1].map(|player: usize| {
                    let rows = |group: &Rows| (Vec::with_capacity(group.rows.len()), 0);
                    groups[player].iter().map(rows).collect()
                }),
            },
            groups,
        }
    }

    /// Plays the playouts asked for: `serial-sliced`. A group ends where every playout of it is
    /// decided.
    pub fn tally(&mut self, playouts: &Playouts) -> Tally {
        self.play(playouts, false).tally
    }

    /// Counts the playouts asked for in which cells are left that nobody owns.
    pub fn unsettled(&mut self, playouts: &Playouts) -> u64 {
        self.play(playouts, true).unsettled
    }

    fn play(&mut self, playouts: &Playouts, to_the_end: bool) -> Ended {
        let draws = Draws::new(playouts.seed);
        let mut ended = Ended::default();
        let mut block = playouts.first / PLAYOUTS_A_DRAW;
        while block * PLAYOUTS_A_DRAW < playouts.end() {
            let group = Group {
                draws,
                block,
                asked: lanes_within(block * PLAYOUTS_A_DRAW, playouts),
                turns: playouts.turns,
                to_the_end,
            };
            let found = group.play(self);
            ended.tally += found.tally;
            ended.unsettled += found.unsettled;
            block += PLAYOUTS_A_GROUP / PLAYOUTS_A_DRAW;
        }
        ended
    }
}

/// Which of the 512 playouts from `begin` on are asked for.
fn lanes_within(begin: u64, playouts: &Playouts) -> Lanes {
    Lanes(std::array::from_fn(|lane| {
        let begin = begin + 64 * lane as u64;
        // Bits below a playout's number, of the word that begins at `begin`.
        let below = |playout: u64| match playout.saturating_sub(begin) {
            bits @ 0..64 => (1_u64 << bits) - 1,
            _ => u64::MAX,
        };
        below(playouts.end()) & !below(playouts.first)
    }))
}

/// 512 playouts.
#[derive(Clone, Copy)]
struct Group {
    draws: Draws,
    /// The first block of 32.
    block: u64,
    /// Which of them count.
    asked: Lanes,
    turns: u32,
    /// Whether the group is played until all cells are owned or the turns are over, rather than
    /// until the winners are known.
    to_the_end: bool,
}

impl Group {
    /// Plays with the widest vectors that this processor has.
    fn play(self, sliced: &mut Sliced) -> Ended {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512vl")
            {
                // SAFETY: the processor has the features that the function is compiled for.
                return unsafe { self.play_with_avx512(sliced) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the feature that the function is compiled for.
                return unsafe { self.play_with_avx2(sliced) };
            }
        }
        self.play_with(sliced)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    fn play_with_avx512(self, sliced: &mut Sliced) -> Ended {
        self.play_with(sliced)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn play_with_avx2(self, sliced: &mut Sliced) -> Ended {
        self.play_with(sliced)
    }

    /// Plays with the vectors of the function that this is inlined into.
    #[inline(always)]
    fn play_with(self, sliced: &mut Sliced) -> Ended {
        let Sliced {
            starts,
            groups,
            scratch,
        } = sliced;
        scratch.begin(starts, &self.asked);
        for turn in 0..self.turns {
            let (mover, moves) = (turn as usize % 2, turn / 2);
            if moves % MOVES_A_LOOK == 0 {
                if mover == 0 && turn > 0 && scratch.is_over(self.to_the_end) {
                    break;
                }
                scratch.look(&groups[mover], mover, moves + MOVES_A_LOOK);
            }
            let colours = named(&self.draws.lanes(self.block, turn));
            scratch.turn(&groups[mover], mover, &colours);
        }
        scratch.count(&self.asked)
    }
}

impl Scratch {
    /// The start of all playouts. Those that nobody asked for begin with all cells owned, so that
    /// no other waits for them.
    #[inline(always)]
    fn begin(&mut self, starts: &[usize; 2], asked: &Lanes) {
        self.owned[0].fill(Lanes(asked.0.map(|word| !word)));
        self.owned[1].fill(NONE);
        for (owned, start) in self.owned.iter_mut().zip(starts) {
            for lane in 0..LANE_WORDS {
                owned[*start].0[lane] |= asked.0[lane];
            }
        }
        for (open, so_far) in self.open.iter_mut().flatten() {
            open.clear();
            *so_far = 0;
        }
    }

    /// Drops the rows of cells that are owned in every playout, and takes those in that the mover can
    /// reach within so many moves.
    #[inline(always)]
    fn look(&mut self, groups: &[Rows], mover: usize, moves: u32) {
        let [first, second] = &self.owned;
        for (group, (open, so_far)) in groups.iter().zip(&mut self.open[mover]) {
            let mut kept = 0;
            for row in (0..open.len()).step_by(group.length) {
                let cell = usize::from(open[row]);
                let mut owned = !0;
                for lane in 0..LANE_WORDS {
                    owned &= first[cell].0[lane] | second[cell].0[lane];
                }
                if owned != !0 {
                    open.copy_within(row..row + group.length, kept);
                    kept += group.length;
                }
            }
            open.truncate(kept);
            while group.moves.get(*so_far).is_some_and(|needed| *needed <= moves) {
                let row = *so_far * group.length;
                open.extend_from_slice(&group.rows[row..row + group.length]);
                *so_far += 1;
            }
        }
    }

    /// A turn of all playouts: `colours[c]` are those in which the mover names c.
    #[inline(always)]
    fn turn(&mut self, groups: &[Rows], mover: usize, colours: &[Lanes; COLOURS]) {
        let [first, second] = &mut self.owned;
        let (own, other) = if mover == 0 {
            (first, &*second)
        } else {
            (second, &*first)
        };
        let mut waiting = 0;
        for (group, (open, _)) in groups.iter().zip(&self.open[mover]) {
            if group.touching {
                let gains = &mut self.gains[waiting..];
                waiting += gains_of(group.length, open, own, other, colours, gains);
            } else {
                gain(group.length, open, own, other, colours);
            }
        }
        let mut gains = self.gains.iter();
        let touching = groups.iter().zip(&self.open[mover]);
        for (group, (open, _)) in touching.filter(|(group, _)| group.touching) {
            for (row, gained) in open.chunks_exact(group.length).zip(&mut gains) {
                let cell = &mut own[usize::from(row[0])];
                for lane in 0..LANE_WORDS {
                    cell.0[lane] |= gained.0[lane];
                }
            }
        }
    }
}

impl Scratch {
    /// Whether no further turn can change what is asked for.
    #[inline(always)]
    fn is_over(&self, to_the_end: bool) -> bool {
        let [first, second] = &self.owned;
        if to_the_end {
            return unowned(first, second) == NONE;
        }
        let half = first.len() / 2;
        let first_counted = Counters::of(first);
        let second_counted = Counters::of(second);
        let (a, b) = (first_counted.above(half), second_counted.above(half));
        let mut open = NONE;
        for lane in 0..LANE_WORDS {
            open.0[lane] = !(a.0[lane] | b.0[lane]);
        }
        // Left are those that nobody can win any more: equal halves.
        open == NONE || {
            let left = unowned(first, second);
            (0..LANE_WORDS).all(|lane| open.0[lane] & left.0[lane] == 0)
        }
    }

    /// How the playouts asked for have ended.
    #[inline(always)]
    fn count(&self, asked: &Lanes) -> Ended {
        let [first, second] = &self.owned;
        let (more, fewer) = Counters::of(first).compare(&Counters::of(second));
        let ones = |lanes: &Lanes| {
            let words = lanes.0.iter().zip(&asked.0);
            words.map(|(word, asked)| u64::from((word & asked).count_ones())).sum::<u64>()
        };
        let (wins, losses) = (ones(&more), ones(&fewer));
        Ended {
            tally: Tally {
                wins,
                draws: ones(asked) - wins - losses,
                losses,
            },
            unsettled: ones(&unowned(first, second)),
        }
    }
}

/// The playouts in which a cell is left that nobody owns.
#[inline(always)]
fn unowned(first: &[Lanes], second: &[Lanes]) -> Lanes {
    let mut left = NONE;
    for (a, b) in first.iter().zip(second) {
        for lane in 0..LANE_WORDS {
            left.0[lane] |= !(a.0[lane] | b.0[lane]);
        }
    }
    left
}

/// What a row's cell gains: the playouts that name its colour, in which the opponent does not own
/// it and the mover owns a neighbour. Those in which the mover owns it already may be among them.
#[inline(always)]
fn gained(row: &[u16], own: &[Lanes], other: &[Lanes], colours: &[Lanes; COLOURS]) -> Lanes {
    let mut reached = NONE;
    for neighbour in &row[HEAD..] {
        let neighbour = &own[usize::from(*neighbour)];
        for lane in 0..LANE_WORDS {
            reached.0[lane] |= neighbour.0[lane];
        }
    }
    let colour = &colours[usize::from(row[1]) % COLOURS];
    let other = &other[usize::from(row[0])];
    for lane in 0..LANE_WORDS {
        reached.0[lane] &= colour.0[lane] & !other.0[lane];
    }
    reached
}

/// A loop over rows. Where they are as long as most of a hexagonal board are, the loop over a row's
/// numbers is unrolled.
macro_rules! for_rows {
    ($row:ident in $rows:ident of $length:ident $body:block) => {
        for_rows!(@ $row $rows $length $body, 3 4 5 6 7 8 9 10)
    };
    (@ $row:ident $rows:ident $length:ident $body:block, $($known:literal)*) => {
        match $length {
            $($known => for $row in $rows.as_chunks::<$known>().0 $body)*
            _ => for $row in $rows.chunks_exact($length) $body
        }
    };
}

/// Gives cells without a neighbour of their own colour what they gain.
#[inline(always)]
fn gain(
    length: usize,
    rows: &[u16],
    own: &mut [Lanes],
    other: &[Lanes],
    colours: &[Lanes; COLOURS],
) {
    for_rows!(row in rows of length {
        let gained = gained(row, own, other, colours);
        let cell = &mut own[usize::from(row[0])];
        for lane in 0..LANE_WORDS {
            cell.0[lane] |= gained.0[lane];
        }
    });
}

/// Writes down what touching cells gain; returns how many they are.
#[inline(always)]
fn gains_of(
    length: usize,
    rows: &[u16],
    own: &[Lanes],
    other: &[Lanes],
    colours: &[Lanes; COLOURS],
    gains: &mut [Lanes],
) -> usize {
    let mut count = 0;
    for_rows!(row in rows of length {
        gains[count] = gained(row, own, other, colours);
        count += 1;
    });
    count
}
