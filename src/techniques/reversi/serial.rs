//! `serial`: alpha-beta on one core, on bitboards.

use super::tasks::{self, Searcher};
use crate::games::reversi::{Position, Representation, Square, Visit, fastest};
use crate::search::{Found, alpha_beta, perft};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counters, Fault, Kind, Task, TechniqueEntry};

/// The reference: every other technique must find its values.
///
/// Nodes a second on one core of an AMD EPYC (Zen 5) at depths 9 (8x8) to 3 (64x64), built for it,
/// positions at even distances along the line: 58 M on 8x8, 18 M on 16x8, 14 M on 16x16, 8 M on
/// 32x32, 5.7 M on 64x32, 3.2 M on 64x64. Every position entered counts. Built for any x86-64,
/// 8x8 has about three quarters of that. What it took is told in
/// [`Bits8`](crate::games::reversi::Bits8) and [`Rows`](crate::games::reversi::Rows).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "serial",
        kind: Kind::Serial,
        summary: "alpha-beta on one core, on bitboards, without allocation in the search",
        paper: "Strnad and Guid, section 3 (the search); ours (the bitboards)",
        needs: "",
        like: "serial",
        reference: "serial",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        params: &[],
    },
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| Ok(fastest(&asked.evaluation, OnOneCore)))
}

/// Makes a searcher that runs [`alpha_beta`] on one core, on whatever representation it visits.
pub(super) struct OnOneCore;

impl Visit for OnOneCore {
    type Output = Box<dyn Searcher>;

    fn visit<R: Representation>(self, game: R) -> Box<dyn Searcher> {
        Box::new(Serial {
            game,
            positions: Vec::new(),
        })
    }
}

struct Serial<R: Representation> {
    game: R,
    positions: Vec<R::Position>,
}

impl<R: Representation> Searcher for Serial<R> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions.clear();
        self.positions
            .extend(positions.iter().map(|position| self.game.load(position)));
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        Ok(alpha_beta(&self.game, &self.positions[index], depth))
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        Ok(perft(&self.game, &self.positions[index], depth))
    }
}
