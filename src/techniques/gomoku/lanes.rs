//! How work-items beside each other are kept alike, and how far they are: `order` and `efficiency`, parameters of techniques
//! whose work-items search alone.

use crate::games::gomoku::{Evaluation, Position, Square};
use crate::opencl::{Device, DeviceKind, Outcomes, Queue, Runner};
use crate::search::Found;
use crate::words::{Counters, Fault, ParamEntry, Params, Resource, Value, resource};

/// How full the lanes that share instructions are: of all the nodes that they had time for, as many as the
/// longest of those beside each other took, how many they entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Work-items of a group, and those among them that share instructions.
    group: usize,
    width: usize,
    entered: u64,
    room: u64,
}

impl Lanes {
    /// Of a kernel's groups on a device, where the parameter asks for them. A processor runs the work-items
    /// of these kernels one after another.
    ///
    /// # Errors
    /// [`Fault::Input`]: one line that names the key, the value and what is allowed.
    pub fn asked_for(
        params: &Params,
        device: &Device,
        run: &Runner,
    ) -> Result<Option<Lanes>, Fault> {
        let width = width_of(device, run.kernel.preferred_multiple());
        Ok(is_counted(params)?.then(|| Lanes::of(run.items, width)))
    }

    /// Of groups, and how many of their work-items share instructions.
    pub fn of(group: usize, width: usize) -> Lanes {
        Lanes {
            group,
            width,
            entered: 0,
            room: 0,
        }
    }

    /// Takes a launch over: the nodes of each work-item in order.
    pub fn add(&mut self, nodes: &[u64]) {
        let groups = nodes.chunks(self.group);
        for lanes in groups.flat_map(|group| group.chunks(self.width)) {
            let longest = lanes.iter().max().copied().unwrap_or(0);
            self.entered += lanes.iter().sum::<u64>();
            self.room += longest * self.width as u64;
        }
    }

    /// Takes over what kernels added up themselves: nodes entered, and those that their lanes had time for.
    pub fn add_up(&mut self, entered: u64, room: u64) {
        self.entered += entered;
        self.room += room;
    }

    /// Work-items that share instructions.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Nodes entered, and nodes that the lanes had time for.
    pub fn counted(&self) -> (u64, u64) {
        (self.entered, self.room)
    }

    /// The share of that room which was used, in millionths; `None` where nothing was counted.
    fn efficiency_ppm(&self) -> Option<u64> {
        (self.entered * 1_000_000).checked_div(self.room)
    }

    /// The same as a row of the run's resources.
    pub fn resource(lanes: Option<&Lanes>) -> Option<Resource> {
        let ppm = lanes?.efficiency_ppm()?;
        Some((resource::SIMT_EFFICIENCY.to_owned(), ppm))
    }
}

/// Lanes that share instructions on a device which prefers groups of a `multiple`. A processor runs work-items one
/// after another.
pub fn width_of(device: &Device, multiple: usize) -> usize {
    match device.info().kind {
        DeviceKind::Cpu => 1,
        _ => multiple.max(1),
    }
}

/// Reads the parameter `efficiency`.
///
/// # Errors
/// [`Fault::Input`]: one line that names the key, the value and what is allowed.
pub fn is_counted(params: &Params) -> Result<bool, Fault> {
    EFFICIENCY.given(params, false, read_efficiency)
}

/// The parameter `efficiency`.
pub const EFFICIENCY: ParamEntry = ParamEntry {
    name: "efficiency",
    allowed: "`true`: one more search when the technique is made ready, whose work-items tell how full the lanes \
              were that share instructions; or `false`",
    default: "false",
    check: |value| read_efficiency(value).map(drop),
};

fn read_efficiency(value: &Value) -> Result<bool, String> {
    match value {
        Value::Flag(flag) => Ok(*flag),
        _ => Err(EFFICIENCY.refused(value)),
    }
}

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
    fn the_longest_of_those_beside_each_other_counts_for_all() {
        let mut lanes = Lanes::of(6, 4);
        assert_eq!(lanes.efficiency_ppm(), None);
        // Lanes of 4 and of 2, the latter in a row of 4; then a group that is not full.
        lanes.add(&[10, 5, 4, 1, 8, 2, 3]);
        assert_eq!((lanes.entered, lanes.room), (33, 4 * (10 + 8 + 3)));
        let mut serial = Lanes::of(6, 1);
        serial.add(&[10, 5, 4, 1, 8, 2, 3]);
        assert_eq!(serial.efficiency_ppm(), Some(1_000_000));
    }

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
