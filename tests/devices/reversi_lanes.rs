//! Compares the lane utilisation of `pv-split` on a real device (usually pocl) with a host model that makes the same
//! walks as the work-items. Without a device, the test prints a message and passes.

use super::held;
use super::reversi::evaluation;
use plybench::games::Stuck;
use plybench::games::reversi::{Evaluation, Position, Representation, Visit, fastest};
use plybench::opencl::Device;
use plybench::search::{Siblings, SplitNode, Window, pv_split};
use plybench::techniques::hard::Draw;
use plybench::techniques::lanes::Lanes;
use plybench::techniques::reversi::DeviceSiblings;
use plybench::techniques::reversi::device_board::Group;
use plybench::techniques::reversi::hard::random_game;
use plybench::techniques::reversi::tasks::DeviceSplit;
use plybench::words::{Counters, Fault};

/// A device that measures its lane utilisation, and a host model that counts the steps of the same walks.
struct Walks<'a> {
    device: &'a mut DeviceSiblings,
    items: usize,
    width: usize,
    /// Number of steps that the lanes took, and number of steps that all lanes could have taken in the same time.
    counted: (u64, u64),
}

impl Walks<'_> {
    /// Runs an alpha-beta search that visits the same nodes as the kernel.
    fn search<R: Representation>(
        &mut self,
        game: &R,
        board: &R::Position,
        (depth, ply): (u32, u32),
        Window { mut alpha, beta }: Window,
    ) -> i32 {
        self.turn(game, board);
        if depth == 0 {
            return game.evaluate(board);
        }
        let below = (depth - 1, ply + 1);
        let mut best = None;
        for mv in game.moves(board) {
            let window = Window { alpha, beta }.turned();
            let value = -self.search(game, &game.play(board, mv), below, window);
            best = best.max(Some(value));
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best.unwrap_or_else(|| match game.stuck(board, ply) {
            Stuck::Over(value) => value,
            Stuck::Pass(child) => {
                -self.search(game, &child, below, Window { alpha, beta }.turned())
            }
        })
    }

    /// Counts the steps of all work-items. Each work-item handles its range of squares, one word at a time.
    fn turn<R: Representation>(&mut self, game: &R, board: &R::Position) {
        let size = game.size();
        let run = size.squares().div_ceil(self.items);
        let mut longest = vec![0; self.items.div_ceil(self.width)];
        for item in 0..self.items {
            let end = size.squares().min((item + 1) * run);
            let squares: Vec<usize> = (item * run..end).collect();
            let word = |at: &usize| (at / size.width(), at % size.width() / 32);
            let words = squares.chunk_by(|a, b| word(a) == word(b));
            let steps = words.map(|squares| {
                let runs = squares.iter().map(|at| longest_run(game, board, *at));
                // One extra step determines that no run continues.
                1 + runs.max().unwrap_or(0)
            });
            let steps = steps.sum::<u64>();
            self.counted.0 += steps;
            let lanes = &mut longest[item / self.width];
            *lanes = steps.max(*lanes);
        }
        self.counted.1 += longest.iter().sum::<u64>() * self.width as u64;
    }
}

/// Returns the length of the longest run of one colour that starts next to an empty square, on its file or a diagonal.
fn longest_run<R: Representation>(game: &R, board: &R::Position, square: usize) -> u64 {
    let size = game.size();
    let side = |x: i64, y: i64| {
        let inside = x >= 0 && y >= 0 && x < size.width() as i64 && y < size.height() as i64;
        let (own, other) = game.rank(board, if inside { y as usize } else { 0 });
        let has = |discs: u64| inside && discs >> x & 1 == 1;
        (has(own), has(other))
    };
    let (x, y) = (
        (square % size.width()) as i64,
        (square / size.width()) as i64,
    );
    if side(x, y) != (false, false) {
        return 0;
    }
    let ways = [-1, 0, 1].into_iter().flat_map(|dx| [(dx, 1), (dx, -1)]);
    let run = |(dx, dy): (i64, i64)| {
        let first = side(x + dx, y + dy);
        if first == (false, false) {
            return 0;
        }
        let same = |n: &i64| side(x + n * dx, y + n * dy) == first;
        (1..).take_while(same).count() as u64
    };
    ways.map(run).max().unwrap_or(0)
}

impl<R: Representation> Siblings<R> for Walks<'_> {
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
        let first = scores.len();
        let counters = self.device.search(node, scores)?;
        for (sibling, score) in siblings.iter().zip(&scores[first..]) {
            let value =
                -Walks::search(self, game, &sibling.position, (depth, ply), window.turned());
            assert_eq!(value, *score, "{}", game.size());
        }
        Ok(counters)
    }
}

/// Searches positions both on the device and in the model.
struct CountWalks<'a>(
    &'a Device,
    &'a Evaluation,
    usize,
    usize,
    &'a [Position],
    u32,
);

impl Visit for CountWalks<'_> {
    type Output = ();

    fn visit<R: Representation>(self, game: R) {
        let CountWalks(device, evaluation, items, width, positions, depth) = self;
        let (group, deepest) = (Group::Items(items), depth - 1);
        let lanes = Some(width);
        let siblings = DeviceSiblings::new(evaluation, device, group, deepest, None, lanes);
        let mut siblings = siblings.unwrap();
        let mut walks = Walks {
            device: &mut siblings,
            items,
            width,
            counted: (0, 0),
        };
        for position in positions {
            pv_split(&game, &game.load(position), depth, &mut walks).unwrap();
        }
        let (steps, room) = walks.counted;
        assert!(0 < steps && steps < room, "{steps} {room}");
        let counted = siblings.lanes().map(Lanes::counted);
        println!("ROW {} {items} {width} {depth} {counted:?}", game.size());
        assert_eq!(counted, Some((steps, room)), "{}", game.size());
        // The counts are reported only once.
        let told = DeviceSplit::telemetry(&mut siblings).resources;
        assert_eq!(told[0].1, steps * 1_000_000 / room);
        assert!(DeviceSplit::telemetry(&mut siblings).resources.is_empty());
    }
}

#[test]
fn pv_split_counts_how_full_its_lanes_are_as_its_model_does() {
    let Some(device) = held() else { return };
    let mut draw = Draw(3);
    // Covers full and partly used words, several words per work-item, and groups that do or do not fill their warps.
    let boards = [
        ("6x6", 5, 2, 4),
        ("8x8", 64, 32, 3),
        ("10x14", 14, 8, 3),
        ("64x32", 16, 32, 2),
    ];
    for (board, items, width, depth) in boards {
        let evaluation = evaluation(board);
        let game = random_game(evaluation.size(), &mut draw);
        let end = game.len() - 1;
        let positions = [0, end / 3, end / 2, end - 1].map(|at| game[at].clone());
        let walks = CountWalks(&device, &evaluation, items, width, &positions, depth);
        fastest(&evaluation, walks);
    }
}
