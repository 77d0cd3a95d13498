//! The contracts `subtrees` and `evaluate`: PV-split on the host, and below it a kernel that searches positions, or
//! values those where the host's search ends.

use std::slice::Iter;

use super::{OwnKernel, PLIES, build};
use crate::games::{Game, INFINITY, Stuck};
use crate::opencl::{Access, Buffer, Defines, Device};
use crate::search::{Sibling, Siblings, Window};
use crate::techniques::Setup;
use crate::techniques::tasks::{Loads, Play, Searcher, Splits, Splitting};
use crate::words::{Counters, Fault, Params, Telemetry};

/// How a game's positions and its evaluation go to kernels that search or evaluate.
pub struct SearchPacking<G: Game> {
    /// Appends the words of a position.
    pub pack: fn(&G, &G::Position, &mut Vec<u32>),
    /// How many there are, always the same.
    pub words: usize,
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
    packing: SearchPacking<G>,
    start: &P::Position,
    (contract, depth): (&'static str, u32),
) -> Result<Box<dyn Searcher<P>>, Fault> {
    let numbers = (packing.words, packing.worths.as_slice());
    let siblings = OwnSiblings {
        kernel: SearchKernel::new(setup, numbers, packing.constants, (contract, depth))?,
        pack: packing.pack,
    };
    let start = game.load(start);
    // The least that launches.
    Ok(Box::new(Splitting::warmed(
        game,
        Box::new(siblings),
        &start,
        depth.min(1),
    )?))
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
pub struct OwnSiblings<G: Game> {
    kernel: SearchKernel,
    pack: fn(&G, &G::Position, &mut Vec<u32>),
}

/// The device's part, compiled once for all games: the kernel, the positions of its launches, and what came of them.
struct SearchKernel {
    own: OwnKernel,
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
    fn new(
        setup: &Setup<'_>,
        (words, worths): (usize, &[i32]),
        mut constants: Defines,
        (contract, depth): (&'static str, u32),
    ) -> Result<SearchKernel, Fault> {
        let device: &Device = setup.on_device()?;
        let searches = contract == "subtrees";
        let plies = plies_of(setup.params, searches)?;
        if searches {
            let levels = depth.saturating_sub(1 + plies);
            constants.push(("LEVELS", levels.max(1).to_string()));
        }
        let mut own = build(setup, contract, &constants)?;
        own.run.notes.push_str(&format!(", plies {plies}"));
        let positions = device.buffer(LAUNCHED * words, Access::Read)?;
        let of_worths = device.buffer(worths.len(), Access::Read)?;
        let values = device.buffer(LAUNCHED, Access::Write)?;
        let (kernel, queue) = (&mut own.run.kernel, &mut own.run.queue);
        queue.write(&of_worths, worths)?;
        kernel.set_buffer(0, &positions)?;
        let searches = match searches {
            false => {
                kernel.set_buffer(2, &of_worths)?;
                kernel.set_buffer(3, &values)?;
                None
            }
            true => {
                let windows = device.buffer(2 * LAUNCHED, Access::Read)?;
                let nodes = device.buffer(LAUNCHED, Access::Write)?;
                kernel.set_buffer(1, &windows)?;
                kernel.set_buffer(5, &of_worths)?;
                kernel.set_buffer(6, &values)?;
                kernel.set_buffer(7, &nodes)?;
                Some((windows, nodes))
            }
        };
        Ok(SearchKernel {
            own,
            words,
            packed: Vec::new(),
            found: Vec::new(),
            positions,
            values,
            searches,
            plies,
        })
    }

    /// Has the collected positions searched, or valued.
    fn launch(&mut self, depth: u32, ply: u32, window: Window) -> Result<(), Fault> {
        self.found.clear();
        let own = &mut self.own;
        for packed in self.packed.chunks(LAUNCHED.min(own.most) * self.words) {
            let count = packed.len() / self.words;
            let run = &mut own.run;
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
            let mut values = vec![UNSET; count];
            run.queue.read(&self.values, &mut values)?;
            let mut work = vec![Counters::of_leaves(1); count];
            if let Some((_, nodes)) = &self.searches {
                let mut entered = vec![0; count];
                run.queue.read(nodes, &mut entered)?;
                let of_nodes = |nodes| Counters {
                    nodes,
                    ..Counters::default()
                };
                work = entered.into_iter().map(of_nodes).collect();
            }
            let lost = |value: &i32| value.saturating_abs() >= INFINITY;
            if let Some(place) = values.iter().position(lost) {
                let name = run.kernel.name();
                let value = values[place];
                return Err(Fault::Wrong(match value {
                    UNSET => format!("kernel `{name}`: position {place} of {count} has no value"),
                    _ => format!(
                        "kernel `{name}`: position {place} of {count} is worth {value}, which no position is"
                    ),
                }));
            }
            self.found.extend(values.into_iter().zip(work));
        }
        Ok(())
    }

    /// Refuses more positions than memory is meant for.
    fn has_room(&self) -> Result<(), Fault> {
        if self.packed.len() < COLLECTED * self.words {
            return Ok(());
        }
        let why = format!("plies: more than {COLLECTED} positions to launch");
        Err(Fault::Memory(why))
    }
}

impl<G: Game> OwnSiblings<G> {
    /// A position's value for its mover, or a bound on the window's side of it: alpha-beta down to where the device
    /// values all leaves.
    fn descend(
        &mut self,
        game: &G,
        position: &G::Position,
        (depth, ply): (u32, u32),
        window: Window,
        counters: &mut Counters,
    ) -> Result<i32, Fault> {
        if depth <= self.kernel.plies {
            self.kernel.packed.clear();
            self.collect(game, position, (depth, ply))?;
            self.kernel.launch(0, ply + depth, window)?;
            let mut found = self.kernel.found.iter();
            return Ok(fold(game, position, (depth, ply), &mut found, counters));
        }
        counters.nodes += 1;
        if let Some(value) = game.decided(position, ply) {
            counters.leaves += 1;
            return Ok(value);
        }
        let below = (depth - 1, ply + 1);
        let Window { mut alpha, beta } = window;
        let mut best = None;
        for mv in game.moves(position) {
            let turned = Window { alpha, beta }.turned();
            let child = game.play(position, mv);
            let score = -self.descend(game, &child, below, turned, counters)?;
            best = best.max(Some(score));
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        match best {
            Some(best) => Ok(best),
            None => match game.stuck(position, ply) {
                Stuck::Pass(child) => {
                    Ok(-self.descend(game, &child, below, window.turned(), counters)?)
                }
                Stuck::Over(value) => {
                    counters.leaves += 1;
                    Ok(value)
                }
            },
        }
    }

    /// Adds the positions at which the game goes on after so many plies.
    fn collect(
        &mut self,
        game: &G,
        position: &G::Position,
        (plies, ply): (u32, u32),
    ) -> Result<(), Fault> {
        if game.decided(position, ply).is_some() {
            return Ok(());
        }
        if plies == 0 {
            self.kernel.has_room()?;
            (self.pack)(game, position, &mut self.kernel.packed);
            return Ok(());
        }
        let below = (plies - 1, ply + 1);
        let mut moves = game.moves(position).peekable();
        if moves.peek().is_none()
            && let Stuck::Pass(child) = game.stuck(position, ply)
        {
            return self.collect(game, &child, below);
        }
        moves.try_for_each(|mv| self.collect(game, &game.play(position, mv), below))
    }
}

fn plies_of(params: &Params, searches: bool) -> Result<u32, Fault> {
    let usual = if searches { 1 } else { 3 };
    let plies = PLIES.given(params, usual, |value| PLIES.whole(value, 0..=8))?;
    Ok(plies as u32)
}

/// Goes through the same plies again and takes the values as it meets their positions: a position's value for its
/// mover.
fn fold<G: Game>(
    game: &G,
    position: &G::Position,
    (plies, ply): (u32, u32),
    found: &mut Iter<'_, (i32, Counters)>,
    counters: &mut Counters,
) -> i32 {
    if let Some(value) = game.decided(position, ply) {
        *counters += Counters::of_leaves(1);
        return value;
    }
    if plies == 0 {
        // There is one for each that was collected.
        let (value, searched) = found.next().copied().unwrap_or_default();
        *counters += searched;
        return value;
    }
    counters.nodes += 1;
    let below = (plies - 1, ply + 1);
    let mut best = None;
    for mv in game.moves(position) {
        let child = game.play(position, mv);
        best = best.max(Some(-fold(game, &child, below, found, counters)));
    }
    match best {
        Some(best) => best,
        None => match game.stuck(position, ply) {
            Stuck::Pass(child) => -fold(game, &child, below, found, counters),
            Stuck::Over(value) => {
                counters.leaves += 1;
                value
            }
        },
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
        let mut counters = Counters::default();
        if self.kernel.searches.is_none() {
            let Window { mut alpha, beta } = window;
            for sibling in siblings {
                let turned = Window { alpha, beta }.turned();
                let at = (depth, ply);
                let score = -self.descend(game, &sibling.position, at, turned, &mut counters)?;
                alpha = alpha.max(score);
                scores.push(score);
            }
            return Ok(counters);
        }
        let plies = self.kernel.plies.min(depth);
        let at = (plies, ply);
        self.kernel.packed.clear();
        for sibling in siblings {
            self.collect(game, &sibling.position, at)?;
        }
        // Each ply changes sides, a pass too.
        let own = if plies.is_multiple_of(2) {
            window.turned()
        } else {
            window
        };
        self.kernel.launch(depth - plies, ply + plies, own)?;
        let mut found = self.kernel.found.iter();
        for sibling in siblings {
            scores.push(-fold(
                game,
                &sibling.position,
                at,
                &mut found,
                &mut counters,
            ));
        }
        Ok(counters)
    }
}

impl<G: Game + 'static> Splits<G> for OwnSiblings<G> {
    fn telemetry(&mut self) -> Telemetry {
        self.kernel.own.telemetry()
    }
}
