//! The host techniques: playouts for any representation of a board.

use std::ops::Range;
use std::sync::Arc;

use super::play::{Annexation, BOARD, TURNS, starts};
use super::tasks::{self, RandomPlayer, Root};
use super::{Asked, Standing};
use crate::games::annexation::{BOARDS_A_KIND, Board};
use crate::search::annexation::{Crew, Frontiers, Playouts, Sliced, Tally, Unowned};
use crate::techniques::{Prepared, Setup, Technique};
use crate::words::{Case, Counts, Fact, Fault, Task, TechniqueEntry, Telemetry, Value};

const TASKS: &[Task] = &[Task::Playouts, Task::Choose, Task::Match];

const ON_A_CORE: TechniqueEntry = TechniqueEntry {
    name: "serial",
    summary: "playouts one by one on one core, over lists of the cells next to each player's",
    paper: "the rules of \"The awesome GPU\"; the lists and the early end are ours",
    tasks: TASKS,
    ..TechniqueEntry::SERIAL
};

const ON_CORES: TechniqueEntry = TechniqueEntry {
    name: "rayon",
    summary: "playouts one by one on all cores, each as serial does it",
    counts: Counts::As("serial"),
    tasks: TASKS,
    ..TechniqueEntry::THREADS
};

/// The reference of all playouts that may name any colour; see [`Frontiers`].
pub const SERIAL: Technique = Technique::on_host(ON_A_CORE, |setup| {
    let way = Way {
        has_facts: true,
        ..ONE_BY_ONE
    };
    way.prepare(setup, 64..65_536, None)
});

/// `serial`'s playouts, distributed over all threads in parts of 32.
pub const RAYON: Technique = Technique::on_host(ON_CORES, |setup| {
    ONE_BY_ONE.prepare(setup, 256..1_048_576, Some(Frontiers::PART))
});

/// The strong baseline on one core; see [`Sliced`].
pub const SERIAL_SLICED: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-sliced",
        summary: "1024 playouts at a time on one core, a bit each, in its vectors",
        paper: TechniqueEntry::SERIAL.paper,
        like: "serial-sliced",
        counts: Counts::As("serial"),
        ..ON_A_CORE
    },
    |setup| SLICED.prepare(setup, 8_192..1_048_576, None),
);

/// The strong baseline on all cores: `serial-sliced` on all threads.
pub const RAYON_SLICED: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon-sliced",
        summary: "1024 playouts at a time on all cores, a bit each, in their vectors",
        like: "rayon-sliced",
        ..ON_CORES
    },
    |setup| SLICED.prepare(setup, 16_384..16_777_216, Some(Sliced::PART)),
);

/// The paper's own engine on the processor: "ideally" a valid move. Its playouts differ: it is its own reference.
pub const SERIAL_LEGAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-legal",
        summary: "one by one on one core, naming only colours that annex something",
        paper: "The awesome GPU, the engine's playouts; the lists are ours",
        reference: "serial-legal",
        ..ON_A_CORE
    },
    |setup| LEGAL.prepare(setup, 64..65_536, None),
);

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
    fn prepare(self, setup: &Setup<'_>, batches: Range<u64>, part: Option<u64>) -> Prepared {
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

/// Playouts per board of the kind.
const SAMPLED: u64 = 1024;

/// Turns after which the paper calls a game "statistically stable".
const PUBLISHED_TURNS: u32 = 200;

/// Facts about the boards of a case's kind, none for a position that is given: mean number of cells, and shares in
/// percent at the end of playouts, for the case's and for the paper's number of turns. The shares count playouts with
/// an unowned cell, unowned cells, and playouts with an uncertain winner. Fails as [`starts`].
pub fn facts(setup: &Setup<'_>, asked: &Asked) -> Result<Vec<Fact>, Fault> {
    if setup.position.is_some() {
        return Ok(Vec::new());
    }
    let kind = starts(asked, BOARDS_A_KIND)?;
    let played = &kind[..asked.boards as usize];
    let axes = |names: &[&str]| {
        let given = setup.case.0.iter();
        let named = given.filter(|(name, _)| names.contains(&name.as_str()));
        Case(named.cloned().collect::<Vec<(String, Value)>>()).to_string()
    };
    let cells: usize = kind.iter().map(cells_of).sum();
    let cells_played: usize = played.iter().map(cells_of).sum();
    let mut at = [Unowned::default(); 2];
    for standing in &kind {
        let board = standing.position().board();
        let mut sliced = Sliced::new(board);
        for (unowned, turns) in at.iter_mut().zip([asked.turns_on(board), PUBLISHED_TURNS]) {
            *unowned += sliced.unowned(&Playouts {
                seed: setup.seed,
                first: 0,
                count: SAMPLED,
                turns,
            });
        }
    }
    let playouts = (kind.len() as u64 * SAMPLED) as f64;
    let [last, published] = at;
    let of_board = axes(&[BOARD]);
    let of_turns = axes(&[BOARD, TURNS]);
    let all = cells as f64 * SAMPLED as f64;
    let fact = |axes: &String, name: &str, value| (axes.clone(), name.to_owned(), value);
    let a_board = |cells: usize, boards: &[Standing]| cells as f64 / boards.len() as f64;
    let mut facts = vec![
        fact(&of_board, "cells", a_board(cells, &kind)),
        fact(&of_board, "cells-played", a_board(cells_played, played)),
        fact(&of_board, "playouts-looked-at", playouts),
    ];
    for (axes, at, unowned) in [(&of_turns, "", last), (&of_board, "-at-200", published)] {
        let shares = [
            ("unsettled", unowned.playouts, playouts),
            ("unowned", unowned.cells, all),
            ("undecided", unowned.undecided, playouts),
        ];
        facts.extend(shares.map(|(what, part, whole)| {
            let name = format!("{what}-percent{at}");
            fact(axes, &name, 100.0 * part as f64 / whole)
        }));
    }
    Ok(facts)
}

fn cells_of(standing: &Standing) -> usize {
    standing.position().board().cells()
}
