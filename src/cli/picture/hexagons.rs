//! A board as hexagons.

use std::fmt::Write;

use crate::games::annexation::{Kind, Player, Position};

/// From a hexagon's centre to its corners.
const RADIUS: f64 = 14.0;

/// Around and between the boards.
const MARGIN: f64 = 20.0;

/// The eight colours of cells: told apart by people who see fewer too (after Okabe and Ito, 2008).
pub const COLOURS: [&str; 8] = [
    "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999",
];

/// What player 1 owns.
pub const RED: &str = "#ff0000";
/// What player 2 owns.
pub const BLUE: &str = "#0000ff";

/// An SVG with a board beside another, as it is at each of these positions: unowned cells in their own
/// colours, owned ones in their player's. `cells`: the cell of each of the kind's hexagons.
pub fn draw(kind: Kind, cells: &[u16], positions: &[&Position]) -> String {
    let hexagons = kind.hexagons();
    let width = hexagons.iter().map(|(x, _)| *x).max().unwrap_or(0);
    let rows = hexagons.iter().map(|(_, y)| *y);
    let (top, bottom) = (rows.clone().min().unwrap_or(0), rows.max().unwrap_or(0));
    let across = RADIUS * 3_f64.sqrt();
    let board = across * (f64::from(width) + 1.5) + MARGIN;
    let height = 1.5 * RADIUS * f64::from(bottom - top) + 2.0 * RADIUS + 2.0 * MARGIN;
    let all = board * positions.len() as f64 + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {all:.1} {height:.1}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for (place, position) in positions.iter().enumerate() {
        for ((x, y), cell) in hexagons.iter().zip(cells) {
            let shift = if y % 2 == 1 { 0.5 } else { 0.0 };
            let left = MARGIN + board * place as f64;
            let centre_x = left + across * (f64::from(*x) + shift + 0.5);
            let centre_y = MARGIN + RADIUS + 1.5 * RADIUS * f64::from(*y - top);
            let (fill, owned) = match position.owners()[usize::from(*cell)] {
                Some(Player::First) => (RED, true),
                Some(Player::Second) => (BLUE, true),
                None => (COLOURS[position.board().colour(usize::from(*cell))], false),
            };
            let corners: Vec<String> = (0..6)
                .map(|corner| {
                    let angle = (f64::from(corner) + 0.5) * std::f64::consts::FRAC_PI_3;
                    let (sin, cos) = angle.sin_cos();
                    format!(
                        "{:.1},{:.1}",
                        centre_x + RADIUS * cos,
                        centre_y + RADIUS * sin
                    )
                })
                .collect();
            let opacity = if owned { 1.0 } else { 0.55 };
            // Writing to a text cannot fail.
            let _ = writeln!(
                svg,
                "<polygon points=\"{}\" fill=\"{fill}\" fill-opacity=\"{opacity}\" stroke=\"#fff\" \
                 stroke-width=\"1\"/>",
                corners.join(" ")
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn every_hexagon_is_drawn_once_a_position_in_its_owners_colour() {
        let (board, cells) = Kind::Hex200Merged.board(1).unwrap();
        let start = Position::start(&Arc::new(board));
        let svg = draw(Kind::Hex200Merged, &cells, &[&start, &start.play(1)]);
        assert_eq!(svg.matches("<polygon").count(), 2 * cells.len());
        let of_start = cells.iter().filter(|cell| **cell == cells[0]).count();
        let [first, _] = start.board().starts();
        assert_eq!(usize::from(cells[0]), first);
        assert!(svg.matches(RED).count() >= 2 * of_start);
        assert!(!svg.contains("NaN"));
    }
}
