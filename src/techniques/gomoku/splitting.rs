//! PV-split with its siblings on a device: what `pvs` and `work-queue` have in common.

use super::device_board::square_word;
use super::device_group::{GroupKernel, Packed};
use super::Asked;
use super::tasks::{Gomoku, Searcher};
use crate::games::gomoku::{Position, Representation, Square, Visit, fastest};
use crate::opencl::Device;
use crate::search::{Found, Sibling, Siblings, Window, pv_split};
use crate::techniques::Setup;
use crate::words::{Counters, Fault, Parts};

/// Siblings of a principal-variation node that are to be searched.
pub struct Question<'a, R: Representation> {
    /// The game.
    pub game: &'a R,
    /// All siblings, of which there is at least one.
    pub siblings: &'a [Sibling<R>],
    /// Those that are asked for, by their place among all: the game goes on at each.
    pub asked: &'a [usize],
    /// Remaining depth of each sibling, at least 1.
    pub depth: u32,
    /// Each sibling's distance from the root.
    pub ply: u32,
    /// The parent's.
    pub window: Window,
}

impl<R: Representation> Question<'_, R> {
    /// Adds the siblings' parent to what goes to the device: any of them without its last stone.
    pub fn pack_parent(&self, built: &GroupKernel, packed: &mut Vec<u32>) -> Packed {
        let Sibling { mv, position } = &self.siblings[0];
        built.pack_without(self.game, position, *mv, packed)
    }

    /// Adds the squares that are empty at the parent, in the order of moves.
    pub fn pack_empty(&self, packed: &mut Vec<u32>) {
        let Sibling { mv, position } = &self.siblings[0];
        let size = self.game.size();
        let empty = |at: &&Square| *at == mv || self.game.stone(position, **at).is_none();
        let squares = size.order().iter().filter(empty);
        packed.extend(squares.map(|square| square_word(size, *square)));
    }

    /// Adds a sibling, by its place among all: the square of its last stone, and the balance of the
    /// side to move.
    pub fn pack_sibling(&self, place: usize, packed: &mut Vec<u32>) {
        let Sibling { mv, position } = &self.siblings[place];
        let balance = self.game.balance(position);
        packed.extend([square_word(self.game.size(), *mv), balance as u32]);
    }
}

/// Searches siblings on a device.
pub trait OnDevice: 'static {
    /// Adds one value for each sibling asked for, from the parent's view: the exact one where it is
    /// above the window's alpha, and alpha itself where it is not. Returns what was searched.
    ///
    /// # Errors
    /// Where the device fails.
    fn search<R: Representation>(
        &mut self,
        question: &Question<'_, R>,
        values: &mut Vec<i32>,
    ) -> Result<Counters, Fault>;

    /// What was built.
    fn built(&self) -> &GroupKernel;

    /// The same, for its queue.
    fn built_mut(&mut self) -> &mut GroupKernel;

    /// What was chosen and used, for the row.
    fn notes(&self) -> &str {
        self.built().notes()
    }
}

/// The siblings of a principal-variation node, on the device where there is something to search
/// below them.
///
/// Those that are decided as they are entered, and all of them at remaining depth 0, cost the host
/// one value each, far less than a launch. A decided one raises the bound for the others.
pub struct DeviceSiblings<D> {
    device: D,
    asked: Vec<usize>,
    values: Vec<i32>,
}

impl<D: OnDevice> DeviceSiblings<D> {
    /// Hands siblings to `device`.
    pub fn new(device: D) -> DeviceSiblings<D> {
        DeviceSiblings {
            device,
            asked: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Program build time, ns.
    pub fn build_ns(&self) -> u64 {
        self.device.built().build_ns()
    }

    /// What was chosen and used, for the row.
    pub fn notes(&self) -> &str {
        self.device.notes()
    }

    /// Where the time since the last call of this went.
    pub fn parts(&mut self) -> Parts {
        self.device.built_mut().queue.take_parts()
    }
}

impl<R: Representation, D: OnDevice> Siblings<R> for DeviceSiblings<D> {
    type Fault = Fault;

    fn search(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        depth: u32,
        ply: u32,
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        self.asked.clear();
        let mut alpha = window.alpha;
        for (place, sibling) in siblings.iter().enumerate() {
            let value = match game.decided(&sibling.position, ply) {
                Some(value) => -value,
                None if depth == 0 => -game.evaluate(&sibling.position),
                None => {
                    self.asked.push(place);
                    scores.push(window.alpha);
                    continue;
                }
            };
            alpha = alpha.max(value);
            scores.push(value);
        }
        let here = (siblings.len() - self.asked.len()) as u64;
        let mut counters = Counters {
            nodes: here,
            leaves: here,
            ..Counters::default()
        };
        if self.asked.is_empty() {
            return Ok(counters);
        }
        let question = Question {
            game,
            siblings,
            asked: &self.asked,
            depth,
            ply,
            window: Window {
                alpha,
                beta: window.beta,
            },
        };
        self.values.clear();
        counters += self.device.search(&question, &mut self.values)?;
        for (place, value) in self.asked.iter().zip(&self.values) {
            // Not above the raised bound: no better than a sibling that is decided.
            if *value > alpha {
                scores[*place] = *value;
            }
        }
        Ok(counters)
    }
}

/// Makes the searcher of a technique whose siblings `on_device` makes from a device and their
/// largest remaining depth, and lets it search the board's first stone: some drivers compile for a
/// work-group size when they first see it.
///
/// # Errors
/// [`Fault::Unsupported`] without a device, and what `on_device` fails with.
pub fn searcher<D: OnDevice>(
    setup: &Setup<'_>,
    asked: &Asked,
    on_device: impl FnOnce(&Device, u32) -> Result<D, Fault>,
) -> Result<Box<dyn Searcher<Gomoku>>, Fault> {
    let none = || Fault::Unsupported("no OpenCL device".into());
    let deepest = asked.depth.saturating_sub(1);
    let siblings = DeviceSiblings::new(on_device(setup.device.ok_or_else(none)?, deepest)?);
    let warm_up = asked.depth.min(2);
    fastest(&asked.evaluation, Warm { siblings, warm_up })
}

struct Warm<D> {
    siblings: DeviceSiblings<D>,
    warm_up: u32,
}

impl<D: OnDevice> Visit for Warm<D> {
    type Output = Result<Box<dyn Searcher<Gomoku>>, Fault>;

    fn visit<R: Representation>(mut self, game: R) -> Self::Output {
        let first = game.load(&Position::first_stone(game.size()));
        pv_split(&game, &first, self.warm_up, &mut self.siblings)?;
        self.siblings.parts();
        Ok(Box::new(Splitting {
            game,
            positions: Vec::new(),
            siblings: self.siblings,
        }))
    }
}

struct Splitting<R: Representation, D> {
    game: R,
    positions: Vec<R::Position>,
    siblings: DeviceSiblings<D>,
}

impl<R: Representation, D: OnDevice> Searcher<Gomoku> for Splitting<R, D> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions.clear();
        let loaded = positions.iter().map(|position| self.game.load(position));
        self.positions.extend(loaded);
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        pv_split(&self.game, &self.positions[index], depth, &mut self.siblings)
    }

    fn parts(&mut self) -> Parts {
        self.siblings.parts()
    }

    fn build_ns(&self) -> u64 {
        self.siblings.build_ns()
    }

    fn notes(&self) -> String {
        self.siblings.notes().to_owned()
    }
}
