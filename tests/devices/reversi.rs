//! Compares reversi's kernels on a real device (usually pocl) with the host's rules and searches.

use super::{Ask, held};
use plybench::games::reversi::{
    Evaluation, Position, Representation, Size, Square, Visit, fastest,
};
use plybench::opencl::{Access, Device};
use plybench::search::{FixedWindow, Siblings, SplitNode, Window, alpha_beta, pv_split};
use plybench::techniques::hard::Draw;
use plybench::techniques::reversi::device_board::{
    Group, Plan, packed_len, stack_bytes, words_per_rank,
};
use plybench::techniques::reversi::hard::{random_game, scattered};
use plybench::techniques::reversi::tasks::DeviceSplit;
use plybench::techniques::reversi::{DevicePerft, DeviceSiblings};
use plybench::words::{Counters, Fault, Params, Task};

/// The paper's seven boards and three others, each with a group size and a search depth. Each board is also tested with
/// a group as large as the board.
const BOARDS: [(&str, usize, u32); 10] = [
    ("4x4", 4, 4),
    ("6x6", 5, 4),
    ("8x8", 8, 4),
    ("10x14", 14, 4),
    ("16x8", 24, 4),
    ("16x16", 16, 4),
    ("32x16", 128, 3),
    ("32x32", 32, 3),
    ("64x32", 16, 2),
    ("64x64", 256, 2),
];

pub(super) fn evaluation(board: &str) -> Evaluation {
    Evaluation::new(board.parse().unwrap(), &Params::new()).unwrap()
}

/// Returns positions: half from random games, and half with discs on random squares.
fn positions(size: Size, count: usize, draw: &mut Draw) -> Vec<Position> {
    let mut found = Vec::new();
    while found.len() < count / 2 {
        let game = random_game(size, draw);
        let stride = (game.len() / 250).max(1);
        let take = (count / 2 - found.len()).min(game.len().div_ceil(stride));
        found.extend(game.into_iter().step_by(stride).take(take));
    }
    while found.len() < count {
        found.push(scattered(size, draw));
    }
    found
}

/// Converts a position to the format of the kernels, from the plain representation: two words per 32 squares.
fn packed(position: &Position) -> Vec<u32> {
    let (own, other) = (
        position.rows(position.mover),
        position.rows(position.mover.other()),
    );
    let mut words = Vec::new();
    for (own, other) in own.iter().zip(other) {
        for word in 0..words_per_rank(position.size) {
            words.extend([own, other].map(|side| (side >> (32 * word)) as u32));
        }
    }
    words
}

/// Returns the legal moves of both sides in the same format.
fn packed_moves(position: &Position) -> Vec<u32> {
    let size = position.size;
    let mut words = vec![0; packed_len(size)];
    for (side, moves) in [position.legal_moves(), position.pass().legal_moves()]
        .iter()
        .enumerate()
    {
        for square in moves {
            let (file, rank) = (size.x(*square), size.y(*square));
            words[2 * (rank * words_per_rank(size) + file / 32) + side] |= 1 << (file % 32);
        }
    }
    words
}

/// Encodes a move as the kernels do: word index times 32 plus bit index.
fn kernel_move(size: Size, square: Square) -> i32 {
    let (file, rank) = (size.x(square), size.y(square));
    ((rank * words_per_rank(size) + file / 32) * 32 + file % 32) as i32
}

/// Runs `moves.cl` on positions, with one move each (`-1` is a pass). Returns the legal moves, the position after the
/// move, and that position's static value.
fn ask(
    device: &Device,
    evaluation: &Evaluation,
    group: Group,
    questions: &[Vec<(Vec<u32>, i32)>],
) -> Vec<(Vec<u32>, Vec<u32>, Vec<i32>)> {
    let plan = Plan {
        path: "reversi/moves.cl",
        kernel: "moves",
        evaluation,
        group: group.on(evaluation.size(), device.info().kind),
        local: &|_| stack_bytes(evaluation.size(), 2) + 4,
        constants: vec![("LEVELS", "1".to_owned())],
        barriers_in_loops: true,
    };
    let built = plan.build(device, None).unwrap();
    let most = questions.iter().map(Vec::len).max().unwrap();
    let length = packed_len(evaluation.size());
    let mut queue = device.queue().unwrap();
    let positions = device.buffer::<u32>(most * length, Access::Read).unwrap();
    let count = evaluation.weights.len();
    let weights = device.buffer::<i32>(count, Access::Read).unwrap();
    let played = device.buffer::<i32>(most, Access::Read).unwrap();
    let legal = device.buffer::<u32>(most * length, Access::Write).unwrap();
    let after = device.buffer::<u32>(most * length, Access::Write).unwrap();
    let values = device.buffer::<i32>(most, Access::Write).unwrap();
    queue.write(&weights, &evaluation.weights).unwrap();
    let mut kernel = built.kernel;
    for (at, buffer) in [(0, &positions), (3, &legal), (4, &after)] {
        kernel.set_buffer(at, buffer).unwrap();
    }
    for (at, buffer) in [(1, &weights), (2, &played), (5, &values)] {
        kernel.set_buffer(at, buffer).unwrap();
    }
    let mut answers = Vec::new();
    for batch in questions {
        let words: Vec<u32> = batch.iter().flat_map(|(words, _)| words).copied().collect();
        let moves: Vec<i32> = batch.iter().map(|(_, mv)| *mv).collect();
        queue.write(&positions, &words).unwrap();
        queue.write(&played, &moves).unwrap();
        let global = [batch.len() * built.items];
        queue.launch(&kernel, global, Some([built.items])).unwrap();
        let mut answer = (
            vec![0; words.len()],
            vec![0; words.len()],
            vec![0; batch.len()],
        );
        queue.read(&legal, &mut answer.0).unwrap();
        queue.read(&after, &mut answer.1).unwrap();
        queue.read(&values, &mut answer.2).unwrap();
        answers.push(answer);
    }
    answers
}

#[test]
fn moves_flips_and_values_are_those_of_the_rules() {
    let Some(device) = held() else { return };
    let mut draw = Draw(1);
    for (board, second, _) in BOARDS {
        let evaluation = evaluation(board);
        let size = evaluation.size();
        let positions = positions(size, 500, &mut draw);
        let moves: Vec<_> = positions.iter().map(Position::legal_moves).collect();
        // In each round, each position gets a random legal move, or a pass if it has no move.
        let mut round = |_| -> Vec<(&Position, Option<Square>)> {
            let batch = positions.iter().zip(&moves).map(|(position, moves)| {
                let square = moves.get(draw.below(moves.len().max(1)));
                (position, square.copied())
            });
            batch.collect()
        };
        let rounds: Vec<_> = (0..12).map(&mut round).collect();
        let question = |(position, square): &(&Position, Option<Square>)| {
            let mv = square.map_or(-1, |it| kernel_move(size, it));
            (packed(position), mv)
        };
        let questions = rounds
            .iter()
            .map(|batch| batch.iter().map(question).collect());
        let questions: Vec<Vec<_>> = questions.collect();
        let legal: Vec<_> = positions.iter().map(packed_moves).collect();
        let values: Vec<_> = positions.iter().map(|it| evaluation.value(it)).collect();
        let length = packed_len(size);
        for group in [Group::Board, Group::Items(second)] {
            let answers = ask(&device, &evaluation, group, &questions);
            for (round, answer) in rounds.iter().zip(&answers) {
                assert_eq!(answer.2, values, "{board}, {group:?}");
                for (place, (position, square)) in round.iter().enumerate() {
                    let words = place * length..(place + 1) * length;
                    assert_eq!(
                        answer.0[words.clone()],
                        legal[place],
                        "{board}, {group:?}: moves of {position}"
                    );
                    let after = match square {
                        Some(square) => position.play(*square).unwrap(),
                        None => position.pass(),
                    };
                    assert_eq!(
                        answer.1[words],
                        packed(&after),
                        "{board}, {group:?}: {position} after {square:?}"
                    );
                }
            }
        }
    }
}

/// Searches on the device. Compares each launch with the host's search in the same window.
struct Held<'a>(&'a mut DeviceSiblings);

impl<R: Representation> Siblings<R> for Held<'_> {
    type Fault = Fault;

    fn search(
        &mut self,
        node: &SplitNode<'_, R>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let &SplitNode {
            game,
            depth,
            window,
            ..
        } = node;
        let counters = self.0.search(node, scores)?;
        let mut expected = Vec::new();
        let Ok(searched) = FixedWindow.search(node, &mut expected);
        let about = format!("{} at {depth} in {window:?}", game.size());
        assert_eq!(*scores, expected, "{about}");
        assert_eq!(counters, searched, "{about}");
        Ok(counters)
    }
}

/// Searches positions with both PV-split and serial alpha-beta.
struct Search<'a>(&'a Device, &'a Evaluation, Group, &'a [Position], u32);

impl Visit for Search<'_> {
    type Output = ();

    fn visit<R: Representation>(self, game: R) {
        let Search(device, evaluation, group, positions, depth) = self;
        let deepest = depth - 1;
        let siblings = DeviceSiblings::new(evaluation, device, group, deepest, None, None);
        let mut siblings = siblings.unwrap();
        for (place, position) in positions.iter().enumerate() {
            let depth = 1 + place as u32 % depth;
            let board = game.load(position);
            let found = pv_split(&game, &board, depth, &mut Held(&mut siblings)).unwrap();
            let expected = alpha_beta(&game, &board, depth);
            assert_eq!(
                (found.value, found.best),
                (expected.value, expected.best),
                "depth {depth} at {position}"
            );
        }
        let parts = siblings.telemetry().parts;
        assert!(parts.launches > 0 && parts.bytes_up > 0, "{parts:?}");
        // A search that is one ply deeper than the maximum must be refused.
        let node = SplitNode {
            game: &game,
            siblings: &[],
            depth: deepest + 1,
            ply: 1,
            window: Window::FULL,
        };
        let none = siblings.search(&node, &mut Vec::new());
        assert!(matches!(none, Err(Fault::Input(_))), "{none:?}");
    }
}

#[test]
fn pv_split_finds_serials_values_with_the_nodes_of_a_fixed_window() {
    let Some(device) = held() else { return };
    let mut draw = Draw(2);
    for (board, second, depth) in BOARDS {
        let evaluation = evaluation(board);
        let size = evaluation.size();
        // Sixteen positions are spread over a random game. Four are from its end, where players pass and games finish.
        let game = random_game(size, &mut draw);
        let end = game.len() - 1;
        let mut chosen: Vec<_> = (0..16).map(|n| game[(n * end) / 16].clone()).collect();
        chosen.extend([0, 1, 2, 3].map(|back| game[end - back].clone()));
        for (group, half) in [Group::Board, Group::Items(second)]
            .into_iter()
            .zip(chosen.chunks(10))
        {
            let search = Search(&device, &evaluation, group, half, depth);
            fastest(&evaluation, search);
        }
    }
}

/// Counts one ply more than the device has room for.
struct TooDeep<'a>(&'a Device, &'a Evaluation);

impl Visit for TooDeep<'_> {
    type Output = ();

    fn visit<R: Representation>(self, game: R) {
        let TooDeep(device, evaluation) = self;
        let mut device = DevicePerft::new(evaluation, device, Group::Board, 3, None).unwrap();
        let start = game.load(&Position::start(evaluation.size()));
        let refused = device.count(&game, &start, 4);
        assert!(matches!(refused, Err(Fault::Input(_))), "{refused:?}");
    }
}

#[test]
fn perft_is_refused_beyond_its_depth() {
    let Some(device) = held() else { return };
    let evaluation = evaluation("6x6");
    fastest(&evaluation, TooDeep(&device, &evaluation));
}

/// The group is as large as the board. On the paper's three largest boards, it has 512 work-items, if the device
/// supports this size.
#[test]
fn the_published_program_searches_every_board_of_the_paper() {
    let Some(device) = held() else { return };
    let roomy = device.info().max_work_group >= 512;
    for (board, group) in [
        ("8x8", "8x8"),
        ("16x8", "16x8"),
        ("16x16", "16x16"),
        ("32x16", "32x16"),
        ("32x32", "32x16"),
        ("64x32", "64x8"),
        ("64x64", "64x8"),
    ] {
        let case = format!("board={board} depth=2");
        let ask = Ask::new("reversi", "pv-split-as-published", Task::Search, &case);
        let mut sampler = ask.ready(&device);
        let expected = ask.of("rayon", &Params::new()).sample(&device);
        assert_eq!(sampler.sample().unwrap(), expected, "{board}");
        let notes = sampler.telemetry().notes;
        let wanted = format!("group {group}, run ");
        assert!(!roomy || notes.starts_with(&wanted), "{board}: {notes}");
    }
}
