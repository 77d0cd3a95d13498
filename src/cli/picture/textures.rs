//! The board texture, and the steps in which the shader makes a frame of the one before it.

use std::fmt::Write;
use std::sync::Arc;

use super::hexagons::{BLUE, COLOURS, RED};
use crate::games::annexation::{Board, Draws, Player, Position};

/// A pixel's side, and what is left for the names of the rows.
const SIDE: f64 = 26.0;
const NAMES: f64 = 190.0;
const MARGIN: f64 = 12.0;

/// If no player annexes a cell within these turns, none ever does.
const TURNS: u32 = 1_024;

const WHITE: &str = "#ffffff";
const YES: &str = "#333333";
const NOTHING: &str = "#d6d6d6";

/// A pixel: how it is filled, and what is written on it.
type Pixel = (&'static str, String);

/// A row of pixels with its name.
type Row = (String, Vec<Pixel>);

/// The board texture of the post: a row with each cell's colour, and below it each cell's neighbours by their
/// numbers.
pub fn board(board: &Board) -> String {
    let cells = 0..board.cells();
    let colours = cells
        .clone()
        .map(|cell| (COLOURS[board.colour(cell)], cell.to_string()));
    let mut rows: Vec<Row> = vec![("0: colour of cell".to_owned(), colours.collect())];
    for place in 0..board.most_neighbours() {
        let of_cell = |cell| match board.neighbours(cell).get(place) {
            Some(other) => (WHITE, other.to_string()),
            None => (NOTHING, String::new()),
        };
        let name = format!("{}: a neighbour of it", place + 1);
        rows.push((name, cells.clone().map(of_cell).collect()));
    }
    svg(&rows)
}

/// The steps of the first frame of playout 0 in which a cell is annexed; `None` where there is none.
pub fn steps(board: &Arc<Board>, seed: u64) -> Option<String> {
    let draws = Draws::new(seed);
    let mut state = Position::start(board);
    for turn in 0..TURNS {
        let colour = draws.colour(0, turn);
        if state.annexed(colour).next().is_some() {
            return Some(svg(&frame(&state, colour)));
        }
        state = state.play(colour);
    }
    None
}

/// What the shader asks of each pixel when the side to move names a colour, and what it draws.
fn frame(state: &Position, colour: usize) -> Vec<Row> {
    let board = state.board();
    let mover = state.mover();
    let all = 0..board.cells();
    let owned = |cell: &usize| state.owners()[*cell].is_some();
    let of_colour = |cell: &usize| board.colour(*cell) == colour;
    let next_to = |cell: &usize| {
        let mut neighbours = board.neighbours(*cell).iter();
        neighbours.any(|other| state.owners()[usize::from(*other)] == Some(mover))
    };
    let annexed = |cell: &usize| !owned(cell) && of_colour(cell) && next_to(cell);
    let fill = |owner: Option<Player>| match owner {
        Some(Player::First) => RED,
        Some(Player::Second) => BLUE,
        None => WHITE,
    };
    let row = |name: &str, pixel: &dyn Fn(usize) -> &'static str| {
        let pixels = all.clone().map(|cell| (pixel(cell), String::new()));
        (name.to_owned(), pixels.collect())
    };
    let asked = |name: &str, holds: &dyn Fn(&usize) -> bool| {
        row(name, &|cell| if holds(&cell) { YES } else { WHITE })
    };
    let after = |cell: usize| match annexed(&cell) {
        true => Some(mover),
        false => state.owners()[cell],
    };
    let who = match mover {
        Player::First => "red",
        Player::Second => "blue",
    };
    vec![
        row("colour of cell", &|cell| COLOURS[board.colour(cell)]),
        row(
            &format!("state before turn {}", state.turn() + 1),
            &|cell| fill(state.owners()[cell]),
        ),
        asked("is annexed already", &owned),
        asked("is of the colour named", &of_colour),
        asked(&format!("is next to {who}"), &next_to),
        row("annex", &|cell| match annexed(&cell) {
            true => fill(Some(mover)),
            false => NOTHING,
        }),
        row("state after it", &|cell| fill(after(cell))),
    ]
}

/// Rows of pixels below each other.
fn svg(rows: &[Row]) -> String {
    let most = rows.iter().map(|(_, pixels)| pixels.len()).max();
    let width = NAMES + SIDE * most.unwrap_or(0) as f64 + 2.0 * MARGIN;
    let height = SIDE * rows.len() as f64 + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for (place, (name, pixels)) in rows.iter().enumerate() {
        let top = MARGIN + SIDE * place as f64;
        let line = top + 0.68 * SIDE;
        // Writing to a text cannot fail.
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{line:.1}\">{name}</text>");
        for (cell, (fill, text)) in pixels.iter().enumerate() {
            let left = MARGIN + NAMES + SIDE * cell as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\" \
                 stroke=\"#999\"/>"
            );
            if !text.is_empty() {
                let middle = left + SIDE / 2.0;
                let _ = writeln!(
                    svg,
                    "<text x=\"{middle:.1}\" y=\"{line:.1}\" text-anchor=\"middle\">{text}</text>"
                );
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::annexation::Kind;

    #[test]
    fn the_steps_of_a_frame_come_to_what_the_rules_play() {
        let mut annexed = 0;
        for number in 0..8 {
            let board = Arc::new(Kind::Hex200.board(number).unwrap().0);
            let mut state = Position::start(&board);
            let draws = Draws::new(u64::from(number));
            for turn in 0..30 {
                let colour = draws.colour(0, turn);
                let rows = frame(&state, colour);
                let fills = |row: usize| rows[row].1.iter().map(|(fill, _)| *fill);
                let by_rules: Vec<usize> = state.annexed(colour).collect();
                let drawn = fills(5).enumerate().filter(|(_, fill)| *fill != NOTHING);
                let mut drawn: Vec<usize> = drawn.map(|(cell, _)| cell).collect();
                let mut expected = by_rules.clone();
                drawn.sort_unstable();
                expected.sort_unstable();
                assert_eq!(drawn, expected, "board {number}, turn {turn}");
                annexed += drawn.len();
                state = state.play(colour);
                let after = state.owners().iter().map(|owner| match owner {
                    Some(Player::First) => RED,
                    Some(Player::Second) => BLUE,
                    None => WHITE,
                });
                assert!(fills(6).eq(after), "board {number}, turn {turn}");
            }
        }
        assert!(annexed > 20, "{annexed}");
    }

    #[test]
    fn a_board_texture_has_each_neighbour_once() {
        let board = Arc::new(Kind::Hex7.board(0).unwrap().0);
        let text = super::board(&board);
        let neighbours: usize = (0..board.cells())
            .map(|cell| board.neighbours(cell).len())
            .sum();
        // The numbers of the cells, and those of their neighbours.
        let written = text.matches("text-anchor").count();
        assert_eq!(written, board.cells() + neighbours);
        assert!(steps(&board, 1).is_some());
    }
}
