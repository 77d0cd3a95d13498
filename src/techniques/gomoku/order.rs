//! The parameter `order`, which gives adjacent work-items similar work.

use crate::games::gomoku::{Evaluation, Position, Square};
use crate::opencl::{Outcomes, Queue};
use crate::search::Found;
use crate::techniques::list::choices;
use crate::words::{Counters, Fault, Params};

choices! {
    /// The parameter `order`.
    pub ORDER, read_order -> Order: "order", {"moves" => Order::Moves, "children" => Order::Children}, "moves",
        "`moves`: work-items side by side take positions in the order of moves; or `children`: those with \
              the most children first";
}

/// Order of positions over work-items (section 8, after Rocki and Suda). Answers do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As generated.
    Moves,
    /// Most children first; equal numbers as generated.
    Children,
}

impl Order {
    /// Reads the parameter. Fails with [`Fault::Input`]: one line that names the key, the value and the allowed values.
    pub fn read(params: &Params) -> Result<Order, Fault> {
        ORDER.given(params, Order::Moves, read_order)
    }

    /// The position of each work-item; `children` gives the children per position.
    pub fn places(self, count: usize, children: impl Fn(usize) -> usize) -> Vec<u32> {
        let mut places: Vec<u32> = (0..count as u32).collect();
        if self == Order::Children {
            places.sort_by_cached_key(|place| std::cmp::Reverse(children(*place as usize)));
        }
        places
    }
}

/// The moves of a root, one per work-item.
pub struct Spread {
    /// The moves in order.
    pub moves: Vec<Square>,
    /// The move of each work-item.
    places: Vec<u32>,
    values: Vec<i32>,
    /// Nodes per work-item in the last search read.
    pub nodes: Vec<u64>,
}

impl Spread {
    /// The moves of a position; none if it is decided.
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

    /// The moves in the order of the work-items.
    pub fn taken(&self) -> impl Iterator<Item = Square> {
        self.places.iter().map(|place| self.moves[*place as usize])
    }

    /// Waits for the work-items' values, each from its mover's view, and takes the first best.
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
