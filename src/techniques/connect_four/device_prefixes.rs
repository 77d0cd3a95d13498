//! What `prefix-sharing` and `prefix-sharing-sums` have in common: the walks on a device, and what comes of
//! them for every first move.

use std::path::Path;

use crate::games::Game;
use crate::games::connect_four::{Bits, Board, COLUMNS, Column, Evaluation, ROWS};
use crate::opencl::{Access, BuildNeeds, Device, DeviceKind, Outcomes, Runner};
use crate::search::{LONGEST_MOVE_SETS, MoveSetSums};
use crate::techniques::tasks::built_up_to;
use crate::words::{Case, Counters, Fault, ParamEntry, Params, Telemetry, Value};

/// Words that a work-group writes (`OUTCOME_WORDS` in the kernel's file).
const OUTCOME_WORDS: usize = 8;

/// Numbers of a column in the table of the squares' worths (`SQUARES_STRIDE` there).
const SQUARES_STRIDE: usize = 8;

/// Most plies that a work-item can walk below its prefix.
const MOST_LEFT: u32 = 7;

/// Below and above every value (`INFINITE` in the kernel's file): a prefix that meets a full column.
const INFINITE: i32 = 1 << 30;

/// Work-items that a GPU's unit is given at least, where the depth allows: sixteen wavefronts of 32.
/// More of them replay more prefixes.
const ITEMS_PER_UNIT: u64 = 512;

/// Work-groups that a processor's core is given at least, so that the cores end together.
const GROUPS_PER_CORE: u64 = 8;

/// The parameter `prefix`: plies that a work-item plays before it walks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefix {
    /// The fewest that keep the device busy.
    #[default]
    Auto,
    /// This number.
    Plies(u32),
}

/// What `prefix` may be, for messages.
pub const PREFIXES_ALLOWED: &str = "`auto` (the fewest that give a GPU's unit 512 work-items and a core 8 groups, at most 7), or a whole \
     number from 3 to 8: the plies of a work-item's prefix, 1 to 7 less than the depth";

/// The parameter, as techniques list it.
pub const PREFIX: ParamEntry = ParamEntry {
    name: "prefix",
    allowed: PREFIXES_ALLOWED,
    default: "auto",
    check: |value| Prefix::parse(value).map(drop),
};

/// Refuses a prefix that does not go with the case's depth.
pub fn check(case: &Case, params: &Params) -> Result<(), String> {
    super::takes_move_sets(case, params)?;
    let depth = case.get("depth").and_then(Value::as_int);
    let depth = depth.and_then(|depth| u32::try_from(depth).ok());
    depth.map_or(Ok(()), |depth| Prefix::read(params)?.check(depth))
}

impl Prefix {
    /// Reads the parameter; [`Prefix::Auto`] where it is not given.
    ///
    /// # Errors
    /// One line that names the key, the value and what is allowed.
    pub fn read(params: &Params) -> Result<Prefix, String> {
        params.get("prefix").map_or(Ok(Prefix::Auto), Prefix::parse)
    }

    /// Reads one value of the parameter.
    ///
    /// # Errors
    /// As [`Prefix::read`].
    pub fn parse(value: &Value) -> Result<Prefix, String> {
        match (value.as_text(), value.as_int()) {
            (Some("auto"), _) => Ok(Prefix::Auto),
            (_, Some(plies @ 3..=8)) => Ok(Prefix::Plies(plies as u32)),
            _ => Err(format!("prefix: `{value}`; allowed is {PREFIXES_ALLOWED}")),
        }
    }

    /// Refuses a number that does not go with a depth.
    ///
    /// # Errors
    /// As [`Prefix::read`].
    pub fn check(self, depth: u32) -> Result<(), String> {
        match self {
            Prefix::Plies(plies) if !walks(depth, plies) => Err(format!(
                "prefix: `{plies}` at depth {depth}; allowed is {PREFIXES_ALLOWED}"
            )),
            _ => Ok(()),
        }
    }

    /// The number for a device and a depth above [`TOO_SHALLOW`].
    fn choose(self, device: &Device, depth: u32) -> u32 {
        let info = device.info();
        let units = u64::from(info.compute_units.max(1));
        let wanted = match info.kind {
            DeviceKind::Cpu => GROUPS_PER_CORE * 343 * units,
            _ => ITEMS_PER_UNIT * units,
        };
        match self {
            Prefix::Plies(plies) => plies,
            Prefix::Auto => (FEWEST..7)
                .find(|plies| sets(*plies) >= wanted)
                .unwrap_or(7)
                .clamp(depth.saturating_sub(MOST_LEFT).max(FEWEST), depth - 1),
        }
    }
}

/// Fewest plies of a prefix: a group for each first move, with the 49 prefixes that begin with it.
const FEWEST: u32 = 3;

/// Depths up to this are not worth a launch: 400 positions, about a microsecond on the host.
pub const TOO_SHALLOW: u32 = 3;

fn walks(depth: u32, prefix: u32) -> bool {
    (1..=MOST_LEFT).contains(&depth.saturating_sub(prefix))
}

/// 7^plies.
fn sets(plies: u32) -> u64 {
    (COLUMNS as u64).pow(plies)
}

/// What was found below a root, for every first move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walked {
    /// The sums of the move sets, as [`move_set_sums`](crate::search::move_set_sums) has them.
    pub sums: MoveSetSums,
    /// The minimax values of the moves, seen by the side that makes them; `None` for a full column.
    pub values: [Option<i32>; COLUMNS],
    /// What minimax counts: every position entered, the root included.
    pub counters: Counters,
    /// Plies that were walked: those asked for, or as many as fill the board.
    pub plies: u32,
    /// Move sequences of exactly this number of plies.
    pub sequences: u64,
}

/// Walks on an OpenCL device that share prefixes: `cl/connect_four/prefix_sharing.cl`.
///
/// One launch: each work-item plays its prefix and walks what is below it, a work-group folds the 343
/// prefixes that differ in their last three plies, and the host folds what is left, 7^(prefix - 3)
/// groups.
///
/// # What bounds it
///
/// The last three levels of the tree. All replies to all moves of a position, 49 positions of the last
/// ply, come from two looks at the board: the mover's stones say what each move brings, the other's
/// what each reply brings, and a move changes of the latter only its own column's. A look is about 90
/// operations on 64 bits, a gathering of the fields 35, a column 40 on 32 bits: about 1000 operations of
/// 32 bits for 49 positions, with 64 bits as two. 7^8 such nodes at depth 10, with what is above them,
/// are 7 x 10^9 operations, 0.4 ms at the 16.7 T/s of an H200's datasheet; depth 8 is 10 us, and there
/// the way to the device and back is the larger part.
///
/// # What was tried
///
/// Two cores of an AMD EPYC, pocl 3.1, both busy with other work; `rayon-minimax` beside it took 13 ms at
/// depth 8 and 640 ms at depth 10.
///
/// - The last ply alone from one look, seven positions each: 19 ms and 840 ms. The last two: 6 ms and
///   250 ms.
/// - The prefix: 4 plies 5.9 ms at depth 8, 5 plies 6.2, 6 plies 13, 7 plies 50, as the replay of the
///   prefix grows over what is below it. At depth 10 from 4 to 7 plies nothing to tell apart.
/// - A loop over the prefix that each work-item leaves by `break`: wrong sums and endless launches on
///   pocl 3.1.
///
/// Compiled by ptxas for sm_90 it takes 69 registers with two plies to walk and 134 with four, and
/// spills none.
pub struct Prefixes {
    run: Runner,
    outcomes: Outcomes,
    /// Plies that are walked below a prefix; 0 where the depth is not worth a launch.
    left: u32,
    prefix: u32,
    group_plies: u32,
    folded: Vec<Folded>,
}

/// What a group found, and what groups are folded into.
#[derive(Clone, Copy)]
struct Folded {
    sum: i64,
    /// From the side to move there; [`INFINITE`] for a full column.
    value: i32,
}

impl Prefixes {
    /// Builds the program for one depth, makes the buffers, writes the table, and launches once: some
    /// drivers compile for a work-group size when they first see it.
    ///
    /// # Errors
    /// [`Fault::Input`] where prefix and depth do not go together, [`Fault::Unsupported`] where the
    /// device takes no group of 49 work-items, and what building fails with.
    pub fn new(
        evaluation: &Evaluation,
        device: &Device,
        prefix: Prefix,
        depth: u32,
        folder: Option<&Path>,
    ) -> Result<Prefixes, Fault> {
        // The program of a shallower depth is built for one that it can walk, and never launched.
        let deep = depth.max(TOO_SHALLOW + 1);
        prefix.check(depth).map_err(Fault::Input)?;
        if depth > LONGEST_MOVE_SETS {
            return Err(Fault::Input(format!(
                "depth: `{depth}`; allowed is at most {LONGEST_MOVE_SETS}"
            )));
        }
        let prefix = prefix.choose(device, deep);
        let left = deep - prefix;
        let group_plies = if prefix > 3 && device.info().max_work_group >= 343 {
            3
        } else {
            2
        };
        let group = sets(group_plies) as usize;
        let defines = [
            ("LEFT", left.to_string()),
            ("GROUP_PLIES", group_plies.to_string()),
            ("TWO", evaluation.two().to_string()),
            ("THREE", evaluation.three().to_string()),
        ];
        // The only barriers in a loop are those of the fold, which runs the same number of times in
        // every program of the same constants.
        let needs = BuildNeeds::default();
        let program = device.build("connect_four/prefix_sharing.cl", &defines, folder, needs)?;
        let kernel = program.kernel("prefix_sharing")?;
        let mut run = Runner::new(device, &program, kernel, group)?;
        run.notes = format!(
            "prefix {prefix}, {left} plies below it, groups of {group} (at most {}, best a multiple of {}), {} \
             bytes private, {} local, built with {}",
            run.kernel.max_group(),
            run.kernel.preferred_multiple(),
            run.kernel.private_bytes(),
            run.kernel.local_bytes(),
            run.options
        );
        let groups = sets(prefix - group_plies) as usize;
        let mut outcomes = Outcomes::new(device, "group", groups, OUTCOME_WORDS)?;
        let squares = device.buffer::<i32>(COLUMNS * SQUARES_STRIDE, Access::Read)?;
        run.queue.write(&squares, &table(evaluation))?;
        run.kernel.set_buffer(8, &squares)?;
        outcomes.bind(&mut run.kernel, 9)?;
        let mut prefixes = Prefixes {
            run,
            outcomes,
            left,
            prefix,
            group_plies,
            folded: Vec::with_capacity(groups),
        };
        // A board with six stones in every column: each work-item finds its first column full.
        prefixes.launch(&Launch {
            own: 0,
            stones: u64::MAX,
            heights: 0,
            value: 0,
            prefix: group_plies + 1,
            filled: 0,
        })?;
        prefixes.telemetry();
        Ok(prefixes)
    }

    /// Walks everything below a position to this number of plies. `None` where that is not worth a launch:
    /// the game is over, or too few plies are left.
    ///
    /// # Errors
    /// [`Fault::Input`] where `depth` is more than it was made for, and where the device fails.
    pub fn walk(
        &mut self,
        game: &Bits,
        board: &Board,
        depth: u32,
    ) -> Result<Option<Walked>, Fault> {
        built_up_to(self.prefix + self.left, depth, "")?;
        let (own, other) = board.stones();
        let stones = own | other;
        let empty = (COLUMNS * ROWS) as u32 - stones.count_ones();
        // The last ply that there can be fills the board in every set; each goes on as 7 to the power
        // of the plies that are left.
        let plies = depth.min(empty);
        if game.decided(board, 0).is_some() || plies <= self.left + self.group_plies {
            return Ok(None);
        }
        let height = |column: usize| (stones >> (7 * column) & 0x7f).count_ones();
        self.launch(&Launch {
            own,
            stones,
            heights: (0..COLUMNS).fold(0, |all, column| all | height(column) << (3 * column)),
            value: game.evaluate(board),
            prefix: plies - self.left,
            filled: if plies == empty { 0 } else { -1 },
        })
        .map(|counts| Some(self.fold(board, counts, plies, depth)))
    }

    /// Launches, waits, and lays what the groups found into `folded`. Returns what they counted.
    fn launch(&mut self, launch: &Launch) -> Result<Counts, Fault> {
        let groups = sets(launch.prefix - self.group_plies) as usize;
        let run = &mut self.run;
        run.kernel.set_scalar(0, launch.own)?;
        run.kernel.set_scalar(1, launch.stones)?;
        run.kernel.set_scalar(2, launch.heights)?;
        run.kernel.set_scalar(3, launch.value)?;
        run.kernel.set_scalar(4, launch.prefix as i32)?;
        run.kernel.set_scalar(5, launch.filled)?;
        run.kernel.set_scalar(6, sets(self.left) as i32)?;
        run.kernel.set_scalar(7, self.outcomes.mark(groups))?;
        run.launch_groups(groups)?;
        self.folded.clear();
        let (folded, mut counts) = (&mut self.folded, Counts::default());
        self.outcomes.read(&mut run.queue, |outcome| {
            folded.push(Folded {
                sum: outcome.wide(0) as i64,
                value: outcome.int(2),
            });
            counts.inner += u64::from(outcome.word(3));
            counts.ends += u64::from(outcome.word(4));
            counts.last += u64::from(outcome.word(5));
        })?;
        Ok(counts)
    }

    /// Folds the groups of the last launch by first move.
    fn fold(&mut self, board: &Board, counts: Counts, plies: u32, depth: u32) -> Walked {
        let repeats = sets(depth - plies) as i64;
        let found = &mut self.folded;
        while found.len() > COLUMNS {
            for parent in 0..found.len() / COLUMNS {
                let children = &found[parent * COLUMNS..(parent + 1) * COLUMNS];
                found[parent] = Folded::above(children);
            }
            found.truncate(found.len() / COLUMNS);
        }
        let mut walked = Walked {
            sums: [0; COLUMNS],
            values: [None; COLUMNS],
            counters: Counters::of_search(
                1 + counts.inner + counts.ends + counts.last,
                counts.ends + counts.last,
            ),
            plies,
            sequences: counts.last,
        };
        for (column, found) in Column::all().zip(found) {
            if board.has_room(column) {
                walked.sums[column.index()] = found.sum * repeats;
                walked.values[column.index()] = Some(-found.value);
            }
        }
        walked
    }

    /// Where the time since the last call of this went, and what was chosen and used.
    pub fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}

/// A root as the kernel has it.
struct Launch {
    own: u64,
    stones: u64,
    /// Stones of each column, three bits each.
    heights: u32,
    value: i32,
    prefix: u32,
    /// 0 where the last ply fills the board, else all bits.
    filled: i32,
}

/// Positions entered: inner ones, ends before the last ply, and those at the last ply.
#[derive(Default)]
struct Counts {
    inner: u64,
    ends: u64,
    last: u64,
}

impl Folded {
    fn above(children: &[Folded]) -> Folded {
        let best = children.iter().map(|child| -child.value).max();
        let value = best.unwrap_or(-INFINITE);
        Folded {
            sum: children.iter().map(|child| child.sum).sum(),
            // All columns below a full column are as impossible as itself.
            value: if value == -INFINITE { INFINITE } else { value },
        }
    }
}

/// Each square's worth, by columns from the bottom.
fn table(evaluation: &Evaluation) -> Vec<i32> {
    let mut table = vec![0; COLUMNS * SQUARES_STRIDE];
    for (row, worths) in evaluation.squares().iter().enumerate() {
        for (column, worth) in worths.iter().enumerate() {
            table[column * SQUARES_STRIDE + row] = *worth;
        }
    }
    table
}
