//! PV-split with its siblings on a device: what `pvs` and `work-queue` have in common.

use super::Asked;
use super::device_board::square_word;
use super::device_group::GroupKernel;
use super::tasks::{Gomoku, Searcher};
use crate::games::gomoku::{Position, Representation, Square, Visit, fastest};
use crate::opencl::Device;
use crate::search::{Sibling, Siblings, Window};
use crate::techniques::Setup;
use crate::techniques::lanes::{Lanes, counted};
use crate::techniques::tasks::{Splits, Splitting};
use crate::words::{Counters, Fault, Telemetry};

/// What a launch searches.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The parent's board, the siblings, and the squares that are empty at the parent.
    pub packed: &'a [u32],
    /// Siblings: the game goes on at each.
    pub count: usize,
    /// Empty squares; 0 where they are left out.
    pub replies: usize,
    /// Remaining depth of each sibling, at least 1.
    pub depth: u32,
    /// The parent's.
    pub window: Window,
}

/// Searches siblings on a device.
pub trait OnDevice: 'static {
    /// Whether it takes the empty squares, from remaining depth 2 on, as the replies to each sibling.
    fn takes_replies(&self) -> bool;

    /// Adds one value for each sibling, from the parent's view: the exact one where it is above the window's
    /// alpha, and alpha itself where it is not. Returns what was searched.
    ///
    /// # Errors
    /// Where the device fails.
    fn launch(&mut self, launch: &Launch<'_>, values: &mut Vec<i32>) -> Result<Counters, Fault>;

    /// What was built.
    fn built(&mut self) -> &mut GroupKernel;
}

/// The siblings of a principal-variation node, on the device where there is something to search
/// below them: all in a null window first, then those that are better than the first child in the whole
/// window.
///
/// Those that are decided as they are entered, and all of them at remaining depth 0, cost the host
/// one value each, far less than a launch. A decided one raises the bound for the others. At remaining depth 1
/// the null window is left out: every move of a sibling is a leaf, of which the whole window searches the
/// same.
pub struct DeviceSiblings {
    device: Box<dyn OnDevice>,
    /// Those that are asked for, by their place among all.
    asked: Vec<usize>,
    values: Vec<i32>,
    /// Which of those asked for failed high.
    better: Vec<usize>,
    packed: Vec<u32>,
}

/// A principal-variation node whose siblings are searched.
struct Node<'a, R: Representation> {
    game: &'a R,
    /// All siblings, of which there is at least one.
    siblings: &'a [Sibling<R>],
    /// Remaining depth of each.
    depth: u32,
    /// Numbers that the parent's board takes.
    board: usize,
}

impl<R: Representation> Node<'_, R> {
    /// Adds the squares that are empty at the parent, in the order of moves.
    fn pack_empty(&self, packed: &mut Vec<u32>) {
        let Sibling { mv, position } = &self.siblings[0];
        let size = self.game.size();
        let empty = |at: &&Square| *at == mv || self.game.stone(position, **at).is_none();
        let squares = size.order().iter().filter(empty);
        packed.extend(squares.map(|square| square_word(size, *square)));
    }

    /// Adds a sibling, by its place among all: the square of its last stone, and the balance of the
    /// side to move.
    fn pack_sibling(&self, place: usize, packed: &mut Vec<u32>) {
        let Sibling { mv, position } = &self.siblings[place];
        let balance = self.game.balance(position);
        packed.extend([square_word(self.game.size(), *mv), balance as u32]);
    }

    /// Searches some of the siblings in a window; `packed` begins with the parent's board.
    fn launch(
        &self,
        device: &mut dyn OnDevice,
        places: &mut dyn ExactSizeIterator<Item = usize>,
        window: Window,
        packed: &mut Vec<u32>,
        values: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        packed.truncate(self.board);
        let count = places.len();
        for place in places {
            self.pack_sibling(place, packed);
        }
        let siblings = packed.len();
        if device.takes_replies() && self.depth > 1 {
            self.pack_empty(packed);
        }
        let launch = Launch {
            packed,
            count,
            replies: packed.len() - siblings,
            depth: self.depth,
            window,
        };
        device.launch(&launch, values)
    }
}

impl DeviceSiblings {
    /// Hands siblings to `device`.
    pub fn new(device: impl OnDevice) -> DeviceSiblings {
        DeviceSiblings {
            device: Box::new(device),
            asked: Vec::new(),
            values: Vec::new(),
            better: Vec::new(),
            packed: Vec::new(),
        }
    }

    /// How full the device's lanes were since [`Splits::telemetry`] was last called, where they are counted.
    pub fn lanes(&mut self) -> Option<&Lanes> {
        self.device.built().lanes.as_ref()
    }

    /// Searches those that are asked for, and leaves their values.
    fn search_asked<R: Representation>(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        (depth, ply): (u32, u32),
        window: Window,
    ) -> Result<Counters, Fault> {
        let DeviceSiblings {
            device,
            asked,
            values,
            better,
            packed,
        } = self;
        packed.clear();
        // The parent is any sibling without its last stone.
        let Sibling { mv, position } = &siblings[0];
        let built = device.built();
        let parent = built.pack_without(game, position, *mv, packed);
        built.set_parent(parent, depth, ply)?;
        let node = Node {
            game,
            siblings,
            depth,
            board: packed.len(),
        };
        let first = Window {
            alpha: window.alpha,
            beta: if depth == 1 {
                window.beta
            } else {
                window.alpha + 1
            },
        };
        values.clear();
        let mut all = asked.iter().copied();
        let mut counters = node.launch(&mut **device, &mut all, first, packed, values)?;
        better.clear();
        better.extend((0..asked.len()).filter(|at| values[*at] > window.alpha));
        if better.is_empty() || first == window {
            return Ok(counters);
        }
        let mut exact = Vec::with_capacity(better.len());
        let mut again = better.iter().map(|at| asked[*at]);
        counters += node.launch(&mut **device, &mut again, window, packed, &mut exact)?;
        for (at, value) in better.iter().zip(exact) {
            values[*at] = value;
        }
        Ok(counters)
    }
}

impl<R: Representation> Siblings<R> for DeviceSiblings {
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
        let mut counters = Counters::of_leaves(siblings.len() - self.asked.len());
        if self.asked.is_empty() {
            return Ok(counters);
        }
        let raised = Window {
            alpha,
            beta: window.beta,
        };
        counters += self.search_asked(game, siblings, (depth, ply), raised)?;
        for (place, value) in self.asked.iter().zip(&self.values) {
            // Not above the raised bound: no better than a sibling that is decided.
            if *value > alpha {
                scores[*place] = *value;
            }
        }
        Ok(counters)
    }
}

impl<R: Representation> Splits<R> for DeviceSiblings {
    fn telemetry(&mut self) -> Telemetry {
        let built = self.device.built();
        let mut telemetry = built.run.telemetry();
        telemetry.resources.extend(Lanes::drain(&mut built.lanes));
        telemetry
    }
}

/// Makes the searcher of a technique whose siblings `on_device` makes from a device, their largest remaining
/// depth and, where they are to count how full they are, the lanes that share instructions; and lets it search the
/// board's first stone.
///
/// # Errors
/// [`Fault::Unsupported`] without a device, and what `on_device` fails with.
pub fn searcher<D: OnDevice>(
    setup: &Setup<'_>,
    asked: &Asked,
    on_device: impl Fn(&Device, u32, Option<usize>) -> Result<D, Fault>,
) -> Result<Box<dyn Searcher<Gomoku>>, Fault> {
    let (device, depth) = (setup.on_device()?, asked.depth);
    counted(setup, depth, |width| {
        let siblings = on_device(device, depth.saturating_sub(1), width)?;
        let siblings = DeviceSiblings::new(siblings);
        fastest(&asked.evaluation, Split { siblings, depth })
    })
}

/// Makes it on whatever representation it visits.
struct Split {
    siblings: DeviceSiblings,
    depth: u32,
}

impl Visit for Split {
    type Output = Result<Box<dyn Searcher<Gomoku>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let first = Representation::load(&game, &Position::first_stone(game.size()));
        // At depth 1 all siblings are the host's.
        let splitting =
            Splitting::warmed(game, Box::new(self.siblings), &first, self.depth.min(2))?;
        Ok(Box::new(splitting))
    }
}
