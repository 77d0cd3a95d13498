//! Compares gomoku's techniques that search with whole work-groups, on a real device (usually pocl), with alpha-beta on
//! the host. Without a device, each test prints a message and passes.

use plybench::games::gomoku::{Evaluation, Position, Representation, Size, Square, Visit, fastest};
use plybench::search::{Found, Siblings, SplitNode, Window, alpha_beta, pv_split};
use plybench::techniques::gomoku::{DeviceSiblings, Turns};
use plybench::techniques::hard::Draw;
use plybench::techniques::lanes::Lanes;
use plybench::words::{Counters, Fault, Params};

use super::gomoku::{adjacent, evaluation, random_position};
use super::held;

/// Models `pvs.cl` on the host. It visits the same nodes.
#[derive(Default)]
struct Model {
    items: usize,
    /// Number of work-items in lockstep.
    width: usize,
    /// Number of nodes that the lanes entered, and number of nodes that they had time for.
    entered: u64,
    room: u64,
    /// Number of nodes with a second round of probes.
    second_probes: u64,
}

/// Number of pending moves that a group plays before it makes a second round of probes (`PATIENCE` in the kernels).
const PATIENCE: u32 = 4;

struct Subtree<'a, R> {
    game: &'a R,
    items: usize,
    turns: Turns,
    counters: Counters,
    second_probes: u64,
    width: usize,
    /// Number of nodes entered in turns of the whole group, and number of nodes that the lanes had time for.
    in_turns: u64,
    room: u64,
}

impl<R: Representation> Subtree<'_, R> {
    fn count(&mut self, leaf: bool) {
        self.counters.nodes += 1;
        self.counters.leaves += u64::from(leaf);
    }

    /// Returns, for each square in search order, whether it is a legal move.
    fn tried(&self, board: &R::Position) -> Vec<bool> {
        let moves: Vec<_> = self.game.moves(board).collect();
        let order = self.game.size().order().iter();
        order.map(|square| moves.contains(square)).collect()
    }

    /// Returns the value of a node. It is exact only inside the window.
    fn node(&mut self, board: &R::Position, depth: u32, ply: u32, window: Window) -> i32 {
        let tried = self.tried(board);
        let Window { mut alpha, beta } = window;
        let Turns { alone, chunk, .. } = self.turns;
        if depth == 1 {
            for first in (0..tried.len()).step_by(chunk) {
                let end = tried.len().min(first + chunk);
                if alpha < beta {
                    let window = window_from(alpha, beta);
                    alpha = self.turn(&tried[first..end], first, window, |it, at, _| {
                        it.play(board, at, depth, ply, window)
                    });
                }
            }
            return alpha;
        }
        let mut alone = if depth == 2 { alone } else { usize::MAX };
        let mut first = 0;
        while alone > 0 && alpha < beta && first < tried.len() {
            if tried[first] {
                alone -= 1;
                alpha = alpha.max(self.play(board, first, depth, ply, window_from(alpha, beta)));
            }
            first += 1;
        }
        if alpha >= beta {
            return alpha;
        }
        let mut pending = Vec::new();
        alpha = self.turn(
            &tried[first..],
            first,
            window_from(alpha, beta),
            |it, at, bound| {
                it.probe(board, at, ply, window_from(bound, beta))
                    .unwrap_or_else(|| {
                        pending.push(at);
                        bound
                    })
            },
        );
        pending.sort_unstable();
        let mut alone = PATIENCE;
        while let Some(place) = pending.first().copied().filter(|_| alpha < beta) {
            if alone == 0 && pending.len() > tried.len() / 8 {
                let places: Vec<_> = (place..tried.len())
                    .map(|at| pending.contains(&at))
                    .collect();
                self.second_probes += 1;
                let tries = std::mem::replace(&mut self.turns.tries, tried.len());
                alpha = self.turn(&places, place, window_from(alpha, beta), |it, at, bound| {
                    it.probe(board, at, ply, window_from(bound, beta)).unwrap()
                });
                self.turns.tries = tries;
                return alpha;
            }
            alone = alone.wrapping_sub(1);
            pending.remove(0);
            alpha = alpha.max(self.play(board, place, depth, ply, window_from(alpha, beta)));
        }
        alpha
    }

    /// Returns the best bound of a turn over the squares from index `first`. Each work-item tries its share of the
    /// moves until it has a cutoff.
    fn turn(
        &mut self,
        tried: &[bool],
        first: usize,
        window: Window,
        mut one: impl FnMut(&mut Self, usize, i32) -> i32,
    ) -> i32 {
        let mut reached = window.alpha;
        let mut longest = vec![0; self.items.div_ceil(self.width)];
        for item in 0..self.items {
            let mut bound = window.alpha;
            let before = self.counters.nodes;
            for at in (item..tried.len()).step_by(self.items) {
                if bound < window.beta && tried[at] {
                    bound = bound.max(one(self, first + at, bound));
                }
            }
            reached = reached.max(bound);
            let entered = self.counters.nodes - before;
            self.in_turns += entered;
            let lanes = &mut longest[item / self.width];
            *lanes = entered.max(*lanes);
        }
        self.room += longest.iter().sum::<u64>() * self.width as u64;
        reached
    }

    /// Plays a move and searches the position after it.
    fn play(
        &mut self,
        board: &R::Position,
        place: usize,
        depth: u32,
        ply: u32,
        window: Window,
    ) -> i32 {
        let child = self.game.play(board, self.game.size().order()[place]);
        let decided = self.game.decided(&child, ply + 1);
        self.count(depth == 1 || decided.is_some());
        -match decided {
            Some(value) => value,
            None if depth == 1 => self.game.evaluate(&child),
            None => self.node(&child, depth - 1, ply + 1, window.turned()),
        }
    }

    /// Plays a move and searches its first replies. Returns `None` if the other replies may still change its value.
    fn probe(
        &mut self,
        board: &R::Position,
        place: usize,
        ply: u32,
        window: Window,
    ) -> Option<i32> {
        let child = self.game.play(board, self.game.size().order()[place]);
        let decided = self.game.decided(&child, ply + 1);
        self.count(decided.is_some());
        if let Some(value) = decided {
            return Some(-value);
        }
        let Window { mut alpha, beta } = window.turned();
        let mut tries = self.turns.tries;
        let tried = self.tried(&child);
        let mut places = 0..tried.len();
        while tries > 0 && alpha < beta && !places.is_empty() {
            let reply = places.start;
            places.start += 1;
            if tried[reply] {
                tries -= 1;
                alpha = alpha.max(self.play(&child, reply, 1, ply + 1, window));
            }
        }
        (places.is_empty() || alpha >= beta).then_some(-alpha)
    }
}

fn window_from(alpha: i32, beta: i32) -> Window {
    Window { alpha, beta }
}

impl<R: Representation> Siblings<R> for Model {
    type Fault = Fault;

    fn search(
        &mut self,
        node: &SplitNode<'_, R>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let &SplitNode {
            game,
            siblings,
            depth,
            ply,
            window,
        } = node;
        let mut counters = Counters::default();
        let values = siblings.iter().map(|sibling| {
            let value = game.decided(&sibling.position, ply);
            value.or_else(|| (depth == 0).then(|| game.evaluate(&sibling.position)))
        });
        let values: Vec<_> = values.collect();
        let decided = values.iter().flatten().map(|value| -value);
        let alpha = decided.fold(window.alpha, i32::max);
        let mut search = |position: &R::Position, beta: i32| {
            let mut subtree = Subtree {
                game,
                items: self.items,
                turns: Turns::new(game.size(), self.items, depth, beta == alpha + 1),
                counters: Counters::default(),
                second_probes: 0,
                width: self.width,
                in_turns: 0,
                room: 0,
            };
            subtree.count(false);
            let value = -subtree.node(position, depth, ply, Window { alpha, beta }.turned());
            counters += subtree.counters;
            self.second_probes += subtree.second_probes;
            // Outside turns, only one lane of the group works.
            let alone = subtree.counters.nodes - subtree.in_turns;
            self.entered += subtree.counters.nodes;
            self.room += subtree.room + alone * self.width as u64;
            value
        };
        let mut leaves = 0;
        for (sibling, value) in siblings.iter().zip(values) {
            scores.push(match value {
                Some(value) => {
                    leaves += 1;
                    -value
                }
                None => {
                    let null_window = depth > 1;
                    let beta = if null_window { alpha + 1 } else { window.beta };
                    let mut value = search(&sibling.position, beta);
                    if value > alpha && null_window {
                        value = search(&sibling.position, window.beta);
                    }
                    if value > alpha { value } else { window.alpha }
                }
            });
        }
        counters.nodes += leaves;
        counters.leaves += leaves;
        Ok(counters)
    }
}

/// Searches a position with alpha-beta and with PV-split. Both must have the same value and move.
struct Compare<'a, S>(&'a Position, u32, &'a mut S);

/// Hides the representation's type, which the author of a visitor cannot name.
trait OnAny {
    fn split<R: Representation>(
        &mut self,
        game: &R,
        board: &R::Position,
        depth: u32,
    ) -> Found<Square>;
}

macro_rules! on_any {
    ($($siblings:ty),*) => {
        $(impl OnAny for $siblings {
            fn split<R: Representation>(&mut self, game: &R, board: &R::Position, depth: u32) -> Found<Square> {
                pv_split(game, board, depth, self).unwrap()
            }
        })*
    };
}

on_any!(DeviceSiblings, Model);

impl<S: OnAny> Visit for Compare<'_, S> {
    type Output = Counters;

    fn visit<R: Representation>(self, game: R) -> Counters {
        let Compare(position, depth, siblings) = self;
        let board = game.load(position);
        let serial = alpha_beta(&game, &board, depth);
        let split = siblings.split(&game, &board, depth);
        assert_eq!(
            (split.value, split.best),
            (serial.value, serial.best),
            "{} {} depth {}",
            game.size(),
            position,
            depth
        );
        split.counters
    }
}

/// Returns random positions of a board, each with a search depth.
fn questions(size: Size, count: usize, deepest: u32, draw: &mut Draw) -> Vec<(Position, u32)> {
    let question = |round: usize| {
        let plies = size.squares() * round / count;
        let depth = 1 + round as u32 % deepest;
        (random_position(size, plies.max(1), draw), depth)
    };
    (0..count).map(question).collect()
}

fn depth_for(side: usize) -> u32 {
    match side {
        ..=6 => 5,
        7..=9 => 4,
        10..=18 => 3,
        _ => 2,
    }
}

/// Searches all positions, and returns the counters of each search.
fn answers<S: OnAny>(
    evaluation: &Evaluation,
    questions: &[(Position, u32)],
    siblings: &mut S,
) -> Vec<Counters> {
    let one = |(position, depth): &(Position, u32)| {
        fastest(evaluation, Compare(position, *depth, siblings))
    };
    questions.iter().map(one).collect()
}

/// Board sizes for the tests of `pvs`, with their group sizes.
const GROUPS: [(usize, &[usize]); 13] = [
    (5, &[1, 3, 64]),
    (6, &[1, 32]),
    (7, &[1, 16]),
    (9, &[1]),
    (12, &[1, 32]),
    (15, &[1]),
    (16, &[1]),
    (18, &[1]),
    (21, &[1]),
    (24, &[1]),
    (27, &[1]),
    (28, &[1]),
    (32, &[1]),
];

#[test]
fn pvs_answers_as_alpha_beta_and_searches_the_nodes_of_its_model() {
    pvs_is_its_model([5, 6, 15, 28]);
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of the kernel"]
fn long_pvs_is_its_model_on_every_board() {
    pvs_is_its_model(GROUPS.map(|(side, _)| side));
}

fn pvs_is_its_model(sides: impl IntoIterator<Item = usize>) {
    let Some(device) = held() else { return };
    let mut draw = Draw(1);
    let mut second_probes = 0;
    for side in sides {
        let groups = GROUPS.iter().find(|(of, _)| *of == side).unwrap().1;
        for items in groups {
            let all = [Params::new(), adjacent()];
            for options in all
                .into_iter()
                .take(if [6, 7, 28].contains(&side) { 2 } else { 1 })
            {
                let evaluation = evaluation(side, &options);
                let deepest = depth_for(side);
                let group = Some(*items);
                // Covers widths that fill a group and widths that do not, and a kernel that does not count its lanes.
                let width = if deepest.is_multiple_of(2) { 4 } else { 24 };
                let counted = options.is_empty().then_some(width);
                let siblings =
                    DeviceSiblings::new(&device, &evaluation, group, deepest, None, counted);
                let mut siblings = siblings.unwrap();
                let questions = questions(evaluation.size(), 8, deepest, &mut draw);
                let answered = answers(&evaluation, &questions, &mut siblings);
                let mut model = Model {
                    items: *items,
                    width,
                    ..Model::default()
                };
                let modelled = answers(&evaluation, &questions, &mut model);
                second_probes += model.second_probes;
                for ((question, own), modelled) in questions.iter().zip(answered).zip(modelled) {
                    assert_eq!(own, modelled, "{side} {items} {question:?}");
                }
                let lanes = siblings.lanes().map(Lanes::counted);
                let modelled = counted.map(|_| (model.entered, model.room));
                assert_eq!(lanes, modelled, "{side} {items}");
                assert!(model.entered < model.room);
            }
        }
    }
    assert!(second_probes > 0, "the rarest kind of turn was never taken");
}
