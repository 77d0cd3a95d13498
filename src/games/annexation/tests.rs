//! Tests boards, their files and the plain rules.

use std::sync::Arc;

use super::*;

const SMALL: &str = "\
colours = [
  0, 1,
  2,
  7,
]
edges = [
  [0, 1],
  [1, 2],
  [2, 3],
]
starts = [
  0,
  3,
]
";

fn boards() -> impl Iterator<Item = (Kind, u32, Board, Vec<u16>)> {
    Kind::ALL.into_iter().flat_map(|kind| {
        (0..BOARDS_A_KIND).map(move |number| {
            let (board, cells) = kind.board(number).unwrap();
            (kind, number, board, cells)
        })
    })
}

fn refused(text: &str) -> (usize, String) {
    let error = read_board("my.toml", text).unwrap_err();
    let shown = error.to_string();
    assert_eq!(shown.lines().count(), 1, "{shown}");
    (error.line, error.problem)
}

#[test]
fn grids_have_the_sizes_and_neighbours_of_hexagons() {
    for (kind, number, board, _) in boards() {
        let (cells, edges) = match kind {
            Kind::Hex7 => (7, 12),
            // The boards have rows of w cells, with 2w - 1 edges between two rows.
            Kind::Hex200 => (196, 14 * 13 + 13 * 27),
            Kind::Hex1000 => (992, 32 * 30 + 31 * 61),
            Kind::Hex200Merged | Kind::Hex1000Merged => continue,
        };
        assert_eq!(board.cells(), cells, "{kind} {number}");
        assert_eq!(board.edges().count(), edges, "{kind} {number}");
        assert_eq!(board.most_neighbours(), 6);
        assert_eq!(board.starts(), [0, cells - 1]);
    }
    let (board, _) = Kind::Hex7.board(3).unwrap();
    assert_eq!(board.neighbours(3), [0, 1, 2, 4, 5, 6]);
    let (board, _) = Kind::Hex200.board(0).unwrap();
    assert_eq!(board.neighbours(0), [1, 14]);
    assert_eq!(board.neighbours(14), [0, 1, 15, 28, 29]);
    assert_eq!(board.neighbours(15), [1, 2, 14, 16, 29, 30]);
    assert_eq!(board.neighbours(29), [14, 15, 28, 30, 42, 43]);
}

#[test]
fn merged_boards_have_about_200_and_1000_cells_none_next_to_its_own_colour() {
    for (kind, hexagons, mean) in [
        (Kind::Hex200Merged, 17 * 18, 200.0),
        (Kind::Hex1000Merged, 37 * 40, 1000.0),
    ] {
        let mut sum = 0;
        for number in 0..BOARDS_A_KIND {
            let (board, cells) = kind.board(number).unwrap();
            assert_eq!(cells.len(), hexagons);
            for [a, b] in board.edges().map(|edge| edge.map(usize::from)) {
                assert_ne!(board.colour(a), board.colour(b), "{kind} {number}");
            }
            let last = cells[hexagons - 1];
            assert_eq!(board.starts(), [0, usize::from(last)]);
            sum += board.cells();
        }
        let found = sum as f64 / f64::from(BOARDS_A_KIND);
        let holds = (found / mean - 1.0).abs() < 0.05;
        assert!(holds, "{kind}: {found} cells on average");
    }
}

/// Merging must equal a flood fill: adjacent hexagons are in the same cell if and only if their colours are equal.
#[test]
fn merged_cells_are_what_a_flood_finds() {
    let kind = Kind::Hex200Merged;
    let (board, cells) = kind.board(5).unwrap();
    let hexagons = kind.hexagons();
    let touch = |a: (u32, u32), b: (u32, u32)| {
        let steps: [(i32, i32); 6] = match a.1 % 2 {
            0 => [(-1, 0), (1, 0), (-1, -1), (0, -1), (-1, 1), (0, 1)],
            _ => [(-1, 0), (1, 0), (0, -1), (1, -1), (0, 1), (1, 1)],
        };
        let away = (b.0 as i32 - a.0 as i32, b.1 as i32 - a.1 as i32);
        steps.contains(&away)
    };
    let mut flooded: Vec<Option<usize>> = vec![None; hexagons.len()];
    for start in 0..hexagons.len() {
        if flooded[start].is_some() {
            continue;
        }
        let mut reached = vec![start];
        while let Some(hexagon) = reached.pop() {
            flooded[hexagon] = Some(start);
            for other in 0..hexagons.len() {
                let colour = |hexagon: usize| board.colour(usize::from(cells[hexagon]));
                let joins = flooded[other].is_none()
                    && touch(hexagons[hexagon], hexagons[other])
                    && colour(hexagon) == colour(other);
                if joins {
                    reached.push(other);
                }
            }
        }
    }
    for a in 0..hexagons.len() {
        for b in 0..a {
            assert_eq!(
                flooded[a] == flooded[b],
                cells[a] == cells[b],
                "{a} and {b}"
            );
        }
    }
}

/// Boards must be the same on every machine. They must differ between kinds and between numbers.
#[test]
fn boards_are_reproducible() {
    let digest = |board: &Board| {
        let text = write_board(board);
        let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
    };
    let all: Vec<u64> = boards().map(|(.., board, _)| digest(&board)).collect();
    let different: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len());
    let firsts: Vec<u64> = all
        .iter()
        .copied()
        .step_by(BOARDS_A_KIND as usize)
        .collect();
    assert_eq!(firsts, DIGESTS);
}

const DIGESTS: [u64; 5] = [
    2_696_691_745_710_214_328,
    14_855_961_295_658_178_610,
    9_823_779_452_076_705_612,
    3_205_198_168_556_796_496,
    16_032_506_062_546_924_595,
];

#[test]
fn files_are_read_as_they_were_written() {
    for (kind, number, board, _) in boards() {
        let read = read_board("my.toml", &write_board(&board));
        assert_eq!(read.as_ref(), Ok(&board), "{kind} {number}");
    }
    let board = read_board("my.toml", SMALL).unwrap();
    assert_eq!(board.colours(), [0, 1, 2, 7]);
    assert_eq!(board.neighbours(1), [0, 2]);
    assert_eq!(board.starts(), [0, 3]);
    // Duplicate edges, in either direction, count once.
    let twice = SMALL.replace("  [1, 2],\n", "  [1, 2], [2, 1], [1, 2],\n");
    assert_eq!(read_board("my.toml", &twice), Ok(board));
}

#[test]
fn what_is_no_board_is_refused_by_line() {
    let with = |from: &str, to: &str| {
        assert!(SMALL.contains(from));
        refused(&SMALL.replacen(from, to, 1))
    };
    let rows = r#"
  2,⏎ |   8,⏎ | 3 | colour 8 of cell 2; allowed are 0 to 7
  2,⏎ |   -1,⏎ | 3 | colours: invalid value: integer `-1`, expected u64
  2,⏎ |   1.5,⏎ | 3 | colours: invalid type: floating point `1.5`, expected u64
  7,⏎ |   7,⏎  4,⏎ | 5 | cell 4 has no neighbours; each must have one at least
[1, 2] | [1, 4] | 8 | edge to cell 4; there are cells 0 to 3
[1, 2] | [2, 2] | 8 | edge to cell 2 twice; the two cells must differ
[1, 2] | 7 | 8 | edges: invalid type: integer `7`, expected a sequence
[1, 2] | [1, 2, 3] | 8 | edges: 3 cells; allowed is a pair, as [0, 1]
  3,⏎ |   4,⏎ | 11 | start 4; there are cells 0 to 3
  3,⏎ |   0,⏎ | 11 | start 0 twice; the two cells must differ
  3,⏎ |  | 11 | starts: 1 cells; allowed is a pair, as [0, 1]
starts | begins | 11 | begins: unknown key; allowed: colours, edges, starts
"#;
    for row in rows.trim_matches('\n').lines() {
        let row = row.replace('⏎', "\n");
        let [from, to, line, what] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let (found, problem) = with(from, to);
        assert_eq!(problem, what);
        assert_eq!(found.to_string(), line, "{problem}");
    }
    let (line, problem) = with("[1, 2]", "[1, 'b\n']");
    assert_eq!(line, 9, "{problem}");
    let many = "0,".repeat(65_537);
    for (colours, what) in [
        ("0", "1 cells; allowed are 2 to 65536"),
        (&many, "65537 cells; allowed are 2 to 65536"),
    ] {
        let text = format!("colours = [{colours}]\nedges = []\nstarts = [0, 1]");
        assert_eq!(refused(&text), (1, what.into()));
    }
}

/// Checks a game that was worked out by hand, on a path of four cells with a player at each end.
#[test]
fn a_turn_annexes_what_was_next_to_the_mover_before_it() {
    // Both middle cells have the same colour, but the first player annexes only the adjacent cell.
    let board = read_board("my.toml", &SMALL.replace("  2,\n", "  1,\n")).unwrap();
    let start = Position::start(&Arc::new(board), 60);
    assert_eq!(start.mover(), Player::First);
    let [first, second] = [Player::First, Player::Second].map(Some);
    assert_eq!(start.play(0).owners(), [first, None, None, second]);
    let next = start.play(1);
    assert_eq!(next.owners(), [first, first, None, second]);
    assert_eq!((next.turn, next.mover()), (1, Player::Second));
    assert_eq!(next.colours(), 1 << 1);
    let end = next.play(1);
    assert_eq!(end.owner_sets(), [0b0011, 0b1100]);
    let found = (end.cells(Player::First), end.cells(Player::Second));
    assert_eq!(found, (2, 2));
    assert!(end.is_decided() && !next.is_decided());
}

/// On the remaining board, the mover is player 1, and each player's cells are merged into one start cell.
#[test]
fn what_is_left_of_a_position_is_a_board() {
    for kind in Kind::ALL {
        let board = Arc::new(kind.board(3).unwrap().0);
        let start = Position::start(&board, u32::MAX);
        assert_eq!(start.rest(), *board);
        let mut position = start;
        let draws = Draws::new(5);
        for turn in 0..41 {
            position = position.play(draws.colour(0, turn));
        }
        let rest = position.rest();
        let cells = [Player::Second, Player::First].map(|player| position.cells(player));
        assert_eq!(rest.start_cells, cells);
        assert_eq!(rest.counted_cells() as usize, board.cells());
        assert_eq!(
            rest.cells(),
            board.cells() - (cells[0] + cells[1]) as usize + 2
        );
    }
}
