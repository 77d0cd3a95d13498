//! `flat-refill`: random games from all moves in one launch. Each work-item plays several games in succession.

use std::ops::Range;

use super::device_games::{self, GROUP, LANES, Layout, Root};
use super::device_perft::device_perft;
use super::flat::batches;
use super::hard::{FEW_PLAYOUTS, FLAT, PERFT, PLAYOUTS};
use super::tasks::{self, Draughts};
use crate::games::checkers::{Position, Rules};
use crate::techniques::prelude::*;
use crate::techniques::tasks::flat_refill::{self, RefillLayout, RefillRoots, items_on, refilling};
use crate::techniques::tasks::{Playing, runner};

/// Flat Monte Carlo on the device with refilled lanes. If one lane has rare work, its whole warp waits. Unfinished
/// captures (one ply in 29) and new games (one ply in 70) are therefore delayed until several lanes need them.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        paper: "ours; the task is that of \"Flat\" Monte Carlo",
        needs: "local memory for three words per first move",
        tasks: &[Task::Playouts, Task::Choose, Task::Match, Task::Perft],
        params: &[GROUP, LANES, REFILL, DEVICES],
        ..flat_refill::ENTRY
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("", FLAT),
        Trial::new("", PERFT),
        Trial::new("lanes=1 group=48", FEW_PLAYOUTS),
        Trial::new("refill=false", FEW_PLAYOUTS),
        Trial::new("refill=false lanes=1 group=8", FEW_PLAYOUTS),
    ],
    prepare,
};

choices! {
    REFILL, read_refill -> bool: "refill", {"true" => true, "false" => false}, "true",
        "true, or false (each lane plays only one game, and idles until its group ends)";
}

/// Minimum number of games per lane on a CPU. With fewer games, lanes are mostly empty.
const LEAST: u64 = 8;

fn prepare(setup: &Setup<'_>) -> Prepared {
    let device = setup.on_device()?;
    if setup.task == Task::Perft {
        return prepare_search(setup, |play: &Draughts| {
            device_perft(play.game, play.amount.depth, setup, device)
        });
    }
    tasks::prepare_flat(setup, batches(device), |play| player(play, setup, device))
}

/// Number of words after the tally in the sums of each launch.
const SUMS: usize = 4;

fn player(play: &Draughts, setup: &Setup<'_>, device: &Device) -> Playing<Draughts> {
    let rules = *play.game.rules();
    let params = setup.params;
    let layout = Layout::read(params, device)?.of_whole_vectors(device)?;
    let refills = REFILL.given(params, true, read_refill)?;
    let processor = device.info().kind == DeviceKind::Cpu;
    let (turns, items) = (if processor { 1 } else { 2 }, items_on(device));
    let mut defines = device_games::defines(&rules);
    layout.define(&mut defines);
    defines.extend([
        ("TURNS", turns.to_string()),
        ("REFILL", u32::from(refills).to_string()),
    ]);
    let notes = layout.notes();
    let notes = format!("{notes}, items at most {items}, turns {turns}, refill {refills}");
    let kernel = ("checkers/flat_refill.cl", "flat_refill");
    let run = runner(setup, kernel, &defines, layout.group, &notes)?;
    let layout = RefillLayout {
        lanes: layout.lanes,
        width: layout.width,
        items,
        least: if processor { LEAST } else { 1 },
        refills,
        most_moves: MOST_MOVES,
        child_words: device_games::CHILD_WORDS,
        sums: SUMS,
    };
    let seed = setup.seed;
    let warm_up = (&play.position, play.amount.playouts);
    refilling(Roots { rules, seed }, run, layout, device, warm_up)
}

/// Maximum number of first moves. Positions with more moves, because of branching captures, are refused.
const MOST_MOVES: usize = 1024;

struct Roots {
    rules: Rules,
    seed: u64,
}

impl RefillRoots<Draughts> for Roots {
    type Root = Root;
    type Word = u32;

    fn root(&self, position: &Position) -> Result<Root, Fault> {
        let root = Root::new(self.rules, position, self.seed);
        if root.moves as usize > MOST_MOVES {
            return Err(Fault::Unsupported(format!(
                "position: {} first moves; flat-refill takes at most {MOST_MOVES}",
                root.moves
            )));
        }
        Ok(root)
    }

    fn children(root: &Root) -> &[u32] {
        &root.children
    }

    fn key(root: &Root) -> u32 {
        root.key
    }

    fn moves(root: &Root) -> usize {
        root.moves as usize
    }

    fn argument(root: &Root) -> Option<(&'static str, u32)> {
        Some(("down", root.down))
    }

    fn tally(root: &Root, playouts: Range<u64>) -> Tally {
        root.host.tally(playouts)
    }
}
