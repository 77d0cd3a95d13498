//! Compares gomoku's `pvs`, which searches with whole work-groups, on a real device (usually pocl) with alpha-beta on
//! the host. Freezes the numbers of nodes and the lane utilisation. Without a device, the test prints a message and
//! passes.

use plybench::games::gomoku::{Position, Representation, Size, Visit, fastest};
use plybench::search::{alpha_beta, pv_split};
use plybench::techniques::gomoku::DeviceSiblings;
use plybench::techniques::hard::Draw;
use plybench::techniques::lanes::Lanes;
use plybench::words::{Counters, Params};

use super::gomoku::{adjacent, evaluation, random_position};
use super::held;

/// Searches a position with alpha-beta and with PV-split. Both must have the same value and move.
struct Compare<'a>(&'a Position, u32, &'a mut DeviceSiblings);

impl Visit for Compare<'_> {
    type Output = Counters;

    fn visit<R: Representation>(self, game: R) -> Counters {
        let Compare(position, depth, siblings) = self;
        let board = game.load(position);
        let serial = alpha_beta(&game, &board, depth);
        let split = pv_split(&game, &board, depth, siblings).unwrap();
        let about = format!("{} {position} depth {depth}", game.size());
        let expected = (serial.value, serial.best);
        assert_eq!((split.value, split.best), expected, "{about}");
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

/// Each row has the board, the group size and the kind of moves, then the total nodes and leaves of eight searches. If
/// the kernel measures lane utilisation, the row ends with the number of nodes that the lanes entered, and the number
/// that all lanes could have entered in the same time. A host model that made the same searches gave the same numbers.
const COUNTS: &str = "\
5 1 all 9130 7170 9006 216144
5 3 all 38039 33663 37915 414648
5 64 all 39328 34813 39204 158184
6 1 all 23423 20224 23247 557928
6 1 adjacent 21549 18588
6 32 all 78697 70284 78521 326520
6 32 adjacent 72799 64950
7 1 all 30537 26642 30307 121228
7 1 adjacent 22742 19596
7 16 all 136642 122273 136412 214496
7 16 adjacent 97604 87149
9 1 all 54492 47642 54157 216628
12 1 all 24205 23524 23549 565176
12 32 all 27737 27056 27081 74520
15 1 all 40362 39299 39304 943296
16 1 all 15462 13476 14306 343344
18 1 all 107925 106404 106529 2556696
21 1 all 112961 112115 110976 443904
24 1 all 152588 151499 149918 599672
27 1 all 295501 294105 292504 1170016
28 1 all 86700 85220 83167 332668
28 1 adjacent 13638 12655
32 1 all 8449 6521 3834 15336";

#[test]
fn pvs_answers_as_alpha_beta_and_counts_as_before() {
    counts_as_before(&[5, 6, 15, 28]);
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of the kernel"]
fn long_pvs_counts_as_before_on_every_board() {
    counts_as_before(&[5, 6, 7, 9, 12, 15, 16, 18, 21, 24, 27, 28, 32]);
}

fn counts_as_before(sides: &[usize]) {
    let Some(device) = held() else { return };
    for row in COUNTS.lines() {
        let [side, items, moves, ..] = row.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let (side, items): (usize, usize) = (side.parse().unwrap(), items.parse().unwrap());
        if !sides.contains(&side) {
            continue;
        }
        let options = match moves {
            "all" => Params::new(),
            _ => adjacent(),
        };
        let evaluation = evaluation(side, &options);
        let deepest = depth_for(side);
        // Covers group sizes that are or are not multiples of the lane width, and kernels without lane counters.
        let width = if deepest.is_multiple_of(2) { 4 } else { 24 };
        let counted = options.is_empty().then_some(width);
        let siblings =
            DeviceSiblings::new(&device, &evaluation, Some(items), deepest, None, counted);
        let mut siblings = siblings.unwrap();
        let mut draw = Draw(side as u64);
        let mut sum = Counters::default();
        for (position, depth) in questions(evaluation.size(), 8, deepest, &mut draw) {
            sum += fastest(&evaluation, Compare(&position, depth, &mut siblings));
        }
        let lanes = siblings.lanes().map(Lanes::counted);
        let lanes = lanes.map_or(String::new(), |(entered, room)| {
            format!(" {entered} {room}")
        });
        let Counters { nodes, leaves, .. } = sum;
        let found = format!("{side} {items} {moves} {nodes} {leaves}{lanes}");
        assert_eq!(found, row);
    }
}
