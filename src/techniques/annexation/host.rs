//! Defines host techniques, whose playouts work on any representation of a board.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::ThreadPool;

use super::play::{Annexation, BOARD, TURNS, starts};
use super::tasks::{self, RandomPlayer, root};
use super::{Asked, Standing};
use crate::games::annexation::{BOARDS_A_KIND, Board, PLAYOUTS_A_DRAW, PLAYOUTS_A_GROUP};
use crate::search::annexation::{Frontiers, Playouts, Sliced, Tally, Unowned};
use crate::techniques::prelude::*;
use crate::techniques::tasks::random_games::share_out;
use crate::words::Fact;

const TASKS: &[Task] = &[Task::Playouts, Task::Choose, Task::Match];

const ON_A_CORE: TechniqueEntry = TechniqueEntry {
    name: "serial",
    summary: "one playout after another on one core, with lists of the cells next to each player",
    paper: "the rules of \"The awesome GPU\"; the lists and the early end are ours",
    tasks: TASKS,
    ..TechniqueEntry::SERIAL
};

const ON_CORES: TechniqueEntry = TechniqueEntry {
    name: "rayon",
    summary: "the playouts of serial on all cores",
    counts: Counts::As("serial"),
    tasks: TASKS,
    ..TechniqueEntry::THREADS
};

/// The reference for all playouts with arbitrary colours (see [`Frontiers`]). It also reports facts about the boards.
pub const SERIAL: Technique = Technique::on_host(ON_A_CORE, |setup| {
    prepare(ONE_BY_ONE, setup, 64..65_536, None, true)
});

/// Distributes `serial`'s playouts over all threads, in parts of 32.
pub const RAYON: Technique = Technique::on_host(ON_CORES, |setup| {
    let part = Some(PLAYOUTS_A_DRAW);
    prepare(ONE_BY_ONE, setup, 256..1_048_576, part, false)
});

/// The strong baseline on one core; see [`Sliced`].
pub const SERIAL_SLICED: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-sliced",
        summary: "1024 playouts at a time on one core, with one bit per playout",
        paper: TechniqueEntry::SERIAL.paper,
        like: "serial-sliced",
        counts: Counts::As("serial"),
        ..ON_A_CORE
    },
    |setup| prepare(SLICED, setup, 8_192..1_048_576, None, false),
);

/// The strong baseline on all cores: `serial-sliced` on all threads.
pub const RAYON_SLICED: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon-sliced",
        summary: "1024 playouts at a time on all cores, with one bit per playout",
        like: "rayon-sliced",
        ..ON_CORES
    },
    |setup| {
        let part = Some(PLAYOUTS_A_GROUP);
        prepare(SLICED, setup, 16_384..16_777_216, part, false)
    },
);

/// The paper's CPU engine, which "ideally" makes a valid move. It plays only legal colours, so it is its own reference.
pub const SERIAL_LEGAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-legal",
        summary: "one playout after another on one core, only with colours that annex a cell",
        paper: "The awesome GPU, the engine's playouts; the lists are ours",
        reference: "serial-legal",
        ..ON_A_CORE
    },
    |setup| prepare(LEGAL, setup, 64..65_536, None, false),
);

/// Two functions: the first converts a board, and the second plays on the converted board.
type Way<B> = (fn(&Board) -> B, fn(&mut B, &Playouts) -> Tally);

const ONE_BY_ONE: Way<Frontiers> = (Frontiers::new, Frontiers::tally);
const LEGAL: Way<Frontiers> = (Frontiers::new, Frontiers::tally_legal);
const SLICED: Way<Sliced> = (Sliced::new, Sliced::tally);

/// Prepares a technique on one core, or on all threads in parts of `part` playouts. Parts share no random numbers.
fn prepare<B: Clone + Send + Sync + 'static>(
    way: Way<B>,
    setup: &Setup<'_>,
    batches: Range<u64>,
    part: Option<u64>,
    has_facts: bool,
) -> Prepared {
    let pool = part.map(|part| setup.pool().map(|pool| (pool, part)));
    let pool = pool.transpose()?;
    tasks::prepare_flat(setup, batches, |play| {
        Ok(Box::new(OnHost {
            way,
            asked: play.asked,
            seed: setup.seed,
            pool,
            loaded: Vec::new(),
            facts: match has_facts {
                true => facts(setup, &play.asked)?,
                false => Vec::new(),
            },
        }))
    })
}

/// Number of shares per thread. Parts are long, so with fewer shares, threads would idle at the end.
const SHARES: u64 = 32;

struct OnHost<B> {
    way: Way<B>,
    asked: Asked,
    seed: u64,
    /// The threads, and the number of playouts in an indivisible part.
    pool: Option<(ThreadPool, u64)>,
    /// For each position: its board, copies of the board that no thread is using, and the number of turns.
    loaded: Vec<(B, Mutex<Vec<B>>, u32)>,
    facts: Vec<Fact>,
}

fn playouts(seed: u64, range: Range<u64>, turns: u32) -> Playouts {
    Playouts {
        seed,
        first: range.start,
        count: range.end.saturating_sub(range.start),
        turns,
    }
}

impl<B: Clone> OnHost<B> {
    fn tally(&self, index: usize, range: Range<u64>) -> Tally {
        if range.is_empty() {
            return Tally::default();
        }
        let (board, spare, turns) = &self.loaded[index];
        // A board stays usable after a panic, because every playout starts from a fresh state.
        let spare = || spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut own = spare().pop().unwrap_or_else(|| board.clone());
        let tally = (self.way.1)(&mut own, &playouts(self.seed, range, *turns));
        spare().push(own);
        tally
    }
}

impl<B: Clone + Send + Sync> RandomPlayer<Annexation> for OnHost<B> {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        let loaded = |position| {
            let root = root(&self.asked, position);
            ((self.way.0)(root.board()), Mutex::default(), root.turns)
        };
        self.loaded = positions.iter().map(loaded).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let Some((pool, part)) = &self.pool else {
            let (board, _, turns) = &mut self.loaded[index];
            let asked = self::playouts(self.seed, playouts, *turns);
            return Ok((self.way.1)(board, &asked));
        };
        let parts = playouts.start / part..playouts.end.div_ceil(*part);
        Ok(share_out(pool, parts, (SHARES, 1), &|parts| {
            let first = playouts.start.max(parts.start * part);
            self.tally(index, first..playouts.end.min(parts.end * part))
        }))
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            facts: self.facts.clone(),
            ..Telemetry::default()
        }
    }
}

/// Number of playouts per board for computing the facts.
const SAMPLED: u64 = 1024;

/// Number of turns after which the paper calls a game "statistically stable".
const PUBLISHED_TURNS: u32 = 200;

/// Returns facts about boards of the case's kind: mean numbers of cells, and the percentages of playouts with unowned
/// cells, of unowned cells, and of playouts with an uncertain winner. The percentages apply after the case's number of
/// turns and after 200 turns. Returns nothing if the position is given. Fails like [`starts`].
fn facts(setup: &Setup<'_>, asked: &Asked) -> Result<Vec<Fact>, Fault> {
    if setup.position.is_some() {
        return Ok(Vec::new());
    }
    let kind = starts(asked, BOARDS_A_KIND)?;
    let axes = |names: &[&str]| {
        let given = setup.case.0.iter();
        let named = given.filter(|(name, _)| names.contains(&name.as_str()));
        Case(named.cloned().collect::<Vec<(String, Value)>>()).to_string()
    };
    let (of_board, of_turns) = (axes(&[BOARD]), axes(&[BOARD, TURNS]));
    let fact = |axes: &String, name: &str, value| (axes.clone(), name.to_owned(), value);
    let cells = |boards: &[Standing]| -> f64 {
        let cells = boards.iter().map(|it| it.position().board().cells());
        cells.sum::<usize>() as f64
    };
    let played = &kind[..asked.boards as usize];
    let playouts = (kind.len() as u64 * SAMPLED) as f64;
    let mut facts = vec![
        fact(&of_board, "cells", cells(&kind) / kind.len() as f64),
        fact(
            &of_board,
            "cells-played",
            cells(played) / played.len() as f64,
        ),
        fact(&of_board, "playouts-looked-at", playouts),
    ];
    let mut at = [Unowned::default(); 2];
    for standing in &kind {
        let board = standing.position().board();
        let mut sliced = Sliced::on(board);
        for (unowned, turns) in at.iter_mut().zip([asked.turns_on(board), PUBLISHED_TURNS]) {
            let playouts = Playouts {
                seed: setup.seed,
                first: 0,
                count: SAMPLED,
                turns,
            };
            sliced.unowned(&playouts, unowned);
        }
    }
    let all = cells(&kind) * SAMPLED as f64;
    for ((axes, at), unowned) in [(&of_turns, ""), (&of_board, "-at-200")]
        .into_iter()
        .zip(at)
    {
        let shares = [
            ("unsettled", playouts),
            ("unowned", all),
            ("undecided", playouts),
        ];
        facts.extend(
            shares
                .into_iter()
                .zip(unowned)
                .map(|((what, whole), part)| {
                    let name = format!("{what}-percent{at}");
                    fact(axes, &name, 100.0 * part as f64 / whole)
                }),
        );
    }
    Ok(facts)
}
