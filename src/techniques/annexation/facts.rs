//! Facts about a case's boards, independent of techniques.

use super::play::starts;
use super::{Asked, BOARD, Standing, TURNS};
use crate::games::annexation::BOARDS_A_KIND;
use crate::search::annexation::{Playouts, Sliced, Unowned};
use crate::techniques::Setup;
use crate::words::{Case, Fact, Fault, Value};

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
