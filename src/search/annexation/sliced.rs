//! Bit-sliced playouts: one bit a playout, 512 of them at a time.

use super::counters::Counters;
use super::rows::{BANDS_A_LOOK, HEAD, MOVES_A_LOOK, Rows, rows_of};
use super::{Playouts, Tally};
use crate::games::annexation::{
    Board, COLOURS, Draws, Lanes, PLAYOUTS_A_DRAW, PLAYOUTS_A_GROUP, named,
};

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
    /// The rows of each group whose cells a player may still gain; none before the group's look.
    open: [Vec<Vec<u16>>; 2],
    /// Playouts whose winner is known.
    decided: Lanes,
    /// For each player the last band in which it owns a cell, and the last whose rows were opened.
    reach: [(u32, u32); 2],
    /// Whether each player has no row open any more.
    over: [bool; 2],
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
        let waiting = |groups: &Vec<Rows>| {
            let waiting = groups.iter().filter(|group| group.waits);
            waiting.map(|group| group.bands.len()).sum::<usize>()
        };
        Sliced {
            starts: board.starts(),
            scratch: Scratch {
                owned: [0, 1].map(|_| vec![Lanes::NONE; board.cells()]),
                gains: vec![Lanes::NONE; groups.iter().map(waiting).max().unwrap_or(0)],
                open: [0, 1].map(|player: usize| {
                    let rows = |group: &Rows| Vec::with_capacity(group.bands.len());
                    groups[player].iter().map(rows).collect()
                }),
                decided: Lanes::NONE,
                reach: [(0, 0); 2],
                over: [false; 2],
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
                if mover == 0 && !self.to_the_end {
                    scratch.decide();
                }
                scratch.look(&groups[mover], mover);
                if self.to_the_end || scratch.decided != Lanes::NONE {
                    scratch.drop_owned(&groups[mover], mover);
                }
                if scratch.over == [true; 2] {
                    break;
                }
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
        self.owned[0].fill(!*asked);
        self.owned[1].fill(Lanes::NONE);
        for (owned, start) in self.owned.iter_mut().zip(starts) {
            owned[*start] = owned[*start] | *asked;
        }
        self.open.iter_mut().flatten().for_each(Vec::clear);
        self.decided = Lanes::NONE;
        self.reach = [(0, 0); 2];
        self.over = [false; 2];
    }

    /// Opens the rows that the mover can come to before the next look.
    #[inline(always)]
    fn look(&mut self, groups: &[Rows], mover: usize) {
        let own = &self.owned[mover];
        let (mut farthest, opened) = self.reach[mover];
        for group in groups {
            let rows = group.bands.partition_point(|band| *band <= farthest)
                ..group.bands.partition_point(|band| *band <= opened);
            for row in rows {
                if own[group.cell(row)] != Lanes::NONE {
                    farthest = group.bands[row];
                }
            }
        }
        let open = farthest + BANDS_A_LOOK;
        for (group, rows) in groups.iter().zip(&mut self.open[mover]) {
            let from = group.bands.partition_point(|band| *band <= opened);
            let to = group.bands.partition_point(|band| *band <= open);
            rows.extend((from..to).map(|row| row as u16));
        }
        self.reach[mover] = (farthest, open);
    }

    /// Closes the rows whose cells are owned in every playout that is not decided. A player without
    /// open rows has come to its end: bands are crossed one by one, and the next one is owned.
    #[inline(always)]
    fn drop_owned(&mut self, groups: &[Rows], mover: usize) {
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
        for (group, open) in groups.iter().zip(&self.open[mover]) {
            if group.waits {
                let gains = &mut self.gains[waiting..];
                waiting += gains_of(group, open, own, other, colours, gains);
            } else {
                gain(group, open, own, other, colours);
            }
        }
        let mut gains = self.gains.iter();
        let waited = groups.iter().zip(&self.open[mover]);
        for (group, open) in waited.filter(|(group, _)| group.waits) {
            for (row, gained) in open.iter().zip(&mut gains) {
                let cell = group.cell(usize::from(*row));
                own[cell] = own[cell] | *gained;
            }
        }
    }
}

impl Scratch {
    /// Notes which playouts are decided: those in which a player has more than half of the cells, or
    /// both have half.
    #[inline(always)]
    fn decide(&mut self) {
        let cells = self.owned[0].len();
        let (first, second) = (Counters::of(&self.owned[0]), Counters::of(&self.owned[1]));
        let majority = first.above(cells / 2) | second.above(cells / 2);
        // At least half each: of an odd number, both cannot have that.
        let least = cells.div_ceil(2) - 1;
        self.decided = majority | first.above(least) & second.above(least);
    }

    /// How the playouts asked for have ended.
    #[inline(always)]
    fn count(&self, asked: &Lanes) -> Ended {
        let [first, second] = &self.owned;
        let (more, fewer) = Counters::of(first).compare(&Counters::of(second));
        let (wins, losses) = ((more & *asked).count(), (fewer & *asked).count());
        Ended {
            tally: Tally {
                wins,
                draws: asked.count() - wins - losses,
                losses,
            },
            unsettled: (unowned(first, second) & *asked).count(),
        }
    }
}

/// The playouts in which a cell is left that nobody owns.
#[inline(always)]
fn unowned(first: &[Lanes], second: &[Lanes]) -> Lanes {
    let pairs = first.iter().zip(second);
    pairs.fold(Lanes::NONE, |left, (a, b)| left | !(*a | *b))
}

/// What a row's cell gains: the playouts that name its colour, in which the opponent does not own
/// it and the mover owns a neighbour. Those in which the mover owns it already may be among them.
#[inline(always)]
fn gained(row: &[u16], own: &[Lanes], other: &[Lanes], colours: &[Lanes; COLOURS]) -> Lanes {
    let mut reached = Lanes::NONE;
    for neighbour in &row[HEAD..] {
        reached = reached | own[usize::from(*neighbour)];
    }
    reached & colours[usize::from(row[1]) % COLOURS] & !other[usize::from(row[0])]
}

/// A loop over a group's open rows. Where they are as long as most of a hexagonal board are, the loop
/// over a row's numbers is unrolled.
macro_rules! for_rows {
    ($row:ident of $group:ident in $open:ident $body:block) => {
        for_rows!(@ $row $group $open $body, 8 10 14)
    };
    (@ $row:ident $group:ident $open:ident $body:block, $($length:literal)*) => {
        match $group.length {
            $($length => {
                let rows = $group.rows.as_chunks::<$length>().0;
                for number in $open {
                    let $row = &rows[usize::from(*number)];
                    $body
                }
            })*
            length => {
                for number in $open {
                    let $row = &$group.rows[usize::from(*number) * length..][..length];
                    $body
                }
            }
        }
    };
}

/// Gives the cells of a group what they gain.
#[inline(always)]
fn gain(
    group: &Rows,
    open: &[u16],
    own: &mut [Lanes],
    other: &[Lanes],
    colours: &[Lanes; COLOURS],
) {
    for_rows!(row of group in open {
        let gained = gained(row, own, other, colours);
        let cell = usize::from(row[0]);
        own[cell] = own[cell] | gained;
    });
}

/// Writes down what the cells of a group gain; returns how many they are.
#[inline(always)]
fn gains_of(
    group: &Rows,
    open: &[u16],
    own: &[Lanes],
    other: &[Lanes],
    colours: &[Lanes; COLOURS],
    gains: &mut [Lanes],
) -> usize {
    let mut count = 0;
    for_rows!(row of group in open {
        gains[count] = gained(row, own, other, colours);
        count += 1;
    });
    count
}
