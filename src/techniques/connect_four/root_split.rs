//! `root-split`: the paper's first attempt on the device, minimax with one work-item per subtree.

use super::device_board::{GROUP, defines, items, table, words};
use super::hard::{SEARCH, SMALL};
use super::takes_move_sets;
use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Order, Position};
use crate::techniques::prelude::*;
use crate::techniques::tasks::{built_for, minimax_above, runner};

/// Runs minimax, first on the host and then on the device with one work-item per subtree ("Algorithm Description").
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "root-split",
        summary: "minimax on the host for some plies, then with one work-item per position",
        paper: "Connect Four AI, \"Algorithm Description\" (the simplest approach)",
        like: "serial-minimax",
        counts: Counts::As("serial-minimax"),
        params: &[GROUP, SPLIT],
        check,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("split=1 group=5", SMALL),
        Trial::new("split=3", SMALL),
    ],
    prepare: |setup| tasks::prepare_search(setup, |asked| RootSplit::boxed(asked, setup)),
};

whole_numbers! {
    number SPLIT, read_split: "split", 1..=6, "5 on GPUs, otherwise 4; at most depth - 1",
        "a whole number from 1 to 6, less than the depth: plies that the host plays";
}

/// Returns the default number of plies on the host, for up to 2,401 subtrees on a CPU, or up to 16,807 on a GPU.
fn usual_split(kind: DeviceKind) -> u32 {
    if kind == DeviceKind::Gpu { 5 } else { 4 }
}

/// Returns the number of plies that the host plays in a search to this depth. `usual` is the default.
fn split(depth: u32, usual: u32, params: &Params) -> Result<u32, String> {
    if depth < 2 {
        return Err(format!(
            "depth: `{depth}`; root-split plays a ply on the host and one on the device: allowed is 2 or more"
        ));
    }
    let most = depth - 1;
    match params.get(SPLIT.name).map(read_split).transpose()? {
        None => Ok(usual.min(most)),
        Some(split) if split <= most as usize => Ok(split as u32),
        Some(split) => Err(format!(
            "split: `{split}` at depth {depth}; allowed is a whole number from 1 to {most}"
        )),
    }
}

fn check(case: &Case, params: &Params) -> Result<(), String> {
    takes_move_sets(case, params)?;
    let depth = case.int("depth").unwrap_or_default();
    split(depth as u32, usual_split(DeviceKind::Cpu), params).map(drop)
}

struct RootSplit {
    game: Bits,
    depth: u32,
    split: u32,
    run: Runner,
    boards: Buffer<u64>,
    values: Buffer<i32>,
    outcomes: Outcomes,
    positions: Vec<Board>,
    upper: Upper,
    /// The value and the counters of each subtree.
    found: Vec<(i32, Counters)>,
}

/// The roots of all subtrees, in the order of the walk.
#[derive(Default)]
struct Upper {
    boards: Vec<u64>,
    values: Vec<i32>,
}

impl Upper {
    /// Collects the boards at the split. Lines that end earlier have no subtree.
    fn collect(&mut self, game: &Bits, board: &Board, ply: u32, split: u32) {
        if game.decided(board, ply).is_some() {
            return;
        }
        if ply == split {
            let (own, stones, value) = words(game, board);
            self.boards.extend([own, stones]);
            self.values.push(value);
            return;
        }
        for column in game.moves(board) {
            self.collect(game, &game.play(board, column), ply + 1, split);
        }
    }
}

impl RootSplit {
    /// Builds the program and launches it once without subtrees, because some drivers compile at first use.
    fn boxed(asked: &ConnectFour, setup: &Setup<'_>) -> Searching<ConnectFour> {
        let device = setup.on_device()?;
        let usual = usual_split(device.info().kind);
        let split = split(asked.amount.depth, usual, setup.params).map_err(Fault::Input)?;
        let items = items(setup.params, device)?;
        let mut defines = defines();
        defines.extend([
            ("PREFIX", split.to_string()),
            ("PLIES", (asked.amount.depth - split).to_string()),
            ("GROUP", items.to_string()),
        ]);
        let kernel = ("connect_four/root_split.cl", "root_split");
        let layout = format!("split {split}, group {items}");
        let mut run = runner(setup, kernel, &defines, items, &layout)?;
        let subtrees = COLUMNS.pow(split);
        let boards = run.buffer("boards", 2 * subtrees, Access::Read)?;
        let values = run.buffer("values", subtrees, Access::Read)?;
        let outcomes = run.outcomes("subtree", subtrees, SEARCHED_WORDS)?;
        run.upload("table", &table(&asked.evaluation))?;
        run.warm_up(&[("count", &0i32), ("stamp", &0u32)])?;
        Ok(Box::new(RootSplit {
            game: Bits::new(&asked.evaluation, Order::CentreFirst),
            depth: asked.amount.depth,
            split,
            run,
            boards,
            values,
            outcomes,
            positions: Vec::new(),
            upper: Upper::default(),
            found: Vec::with_capacity(subtrees),
        }))
    }

    fn launch(&mut self) -> Result<(), Fault> {
        let count = self.upper.values.len();
        self.found.clear();
        if count == 0 {
            return Ok(());
        }
        let run = &mut self.run;
        run.set(&[("count", &(count as i32))])?;
        run.stamp(&mut self.outcomes, count)?;
        run.queue.write(&self.boards, &self.upper.boards)?;
        run.queue.write(&self.values, &self.upper.values)?;
        run.launch_items(count)?;
        let found = &mut self.found;
        self.outcomes
            .read(&mut run.queue, |outcome| found.push(outcome.searched()))
    }
}

impl Searcher<ConnectFour> for RootSplit {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let boards = positions.iter().map(|position| self.game.load(position));
        self.positions = boards.collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        built_for(self.depth, depth)?;
        let board = self.positions[index];
        self.upper.boards.clear();
        self.upper.values.clear();
        let (game, plies) = (&self.game, (0, self.split));
        // The first walk collects the roots of the subtrees. The second walk uses their values.
        self.upper.collect(game, &board, 0, self.split);
        self.launch()?;
        let (game, mut found) = (&self.game, self.found.iter().copied());
        let mut below = |board: &Board| match game.decided(board, plies.1) {
            Some(value) => (value, Counters::of_leaves(1)),
            None => found.next().unwrap_or_default(),
        };
        let mut counters = Counters::default();
        let (value, best) = minimax_above(game, &board, plies, &mut below, &mut counters);
        Ok(Found::new(value, best, counters))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Value;

    #[test]
    fn a_split_is_less_than_the_depth() {
        let given = |split: i64| Params::from([(SPLIT.name.to_owned(), Value::Int(split))]);
        let none = Params::new();
        assert_eq!(split(2, 4, &none), Ok(1));
        assert_eq!(split(8, 4, &none), Ok(4));
        assert_eq!(split(8, 4, &given(6)), Ok(6));
        let refused = |depth, params: &Params| split(depth, 4, params).unwrap_err();
        let expected = "split: `4` at depth 4; allowed is a whole number from 1 to 3";
        assert_eq!(refused(4, &given(4)), expected);
        assert!(refused(8, &given(7)).starts_with("split: `7`; allowed is"));
        assert!(refused(1, &none).starts_with("depth: `1`; root-split plays"));
        let case = |text| Case::parse(text).unwrap();
        assert!(check(&case("stage=first depth=2"), &given(2)).is_err());
        assert!(check(&case("stage=first depth=3"), &given(2)).is_ok());
    }
}
