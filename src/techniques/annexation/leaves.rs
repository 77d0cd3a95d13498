//! Plays playouts from a tree's leaves on a device (`cl/annexation/seats.clh`).

use std::sync::Arc;

use super::play::Annexation;
use super::shapes::{Kernels, SEAT_WORDS, pack_leaf};
use crate::games::annexation::{Board, PLAYOUTS_A_DRAW, Player, Position};
use crate::search::LeafPlayouts;
use crate::search::annexation::{Seat, seats_of};
use crate::techniques::prelude::*;
use crate::techniques::tasks::mcts::{LeafPlayer, Settings};

/// A batch of leaves and its seats. As in [`Sliced`](crate::search::annexation::Sliced), all seats of a group have the
/// same player to move. Empty seats fill up the last group of each player.
#[derive(Default)]
struct Seats {
    leaves: Vec<u32>,
    seats: Vec<u32>,
    /// Number of leaves.
    count: usize,
}

/// Returns the maximum number of seats in a batch, not counting empty ones.
fn most_seats(settings: Settings) -> usize {
    let blocks = u64::from(settings.playouts).div_ceil(PLAYOUTS_A_DRAW);
    // If the playouts do not fill whole blocks, a leaf may start within a block.
    let whole = u64::from(settings.playouts).is_multiple_of(PLAYOUTS_A_DRAW);
    settings.leaves as usize * (blocks + u64::from(!whole)) as usize
}

impl Seats {
    /// Packs a batch. See [`seats_of`] for `numbers`. `together` maps a number of seats to the number per group.
    fn pack(
        &mut self,
        leaves: &[Position],
        numbers: (u64, u64),
        together: impl FnOnce(usize) -> usize,
    ) {
        self.count = leaves.len();
        self.leaves.clear();
        for leaf in leaves {
            pack_leaf(leaf, &mut self.leaves);
        }
        let of_mover = |mover| seats_of(leaves, mover, numbers).collect::<Vec<Seat>>();
        let by_mover = [Player::First, Player::Second].map(of_mover);
        let together = together(by_mover.iter().map(Vec::len).sum());
        self.seats.clear();
        for seats in by_mover {
            for seat in &seats {
                let [low, high] = [seat.block as u32, (seat.block >> 32) as u32];
                self.seats.extend([seat.leaf as u32, low, high, seat.asked]);
            }
            let last = seats.last().map_or(0, |seat| seat.leaf as u32);
            for _ in seats.len()..seats.len().next_multiple_of(together) {
                self.seats.extend([last, 0, 0, 0]);
            }
        }
    }
}

/// Plays playouts from batches of leaves. All seats of a work-group have the same player to move.
pub struct DeviceLeaves {
    kernels: Kernels,
    playouts: u32,
    /// The board of the current tree. Its tables are on the device.
    board: Option<Arc<Board>>,
    packed: Seats,
}

impl DeviceLeaves {
    /// Builds the programs.
    pub fn new(
        setup: &Setup<'_>,
        play: &Annexation,
        settings: Settings,
    ) -> Result<DeviceLeaves, Fault> {
        let listed = Some((settings.leaves as usize, most_seats(settings)));
        Ok(DeviceLeaves {
            kernels: Kernels::new(setup, play, listed)?,
            playouts: settings.playouts,
            board: None,
            packed: Seats::default(),
        })
    }
}

impl LeafPlayouts<Position> for DeviceLeaves {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Position]) -> Result<(), Fault> {
        let Some(first_leaf) = leaves.first() else {
            return Ok(());
        };
        let (board, kernels) = (first_leaf.board(), &mut self.kernels);
        let known = self.board.take();
        if !known.is_some_and(|known| Arc::ptr_eq(&known, board)) {
            kernels.load([first_leaf]);
            kernels.upload(0)?;
        }
        self.board = Some(Arc::clone(board));
        let (each, mut place) = (u64::from(self.playouts), 0);
        self.packed.pack(leaves, (each, first * each), |seats| {
            place = kernels.place_for(seats);
            kernels.seats_of(place)
        });
        kernels.queue.write(&kernels.leaves, &self.packed.leaves)?;
        kernels.queue.write(&kernels.seats, &self.packed.seats)?;
        let seats = self.packed.seats.len() / SEAT_WORDS;
        let playouts = 0..PLAYOUTS_A_DRAW * seats as u64;
        kernels.launch((place, 0), first_leaf, &playouts)?;
        kernels.queue.flush()
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        let (kernels, packed) = (&mut self.kernels, &self.packed);
        points.clear();
        points.resize(packed.count, 0);
        kernels.results.read(&mut kernels.queue, |seat| {
            let leaf = packed.seats[seat.place * SEAT_WORDS];
            points[leaf as usize] += seat.word(0);
        })?;
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
    use super::*;
    use crate::games::annexation::Kind;
    use crate::techniques::annexation::shapes::leaf_words;
    use crate::techniques::tasks::mcts::MOST_PLAYOUTS;

    fn settings(leaves: u32, playouts: u32) -> Settings {
        Settings {
            leaves,
            playouts,
            most_nodes: 1,
        }
    }

    /// Returns leaves with different players to move.
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
            packed.pack(&leaves, (each.into(), first), |_| together);
            let seats: Vec<&[u32]> = packed.seats.chunks(SEAT_WORDS).collect();
            assert!(
                packed.seats.len()
                    <= SEAT_WORDS * (most_seats(settings(count as u32, each)) + 2 * together)
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
