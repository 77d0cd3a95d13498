//! Playouts from the leaves of a tree on a device (`cl/annexation/leaves.clh`).

use std::sync::Arc;

use super::play::Annexation;
use super::shapes::{Function, Job, Kernels};
use super::sliced::kernels;
use crate::games::annexation::{Board, PLAYOUTS_A_DRAW, Player, Position};
use crate::opencl::{Access, Buffer, Outcomes, Queue};
use crate::search::LeafPlayouts;
use crate::search::annexation::playouts_within;
use crate::techniques::Setup;
use crate::techniques::tasks::mcts::{LeafPlayer, Settings};
use crate::words::{Fault, Telemetry};

const SEAT_WORDS: usize = 4;

/// Words that a kernel writes for a seat (`SEAT_RESULTS`).
const SEAT_RESULTS: usize = 2;

/// A batch of leaves and its seats. A seat is 32 playouts of one leaf that share one draw. As in
/// [`Sliced`](crate::search::annexation::Sliced), seats of a group have the same player to move. Empty
/// seats fill the last group of a player.
#[derive(Default)]
struct Seats {
    /// Per leaf: header, player 1's cells, player 2's cells.
    leaves: Vec<u32>,
    /// Per seat: leaf, block (low word, high word), bit mask of requested playouts.
    seats: Vec<u32>,
    count: usize,
}

/// 32-bit words of a player's cells.
fn bit_words(cells: usize) -> usize {
    2 * cells.div_ceil(u64::BITS as usize)
}

fn seats_a_leaf(playouts: u32) -> usize {
    let blocks = u64::from(playouts).div_ceil(PLAYOUTS_A_DRAW);
    // A leaf may start within a block if the playouts do not fill whole blocks.
    let whole = u64::from(playouts).is_multiple_of(PLAYOUTS_A_DRAW);
    (blocks + u64::from(!whole)) as usize
}

/// Words of a leaf on a board with `cells` cells.
fn leaf_words(cells: usize) -> usize {
    1 + 2 * bit_words(cells)
}

/// Limit of seats per batch, with `together` seats per group.
fn most_seats(settings: Settings, together: usize) -> usize {
    settings.leaves as usize * seats_a_leaf(settings.playouts) + 2 * together
}

impl Seats {
    /// Converts a batch. Its leaf `place` has `each` playouts from `first + place * each` on; `together` gives the
    /// seats per group for a number of seats.
    fn pack(
        &mut self,
        leaves: &[Position],
        each: u32,
        first: u64,
        together: impl FnOnce(usize) -> usize,
    ) {
        self.count = leaves.len();
        self.leaves.clear();
        for leaf in leaves {
            let mover = leaf.mover().index() as u32;
            self.leaves.push(leaf.turns_left() << 1 | mover);
            for word in leaf.owner_sets() {
                self.leaves.extend([*word as u32, (*word >> 32) as u32]);
            }
        }
        let together = together(leaves.len() * seats_a_leaf(each));
        self.seats.clear();
        for mover in [Player::First, Player::Second] {
            let places = (0..leaves.len()).filter(|place| leaves[*place].mover() == mover);
            let mut last = 0;
            for place in places {
                let begin = first + place as u64 * u64::from(each);
                let end = begin + u64::from(each);
                let blocks = begin / PLAYOUTS_A_DRAW..end.div_ceil(PLAYOUTS_A_DRAW);
                for block in blocks {
                    let asked = playouts_within(block * PLAYOUTS_A_DRAW, begin, end);
                    let halves = [block as u32, (block >> 32) as u32];
                    self.seats
                        .extend([place as u32, halves[0], halves[1], asked]);
                }
                last = place as u32;
            }
            while !self.count().is_multiple_of(together) {
                self.seats.extend([last, 0, 0, 0]);
            }
        }
    }

    /// Number of seats, empty ones included.
    fn count(&self) -> usize {
        self.seats.len() / SEAT_WORDS
    }

    /// Replaces `points` by the sums of a kernel's results over each leaf's seats. Fails as [`Outcomes::read`].
    fn add_up(
        &self,
        results: &mut Outcomes,
        queue: &mut Queue,
        points: &mut Vec<u32>,
    ) -> Result<(), Fault> {
        points.clear();
        points.resize(self.count, 0);
        results.read(queue, |seat| {
            let leaf = self.seats[seat.place * SEAT_WORDS];
            points[leaf as usize] += seat.word(0);
        })
    }
}

/// Leaves in batches. A work-group plays a few words of 32 playouts from leaves with the same player to move.
pub struct DeviceLeaves {
    kernels: Kernels,
    leaves: Buffer<u32>,
    seats: Buffer<u32>,
    results: Outcomes,
    playouts: u32,
    /// The tree whose board is on the device.
    board: Option<Arc<Board>>,
    packed: Seats,
}

impl DeviceLeaves {
    /// Builds the programs, and launches each kernel once: some drivers compile at first use.
    pub fn new(
        setup: &Setup<'_>,
        play: &Annexation,
        settings: Settings,
    ) -> Result<DeviceLeaves, Fault> {
        let kernels = kernels(setup, play, Function::Leaves)?;
        let (device, places) = (setup.on_device()?, kernels.words().len());
        let most = settings.leaves as usize;
        let seats = most_seats(settings, kernels.words().max().unwrap_or(1));
        let mut player = DeviceLeaves {
            kernels,
            leaves: device.buffer(most * leaf_words(play.most_cells()), Access::Read)?,
            seats: device.buffer(seats * SEAT_WORDS, Access::Read)?,
            results: Outcomes::new(device, "seat", seats, SEAT_RESULTS)?,
            playouts: settings.playouts,
            board: None,
            packed: Seats::default(),
        };
        let start = [play.first_leaf()];
        for place in 0..places {
            player.launch(0, &start, Some(place))?;
            player.finish(&mut Vec::new())?;
        }
        player.kernels.queue.take_parts();
        Ok(player)
    }

    /// Launches a batch with the kernel at `place`, or with the kernel for its size.
    fn launch(
        &mut self,
        first: u64,
        leaves: &[Position],
        place: Option<usize>,
    ) -> Result<(), Fault> {
        let Some(first_leaf) = leaves.first() else {
            return Ok(());
        };
        let board = first_leaf.board();
        let known = self.board.take();
        if !known.is_some_and(|known| Arc::ptr_eq(&known, board)) {
            self.kernels.load(std::iter::once(board.as_ref()));
            self.kernels.upload(0)?;
        }
        self.board = Some(Arc::clone(board));
        let number = first * u64::from(self.playouts);
        let (kernels, mut chosen) = (&mut self.kernels, 0);
        self.packed.pack(leaves, self.playouts, number, |seats| {
            chosen = place.unwrap_or_else(|| kernels.place_for(seats as u64));
            kernels.words().nth(chosen).unwrap_or(1)
        });
        kernels.queue.write(&self.leaves, &self.packed.leaves)?;
        kernels.queue.write(&self.seats, &self.packed.seats)?;
        let job = Job::Leaves {
            turns: first_leaf.turns,
            leaves: &self.leaves,
            words: bit_words(board.cells()) as i32,
            seats: &self.seats,
        };
        kernels.launch((chosen, 0), self.packed.count(), &job, &mut self.results)?;
        kernels.queue.flush()
    }
}

impl LeafPlayouts<Position> for DeviceLeaves {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Position]) -> Result<(), Fault> {
        self.launch(first, leaves, None)
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        let queue = &mut self.kernels.queue;
        self.packed.add_up(&mut self.results, queue, points)?;
        Ok(0)
    }
}

impl LeafPlayer<Position> for DeviceLeaves {
    fn telemetry(&mut self) -> Telemetry {
        self.kernels.telemetry()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::annexation::Kind;
    use crate::techniques::tasks::mcts::MOST_PLAYOUTS;

    fn settings(leaves: u32, playouts: u32) -> Settings {
        Settings {
            leaves,
            playouts,
            most_nodes: 1,
        }
    }

    /// Leaves with alternating players to move.
    fn leaves(count: usize) -> Vec<Position> {
        let board = Arc::new(Kind::Hex200.board(1).unwrap().0);
        let mut leaf = Position::start(&board, 50);
        let mut leaves = Vec::new();
        for place in 0..count {
            leaves.push(leaf.clone());
            if place % 3 != 1 {
                leaf = leaf.after(0);
            }
        }
        leaves
    }

    #[test]
    fn seats_have_every_playout_once_and_are_apart_by_who_moves() {
        for (count, each, first, together) in [
            (1, 32, 0, 4),
            (7, 32, 320, 1),
            (9, 5, 63, 4),
            (12, MOST_PLAYOUTS, 1 << 37, 32),
            (5, 33, 31, 2),
            (6, 34, 31, 2),
        ] {
            let leaves = leaves(count);
            let mut packed = Seats::default();
            packed.pack(&leaves, each, first, |_| together);
            let seats: Vec<&[u32]> = packed.seats.chunks(SEAT_WORDS).collect();
            assert!(
                packed.seats.len()
                    <= SEAT_WORDS * most_seats(settings(count as u32, each), together)
            );
            assert_eq!(packed.leaves.len(), count * leaf_words(196));
            for group in seats.chunks(together) {
                assert_eq!(group.len(), together);
                let mover = |seat: &&[u32]| leaves[seat[0] as usize].mover();
                assert!(group.iter().all(|seat| mover(seat) == mover(&group[0])));
            }
            let mut asked: Vec<(u64, u32)> = Vec::new();
            for seat in &seats {
                let block = u64::from(seat[1]) | u64::from(seat[2]) << 32;
                let of_seat = (0..32).filter(|bit| seat[3] >> bit & 1 == 1);
                asked.extend(of_seat.map(|bit| (32 * block + bit, seat[0])));
            }
            asked.sort_unstable();
            let all = (0..count as u64 * u64::from(each)).map(|playout| {
                let leaf = playout / u64::from(each);
                (first + playout, leaf as u32)
            });
            assert!(asked.into_iter().eq(all), "{count} x {each} from {first}");
        }
    }
}
