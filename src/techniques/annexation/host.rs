//! The host techniques: playouts for any representation of a board.

use std::ops::Range;
use std::sync::Arc;

use super::facts::facts;
use super::play::Annexation;
use super::tasks::{self, RandomPlayer, Root};
use super::{Asked, Standing};
use crate::games::annexation::Board;
use crate::search::annexation::{Crew, Frontiers, Playouts, Sliced, Tally};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fact, Fault, Task, TechniqueEntry, Telemetry};

const TASKS: &[Task] = &[Task::Playouts, Task::Choose, Task::Match];

const ON_A_CORE: TechniqueEntry = TechniqueEntry {
    game: "annexation",
    name: "serial",
    summary: "playouts one by one on one core, over lists of the cells next to each player's",
    paper: "the rules of \"The awesome GPU\"; the lists and the early end are ours",
    tasks: TASKS,
    ..TechniqueEntry::SERIAL
};

const ON_CORES: TechniqueEntry = TechniqueEntry {
    game: "annexation",
    name: "rayon",
    summary: "playouts one by one on all cores, each as serial does it",
    counts: Counts::As("serial"),
    tasks: TASKS,
    ..TechniqueEntry::THREADS
};

/// The reference of all playouts that may name any colour; see [`Frontiers`].
pub const SERIAL: Technique = Technique {
    entry: ON_A_CORE,
    trials: &[],
    prepare: |setup| {
        let way = Way {
            has_facts: true,
            ..ONE_BY_ONE
        };
        way.prepare(setup, 64..65_536, None)
    },
};

/// `serial`'s playouts, distributed over all threads in parts of 32.
pub const RAYON: Technique = Technique {
    entry: ON_CORES,
    trials: &[],
    prepare: |setup| ONE_BY_ONE.prepare(setup, 256..1_048_576, Some(Frontiers::PART)),
};

/// The strong baseline on one core; see [`Sliced`].
pub const SERIAL_SLICED: Technique = Technique {
    entry: TechniqueEntry {
        name: "serial-sliced",
        summary: "1024 playouts at a time on one core, a bit each, in its vectors",
        paper: TechniqueEntry::SERIAL.paper,
        like: "serial-sliced",
        counts: Counts::As("serial"),
        ..ON_A_CORE
    },
    trials: &[],
    prepare: |setup| SLICED.prepare(setup, 8_192..1_048_576, None),
};

/// The strong baseline on all cores: `serial-sliced` on all threads.
pub const RAYON_SLICED: Technique = Technique {
    entry: TechniqueEntry {
        name: "rayon-sliced",
        summary: "1024 playouts at a time on all cores, a bit each, in their vectors",
        like: "rayon-sliced",
        ..ON_CORES
    },
    trials: &[],
    prepare: |setup| SLICED.prepare(setup, 16_384..16_777_216, Some(Sliced::PART)),
};

/// The paper's own engine on the processor: "ideally" a valid move. Its playouts differ: it is its own reference.
pub const SERIAL_LEGAL: Technique = Technique {
    entry: TechniqueEntry {
        name: "serial-legal",
        summary: "one by one on one core, naming only colours that annex something",
        paper: "The awesome GPU, the engine's playouts; the lists are ours",
        reference: "serial-legal",
        ..ON_A_CORE
    },
    trials: &[],
    prepare: |setup| LEGAL.prepare(setup, 64..65_536, None),
};

const ONE_BY_ONE: Way<Frontiers> = Way {
    lay_out: Frontiers::new,
    tally: Frontiers::tally,
    has_facts: false,
};

const LEGAL: Way<Frontiers> = Way {
    tally: Frontiers::tally_legal,
    ..ONE_BY_ONE
};

const SLICED: Way<Sliced> = Way {
    lay_out: Sliced::new,
    tally: Sliced::tally,
    has_facts: false,
};

/// A representation of boards, and its playouts.
struct Way<B> {
    lay_out: fn(&Board) -> B,
    tally: fn(&mut B, &Playouts) -> Tally,
    /// Whether it tells the facts of the case's boards.
    has_facts: bool,
}

impl<B: Clone + Send + Sync + 'static> Way<B> {
    /// Prepares a technique on one core, or on all with this many playouts per part of a thread.
    fn prepare(
        self,
        setup: &Setup<'_>,
        batches: Range<u64>,
        part: Option<u64>,
    ) -> Result<Box<dyn Sampler>, Fault> {
        let pool = match part {
            Some(part) => Some((Arc::new(setup.pool()?), part)),
            None => None,
        };
        let Way {
            lay_out,
            tally,
            has_facts,
        } = self;
        let plays = move |board: &Board| -> PlaysOne {
            let mut one = lay_out(board);
            let Some((pool, part)) = pool.clone() else {
                return Box::new(move |asked| tally(&mut one, asked));
            };
            let mut crew = Crew::new(one, pool.current_num_threads(), part);
            Box::new(move |asked| pool.install(|| crew.tally(asked, tally)))
        };
        tasks::prepare_flat(setup, batches, |play| {
            Ok(Box::new(OnHost {
                plays,
                asked: play.asked,
                seed: setup.seed,
                loaded: Vec::new(),
                facts: if has_facts {
                    facts(setup, &play.asked)?
                } else {
                    Vec::new()
                },
            }))
        })
    }
}

/// Plays from one position.
type PlaysOne = Box<dyn FnMut(&Playouts) -> Tally + Send>;

struct OnHost<F> {
    plays: F,
    asked: Asked,
    seed: u64,
    /// Players and turns per position.
    loaded: Vec<(PlaysOne, u32)>,
    facts: Vec<Fact>,
}

impl<F: Fn(&Board) -> PlaysOne + Send> RandomPlayer<Annexation> for OnHost<F> {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        let plays = |position| {
            let Root { board, turns } = Root::new(&self.asked, position);
            ((self.plays)(&board), turns)
        };
        self.loaded = positions.iter().map(plays).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let (play, turns) = &mut self.loaded[index];
        Ok(play(&Playouts {
            seed: self.seed,
            first: playouts.start,
            count: playouts.end.saturating_sub(playouts.start),
            turns: *turns,
        }))
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            facts: self.facts.clone(),
            ..Telemetry::default()
        }
    }
}
