//! Compares gomoku's kernels on a real device (usually pocl) with the host's rules and searches.

use super::{Ask, held, params};
use plybench::games::gomoku::{
    Colour, Evaluation, Position, Representation, Size, Square, Visit, fastest,
};
use plybench::opencl::{Access, Buffer, BuildNeeds, Device, DeviceKind, OclPrm, Queue};
use plybench::search::alpha_beta;
use plybench::techniques::gomoku::device_board::{defines, pack, packed_len, square_word, tables};
use plybench::techniques::hard::Draw;
use plybench::words::{Params, Searched, Task, resource};

/// Returns an undecided position after `plies` random plies, or the last undecided position if the game ends sooner.
pub(super) fn random_position(size: Size, plies: usize, draw: &mut Draw) -> Position {
    let mut position = Position::empty(size);
    let mut refused = 0;
    while position.moves().len() < plies && refused < 10 * size.squares() {
        let square = Square(draw.below(size.squares()) as u16);
        let mut near = size.neighbours(square);
        let lonely = near.all(|other| position.at(other).is_none());
        let far = lonely && !position.moves().is_empty() && draw.below(8) > 0;
        match position.play(square) {
            Some(next) if !far && !next.is_over() => position = next,
            _ => refused += 1,
        }
    }
    position
}

/// Returns `count` positions, from the empty board to a nearly full board.
fn random_positions(size: Size, count: usize, draw: &mut Draw) -> Vec<Position> {
    let plies = |nth: usize| nth * size.squares() / count;
    (0..count)
        .map(|nth| random_position(size, plies(nth), draw))
        .collect()
}

pub(super) fn adjacent() -> Params {
    params("moves=adjacent")
}

pub(super) fn evaluation(side: usize, options: &Params) -> Evaluation {
    Evaluation::new(Size::new(side).unwrap(), options).unwrap()
}

/// Computes, from the definitions, how a stone on this square changes the mover's balance. Returns `None` if the stone
/// makes a five.
fn change(evaluation: &Evaluation, position: &Position, square: Square) -> Option<i32> {
    let mut cells = position.cells().to_vec();
    cells[square.index()] = Some(position.mover());
    let balance = |cells: &[Option<Colour>]| evaluation.balance(cells, position.mover());
    let five = position.play(square).is_some_and(|next| next.has_five());
    (!five).then(|| balance(&cells) - balance(position.cells()))
}

fn sent<T: OclPrm>(device: &Device, queue: &mut Queue, words: &[T]) -> Buffer<T> {
    let buffer = device.buffer(words.len(), Access::ReadWrite).unwrap();
    queue.write(&buffer, words).unwrap();
    buffer
}

/// The value of `TAKEN` in `rules.cl`, and half of `FIVE` in `evaluate.clh`.
const TAKEN: i32 = -(1 << 30);
const HALF_FIVE: i32 = 1 << 26;

#[test]
fn stones_change_what_the_whole_board_says_they_do() {
    let Some(device) = held() else { return };
    let mut draw = Draw(1);
    let (none, other) = (Params::new(), params("shapes=[70000,6001,502,43,4,0]"));
    for side in 5..=32 {
        let options = if side % 3 == 0 { &other } else { &none };
        let evaluation = evaluation(side, options);
        let size = evaluation.size();
        let positions = random_positions(size, if side < 12 { 40 } else { 6 }, &mut draw);
        let (path, needs) = ("gomoku/rules.cl", BuildNeeds::default());
        let program = device
            .build(path, &defines(&evaluation), None, needs)
            .unwrap();
        let mut boards = Vec::new();
        for position in &positions {
            pack(position, &mut boards);
        }
        assert_eq!(boards.len(), positions.len() * packed_len(size));
        let movers: Vec<_> = positions
            .iter()
            .map(|position| i32::from(position.mover() == Colour::White))
            .collect();
        let table = tables(&evaluation.shapes);
        let answers = positions.len() * size.squares();
        let mut queue = device.queue().unwrap();
        let table_buffer = sent(&device, &mut queue, &table);
        let board_buffer = sent(&device, &mut queue, &boards);
        let mover_buffer = sent(&device, &mut queue, &movers);
        let change_buffer = device.buffer::<i32>(answers, Access::Write).unwrap();
        let near_buffer = device.buffer::<i32>(answers, Access::Write).unwrap();
        let mut kernel = program.kernel("changes").unwrap();
        kernel.set_buffer(0, &table_buffer).unwrap();
        kernel.set_buffer(1, &board_buffer).unwrap();
        for (at, buffer) in (2..).zip([&mover_buffer, &change_buffer, &near_buffer]) {
            kernel.set_buffer(at, buffer).unwrap();
        }
        let global = [positions.len(), size.squares()];
        queue.launch(&kernel, global, None).unwrap();
        let (mut changes, mut near) = (vec![0; answers], vec![0; answers]);
        queue.read(&change_buffer, &mut changes).unwrap();
        queue.read(&near_buffer, &mut near).unwrap();
        let per_position = changes
            .chunks(size.squares())
            .zip(near.chunks(size.squares()));
        for (position, (changes, near)) in positions.iter().zip(per_position) {
            for square in size.all() {
                let found = changes[square.index()];
                if position.at(square).is_some() {
                    assert_eq!(found, TAKEN, "{size} {position} {square:?}");
                    continue;
                }
                let stone = |other| position.at(other).is_some();
                let beside = size.neighbours(square).any(stone);
                assert_eq!(near[square.index()], i32::from(beside), "{size} {position}");
                match change(&evaluation, position, square) {
                    Some(expected) => assert_eq!(found, expected, "{size} {position} {square:?}"),
                    None => assert!(found >= HALF_FIVE, "{size} {position} {square:?}"),
                }
            }
        }
        // Let the device play each position's moves from the empty board. This must lead to the same boards.
        let most = positions.iter().map(|it| it.moves().len()).max().unwrap();
        let (mut moves, mut counts) = (vec![0; positions.len() * most], Vec::new());
        let mut empty = Vec::new();
        for (position, row) in positions.iter().zip(moves.chunks_mut(most)) {
            for (word, mv) in row.iter_mut().zip(position.moves()) {
                *word = square_word(size, *mv) as i32;
            }
            counts.push(position.moves().len() as i32);
            pack(&Position::empty(size), &mut empty);
        }
        let move_buffer = sent(&device, &mut queue, &moves);
        let count_buffer = sent(&device, &mut queue, &counts);
        let balance_buffer = device.buffer::<i32>(counts.len(), Access::Write).unwrap();
        queue.write(&board_buffer, &empty).unwrap();
        let mut kernel = program.kernel("play").unwrap();
        kernel.set_buffer(0, &table_buffer).unwrap();
        kernel.set_buffer(1, &move_buffer).unwrap();
        kernel.set_buffer(2, &count_buffer).unwrap();
        kernel.set_scalar(3, most as i32).unwrap();
        kernel.set_buffer(4, &board_buffer).unwrap();
        kernel.set_buffer(5, &balance_buffer).unwrap();
        queue.launch(&kernel, [positions.len()], None).unwrap();
        let (mut played, mut balances) = (vec![0; boards.len()], vec![0; counts.len()]);
        queue.read(&board_buffer, &mut played).unwrap();
        queue.read(&balance_buffer, &mut balances).unwrap();
        assert_eq!(played, boards, "{size}");
        let expected = positions
            .iter()
            .map(|position| evaluation.balance(position.cells(), position.mover()));
        assert_eq!(balances, expected.collect::<Vec<_>>(), "{size}");
    }
}

fn ask<'a>(
    name: &'a str,
    (side, depth): (usize, u32),
    task: Task,
    options: &Params,
    given: &str,
) -> Ask<'a> {
    let case = format!("board={side}x{side} depth={depth}");
    Ask {
        options: options.clone(),
        params: params(given),
        ..Ask::new("gomoku", name, task, &case)
    }
}

struct Serial<'a>(&'a Evaluation, &'a [Position], u32);

impl Visit for Serial<'_> {
    type Output = Vec<Searched>;

    fn visit<R: Representation>(self, game: R) -> Vec<Searched> {
        let Serial(evaluation, positions, depth) = self;
        let size = evaluation.size();
        let answer = |position: &Position| {
            let found = alpha_beta(&game, &game.load(position), depth);
            Searched {
                value: found.value,
                best: found.best.map(|mv| size.name(mv)),
                by_move: found.by_move,
            }
        };
        positions.iter().map(answer).collect()
    }
}

/// Compares a technique's answers on random positions with those of alpha-beta.
fn hold(
    device: &Device,
    name: &str,
    (side, depth, count): (usize, u32, usize),
    options: &Params,
    given: &str,
    draw: &mut Draw,
) {
    let evaluation = evaluation(side, options);
    let positions = random_positions(evaluation.size(), count, draw);
    let serial = Serial(&evaluation, &positions, depth);
    let expected = fastest(&evaluation, serial);
    let asked = ask(name, (side, depth), Task::Search, options, given);
    let mut sampler = asked.ready(device);
    for (position, expected) in positions.iter().zip(expected) {
        let found = sampler.reply(&position.to_string()).unwrap().searched;
        assert_eq!(found, Some(expected), "{asked:?}: {position}");
    }
}

#[test]
fn programs_as_published_answer_as_alpha_beta_does() {
    let Some(device) = held() else { return };
    let mut draw = Draw(4);
    let all = Params::new();
    for (name, asked, given) in [
        ("naive-as-published", (5, 4, 10), ""),
        ("naive-as-published", (9, 2, 10), "group=7"),
        ("naive-as-published", (19, 1, 4), ""),
        ("naive-as-published", (32, 1, 2), ""),
        ("sequential-parallel-as-published", (5, 4, 10), "split=3"),
        ("sequential-parallel-as-published", (6, 3, 10), "split=1"),
        ("sequential-parallel-as-published", (9, 3, 4), "split=2"),
        ("sequential-parallel-as-published", (14, 2, 4), ""),
        ("pvs-as-published", (5, 3, 10), ""),
        ("pvs-as-published", (5, 4, 10), "group=1"),
        ("pvs-as-published", (6, 5, 4), "group=1"),
        ("pvs-as-published", (9, 2, 6), "group=81"),
        ("pvs-as-published", (32, 1, 2), ""),
    ] {
        hold(&device, name, asked, &all, given, &mut draw);
    }
    for (name, asked, given) in [
        ("naive-as-published", (6, 4, 10), "order=children"),
        (
            "sequential-parallel-as-published",
            (7, 3, 10),
            "split=2 order=children",
        ),
        ("pvs-as-published", (7, 4, 10), "group=1"),
        ("pvs-as-published", (15, 2, 4), ""),
    ] {
        hold(&device, name, asked, &adjacent(), given, &mut draw);
    }
}

/// A CPU runs work-items one after another, so no lane is idle, whether or not moves are reordered.
#[test]
fn lanes_are_counted_where_that_is_asked_for() {
    let Some(device) = held() else { return };
    for name in ["naive-as-published", "sequential-parallel-as-published"] {
        let share = |given: &str| {
            let mut asked = ask(name, (6, 3), Task::Search, &adjacent(), given).ready(&device);
            let resources = asked.telemetry().resources;
            let mut found = resources
                .iter()
                .filter(|(name, _)| name == resource::SIMT_EFFICIENCY);
            found.next().map(|(_, ppm)| *ppm)
        };
        assert_eq!(share(""), None);
        let counted = share("efficiency=true order=children").unwrap();
        let lanes = device.info().kind != DeviceKind::Cpu;
        assert!(counted > 0 && counted <= 1_000_000, "{name}: {counted}");
        assert_eq!(counted == 1_000_000, !lanes, "{name}: {counted}");
    }
}
