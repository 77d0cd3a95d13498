//! Draws the reversi paper's figures of its device program: the two levels of parallelism (Figure 2), and the squares
//! of each work-item (Figure 3). Both are generated from the program's search, groups and boards.

use plybench::games::reversi::{Colour, Position, Size};
use plybench::report::chart::canvas::{
    CARD, Canvas, GRID, HPos, MARGIN, MUTED, REFERENCE, ROW, TEXT, WIDTH, draw, series,
};
use plybench::techniques::reversi::mapping;

use super::launches::launches;

/// The boards of the paper's Table 2.
const BOARDS: [&str; 7] = ["8x8", "16x8", "16x16", "32x16", "32x32", "64x32", "64x64"];
/// The depth of the search in the picture. It has few launches, each with several siblings.
const DEPTH: u32 = 3;
/// Number of squares to draw per board, and the width of a square.
const SQUARES: usize = 16;
const SIDE: f64 = 28.0;
/// The width of a square on the board that is drawn completely.
const WHOLE: f64 = 40.0;
/// The distance between two nodes of the principal variation.
const PLY: f64 = 64.0;

/// Draws the nodes of the principal variation, each with its launch, and below them a work-group with its work-items.
///
/// # Errors
/// If the picture cannot be drawn.
pub fn two_levels() -> anyhow::Result<String> {
    const TITLE: &str =
        "Two levels of parallelism: a work-group a sibling, and in it a work-item a square";
    const WAY: &str =
        "blue: the host, down to the leaf; orange: the device, from the leaf up to the root";
    const WORK: [&str; 8] = [
        "Group 0 of the last launch: each square with its",
        "work-item.",
        "",
        "All work-items at once: is my square a legal move,",
        "is its disc flipped, what is it worth?",
        "",
        "Work-item 0,0 alone: scores, cuts and the next",
        "node, in an iterative alpha-beta.",
    ];
    let size = Size::STANDARD;
    let launches = launches(DEPTH)?;
    let tree = PLY * launches.len() as f64;
    let side = WHOLE * size.height() as f64;
    let svg = draw(TITLE, WIDTH, tree + side + 80.0 + MARGIN, |canvas, top| {
        let top = top + 30.0;
        let leaf = top + tree;
        let below = leaf + 50.0;
        let mut position = Position::start(size);
        let mut shown = None;
        let count = launches.len();
        for (row, (launch, (_, moves))) in launches.iter().enumerate().rev().enumerate() {
            let y = top + PLY * row as f64;
            let legal = position.legal_moves();
            let first = legal.iter().find(|own| !moves.contains(own)).copied();
            shown = shown.or(moves.first().and_then(|own| position.play(*own)));
            node(canvas, y, first.map(|own| size.name(own)));
            siblings(canvas, y, moves.iter().map(|own| size.name(*own)));
            let text = format!("launch {} of {count}", launch + 1);
            canvas.text((WIDTH - MARGIN, y), &text, HPos::Right, MUTED);
            position = first.and_then(|own| position.play(own)).unwrap_or(position);
        }
        canvas.mark((MARGIN + 10.0, leaf), 0, series(0));
        canvas.text((MARGIN + 26.0, leaf), WAY, HPos::Left, MUTED);
        if let Some(shown) = &shown {
            board(canvas, shown, below);
        }
        for (at, line) in (0..).zip(WORK) {
            let place = (MARGIN + side + 24.0, below + 20.0 + ROW * f64::from(at));
            canvas.text(place, line, HPos::Left, TEXT);
        }
    });
    Ok(svg)
}

/// Draws a node of the principal variation, and the line to its first child.
fn node(canvas: &Canvas<'_>, y: f64, first: Option<String>) {
    let x = MARGIN + 10.0;
    canvas.line(&[(x, y), (x, y + PLY)], series(0), 2.0);
    canvas.mark((x, y), 0, series(0));
    let name = first.unwrap_or_default();
    canvas.text((x + 8.0, y + PLY / 2.0), &name, HPos::Left, TEXT);
}

/// Draws the siblings of a node's first child, each with its move and its work-group.
fn siblings(canvas: &Canvas<'_>, y: f64, moves: impl Iterator<Item = String>) {
    const BOX: f64 = 86.0;
    for (group, name) in moves.enumerate() {
        let left = MARGIN + 90.0 + (BOX + 8.0) * group as f64;
        if group == 0 {
            canvas.line(&[(MARGIN + 10.0, y), (left, y)], REFERENCE, 1.5);
        }
        canvas.bar((left, y - 18.0), (left + BOX, y + 18.0), series(1));
        for (line, text) in [(-8.0, name), (8.0, format!("group {group}"))] {
            canvas.text((left + BOX / 2.0, y + line), &text, HPos::Center, CARD);
        }
    }
}

/// Draws a board with the disc and the work-item of each square.
fn board(canvas: &Canvas<'_>, position: &Position, top: f64) {
    let size = position.size;
    let ([across, _], run) = mapping(size);
    for square in size.all() {
        let place = [size.x(square), size.y(square)].map(|at| at as f64 * WHOLE);
        let (left, top) = (MARGIN + place[0], top + place[1]);
        canvas.bar((left, top), (left + WHOLE - 2.0, top + WHOLE - 2.0), GRID);
        let item = square.index() / run;
        let text = format!("{},{}", item % across, item / across);
        let middle = left + WHOLE / 2.0 - 1.0;
        canvas.text((middle, top + WHOLE - 12.0), &text, HPos::Center, TEXT);
        if let Some(colour) = position.at(square) {
            match colour {
                Colour::White => canvas.ring((middle, top + 11.0), TEXT),
                Colour::Black => canvas.mark((middle, top + 11.0), 0, TEXT),
            }
        }
    }
}

/// Draws the first squares of each of the paper's boards, with the number of the work-item that handles them.
///
/// # Errors
/// If the picture cannot be drawn.
pub fn squares() -> anyhow::Result<String> {
    const TITLE: &str =
        "Which squares a work-item has: the first 16 of each board, with the work-item's number";
    let sizes: Result<Vec<Size>, _> = BOARDS.iter().map(|board| board.parse()).collect();
    let sizes = sizes?;
    let step = SIDE + 10.0;
    let below = 12.0 + step * sizes.len() as f64 + MARGIN;
    let svg = draw(TITLE, WIDTH, below, |canvas, top| {
        for (row, size) in sizes.iter().enumerate() {
            let top = top + 12.0 + step * row as f64;
            let ([x, y], run) = mapping(*size);
            let many = if run == 1 { "square" } else { "squares" };
            let name = format!("{size}: group {x}x{y}, {run} {many} each");
            canvas.text((MARGIN, top + SIDE / 2.0), &name, HPos::Left, TEXT);
            for item in 0..SQUARES.div_ceil(run) {
                let ends = [item * run, ((item + 1) * run).min(SQUARES)];
                let ends = ends.map(|square| WIDTH - MARGIN - SIDE * (SQUARES - square) as f64);
                let ink = series(item % 2);
                canvas.bar((ends[0], top), (ends[1] - 2.0, top + SIDE), ink);
                let middle = ((ends[0] + ends[1]) / 2.0 - 1.0, top + SIDE / 2.0);
                canvas.text(middle, &item.to_string(), HPos::Center, CARD);
            }
        }
    });
    Ok(svg)
}
