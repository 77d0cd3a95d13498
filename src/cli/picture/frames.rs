//! The state texture turn by turn.

use anyhow::Context;

use crate::games::annexation::{Player, Position};

/// Screen pixels along a side of a state texture's pixel, and between two of them.
const SIDE: usize = 8;
const GAP: usize = 1;

/// Screen pixels between frames.
const MARGIN: usize = 12;

/// What a row of frames is wide at the most, in screen pixels, where it holds more than one.
const WIDEST: usize = 1_200;

type Colour = [u8; 3];

/// How many frames stand in a row, and the image's width and height in screen pixels; `None` where these are too
/// large to count.
fn size(cells: usize, rows: usize, frames: usize) -> Option<(usize, [usize; 2])> {
    let side = |pixels: usize| pixels.checked_mul(SIDE + GAP)?.checked_add(MARGIN);
    let [wide, high] = [side(cells)?, side(rows)?];
    let across = (WIDEST / wide).clamp(1, frames.max(1));
    let width = across.checked_mul(wide)?.checked_add(MARGIN)?;
    let height = frames.div_ceil(across).checked_mul(high)?;
    Some((across, [width, height.checked_add(MARGIN)?]))
}

/// Bytes of an image's pixels by cells, playouts and frames; `None` on overflow.
pub fn bytes(cells: usize, rows: usize, frames: usize) -> Option<usize> {
    let (_, [width, height]) = size(cells, rows, frames)?;
    width.checked_mul(height)?.checked_mul(size_of::<Colour>())
}

const PAPER: Colour = [214, 214, 214];
const RED: Colour = [255, 0, 0];
const BLUE: Colour = [0, 0, 255];
const WHITE: Colour = [255, 255, 255];

/// A PNG with a frame a turn, from left to right and from top to bottom: in each a row a playout, a pixel
/// a cell, red, blue or white.
///
/// # Errors
/// Where the image would be too large for the format.
pub fn draw(played: &[Vec<Position>]) -> anyhow::Result<Vec<u8>> {
    let frames = played.first().map_or(0, Vec::len);
    let cells = played
        .first()
        .and_then(|frames| frames.first())
        .map_or(0, |start| start.owners().len());
    let frame = [cells, played.len()].map(|pixels| pixels * (SIDE + GAP) + MARGIN);
    let (across, [width, height]) =
        size(cells, played.len(), frames).context("too many pixels for a PNG")?;
    let mut screen = Screen {
        width,
        bytes: PAPER.repeat(width * height),
    };
    for (row, playout) in played.iter().enumerate() {
        for (turn, state) in playout.iter().enumerate() {
            let left = MARGIN + turn % across * frame[0];
            let top = MARGIN + turn / across * frame[1] + row * (SIDE + GAP);
            for (cell, owner) in state.owners().iter().enumerate() {
                let colour = match owner {
                    Some(Player::First) => RED,
                    Some(Player::Second) => BLUE,
                    None => WHITE,
                };
                screen.square(left + cell * (SIDE + GAP), top, colour);
            }
        }
    }
    screen.into_png(height)
}

struct Screen {
    width: usize,
    bytes: Vec<u8>,
}

impl Screen {
    fn square(&mut self, left: usize, top: usize, colour: Colour) {
        for y in top..top + SIDE {
            let at = 3 * (y * self.width + left);
            self.bytes[at..at + 3 * SIDE].copy_from_slice(&colour.repeat(SIDE));
        }
    }

    fn into_png(self, height: usize) -> anyhow::Result<Vec<u8>> {
        let size = |pixels: usize| u32::try_from(pixels).context("too many pixels for a PNG");
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, size(self.width)?, size(height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.bytes)?;
        writer.finish()?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::annexation::Kind;

    #[test]
    fn the_image_has_each_cells_owner_at_each_turn() {
        let board = Arc::new(Kind::Hex7.board(0).unwrap().0);
        let start = Position::start(&board);
        let colour = board.colour(usize::from(board.neighbours(0)[0]));
        let after = start.play(colour);
        let image = draw(&[vec![start, after.clone()]]).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(image))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let frame = 7 * (SIDE + GAP) + MARGIN;
        assert_eq!(info.width as usize, 2 * frame + MARGIN);
        assert_eq!(bytes(7, 1, 2), Some(pixels.len()));
        assert_eq!(bytes(usize::MAX / 9, 1, 2), None);
        let at = |turn: usize, cell: usize| {
            let x = MARGIN + turn * frame + cell * (SIDE + GAP) + SIDE / 2;
            let y = MARGIN + SIDE / 2;
            let at = 3 * (y * info.width as usize + x);
            [pixels[at], pixels[at + 1], pixels[at + 2]]
        };
        assert_eq!((at(0, 0), at(0, 6), at(0, 3)), (RED, BLUE, WHITE));
        for (cell, owner) in after.owners().iter().enumerate() {
            let expected = match owner {
                Some(Player::First) => RED,
                Some(Player::Second) => BLUE,
                None => WHITE,
            };
            assert_eq!(at(1, cell), expected, "cell {cell}");
        }
        assert_eq!(pixels[..3], PAPER);
    }
}
