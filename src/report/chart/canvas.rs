//! Provides a drawing surface in CSS pixels, for light and dark screens.
//!
//! It uses plotters' SVG backend and elements, but not its chart builders, because their logarithmic ticks, legends and
//! error bars do not suit these charts. The backend accepts only integer coordinates, so the surface is drawn [`SCALE`]
//! times as large as shown. Otherwise, small marks would lose their shape.

use super::text::{BOLD, LABEL, wrapped};
use maud::html;
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
pub use plotters::style::text_anchor::HPos;
use plotters::style::text_anchor::{Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBColor, ShapeStyle};

/// A point in pixels from the upper left corner.
type Point = (f64, f64);

const SCALE: f64 = 8.0;
/// The reason why drawing cannot fail.
const GROWS: &str = "a string can grow";
/// The factor by which plotters divides font sizes in the SVG.
const FONT_FACTOR: f64 = 1.24;

/// A colour on a light card and its replacement on a dark card, both as 0xRRGGBB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ink(u32, u32);

/// A chart's background.
pub const CARD: Ink = Ink(0xffffff, 0x161b22);
/// Text.
pub const TEXT: Ink = Ink(0x1f2328, 0xe6edf3);
/// Secondary text and lines.
pub const MUTED: Ink = Ink(0x59636e, 0x9da7b3);
/// Grid lines.
pub const GRID: Ink = Ink(0xe1e4e8, 0x30363d);
/// The band around the paper's numbers.
const BAND: Ink = Ink(0xdce8f8, 0x26364d);
/// The reference line.
pub const REFERENCE: Ink = Ink(0x8c959f, 0x7d8590);
/// Colours of lines and bars. Their contrast ratio with the card is at least 3. The marks of series also differ.
pub const SERIES: [Ink; 5] = [
    Ink(0x1f6fd1, 0x6cb0ff),
    Ink(0xc2570c, 0xf5a04e),
    Ink(0x1a8045, 0x5ccb86),
    Ink(0xb5308f, 0xf08ccb),
    Ink(0x0b7a85, 0x4fcbd6),
];

impl Ink {
    fn colour(self) -> RGBColor {
        let [_, red, green, blue] = self.0.to_be_bytes();
        RGBColor(red, green, blue)
    }
}

/// Width of a chart, in pixels.
pub const WIDTH: f64 = 960.0;
/// Width of a chart on a phone.
pub const NARROW: f64 = 360.0;
/// Margin around a drawing.
pub const MARGIN: f64 = 16.0;
const TITLE: f64 = 15.0;
/// Radius of a mark.
const RADIUS: f64 = 4.5;
/// Height of a row in a legend or title.
pub const ROW: f64 = 20.0;

/// Returns the colour of a series.
pub fn series(at: usize) -> Ink {
    SERIES[at % SERIES.len()]
}

/// The drawing surface.
pub struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// Draws a card with a title. `paint` gets the y coordinate below the title, and paints the `below` pixels under it.
/// Returns the SVG.
pub fn draw(title: &str, width: f64, below: f64, paint: impl FnOnce(&Canvas<'_>, f64)) -> String {
    let mut svg = String::new();
    let lines = wrapped(title, TITLE * BOLD, width - 2.0 * MARGIN);
    let top = MARGIN + lines.len() as f64 * ROW;
    let height = top + below;
    {
        let size = ((width * SCALE) as u32, (height * SCALE) as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&CARD.colour()).expect(GROWS);
        let canvas = Canvas { area };
        for (row, line) in lines.iter().enumerate() {
            let place = (MARGIN, MARGIN + 8.0 + row as f64 * ROW);
            canvas.styled(place, line, (TITLE, FontStyle::Bold), HPos::Left, TEXT);
        }
        paint(&canvas, top);
        canvas.area.present().expect(GROWS);
    }
    // The backend's opening tag has no title and no displayed size.
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    format!(
        "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {} {}\">\n<title>{}</title>\n<style>{}</style>{body}",
        width * SCALE,
        height * SCALE,
        html! { (title) }.into_string(),
        dark_style(),
    )
}

/// Makes one CSS rule per colour, because CSS overrides the backend's attributes.
fn dark_style() -> String {
    // Print always uses the light colours.
    let mut css = String::from("@media screen and (prefers-color-scheme: dark) {");
    let others = [CARD, TEXT, MUTED, GRID, BAND, REFERENCE];
    for ink in others.into_iter().chain(SERIES) {
        let [light, dark] = [ink.0, ink.1].map(|colour| format!("#{colour:06X}"));
        css += &format!(
            ".chart [fill=\"{light}\"]{{fill:{dark}}}.chart [stroke=\"{light}\"]{{stroke:{dark}}}"
        );
    }
    css + "}"
}

fn at(x: f64, y: f64) -> (i32, i32) {
    ((x * SCALE).round() as i32, (y * SCALE).round() as i32)
}

fn stroke(ink: Ink, width: f64) -> ShapeStyle {
    ink.colour().stroke_width((width * SCALE).round() as u32)
}

impl<'a> Canvas<'a> {
    fn put<'e, E>(&self, element: &'e E)
    where
        &'e E: PointCollection<'e, (i32, i32)>,
        E: Drawable<SVGBackend<'a>>,
    {
        self.area.draw(element).expect(GROWS);
    }

    /// Draws a line through points.
    pub fn line(&self, points: &[Point], ink: Ink, width: f64) {
        self.path(points, stroke(ink, width));
    }

    /// Draws a thin, half-transparent line for the paper's numbers.
    pub(super) fn faint(&self, points: &[Point], ink: Ink) {
        self.path(points, ink.colour().mix(0.55).stroke_width(SCALE as u32));
    }

    fn path(&self, points: &[Point], style: ShapeStyle) {
        let points: Vec<_> = points.iter().map(|&(x, y)| at(x, y)).collect();
        self.put(&PathElement::new(points, style));
    }

    pub(super) fn band(&self, corners: Vec<Point>) {
        let corners: Vec<_> = corners.into_iter().map(|(x, y)| at(x, y)).collect();
        self.put(&Polygon::new(corners, BAND.colour().filled()));
    }

    /// Draws a filled rectangle.
    pub fn bar(&self, from: Point, to: Point, ink: Ink) {
        let corners = [at(from.0, from.1), at(to.0, to.1)];
        self.put(&Rectangle::new(corners, ink.colour().filled()));
    }

    /// Draws one line of text, vertically centred on the point.
    pub fn text(&self, place: Point, text: &str, side: HPos, ink: Ink) {
        self.styled(place, text, (LABEL, FontStyle::Normal), side, ink);
    }

    fn styled(&self, (x, y): Point, text: &str, font: (f64, FontStyle), side: HPos, ink: Ink) {
        let (size, style) = font;
        let font = ("sans-serif", size * SCALE * FONT_FACTOR, style).into_font();
        let style = font.color(&ink.colour()).pos(Pos::new(side, VPos::Center));
        self.put(&Text::new(text.to_owned(), at(x, y), style));
    }

    /// Draws a line with a bar across each end.
    pub(super) fn whisker(&self, ends: [Point; 2], ink: Ink, width: f64) {
        self.line(&ends, ink, width);
        let upright = ends[0].0 == ends[1].0;
        let (dx, dy) = if upright { (4.0, 0.0) } else { (0.0, 4.0) };
        for (x, y) in ends {
            self.line(&[(x - dx, y - dy), (x + dx, y + dy)], ink, 1.25);
        }
    }

    /// Draws the mark of a series. Shapes differ, so that readers do not depend on colour.
    pub fn mark(&self, (x, y): Point, series: usize, ink: Ink) {
        let filled = ink.colour().filled();
        let corner = |(dx, dy): (f64, f64)| at(x + dx * RADIUS, y + dy * RADIUS);
        let outline: Vec<_> = corners(series).into_iter().map(corner).collect();
        match outline.is_empty() {
            true => self.circle((x, y), filled),
            false => self.put(&Polygon::new(outline, filled)),
        }
    }

    /// Draws a hollow mark for the paper's numbers.
    pub fn ring(&self, place: Point, ink: Ink) {
        self.circle(place, CARD.colour().filled());
        self.circle(place, stroke(ink, 1.5));
    }

    fn circle(&self, (x, y): Point, style: ShapeStyle) {
        self.put(&Circle::new(at(x, y), (RADIUS * SCALE) as i32, style));
    }
}

/// Returns the corners of a mark with radius 1, relative to its centre. Empty for the circle.
fn corners(series: usize) -> Vec<Point> {
    let ring = |count: usize, start: f64, radius: f64| {
        let angles = (0..count).map(|at| (start + 360.0 * at as f64 / count as f64).to_radians());
        let corners = angles.map(|angle| (radius * angle.cos(), radius * angle.sin()));
        corners.collect()
    };
    match series % SERIES.len() {
        0 => Vec::new(),
        1 => ring(4, 45.0, 1.25),
        2 => ring(3, -90.0, 1.35),
        3 => ring(4, 0.0, 1.3),
        _ => ring(3, 90.0, 1.35),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_colours_of_a_chart_all_differ() {
        let shapes: Vec<_> = (0..SERIES.len()).map(corners).collect();
        for (i, shape) in shapes.iter().enumerate() {
            assert!(!shapes[..i].contains(shape), "mark {i}");
            assert!(!SERIES[..i].contains(&SERIES[i]), "colour {i}");
        }
    }

    #[test]
    fn colours_stand_out_on_their_cards() {
        let luminance = |colour: u32| {
            let [_, r, g, b] = colour.to_be_bytes();
            let part = |c: u8| {
                let c = f64::from(c) / 255.0;
                if c <= 0.04045 {
                    c / 12.92
                } else {
                    ((c + 0.055) / 1.055).powf(2.4)
                }
            };
            0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
        };
        for ink in SERIES {
            let holds = 1.05 / (luminance(ink.0) + 0.05) >= 3.0;
            assert!(holds, "{ink:?} on white");
            let card = luminance(CARD.1) + 0.05;
            let holds = (luminance(ink.1) + 0.05) / card >= 3.0;
            assert!(holds, "{ink:?} on dark");
        }
    }
}
