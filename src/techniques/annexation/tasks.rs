//! Annexation for the tasks that all games share.

use std::ops::Range;
use std::sync::Arc;

use super::children::Children;
use super::facts::{WithFacts, facts};
use super::notation::Standing;
use super::play::{Annexation, starts};
use super::{Asked, EFFORT};
use crate::games::annexation::{BOARDS_A_KIND, Board, Ground, Light, LightGame};
use crate::games::{Ahead, RandomGame};
use crate::techniques::program::ProgramPlayer;
use crate::techniques::tasks::mcts::{Roots, Settings};
use crate::techniques::tasks::{Chooser, Flat, prepare_choice, prepare_playouts};
use crate::techniques::{Sampler, Setup};
use crate::words::{Fault, Tally, Task};

/// How a technique of Annexation plays at random.
pub use crate::techniques::tasks::RandomPlayer;

/// What a technique is made ready from.
pub struct Wanted<'a> {
    /// The case.
    pub asked: &'a Asked,
    /// Seeds the playouts.
    pub seed: u64,
    /// Every board that the positions to come are what is left of: none of those has more cells, or
    /// more neighbours of one.
    pub boards: Vec<Arc<Board>>,
}

/// What playouts of a position are played on: a board of its own, whose player 1 is the mover.
pub struct Root {
    /// What is left of the position.
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

/// A tally as answers have it, with no plies: techniques end a playout at once, after a few turns more
/// or at the last turn, so that a count of turns would say nothing.
pub fn in_words(tally: crate::games::annexation::Tally) -> Tally {
    Tally {
        wins: tally.wins,
        draws: tally.draws,
        losses: tally.losses,
        ..Tally::default()
    }
}

/// What is asked for, the positions of a sample, and the boards that a technique may come to.
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
    // A match, and who replies in one, comes to all boards of the kind.
    let mut all = match setup.task {
        Task::Playouts => Vec::new(),
        _ => starts(&asked, BOARDS_A_KIND)?,
    };
    all.extend_from_slice(&positions);
    let board = |standing: &Standing| Arc::clone(standing.position().board());
    let boards = all.iter().map(board).collect();
    Ok((asked, positions, boards))
}

/// Bytes of the positions of a tree at the most.
const TREE_BYTES: usize = 2 << 30;

/// Makes a technique that grows a tree ready for choices and matches.
///
/// # Errors
/// As [`prepare_flat`].
pub fn prepare_tree(
    setup: &Setup<'_>,
    settings: Settings,
    chooser: impl FnOnce(Tree, Settings, &Wanted<'_>) -> Result<Box<dyn Chooser<Annexation>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let (asked, positions, boards) = read(setup)?;
    let missing = || Fault::Input(format!("{EFFORT}: the case does not say"));
    let effort = asked.effort.ok_or_else(missing)?;
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

/// The rules of a case as a tree asks for them.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    asked: Asked,
}

impl RandomGame for Tree {
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

/// Makes a technique that plays at random ready for a cell: for playouts, or for choices and matches by
/// flat Monte Carlo over the colours, in batches from the first to the second number of playouts.
///
/// # Errors
/// [`Fault::Input`] where the case, an option or the position makes no sense, and what `player`
/// fails with.
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
        // Some drivers compile for a work-group size when they first see it.
        player.load(&positions)?;
        player.play(0, 0..1)?;
        player.telemetry();
    }
    if setup.task == Task::Playouts {
        return prepare_playouts(&positions, asked.playouts, player);
    }
    let missing = || Fault::Input(format!("{EFFORT}: the case does not say"));
    let effort = asked.effort.ok_or_else(missing)?;
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

/// Makes a program ready for a cell.
///
/// # Errors
/// As [`prepare_flat`], and where the program fails.
pub fn prepare_program(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let (asked, positions, _) = read(setup)?;
    let start = positions[0].clone();
    let play = Annexation { asked, start };
    let player = ProgramPlayer::start(setup, play.clone())?;
    if setup.task == Task::Playouts {
        return prepare_playouts(&positions, asked.playouts, Box::new(player));
    }
    let missing = || Fault::Input(format!("{EFFORT}: the case does not say"));
    let effort = asked.effort.ok_or_else(missing)?;
    prepare_choice(setup, play, positions, effort, |_| Ok(Box::new(player)))
}

/// As [`prepare_flat`], with the facts of the case's boards.
///
/// # Errors
/// As [`prepare_flat`].
pub fn prepare_with_facts(
    setup: &Setup<'_>,
    batches: Range<u64>,
    player: impl FnOnce(&Wanted<'_>) -> Result<Box<dyn RandomPlayer<Annexation>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let sampler = prepare_flat(setup, batches, player)?;
    if setup.position.is_some() {
        return Ok(sampler);
    }
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let kind = starts(&asked, BOARDS_A_KIND)?;
    let played = starts(&asked, asked.boards)?;
    let facts = facts(setup, &asked, &kind, &played);
    Ok(Box::new(WithFacts::new(sampler, facts)))
}
