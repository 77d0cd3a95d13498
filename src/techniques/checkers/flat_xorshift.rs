//! `flat-xorshift`: `flat` with the paper's generator.

use super::device_games::{GROUP, LANES, STEPS};
use super::flat::{self, XORSHIFT_PROGRAM};
use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::words::{Counts, Task, TechniqueEntry};

/// The paper's generator ("Generowanie liczb losowych"): xorshift32, seeded with the thread's number in launches of
/// [`MOST`](flat::MOST) games. All launches, root moves and seeds share these streams. Draws of neighbouring threads
/// start correlated. Tallies therefore differ from `serial`; `serial-xorshift` plays the same games.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "flat-xorshift",
        summary: "flat with the paper's xorshift32, seeded with the thread's number",
        paper: "\"Flat\" Monte Carlo; \"Generowanie liczb losowych\"",
        needs: "four bytes a game",
        like: "serial-xorshift",
        reference: "serial-xorshift",
        counts: Counts::As("serial-xorshift"),
        tasks: &[Task::Playouts],
        params: &[GROUP, LANES, STEPS],
        splits: true,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=24", FEW_PLAYOUTS),
    ],
    prepare: |setup| flat::prepare_with(setup, &XORSHIFT_PROGRAM),
};
