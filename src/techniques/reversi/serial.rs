//! `serial`: alpha-beta on one core, on bitboards.

use super::random_games;
use super::tasks::{self, Reversi, Searcher};
use crate::games::reversi::{Representation, Visit, fastest};
use crate::techniques::tasks::host;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

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
        summary: "alpha-beta on one core, on bitboards, without allocation in the search",
        paper: "Strnad and Guid, section 3 (the search); ours (the bitboards)",
        tasks: &[
            Task::Search,
            Task::Game,
            Task::Playouts,
            Task::Match,
            Task::Perft,
        ],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    match setup.task {
        Task::Playouts => random_games::prepare_random_on_host(setup, None),
        _ => tasks::prepare(setup, |asked| Ok(fastest(&asked.evaluation, OnOneCore))),
    }
}

/// Makes a searcher that runs alpha-beta on one core, on whatever representation it visits.
pub(super) struct OnOneCore;

impl Visit for OnOneCore {
    type Output = Box<dyn Searcher<Reversi>>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        host::on_one_core::<_, host::Serial, _>(game)
    }
}
