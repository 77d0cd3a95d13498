//! Facts about a case's boards, independent of techniques.

use super::{Asked, BOARD, Standing, TURNS};
use crate::search::annexation::{Playouts, Sliced, Unowned};
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Case, Counters, Fact, Fault, Telemetry, Value};

/// Playouts per board of the kind.
const SAMPLED: u64 = 1024;

/// Turns after which the paper calls a game "statistically stable".
const PUBLISHED_TURNS: u32 = 200;

/// Facts about the `played` boards of a `kind`: mean number of cells, and shares in percent at the end of playouts, for
/// the case's and for the paper's number of turns. The shares count playouts with an unowned cell, unowned cells, and
/// playouts with an uncertain winner.
pub fn facts(
    setup: &Setup<'_>,
    asked: &Asked,
    kind: &[Standing],
    played: &[Standing],
) -> Vec<Fact> {
    let axes = |names: &[&str]| {
        let given = setup.case.0.iter();
        let named = given.filter(|(name, _)| names.contains(&name.as_str()));
        Case(named.cloned().collect::<Vec<(String, Value)>>()).to_string()
    };
    let cells: usize = kind.iter().map(cells_of).sum();
    let cells_played: usize = played.iter().map(cells_of).sum();
    let mut at = [Unowned::default(); 2];
    for standing in kind {
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
    let percent = |part: u64, whole: f64| 100.0 * part as f64 / whole;
    let [last, published] = at;
    let of_board = axes(&[BOARD]);
    let of_turns = axes(&[BOARD, TURNS]);
    let all = cells as f64 * SAMPLED as f64;
    [
        (&of_board, "cells", cells as f64 / kind.len() as f64),
        (
            &of_board,
            "cells-played",
            cells_played as f64 / played.len() as f64,
        ),
        (&of_board, "playouts-looked-at", playouts),
        (
            &of_turns,
            "unsettled-percent",
            percent(last.playouts, playouts),
        ),
        (&of_turns, "unowned-percent", percent(last.cells, all)),
        (
            &of_turns,
            "undecided-percent",
            percent(last.undecided, playouts),
        ),
        (
            &of_board,
            "unsettled-percent-at-200",
            percent(published.playouts, playouts),
        ),
        (
            &of_board,
            "unowned-percent-at-200",
            percent(published.cells, all),
        ),
        (
            &of_board,
            "undecided-percent-at-200",
            percent(published.undecided, playouts),
        ),
    ]
    .map(|(axes, name, value)| (axes.clone(), name.to_owned(), value))
    .to_vec()
}

fn cells_of(standing: &Standing) -> usize {
    standing.position().board().cells()
}

/// A sampler on the host with additional facts.
pub struct WithFacts {
    sampler: Box<dyn Sampler>,
    facts: Vec<Fact>,
}

impl WithFacts {
    /// Adds facts to a sampler.
    pub fn new(sampler: Box<dyn Sampler>, facts: Vec<Fact>) -> WithFacts {
        WithFacts { sampler, facts }
    }
}

impl Sampler for WithFacts {
    fn begin(&mut self, taken: u64) {
        self.sampler.begin(taken);
    }

    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        self.sampler.sample()
    }

    fn units(&self) -> u64 {
        self.sampler.units()
    }

    fn limit_units(&mut self, most: usize) {
        self.sampler.limit_units(most);
    }

    fn value_of(&mut self, unit: usize, best: &str) -> Result<i64, Fault> {
        self.sampler.value_of(unit, best)
    }

    fn reply(&mut self, position: &str) -> Result<crate::techniques::Reply, Fault> {
        self.sampler.reply(position)
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            facts: self.facts.clone(),
            ..self.sampler.telemetry()
        }
    }
}
