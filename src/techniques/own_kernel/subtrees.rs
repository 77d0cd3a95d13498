//! The contracts `subtrees` and `evaluate`: PV-split on the host, and below it a kernel that searches positions, or
//! values those where the host's search ends.

use super::{PLIES, build};
use crate::games::{Game, INFINITY, Stuck};
use crate::opencl::{Access, Buffer, Defines, Runner};
use crate::search::{Sibling, Siblings, Window};
use crate::techniques::Setup;
use crate::techniques::tasks::{Loads, Play, Searcher, Splits, Splitting};
use crate::words::{Counters, Fault, Telemetry};

/// How a game's positions and its evaluation go to kernels that search or evaluate.
pub struct SearchPacking<G: Game> {
    /// Appends the words of a position, always as many.
    pub pack: fn(&G, &G::Position, &mut Vec<u32>),
    /// The evaluation's numbers.
    pub worths: Vec<i32>,
    /// The constants that the game's own files want.
    pub constants: Defines,
}

/// A technique of which the part on the device is a kernel of the user's, under either contract. Fails if the device or
/// the kernel refuses.
pub fn searching<P: Play, G: Loads<P>>(
    setup: &Setup<'_>,
    game: G,
    mut packing: SearchPacking<G>,
    start: &P::Position,
    (contract, depth): (&'static str, u32),
) -> Result<Box<dyn Searcher<P>>, Fault> {
    let device = setup.on_device()?;
    let is_search = contract == "subtrees";
    let usual = if is_search { 1 } else { 3 };
    let plies = PLIES.given(setup.params, usual, |value| PLIES.whole(value, 0..=8))? as u32;
    if is_search {
        let levels = depth.saturating_sub(1 + plies).max(1);
        packing.constants.push(("LEVELS", levels.to_string()));
    }
    let (mut run, most) = build(setup, contract, packing.constants, LAUNCHED)?;
    run.notes.push_str(&format!(", plies {plies}"));
    let (start, mut packed) = (game.load(start), Vec::new());
    (packing.pack)(&game, &start, &mut packed);
    let words = packed.len();
    let positions = device.buffer(LAUNCHED * words, Access::Read)?;
    let worths = device.buffer(packing.worths.len(), Access::Read)?;
    let values = device.buffer(LAUNCHED, Access::Write)?;
    run.queue.write(&worths, &packing.worths)?;
    let (worths_at, values_at) = if is_search { (5, 6) } else { (2, 3) };
    run.kernel.set_buffer(0, &positions)?;
    run.kernel.set_buffer(worths_at, &worths)?;
    run.kernel.set_buffer(values_at, &values)?;
    let mut searches = None;
    if is_search {
        let windows = device.buffer(2 * LAUNCHED, Access::Read)?;
        let nodes = device.buffer(LAUNCHED, Access::Write)?;
        run.kernel.set_buffer(1, &windows)?;
        run.kernel.set_buffer(7, &nodes)?;
        searches = Some((windows, nodes));
    }
    let kernel = SearchKernel {
        run,
        most,
        words,
        packed,
        found: Vec::new(),
        positions,
        values,
        searches,
        plies,
    };
    let pack = packing.pack;
    let siblings = Box::new(OwnSiblings { kernel, pack });
    // The least that launches.
    let least = depth.min(1);
    Ok(Box::new(Splitting::warmed(game, siblings, &start, least)?))
}

/// Positions of a launch, at most.
const LAUNCHED: usize = 1 << 16;
/// Positions that are collected for launches, at most.
const COLLECTED: usize = 1 << 22;
/// Values that no work-item has written.
const UNSET: i32 = i32::MIN;

/// The siblings of a principal variation's node.
///
/// Under `subtrees` the host plays [`PLIES`] more from all of them, the kernel searches every position that it reaches
/// in the window of that node, and the host takes the best of the values. Under `evaluate` the host's alpha-beta goes
/// on below each, and where [`PLIES`] are left it plays all of them and has every leaf valued at once.
struct OwnSiblings<G: Game> {
    kernel: SearchKernel,
    pack: fn(&G, &G::Position, &mut Vec<u32>),
}

/// The kernel, the positions of its launches, and what came of them. Launches are compiled once for all games.
struct SearchKernel {
    run: Runner,
    /// Positions of a launch, at most.
    most: usize,
    /// The words of a position.
    words: usize,
    packed: Vec<u32>,
    /// The value of each position, for its mover, and the work that it took.
    found: Vec<(i32, Counters)>,
    positions: Buffer<u32>,
    values: Buffer<i32>,
    /// Of a kernel that searches: a window for each position, and the nodes that it says it has entered.
    searches: Option<(Buffer<i32>, Buffer<u64>)>,
    plies: u32,
}

impl SearchKernel {
    /// Has the collected positions searched, or valued.
    fn launch(&mut self, depth: u32, ply: u32, window: Window) -> Result<(), Fault> {
        self.found.clear();
        for packed in self.packed.chunks(self.most * self.words) {
            let count = packed.len() / self.words;
            let run = &mut self.run;
            run.queue.write(&self.positions, packed)?;
            run.queue.write(&self.values, &vec![UNSET; count])?;
            match &self.searches {
                None => run.kernel.set_scalar(1, count as u32)?,
                Some((windows, nodes)) => {
                    let each = [window.alpha, window.beta].repeat(count);
                    run.queue.write(windows, &each)?;
                    run.queue.write(nodes, &vec![0; count])?;
                    run.kernel.set_scalar(2, count as u32)?;
                    run.kernel.set_scalar(3, depth as i32)?;
                    run.kernel.set_scalar(4, ply as i32)?;
                }
            }
            run.launch_items(count)?;
            let (mut values, mut entered) = (vec![UNSET; count], vec![1; count]);
            run.queue.read(&self.values, &mut values)?;
            if let Some((_, nodes)) = &self.searches {
                run.queue.read(nodes, &mut entered)?;
            }
            let leaves = u64::from(self.searches.is_none());
            for (place, (value, nodes)) in values.into_iter().zip(entered).enumerate() {
                if value.saturating_abs() >= INFINITY {
                    let why = match value {
                        UNSET => "has no value".to_owned(),
                        _ => format!("is worth {value}, which no position is"),
                    };
                    let name = run.kernel.name();
                    return Err(Fault::Wrong(format!(
                        "kernel `{name}`: position {place} of {count} {why}"
                    )));
                }
                self.found.push((value, Counters::of_search(nodes, leaves)));
            }
        }
        Ok(())
    }
}

/// What gives the values of the positions where the host's search ends, with the plies that are left and those from the
/// root.
type End<'a, G> =
    dyn FnMut(&<G as Game>::Position, (u32, u32), &mut Counters) -> Result<i32, Fault> + 'a;

/// A position's value for its mover, searched on the host until `last` plies are left: by alpha-beta, which may give a
/// bound on the window's side, or by minimax without a window.
fn descend<G: Game>(
    game: &G,
    position: &G::Position,
    (depth, ply): (u32, u32),
    mut window: Option<Window>,
    counters: &mut Counters,
    (last, end): (u32, &mut End<'_, G>),
) -> Result<i32, Fault> {
    if let Some(value) = game.decided(position, ply) {
        *counters += Counters::of_leaves(1);
        return Ok(value);
    }
    if depth <= last {
        return end(position, (depth, ply), counters);
    }
    counters.nodes += 1;
    let mut below = |child: &G::Position, window: Option<Window>, counters: &mut Counters| {
        let (at, window) = ((depth - 1, ply + 1), window.map(Window::turned));
        descend(game, child, at, window, counters, (last, &mut *end)).map(|value| -value)
    };
    let mut best = None;
    for mv in game.moves(position) {
        let score = below(&game.play(position, mv), window, counters)?;
        best = best.max(Some(score));
        if let Some(Window { alpha, beta }) = &mut window {
            *alpha = score.max(*alpha);
            if alpha >= beta {
                break;
            }
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    match game.stuck(position, ply) {
        Stuck::Pass(child) => below(&child, window, counters),
        Stuck::Over(value) => {
            counters.leaves += 1;
            Ok(value)
        }
    }
}

impl<G: Game> OwnSiblings<G> {
    /// Plays all of `plies` from each position, has the positions that it reaches searched or valued at once, and returns
    /// each one's value for its mover.
    fn all_below(
        &mut self,
        game: &G,
        from: &[&G::Position],
        (plies, ply): (u32, u32),
        (depth, window): (u32, Window),
        counters: &mut Counters,
    ) -> Result<Vec<i32>, Fault> {
        let OwnSiblings { kernel, pack } = self;
        let SearchKernel { packed, words, .. } = kernel;
        packed.clear();
        let mut collect = |position: &G::Position, _: (u32, u32), _: &mut Counters| {
            if packed.len() >= COLLECTED * *words {
                let why = format!("plies: more than {COLLECTED} positions to launch");
                return Err(Fault::Memory(why));
            }
            pack(game, position, packed);
            Ok(0)
        };
        let at = (plies, ply);
        for position in from {
            let ignored = &mut Counters::default();
            descend(game, position, at, None, ignored, (0, &mut collect))?;
        }
        kernel.launch(depth, ply + plies, window)?;
        // The same plies again meet the same positions.
        let mut found = kernel.found.iter();
        let mut take = |_: &G::Position, _: (u32, u32), counters: &mut Counters| {
            let (value, searched) = found.next().copied().unwrap_or_default();
            *counters += searched;
            Ok(value)
        };
        let values = from
            .iter()
            .map(|position| descend(game, position, at, None, counters, (0, &mut take)));
        values.collect()
    }
}

impl<G: Game> Siblings<G> for OwnSiblings<G> {
    type Fault = Fault;

    fn search(
        &mut self,
        game: &G,
        siblings: &[Sibling<G>],
        depth: u32,
        ply: u32,
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let (plies, mut counters) = (self.kernel.plies, Counters::default());
        if self.kernel.searches.is_some() {
            let plies = plies.min(depth);
            // Each ply changes sides, a pass too.
            let own = match plies.is_multiple_of(2) {
                true => window.turned(),
                false => window,
            };
            let positions: Vec<_> = siblings.iter().map(|it| &it.position).collect();
            let (at, below) = ((plies, ply), (depth - plies, own));
            let values = self.all_below(game, &positions, at, below, &mut counters)?;
            scores.extend(values.into_iter().map(|value| -value));
            return Ok(counters);
        }
        let mut value = |position: &G::Position, at: (u32, u32), counters: &mut Counters| {
            let values = self.all_below(game, &[position], at, (0, window), counters)?;
            Ok(values[0])
        };
        let Window { mut alpha, beta } = window;
        for Sibling { position, .. } in siblings {
            let (at, own) = ((depth, ply), Some(Window { alpha, beta }.turned()));
            let score = -descend(game, position, at, own, &mut counters, (plies, &mut value))?;
            alpha = alpha.max(score);
            scores.push(score);
        }
        Ok(counters)
    }
}

impl<G: Game + 'static> Splits<G> for OwnSiblings<G> {
    fn telemetry(&mut self) -> Telemetry {
        self.kernel.run.telemetry_and_resources()
    }
}
