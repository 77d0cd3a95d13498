//! `pv-split`: the paper's search on an OpenCL device.

use super::device_board::{GROUPS_ALLOWED, Group};
use super::device_perft::DevicePerft;
use super::device_siblings::DeviceSiblings;
use super::tasks::{self, Searcher};
use crate::games::reversi::{Evaluation, Position, Representation, Square, Visit, fastest};
use crate::search::{Found, pv_split};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counters, Fault, Kind, ParamEntry, Parts, Task, TechniqueEntry};

/// PV-split on a device (Strnad and Guid, sections 3 and 5).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "pv-split",
        kind: Kind::Device,
        summary: "PV-split: the leftmost child on the host, its siblings on the device, a work-group each",
        paper: "Strnad and Guid, section 3",
        needs: "local memory for the stack: on 64x64, 1.6 KiB a ply",
        like: "rayon",
        reference: "serial",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        params: &[ParamEntry {
            name: "group",
            allowed: GROUPS_ALLOWED,
            default: "board",
            check: |value| Group::parse(value).map(drop),
        }],
    },
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let group = Group::read(setup.params).map_err(Fault::Input)?;
        let evaluation = &asked.evaluation;
        fastest(
            evaluation,
            Make {
                setup,
                evaluation,
                group,
                depth: asked.depth,
            },
        )
    })
}

/// Makes the searcher for a board's representation.
struct Make<'a> {
    setup: &'a Setup<'a>,
    evaluation: &'a Evaluation,
    group: Group,
    depth: u32,
}

impl Visit for Make<'_> {
    type Output = Result<Box<dyn Searcher>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let device = self
            .setup
            .device
            .ok_or_else(|| Fault::Unsupported("no OpenCL device".into()))?;
        let (evaluation, group, kernels) = (self.evaluation, self.group, self.setup.kernels);
        if self.setup.task == Task::Perft {
            let perft = DevicePerft::new(&game, evaluation, device, group, self.depth, kernels)?;
            return Ok(Box::new(Counting {
                game,
                positions: Vec::new(),
                perft,
            }));
        }
        let deepest = self.depth.saturating_sub(1);
        let siblings = DeviceSiblings::new(&game, evaluation, device, group, deepest, kernels)?;
        Ok(Box::new(Splitting {
            game,
            positions: Vec::new(),
            siblings,
        }))
    }
}

fn load<R: Representation>(game: &R, positions: &[Position], loaded: &mut Vec<R::Position>) {
    loaded.clear();
    loaded.extend(positions.iter().map(|position| game.load(position)));
}

struct Splitting<R: Representation> {
    game: R,
    positions: Vec<R::Position>,
    siblings: DeviceSiblings,
}

impl<R: Representation> Searcher for Splitting<R> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        load(&self.game, positions, &mut self.positions);
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        let position = &self.positions[index];
        pv_split(&self.game, position, depth, &mut self.siblings)
    }

    fn parts(&mut self) -> Parts {
        self.siblings.parts()
    }

    fn build_ns(&self) -> u64 {
        self.siblings.build_ns()
    }

    fn notes(&self) -> String {
        self.siblings.notes()
    }
}

struct Counting<R: Representation> {
    game: R,
    positions: Vec<R::Position>,
    perft: DevicePerft,
}

impl<R: Representation> Searcher for Counting<R> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        load(&self.game, positions, &mut self.positions);
        Ok(())
    }

    fn search(&mut self, _index: usize, _depth: u32) -> Result<Found<Square>, Fault> {
        Err(Fault::Unsupported(
            "prepared for perft, not for a search".into(),
        ))
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        self.perft.count(&self.game, &self.positions[index], depth)
    }

    fn parts(&mut self) -> Parts {
        self.perft.parts()
    }

    fn build_ns(&self) -> u64 {
        self.perft.build_ns()
    }

    fn notes(&self) -> String {
        self.perft.notes()
    }
}
