//! The techniques that need no device and search by minimax.

use super::tasks::{prepare_on_host, prepare_random_on_host, prepare_table};
use crate::techniques::Technique;
use crate::techniques::tasks::host::{BASELINE, Minimax, MinimaxParallel, Serial, SharedWindow};
use crate::techniques::tasks::remembering::{rayon_table, serial_table};
use crate::words::{Counts, Task, TechniqueEntry};

/// Minimax without pruning, the baseline of the paper's own factors ("Project Description").
///
/// The paper's board was an array; this one is what [`Bits`](crate::games::connect_four::Bits) is,
/// which says how many nodes it enters in a second.
pub const SERIAL_MINIMAX: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "serial-minimax",
        summary: "minimax on one core, without pruning, on bitboards",
        paper: "Connect Four AI, \"Project Description\" (the search); ours (bitboards)",
        like: "serial-minimax",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| prepare_on_host::<Minimax>(setup, None),
};

/// The nodes of `serial-minimax`, shared among the threads down to subtrees of four plies.
pub const RAYON_MINIMAX: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "rayon-minimax",
        summary: "minimax on all cores, without pruning",
        paper: "ours; the search is that of Connect Four AI, \"Project Description\"",
        like: "serial-minimax",
        counts: Counts::As("serial-minimax"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare: |setup| prepare_on_host::<MinimaxParallel>(setup, Some(setup.threads)),
};

/// The reference of all minimax techniques, and the strong baseline: textbook alpha-beta, the centre
/// first. Playouts are sixteen games side by side, in the core's vectors.
pub const SERIAL: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "serial",
        summary: "alpha-beta on one core, the centre first, on bitboards",
        tasks: BASELINE,
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| match setup.task {
        Task::Playouts => prepare_random_on_host(setup, None),
        _ => prepare_on_host::<Serial>(setup, None),
    },
};

/// The strong parallel baseline: alpha-beta whose threads look at each other's bounds again on the
/// way ([`alpha_beta_shared`](crate::search::alpha_beta_shared)). Its answers are those of `serial`;
/// its nodes differ from run to run. Playouts are shared out to all threads, each of which plays as `serial` does.
pub const RAYON: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "rayon",
        summary: "alpha-beta on all cores with shared bounds, the centre first",
        tasks: BASELINE,
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare: |setup| match setup.task {
        Task::Playouts => prepare_random_on_host(setup, Some(setup.pool()?)),
        _ => prepare_on_host::<SharedWindow>(setup, Some(setup.threads)),
    },
};

/// The strong baseline on one core: iterative deepening with null windows, a transposition table, and
/// moves ordered by the table's move and then by what they promise
/// ([`Remembering`](crate::search::Remembering)).
///
/// Seven positions of the line of play, from the empty board to 16 stones, on one core of an AMD EPYC
/// (Zen 5) built for it: 67 times as fast as `serial` to depth 12 (6.4 ms) and 144 times to 14 (22 ms).
/// Without the table 2.7 and 4.1 times the time, without the order 1.4 and 2.1, without deepening 1.2, without
/// looking children up no more. A position costs about 80 ns: what stones would bring both sides, seven
/// boards, and the order. Valuing the last two plies together, one look for all moves, a threat that leaves
/// one move or none, and mirror images as one position are what made it five times as fast as it was with
/// table and order alone. No gain: dropping moves that let the other side win above them, as the
/// next look finds them; all columns' values side by side in the look.
pub const SERIAL_TABLE: Technique =
    serial_table("connect-four", |setup| prepare_table(setup, None));

/// As [`rayon_table`] says.
pub const RAYON_TABLE: Technique = rayon_table("connect-four", |setup| {
    prepare_table(setup, Some(setup.threads))
});
