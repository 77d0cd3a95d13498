//! Runs perft on a device.

use super::device_games::{self, down, words};
use super::tasks::Draughts;
use crate::games::checkers::{Checkers, Position};
use crate::techniques::prelude::*;
use crate::techniques::tasks::{Counter, Counting, PerftSearcher, runner};

pub(super) const POSITION_WORDS: usize = 5;

/// Number of positions per compute unit that the host generates. They keep all units busy until the end.
const A_UNIT: usize = 128;

const BATCH: usize = 65_536;

/// Prepares perft for `deepest` plies. The host plays the first plies, and a work-item counts the sequences below each
/// position.
pub(super) fn device_perft(
    game: Checkers,
    deepest: u32,
    setup: &Setup<'_>,
    device: &Device,
) -> Searching<Draughts> {
    let processor = device.info().kind == DeviceKind::Cpu;
    let multiple = device.preferred_multiple().max(1);
    let most = device.info().max_work_group.max(1);
    // A CPU runs a group on one thread, so small groups balance the load.
    let group = (if processor { 16 } else { 2 * multiple }).min(most);
    let mut defines = device_games::defines(game.rules());
    defines.extend([
        ("GROUP", group.to_string()),
        ("LANES", "1".to_owned()),
        ("LEVELS", deepest.max(1).to_string()),
    ]);
    let kernel = ("checkers/perft.cl", "perft");
    let run = runner(setup, kernel, &defines, group, &format!("group {group}"))?;
    let wanted = A_UNIT * (device.info().compute_units as usize).max(1);
    let (deepest, sizes) = (deepest.max(1), (wanted, BATCH));
    let counting = Counting::new(run, device, POSITION_WORDS, deepest, sizes, Counter::Item)?;
    let start = Position::start();
    Ok(Box::new(PerftSearcher::warmed(
        game, counting, pack, start,
    )?))
}

/// Appends both sides' pieces, the kings, all ones if the mover's men move down, and the plies since a capture.
pub(super) fn pack(_: &Checkers, position: &Position, packed: &mut Vec<u32>) {
    packed.extend(words(position));
    packed.extend([down(position), position.quiet]);
}
