//! Playouts of a position by its first move.

use std::ops::Range;

use super::play::Annexation;
use super::tasks::RandomPlayer;
use crate::techniques::tasks::Play;
use crate::words::{Fault, Tally, Telemetry};

/// Distributes playouts over the n legal colours: playout g starts with colour g mod n and is playout g div n of the
/// position after it. Batches of any size therefore add to the same total.
pub struct Children {
    play: Annexation,
    player: Box<dyn RandomPlayer<Annexation>>,
    /// Per loaded position, the index of its first child in the player and its number of children.
    loaded: Vec<(usize, u64)>,
}

impl Children {
    /// Plays the children's playouts with `player`.
    pub fn new(play: Annexation, player: Box<dyn RandomPlayer<Annexation>>) -> Children {
        Children {
            play,
            player,
            loaded: Vec::new(),
        }
    }
}

impl RandomPlayer<Annexation> for Children {
    fn load(&mut self, positions: &[super::Standing]) -> Result<(), Fault> {
        self.loaded.clear();
        let mut children = Vec::new();
        for position in positions {
            let moves = self.play.moves(position);
            self.loaded.push((children.len(), moves.len() as u64));
            children.extend(moves.into_iter().map(|mv| position.play(mv)));
        }
        self.player.load(&children)
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let (first, moves) = self.loaded[index];
        let mut sum = Tally::default();
        for child in 0..moves {
            let from = |playout: u64| playout.saturating_sub(child).div_ceil(moves);
            let range = from(playouts.start)..from(playouts.end);
            // The opponent is to move in the child.
            let own = self.player.play(first + child as usize, range)?;
            sum.wins += own.losses;
            sum.draws += own.draws;
            sum.losses += own.wins;
            sum.plies += own.plies;
            sum.by_first_move.push((own.losses, own.draws, own.wins));
        }
        Ok(sum)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.player.telemetry()
    }
}
