//! Facts about a case's boards, independent of techniques.

use std::ops::Range;

use super::tasks::RandomPlayer;
use super::{Annexation, Asked, BOARD, Standing, TURNS};
use crate::search::annexation::{Playouts, Sliced, Unowned};
use crate::techniques::Setup;
use crate::words::{Case, Fact, Fault, Tally, Telemetry, Value};

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

/// A player with additional facts.
pub struct WithFacts {
    /// The player.
    pub player: Box<dyn RandomPlayer<Annexation>>,
    /// The facts.
    pub facts: Vec<Fact>,
}

impl RandomPlayer<Annexation> for WithFacts {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        self.player.load(positions)
    }

    fn begin_sample(&mut self) {
        self.player.begin_sample();
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        self.player.play(index, playouts)
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            facts: self.facts.clone(),
            ..self.player.telemetry()
        }
    }
}
