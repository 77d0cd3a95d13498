//! The host techniques: playouts for any representation of a board.

use std::ops::Range;

use rayon::ThreadPool;

use super::play::Annexation;
use super::tasks::{self, RandomPlayer, Root, Wanted, in_words};
use super::{Asked, Standing};
use crate::games::annexation::Board;
use crate::search::annexation::{Crew, Frontiers, Playouts, Sliced, Tally};
use crate::search::in_pool;
use crate::techniques::Technique;
use crate::words::{self, Counts, Fault, Task, TechniqueEntry};

const TASKS: &[Task] = &[Task::Playouts, Task::Choose, Task::Match];

/// The reference of all playouts that may name any colour; see [`Frontiers`].
pub const SERIAL: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "serial",
        summary: "playouts one by one on one core, over lists of the cells next to each player's",
        paper: "the rules of \"The awesome GPU\"; the lists and the early end are ours",
        tasks: TASKS,
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| {
        tasks::prepare_with_facts(setup, 64..65_536, |wanted| {
            Ok(OnHost::boxed(ONE_BY_ONE, wanted, None))
        })
    },
};

/// `serial`'s playouts, distributed over all threads in parts of 32.
pub const RAYON: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "rayon",
        summary: "playouts one by one on all cores, each as serial does it",
        counts: Counts::As("serial"),
        tasks: TASKS,
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare: |setup| {
        let pool = Some((setup.pool()?, Frontiers::PART));
        tasks::prepare_flat(setup, 256..1_048_576, |wanted| {
            Ok(OnHost::boxed(ONE_BY_ONE, wanted, pool))
        })
    },
};

/// The strong baseline on one core; see [`Sliced`].
pub const SERIAL_SLICED: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "serial-sliced",
        summary: "1024 playouts at a time on one core, a bit each, in its vectors",
        like: "serial-sliced",
        counts: Counts::As("serial"),
        tasks: TASKS,
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| {
        tasks::prepare_flat(setup, 8_192..1_048_576, |wanted| {
            Ok(OnHost::boxed(SLICED, wanted, None))
        })
    },
};

/// The strong baseline on all cores: `serial-sliced` on all threads.
pub const RAYON_SLICED: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "rayon-sliced",
        summary: "1024 playouts at a time on all cores, a bit each, in their vectors",
        like: "rayon-sliced",
        counts: Counts::As("serial"),
        tasks: TASKS,
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare: |setup| {
        let pool = Some((setup.pool()?, Sliced::PART));
        tasks::prepare_flat(setup, 16_384..16_777_216, |wanted| {
            Ok(OnHost::boxed(SLICED, wanted, pool))
        })
    },
};

/// The paper's own engine on the processor: "ideally" a valid move. Its playouts differ from all other techniques, so
/// it is its own reference. Its rate is comparable to the published rates.
pub const SERIAL_LEGAL: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "serial-legal",
        summary: "one by one on one core, naming only colours that annex something",
        paper: "The awesome GPU, the engine's playouts; the lists are ours",
        reference: "serial-legal",
        tasks: TASKS,
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| {
        tasks::prepare_flat(setup, 64..65_536, |wanted| {
            Ok(OnHost::boxed(LEGAL, wanted, None))
        })
    },
};

const ONE_BY_ONE: Way<Frontiers> = Way {
    lay_out: Frontiers::new,
    tally: Frontiers::tally,
};

const LEGAL: Way<Frontiers> = Way {
    tally: Frontiers::tally_legal,
    ..ONE_BY_ONE
};

const SLICED: Way<Sliced> = Way {
    lay_out: Sliced::new,
    tally: Sliced::tally,
};

/// A representation of boards, and its playouts.
struct Way<B> {
    lay_out: fn(&Board) -> B,
    tally: fn(&mut B, &Playouts) -> Tally,
}

struct OnHost<B> {
    way: Way<B>,
    asked: Asked,
    seed: u64,
    /// The pool, and the playouts per part of a thread.
    pool: Option<(ThreadPool, u64)>,
    /// Players and turns per position.
    loaded: Vec<(Players<B>, u32)>,
}

enum Players<B> {
    One(B),
    Many(Crew<B>),
}

impl<B: Clone + Send + Sync + 'static> OnHost<B> {
    fn boxed(
        way: Way<B>,
        wanted: &Wanted<'_>,
        pool: Option<(ThreadPool, u64)>,
    ) -> Box<dyn RandomPlayer<Annexation>> {
        Box::new(OnHost {
            way,
            asked: *wanted.asked,
            seed: wanted.seed,
            pool,
            loaded: Vec::new(),
        })
    }
}

impl<B: Clone + Send + Sync> RandomPlayer<Annexation> for OnHost<B> {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        self.loaded.clear();
        for position in positions {
            let Root { board, turns } = Root::new(&self.asked, position);
            let laid_out = (self.way.lay_out)(&board);
            let players = match &self.pool {
                Some((pool, part)) => {
                    Players::Many(Crew::new(laid_out, pool.current_num_threads(), *part))
                }
                None => Players::One(laid_out),
            };
            self.loaded.push((players, turns));
        }
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<words::Tally, Fault> {
        let (players, turns) = &mut self.loaded[index];
        let asked = Playouts {
            seed: self.seed,
            first: playouts.start,
            count: playouts.end.saturating_sub(playouts.start),
            turns: *turns,
        };
        let tally = self.way.tally;
        Ok(in_words(match (players, &self.pool) {
            (Players::One(board), _) => tally(board, &asked),
            (Players::Many(crew), pool) => in_pool(pool.as_ref().map(|(pool, _)| pool), || {
                crew.tally(&asked, tally)
            }),
        }))
    }
}
