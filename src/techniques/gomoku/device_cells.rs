//! Common host code for the kernels as published (`cl/gomoku/cells.clh`): boards as ints, and the paper's block sizes.

use crate::games::gomoku::{
    Colour, Evaluation, MOST, MoveRule, Position, Representation, Size, Square, WIN,
};
use crate::opencl::Queue;
use crate::opencl::SetArgument;
use crate::techniques::prelude::*;

/// Number of work-items per block in sections 7.4 to 7.6 of the paper.
pub const BLOCK: usize = 768;

/// Content of an empty square (`NO_STONE`).
const NO_STONE: i32 = 0;

/// Returns a colour as the kernels represent it.
pub fn int_of(colour: Colour) -> i32 {
    match colour {
        Colour::Black => 1,
        Colour::White => 2,
    }
}

/// Returns the content of a square as the kernels represent it.
pub fn cell(stone: Option<Colour>) -> i32 {
    stone.map_or(NO_STONE, int_of)
}

/// Returns the board of a position as the kernels represent it.
pub fn cells(position: &Position) -> Vec<i32> {
    position.cells().iter().map(|stone| cell(*stone)).collect()
}

/// Returns a square as the kernels represent it: its index in the board's array.
pub fn int_of_square(square: Square) -> i32 {
    square.index() as i32
}

/// Returns the number of empty squares in a position.
pub fn empty(position: &Position) -> usize {
    position.size().squares() - position.moves().len()
}

whole_numbers! {
    /// The parameter `group` for techniques with the paper's 768 work-items.
    pub auto BLOCK_GROUP, read_block_group: "group", 1..=1024, "auto",
        "`auto` (768, as published, or the device's maximum if that is less) or the number of work-items per group, \
              from 1 to 1024";
}

/// Returns the constants for all kernels on a board.
pub fn defines(evaluation: &Evaluation) -> Defines {
    let [four, dead_four, three, dead_three, two, dead_two] = evaluation.shapes.table();
    let adjacent = evaluation.moves == MoveRule::Adjacent;
    vec![
        ("SIDE", evaluation.size().side().to_string()),
        ("WIN", WIN.to_string()),
        ("MOST", MOST.to_string()),
        ("ADJACENT", u32::from(adjacent).to_string()),
        ("LIVE_FOUR", four.to_string()),
        ("DEAD_FOUR", dead_four.to_string()),
        ("LIVE_THREE", three.to_string()),
        ("DEAD_THREE", dead_three.to_string()),
        ("LIVE_TWO", two.to_string()),
        ("DEAD_TWO", dead_two.to_string()),
    ]
}

/// Inputs for building a kernel.
pub struct CellsPlan<'a> {
    pub path: &'a str,
    /// The kernel's name. Its argument `order` is the move order.
    pub kernel: &'a str,
    pub evaluation: &'a Evaluation,
    /// Number of work-items per group in the paper.
    pub block: usize,
    /// Requested number of work-items per group, which replaces `block`.
    pub group: Option<usize>,
    pub constants: Defines,
    pub local: usize,
    /// Whether the kernel has barriers in data-dependent loops.
    pub barriers_in_loops: bool,
}

impl CellsPlan<'_> {
    /// Builds the kernel with the paper's group size or a smaller one (see the notes), and uploads the move order.
    pub fn build(&self, device: &Device, setup: &Setup<'_>) -> Result<Runner, Fault> {
        let size = self.evaluation.size();
        let most = device.info().max_work_group.max(1);
        let plan = KernelPlan {
            path: self.path,
            kernel: self.kernel,
            group: WorkGroup::given(self.group, self.block.min(most)),
            local: &|_| (self.local, format!("a board of {size} as ints needs")),
            defines: &|items| {
                let mut defines = defines(self.evaluation);
                defines.extend(self.constants.iter().cloned());
                defines.push(("GROUP", items.to_string()));
                defines
            },
            barriers_in_loops: self.barriers_in_loops,
        };
        let mut run = plan.build(device, setup.kernels)?;
        if run.items < self.block && self.group.is_none() {
            run.notes = format!("{} of {} work-items, {}", run.items, self.block, run.notes);
        }
        let order: Vec<i32> = size.order().iter().copied().map(int_of_square).collect();
        run.upload("order", &order)?;
        Ok(run)
    }
}

/// Arguments for a launch without work.
pub const NO_WORK: &[(&str, &dyn SetArgument)] = &[
    ("count", &0i32),
    ("mover", &0i32),
    ("empty", &0i32),
    ("stamp", &0u32),
];

/// Appends a sibling's board without its last stone. Returns that board's mover and number of empty squares.
pub fn pack_parent<R: Representation>(
    game: &R,
    sibling: &R::Position,
    left_out: Square,
    packed: &mut Vec<i32>,
) -> (Colour, usize) {
    let size: Size = game.size();
    let before = packed.len();
    packed.extend(size.all().map(|square| {
        let stone = game.stone(sibling, square).filter(|_| square != left_out);
        cell(stone)
    }));
    let stones = packed[before..].iter().filter(|cell| **cell != NO_STONE);
    let stones = stones.count();
    let mover = if stones.is_multiple_of(2) {
        Colour::Black
    } else {
        Colour::White
    };
    (mover, size.squares() - stones)
}

choices! {
    /// The parameter `order`.
    pub ORDER, read_order -> Order: "order", {"moves" => Order::Moves, "children" => Order::Children}, "moves",
        "`moves` (adjacent work-items get positions in move order) or `children` (positions with the most children \
              first)";
}

/// The order in which work-items get positions (section 8, after Rocki and Suda). It does not affect answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Positions keep the order in which they were generated.
    Moves,
    /// Positions with the most children come first. Positions with the same number of children keep their order.
    Children,
}

impl Order {
    /// Reads the parameter. Fails with [`Fault::Input`]: one line with the key, the value and the allowed values.
    pub fn read(params: &Params) -> Result<Order, Fault> {
        ORDER.given(params, Order::Moves, read_order)
    }

    /// Returns the index of each work-item's position. `children` returns a position's number of children.
    pub fn places(self, count: usize, children: impl Fn(usize) -> usize) -> Vec<u32> {
        let mut places: Vec<u32> = (0..count as u32).collect();
        if self == Order::Children {
            places.sort_by_cached_key(|place| std::cmp::Reverse(children(*place as usize)));
        }
        places
    }
}

/// A root's moves, distributed over work-items.
pub struct Spread {
    pub moves: Vec<Square>,
    /// Index of the move for each work-item.
    places: Vec<u32>,
    values: Vec<i32>,
    /// Number of nodes per work-item in the last search whose results were read.
    pub nodes: Vec<u64>,
}

impl Spread {
    /// Lists the moves of a position, or none if the game is decided.
    pub fn new(evaluation: &Evaluation, position: &Position, order: Order) -> Spread {
        let moves = evaluation.candidates(position);
        let children = |place: usize| {
            let child = position.play(moves[place]);
            child.map_or(0, |child| evaluation.candidates(&child).len())
        };
        Spread {
            places: order.places(moves.len(), children),
            values: Vec::with_capacity(moves.len()),
            nodes: Vec::with_capacity(moves.len()),
            moves,
        }
    }

    /// Returns the moves, in the order of the work-items.
    pub fn taken(&self) -> impl Iterator<Item = Square> {
        self.places.iter().map(|place| self.moves[*place as usize])
    }

    /// Waits for the work-items' values, each from the mover's point of view, and selects the first of the best moves.
    pub fn read(
        &mut self,
        outcomes: &mut Outcomes,
        queue: &mut Queue,
    ) -> Result<Found<Square>, Fault> {
        let Spread {
            moves,
            places,
            values,
            nodes,
        } = self;
        let mut counters = Counters {
            nodes: 1,
            ..Counters::default()
        };
        nodes.clear();
        values.resize(moves.len(), 0);
        outcomes.read(queue, |outcome| {
            let (value, searched) = outcome.searched();
            counters += searched;
            values[places[outcome.place] as usize] = -value;
            nodes.push(searched.nodes);
        })?;
        let ranked = values.iter().zip(moves.iter()).rev();
        let best = ranked.max_by_key(|(value, _)| **value);
        let (value, mv) = best.map_or((0, None), |(value, mv)| (*value, Some(*mv)));
        Ok(Found::new(value, mv, counters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Value;

    #[test]
    fn those_with_the_most_children_go_first() {
        let children = [3, 7, 3, 9];
        let places = |order: Order| order.places(4, |place| children[place]);
        assert_eq!(places(Order::Moves), [0, 1, 2, 3]);
        assert_eq!(places(Order::Children), [3, 1, 0, 2]);
        let refused = read_order(&Value::Text("heavy".into())).unwrap_err();
        let part = "order: `heavy`; allowed is `moves`";
        assert!(refused.starts_with(part), "{refused}");
    }
}
