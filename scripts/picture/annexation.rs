//! Draws playouts as the shader's textures, and a board as hexagons.

use std::fmt::Write;
use std::sync::Arc;

use anyhow::Context;
use plybench::games::annexation::{Board, Draws, Kind, Player, Position};

/// Number of playouts in the example.
const PLAYOUTS: u64 = 8;
const SEED: u64 = 1;

/// Colours of the cells. Colour-blind readers can distinguish them (after Okabe and Ito, 2008).
const COLOURS: [&str; 8] = [
    "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999",
];
const RED: &str = "#ff0000";
const BLUE: &str = "#0000ff";
const WHITE: &str = "#ffffff";
const YES: &str = "#333333";
const NOTHING: &str = "#d6d6d6";

fn fill(owner: Option<Player>) -> &'static str {
    match owner {
        Some(Player::First) => RED,
        Some(Player::Second) => BLUE,
        None => WHITE,
    }
}

/// Returns every picture: its path below `reports/pictures`, and its content.
pub fn all() -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let board = |kind: Kind| -> anyhow::Result<_> {
        let (board, cells) = kind.board(0).map_err(anyhow::Error::msg)?;
        Ok((Arc::new(board), cells))
    };
    let (small, _) = board(Kind::Hex7)?;
    let played: Vec<_> = (0..PLAYOUTS).map(|number| play(&small, number)).collect();
    let (large, cells) = board(Kind::Hex200)?;
    let game = play(&large, 0);
    let ends: Vec<&Position> = game.first().into_iter().chain(game.last()).collect();
    Ok(vec![
        ("annexation/states.png", states(&played)?),
        ("annexation/eight-playouts.md", table(&played)?.into()),
        ("annexation/texture.svg", svg(&texture(&small)).into()),
        ("annexation/steps.svg", svg(&steps(&small)?).into()),
        ("annexation/hex200.svg", hexagons(&cells, &ends).into()),
    ])
}

/// Returns the states of a playout: the start, and the position after each turn.
fn play(board: &Arc<Board>, number: u64) -> Vec<Position> {
    let draws = Draws::new(SEED);
    let mut states = vec![Position::start(board, u32::MAX)];
    for turn in 0..board.default_turns() {
        states.push(states[turn as usize].play(draws.colour(number, turn)));
    }
    states
}

/// Draws the state texture as a PNG: one frame per turn, with one row per playout and one square per cell.
fn states(played: &[Vec<Position>]) -> anyhow::Result<Vec<u8>> {
    const SIDE: usize = 8;
    const PITCH: usize = SIDE + 1;
    const MARGIN: usize = 12;
    const WIDEST: usize = 1_200;
    let (frames, cells) = (played[0].len(), played[0][0].owners().len());
    let [wide, high] = [cells, played.len()].map(|squares| squares * PITCH + MARGIN);
    let across = (WIDEST / wide).clamp(1, frames);
    let (width, height) = (
        across * wide + MARGIN,
        frames.div_ceil(across) * high + MARGIN,
    );
    let mut pixels = [214; 3].repeat(width * height);
    for (row, playout) in played.iter().enumerate() {
        for (turn, state) in playout.iter().enumerate() {
            for (cell, owner) in state.owners().iter().enumerate() {
                let left = MARGIN + turn % across * wide + cell * PITCH;
                let top = MARGIN + turn / across * high + row * PITCH;
                let colour: [u8; 3] = match owner {
                    Some(Player::First) => [255, 0, 0],
                    Some(Player::Second) => [0, 0, 255],
                    None => [255; 3],
                };
                for y in top..top + SIDE {
                    let at = 3 * (y * width + left);
                    pixels[at..at + 3 * SIDE].copy_from_slice(&colour.repeat(SIDE));
                }
            }
        }
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width.try_into()?, height.try_into()?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(file)
}

/// Writes the results of the playouts next to those in the post's table.
fn table(played: &[Vec<Position>]) -> anyhow::Result<String> {
    let path = super::folder().join("published/annexation/eight-playouts.csv");
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_path(path)?;
    let mut published = vec![[0; 2]; played.len()];
    for record in reader.deserialize() {
        let (row, name, cells): (usize, String, u32) = record?;
        published[row - 1][usize::from(name == "blue")] = cells;
    }
    let entries = |[red, blue]: [u32; 2]| {
        let winner = match red.cmp(&blue) {
            std::cmp::Ordering::Greater => "red",
            std::cmp::Ordering::Equal => "nobody",
            std::cmp::Ordering::Less => "blue",
        };
        format!(" {red} | {blue} | {winner} |")
    };
    let mut text = "| row | red | blue | winner | published: red | blue | winner |\n\
                    | ---: | ---: | ---: | --- | ---: | ---: | --- |\n"
        .to_owned();
    for (row, (states, published)) in played.iter().zip(published).enumerate() {
        let end = &states[states.len() - 1];
        let own = [Player::First, Player::Second].map(|player| end.cells(player));
        let (own, published) = (entries(own), entries(published));
        writeln!(text, "| {} |{own}{published}", row + 1)?;
    }
    Ok(text)
}

/// A named row of squares, each with its fill and text.
type Row = (String, Vec<(&'static str, String)>);

/// Returns the board texture of the post: the colour of each cell, and below it the numbers of its neighbours.
fn texture(board: &Board) -> Vec<Row> {
    let cells = 0..board.cells();
    let colour = |cell| (COLOURS[board.colour(cell)], cell.to_string());
    let mut rows = vec![(
        "0: colour of cell".to_owned(),
        cells.clone().map(colour).collect(),
    )];
    for place in 0..board.most_neighbours() {
        let neighbour = |cell| match board.neighbours(cell).get(place) {
            Some(other) => (WHITE, other.to_string()),
            None => (NOTHING, String::new()),
        };
        let name = format!("{}: a neighbour of it", place + 1);
        rows.push((name, cells.clone().map(neighbour).collect()));
    }
    rows
}

/// Returns the shader's checks and its result for each cell, in the first frame of playout 0 that annexes a cell.
fn steps(board: &Arc<Board>) -> anyhow::Result<Vec<Row>> {
    let (draws, states) = (Draws::new(SEED), play(board, 0));
    let mut frames = states
        .iter()
        .zip(0..)
        .map(|(state, turn)| (state, draws.colour(0, turn)));
    let (state, colour) = frames
        .find(|(state, colour)| state.colours() >> colour & 1 != 0)
        .context("no player annexes a cell")?;
    let mover = state.mover();
    let next_to = |cell: usize| {
        let mut neighbours = board.neighbours(cell).iter();
        neighbours.any(|other| state.owners()[usize::from(*other)] == Some(mover))
    };
    let is_owned = |cell: usize| state.owners()[cell].is_some();
    let is_named = |cell: usize| board.colour(cell) == colour;
    let annexed = |cell: usize| !is_owned(cell) && is_named(cell) && next_to(cell);
    let row = |name: &str, square: &dyn Fn(usize) -> &'static str| -> Row {
        let squares = (0..board.cells()).map(|cell| (square(cell), String::new()));
        (name.to_owned(), squares.collect())
    };
    let asked = |name: &str, holds: &dyn Fn(usize) -> bool| {
        row(name, &|cell| if holds(cell) { YES } else { WHITE })
    };
    let after = |cell: usize| match annexed(cell) {
        true => Some(mover),
        false => state.owners()[cell],
    };
    let who = if mover == Player::First {
        "red"
    } else {
        "blue"
    };
    let before = format!("state before turn {}", state.turn + 1);
    Ok(vec![
        row("colour of cell", &|cell| COLOURS[board.colour(cell)]),
        row(&before, &|cell| fill(state.owners()[cell])),
        asked("is annexed already", &is_owned),
        asked("is of the colour named", &is_named),
        asked(&format!("is next to {who}"), &next_to),
        row("annex", &|cell| {
            if annexed(cell) {
                fill(Some(mover))
            } else {
                NOTHING
            }
        }),
        row("state after it", &|cell| fill(after(cell))),
    ])
}

/// Draws rows of squares below each other.
fn svg(rows: &[Row]) -> String {
    const SIDE: f64 = 26.0;
    const NAMES: f64 = 190.0;
    const MARGIN: f64 = 12.0;
    let most = rows.iter().map(|(_, squares)| squares.len()).max();
    let width = NAMES + SIDE * most.unwrap_or(0) as f64 + 2.0 * MARGIN;
    let height = SIDE * rows.len() as f64 + 2.0 * MARGIN;
    let mut svg = head(
        [width, height],
        " font-family=\"sans-serif\" font-size=\"13\"",
    );
    for (place, (name, squares)) in rows.iter().enumerate() {
        let top = MARGIN + SIDE * place as f64;
        let line = top + 0.68 * SIDE;
        svg += &format!("<text x=\"{MARGIN}\" y=\"{line:.1}\">{name}</text>\n");
        for (cell, (fill, text)) in squares.iter().enumerate() {
            let left = MARGIN + NAMES + SIDE * cell as f64;
            svg += &format!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\" \
                 stroke=\"#999\"/>\n"
            );
            if !text.is_empty() {
                let middle = left + SIDE / 2.0;
                svg += &format!(
                    "<text x=\"{middle:.1}\" y=\"{line:.1}\" text-anchor=\"middle\">{text}</text>\n"
                );
            }
        }
    }
    svg + "</svg>\n"
}

fn head([width, height]: [f64; 2], attributes: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.1} {height:.1}\"{attributes}>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    )
}

/// Draws boards of about 200 cells side by side, one per position. Unowned cells show their colours. `cells` contains
/// the cell of each hexagon.
fn hexagons(cells: &[u16], positions: &[&Position]) -> String {
    const RADIUS: f64 = 14.0;
    const MARGIN: f64 = 20.0;
    let hexagons = Kind::Hex200.hexagons();
    let columns = hexagons.iter().map(|(x, _)| *x).max().unwrap_or(0);
    let rows = hexagons.iter().map(|(_, y)| *y);
    let (top, bottom) = (rows.clone().min().unwrap_or(0), rows.max().unwrap_or(0));
    let across = RADIUS * 3_f64.sqrt();
    let board = across * (f64::from(columns) + 1.5) + MARGIN;
    let height = 1.5 * RADIUS * f64::from(bottom - top) + 2.0 * RADIUS + 2.0 * MARGIN;
    let mut svg = head([board * positions.len() as f64 + MARGIN, height], "");
    for (place, position) in positions.iter().enumerate() {
        for ((x, y), cell) in hexagons.iter().zip(cells) {
            let shift = if y % 2 == 1 { 0.5 } else { 0.0 };
            let left = MARGIN + board * place as f64;
            let centre_x = left + across * (f64::from(*x) + shift + 0.5);
            let centre_y = MARGIN + RADIUS + 1.5 * RADIUS * f64::from(*y - top);
            let cell = usize::from(*cell);
            let owner = position.owners()[cell];
            let (fill, opacity) = match owner {
                Some(_) => (fill(owner), 1.0),
                None => (COLOURS[position.board().colour(cell)], 0.55),
            };
            let corner = |corner: u32| {
                let angle = (f64::from(corner) + 0.5) * std::f64::consts::FRAC_PI_3;
                let (x, y) = (
                    centre_x + RADIUS * angle.cos(),
                    centre_y + RADIUS * angle.sin(),
                );
                format!("{x:.1},{y:.1}")
            };
            let corners = (0..6).map(corner).collect::<Vec<_>>().join(" ");
            svg += &format!(
                "<polygon points=\"{corners}\" fill=\"{fill}\" fill-opacity=\"{opacity}\" stroke=\"#fff\" \
                 stroke-width=\"1\"/>\n"
            );
        }
    }
    svg + "</svg>\n"
}
