//! How work-items beside each other are kept alike: `order`, a parameter of techniques whose work-items search alone.

use crate::games::gomoku::{Evaluation, Position, Square};
use crate::opencl::{Outcomes, Queue};
use crate::search::Found;
use crate::words::{Counters, Fault, ParamEntry, Params, Value};

/// The parameter `order`.
pub const ORDER: ParamEntry = ParamEntry {
    name: "order",
    allowed: "`moves`: work-items side by side take positions in the order of moves; or `children`: those with \
              the most children first",
    default: "moves",
    check: |value| read_order(value).map(drop),
};

/// Which position a work-item takes (section 8's branch reordering, after Rocki and Suda): no answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they come.
    Moves,
    /// Those with the most children first, equal ones as they come.
    Children,
}

fn read_order(value: &Value) -> Result<Order, String> {
    match value.as_text() {
        Some("moves") => Ok(Order::Moves),
        Some("children") => Ok(Order::Children),
        _ => Err(ORDER.refused(value)),
    }
}

impl Order {
    /// Reads the parameter.
    ///
    /// # Errors
    /// [`Fault::Input`]: one line that names the key, the value and what is allowed.
    pub fn read(params: &Params) -> Result<Order, Fault> {
        ORDER.given(params, Order::Moves, read_order)
    }

    /// Which of the positions goes to each work-item, where `children` tells how many children each has.
    pub fn places(self, count: usize, children: impl Fn(usize) -> usize) -> Vec<u32> {
        let mut places: Vec<u32> = (0..count as u32).collect();
        if self == Order::Children {
            places.sort_by_cached_key(|place| std::cmp::Reverse(children(*place as usize)));
        }
        places
    }
}

/// The moves of a root, a work-item each.
pub struct Spread {
    /// In their order.
    pub moves: Vec<Square>,
    /// Which of them each work-item takes.
    places: Vec<u32>,
    values: Vec<i32>,
    /// Nodes of each work-item in the search that was read last.
    pub nodes: Vec<u64>,
}

impl Spread {
    /// Of a position; none where it is decided.
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

    /// The moves in the order of the work-items that take them.
    pub fn taken(&self) -> impl Iterator<Item = Square> {
        self.places.iter().map(|place| self.moves[*place as usize])
    }

    /// Waits for what the work-items found of their moves, each from its mover's view, and takes the first best
    /// one.
    ///
    /// # Errors
    /// As [`Outcomes::read`].
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

    #[test]
    fn those_with_the_most_children_go_first() {
        let children = [3, 7, 3, 9];
        let places = |order: Order| order.places(4, |place| children[place]);
        assert_eq!(places(Order::Moves), [0, 1, 2, 3]);
        assert_eq!(places(Order::Children), [3, 1, 0, 2]);
        let refused = read_order(&Value::Text("heavy".into())).unwrap_err();
        assert!(
            refused.starts_with("order: `heavy`; allowed is `moves`"),
            "{refused}"
        );
    }
}
