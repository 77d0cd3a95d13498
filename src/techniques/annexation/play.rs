//! Annexation's rules and notation for the common tasks.

use std::sync::Arc;

use super::case::{Asked, NAME};
use super::notation::{PASS, Standing};
use crate::games::annexation::{BOARDS_A_KIND, Board, COLOURS, Player};
use crate::techniques::Setup;
use crate::techniques::tasks::{Cased, Effort, Play, Turn};
use crate::words::{Case, Fault, Params, Task};

/// Annexation in one case.
#[derive(Clone, Debug)]
pub struct Annexation {
    /// The case.
    pub asked: Asked,
    /// The first position.
    pub start: Standing,
    /// Boards that bound all later ones: every later position is a rest of one of them.
    pub boards: Vec<Arc<Board>>,
}

/// The starts of the first `count` boards of the case's kind.
pub(super) fn starts(asked: &Asked, count: u32) -> Result<Vec<Standing>, Fault> {
    let start = |number| Standing::start(asked.kind, number).map_err(Fault::Input);
    (0..count).map(start).collect()
}

const NAMES: [&str; COLOURS] = ["0", "1", "2", "3", "4", "5", "6", "7"];

impl Annexation {
    fn is_over(&self, standing: &Standing) -> bool {
        let position = standing.position();
        position.turn >= self.asked.turns_on(position.board()) || position.is_decided()
    }
}

impl Cased for Annexation {
    fn read(case: &Case, options: &Params) -> Result<Annexation, String> {
        let asked = Asked::new(case, options)?;
        let start = Standing::start(asked.kind, 0)?;
        Ok(Annexation {
            asked,
            boards: vec![Arc::clone(start.position().board())],
            start,
        })
    }

    fn of_cell(setup: &Setup<'_>) -> Result<(Annexation, Vec<Standing>), Fault> {
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
        let play = Annexation {
            asked,
            start: positions[0].clone(),
            boards: all.iter().map(board).collect(),
        };
        Ok((play, positions))
    }

    fn effort(&self) -> Option<Effort> {
        self.asked.effort
    }

    fn playouts(&self) -> u64 {
        self.asked.playouts
    }
}

impl Play for Annexation {
    type Position = Standing;
    type Move = u8;

    fn game(&self) -> &'static str {
        NAME
    }

    fn start(&self) -> Standing {
        self.start.clone()
    }

    fn openings(&self) -> Result<Vec<Standing>, Fault> {
        starts(&self.asked, BOARDS_A_KIND)
    }

    fn parse(&self, text: &str) -> Result<Standing, String> {
        Standing::parse(text)
    }

    fn name(&self, mv: u8) -> String {
        NAMES[usize::from(mv)].to_owned()
    }

    fn find(&self, _: &Standing, name: &str) -> Option<u8> {
        let found = NAMES.iter().position(|known| *known == name);
        found.map(|colour| colour as u8)
    }

    fn first_to_move(&self, standing: &Standing) -> bool {
        standing.position().mover() == Player::First
    }

    fn turn(&self, standing: &Standing) -> Turn<Standing> {
        if self.is_over(standing) {
            return Turn::Over(standing.lead());
        }
        if standing.colours().is_empty() {
            return Turn::Pass(standing.pass(), PASS);
        }
        Turn::Move
    }

    fn play(&self, standing: &Standing, mv: u8) -> Option<Standing> {
        let legal = !self.is_over(standing) && standing.colours().contains(&mv);
        legal.then(|| standing.play(mv))
    }

    /// Legal colours only: any other would waste a turn.
    fn moves(&self, standing: &Standing) -> Vec<u8> {
        if self.is_over(standing) {
            return Vec::new();
        }
        standing.colours()
    }
}
