//! Annexation for the common tasks.

use std::ops::Range;
use std::sync::Arc;

use super::Asked;
use super::children::Children;
use super::facts::{WithFacts, facts};
use super::notation::Standing;
use super::play::{Annexation, starts};
use crate::games::annexation::{BOARDS_A_KIND, Board, Ground, Light, LightGame};
use crate::games::{Ahead, TreeRules};
use crate::techniques::program::ProgramPlayer;
use crate::techniques::tasks::mcts::{Roots, Settings};
use crate::techniques::tasks::{Chooser, Flat, needs_effort, prepare_choice, prepare_playouts};
use crate::techniques::{Sampler, Setup};
use crate::words::{Fault, Tally, Task};

/// Plays Annexation at random.
pub use crate::techniques::tasks::RandomPlayer;

/// The inputs of a technique's preparation.
pub struct Wanted<'a> {
    /// The case.
    pub asked: &'a Asked,
    /// Seed of the playouts.
    pub seed: u64,
    /// Boards that bound all later ones: every later position is a rest of one of them, with no more cells and no more
    /// neighbours per cell.
    pub boards: Vec<Arc<Board>>,
}

impl Wanted<'_> {
    /// Cells of the largest board.
    pub fn most_cells(&self) -> usize {
        let cells = self.boards.iter().map(|board| board.cells());
        cells.max().unwrap_or(2)
    }

    /// A leaf to warm up with: the start on the first board.
    pub fn first_leaf(&self) -> Light {
        let board = (*self.boards[0]).clone();
        let turns = self.asked.turns_on(&board);
        Light::start(&Arc::new(Ground::new(board, turns)))
    }
}

/// The board that a position's playouts use. Its player 1 is the mover.
pub struct Root {
    /// The rest of the position's board.
    pub board: Board,
    /// Turns until the game ends.
    pub turns: u32,
}

impl Root {
    /// The root of a position of a case.
    pub fn new(asked: &Asked, standing: &Standing) -> Root {
        let position = standing.position();
        let turns = asked.turns_on(position.board());
        Root {
            board: position.rest(),
            turns: turns.saturating_sub(position.turn()),
        }
    }
}

/// Converts a tally, with 0 plies: playouts stop at a decision or some turns later, so turns mean nothing.
pub fn in_words(tally: crate::games::annexation::Tally) -> Tally {
    Tally {
        wins: tally.wins,
        draws: tally.draws,
        losses: tally.losses,
        ..Tally::default()
    }
}

/// The case, the positions of a sample, and the boards that bound them.
#[expect(
    clippy::type_complexity,
    reason = "three things, named where they are taken"
)]
fn read(setup: &Setup<'_>) -> Result<(Asked, Vec<Standing>, Vec<Arc<Board>>), Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let positions = match setup.position {
        Some(text) => vec![Standing::parse(text).map_err(Fault::Input)?],
        None => starts(&asked, asked.boards)?,
    };
    // A match uses all boards of the kind.
    let mut all = match setup.task {
        Task::Playouts => Vec::new(),
        _ => starts(&asked, BOARDS_A_KIND)?,
    };
    all.extend_from_slice(&positions);
    let board = |standing: &Standing| Arc::clone(standing.position().board());
    let boards = all.iter().map(board).collect();
    Ok((asked, positions, boards))
}

/// Limit of bytes for a tree's positions.
const TREE_BYTES: usize = 2 << 30;

/// Prepares a technique with a search tree for choices and matches. Fails as [`prepare_flat`].
pub fn prepare_tree(
    setup: &Setup<'_>,
    settings: Settings,
    chooser: impl FnOnce(Tree, Settings, &Wanted<'_>) -> Result<Box<dyn Chooser<Annexation>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let (asked, positions, boards) = read(setup)?;
    let effort = needs_effort(asked.effort)?;
    let cells = boards.iter().map(|board| board.cells()).max().unwrap_or(0);
    let settings = Settings {
        most_nodes: settings.most_nodes.min(TREE_BYTES / Light::bytes(cells)),
        ..settings
    };
    let wanted = Wanted {
        asked: &asked,
        seed: setup.seed,
        boards,
    };
    let chooser = chooser(Tree { asked }, settings, &wanted)?;
    let start = positions[0].clone();
    let play = Annexation { asked, start };
    prepare_choice(setup, play, positions, effort, |_| Ok(chooser))
}

/// The rules of a case, for a tree.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    asked: Asked,
}

impl TreeRules for Tree {
    type Position = Light;

    fn ahead(&self, position: &Light) -> Ahead {
        LightGame.ahead(position)
    }

    fn after(&self, position: &Light, index: u32) -> Light {
        LightGame.after(position, index)
    }
}

impl Roots<Annexation> for Tree {
    fn root(&self, standing: &Standing) -> Light {
        let Root { board, turns } = Root::new(&self.asked, standing);
        Light::start(&Arc::new(Ground::new(board, turns)))
    }
}

/// Prepares playouts, or choices and matches by flat Monte Carlo over the colours. `batches`: playouts of a choice's
/// first batch, and limit of a batch. Fails with [`Fault::Input`] for an invalid case, option or position, or as
/// `player`.
pub fn prepare_flat(
    setup: &Setup<'_>,
    batches: Range<u64>,
    player: impl FnOnce(&Wanted<'_>) -> Result<Box<dyn RandomPlayer<Annexation>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let (asked, positions, boards) = read(setup)?;
    let mut player = player(&Wanted {
        asked: &asked,
        seed: setup.seed,
        boards,
    })?;
    if setup.device.is_some() {
        // Some drivers compile at first use.
        player.load(&positions)?;
        player.play(0, 0..1)?;
        player.telemetry();
    }
    if setup.task == Task::Playouts {
        return prepare_playouts(&positions, asked.playouts, player);
    }
    let effort = needs_effort(asked.effort)?;
    let start = positions[0].clone();
    prepare_choice(
        setup,
        Annexation { asked, start },
        positions,
        effort,
        |play| {
            let children = Children::new(play.clone(), player);
            Ok(Box::new(Flat::new(Box::new(children), batches)))
        },
    )
}

/// Prepares a program. Fails as [`prepare_flat`], or if the program fails.
pub fn prepare_program(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let (asked, positions, _) = read(setup)?;
    let start = positions[0].clone();
    let play = Annexation { asked, start };
    let player = ProgramPlayer::start(setup, play.clone())?;
    if setup.task == Task::Playouts {
        return prepare_playouts(&positions, asked.playouts, Box::new(player));
    }
    let effort = needs_effort(asked.effort)?;
    prepare_choice(setup, play, positions, effort, |_| Ok(Box::new(player)))
}

/// [`prepare_flat`] with the facts of the case's boards. Fails as [`prepare_flat`].
pub fn prepare_with_facts(
    setup: &Setup<'_>,
    batches: Range<u64>,
    player: impl FnOnce(&Wanted<'_>) -> Result<Box<dyn RandomPlayer<Annexation>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    if setup.position.is_some() {
        return prepare_flat(setup, batches, player);
    }
    prepare_flat(setup, batches, |wanted| {
        let player = player(wanted)?;
        let kind = starts(wanted.asked, BOARDS_A_KIND)?;
        let played = starts(wanted.asked, wanted.asked.boards)?;
        let facts = facts(setup, wanted.asked, &kind, &played);
        Ok(Box::new(WithFacts { player, facts }))
    })
}
