//! A drawing surface in CSS pixels, for light and dark.
//!
//! The elements of the SVG are written as text: a chart here is lines, bars, marks and labels alone. Coordinates are whole
//! numbers; the surface is [`SCALE`] times as large as it is shown, so that small marks keep their shape.

use std::cell::RefCell;
use std::fmt;

pub(super) use super::text::LABEL;
use super::text::{BOLD, wrapped};
use maud::html;

/// A place in pixels from the upper left corner.
type Point = (f64, f64);

const SCALE: f64 = 8.0;

/// A colour on a light card, and the one that takes its place on a dark card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ink {
    light: u32,
    dark: u32,
}

/// Both as red, green and blue, a byte each.
const fn ink(light: u32, dark: u32) -> Ink {
    Ink { light, dark }
}

/// The card that a chart lies on.
pub(crate) const CARD: Ink = ink(0xffffff, 0x161b22);
/// Text.
pub(crate) const TEXT: Ink = ink(0x1f2328, 0xe6edf3);
/// Text and lines of less weight.
pub(crate) const MUTED: Ink = ink(0x59636e, 0x9da7b3);
/// Grid lines.
pub(crate) const GRID: Ink = ink(0xe1e4e8, 0x30363d);
/// The line to compare with.
pub(crate) const REFERENCE: Ink = ink(0x8c959f, 0x7d8590);
/// Lines and bars, told apart by their marks too; the contrast of each to its card is 3 or more.
pub(crate) const SERIES: [Ink; 12] = [
    ink(0x1f6fd1, 0x6cb0ff),
    ink(0xc2570c, 0xf5a04e),
    ink(0x1a8045, 0x5ccb86),
    ink(0xb5308f, 0xf08ccb),
    ink(0x0b7a85, 0x4fcbd6),
    ink(0xc3303a, 0xff8c8d),
    ink(0x6b4fc8, 0xb3a0ff),
    ink(0x7a6a00, 0xd6c44a),
    ink(0x7d4a2a, 0xd3a382),
    ink(0x3d4f66, 0xa9bbd0),
    ink(0x4d7c0f, 0xa3d64f),
    ink(0xd12d6a, 0xff8fb8),
];

impl fmt::Display for Ink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:06X}", self.light)
    }
}

/// The side of a text that is at its place.
#[derive(Clone, Copy)]
pub(crate) enum Align {
    Left,
    Center,
    Right,
}

/// How wide a chart is, and how much room is around it, in pixels.
pub(crate) const WIDTH: f64 = 760.0;
/// That of one for a phone.
pub(crate) const NARROW: f64 = 360.0;
pub(crate) const MARGIN: f64 = 16.0;
/// The size of a title's letters.
const TITLE: f64 = 15.0;
/// A row of a legend, and one of a title.
pub(crate) const ROW: f64 = 20.0;

/// A title in lines that fit a chart of this width.
pub(crate) fn title_lines(title: &str, whole: f64) -> Vec<String> {
    wrapped(title, TITLE * BOLD, whole - 2.0 * MARGIN)
}

/// Ink of a series.
pub(crate) fn series(at: usize) -> Ink {
    SERIES[at % SERIES.len()]
}

/// The surface: the elements drawn so far.
#[derive(Default)]
pub(crate) struct Canvas(RefCell<String>);

/// Draws on a card of this size in pixels, and returns the SVG.
pub(crate) fn draw(
    title: &str,
    (width, height): (f64, f64),
    paint: impl FnOnce(&Canvas),
) -> String {
    let canvas = Canvas::default();
    canvas.bar((0.0, 0.0), (width, height), CARD);
    paint(&canvas);
    let [right, bottom] = [width, height].map(|length| length * SCALE);
    format!(
        "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {right} {bottom}\">\n<title>{}</title>\n<style>{}</style>\n{}</svg>\n",
        escaped(title),
        dark_style(),
        canvas.0.into_inner(),
    )
}

/// A rule for each colour: CSS wins over the attributes of the elements.
fn dark_style() -> String {
    // Paper is white, whatever the screen is.
    let mut css = String::from("@media screen and (prefers-color-scheme: dark) {");
    for light in [CARD, TEXT, MUTED, GRID, REFERENCE].iter().chain(&SERIES) {
        let dark = Ink {
            light: light.dark,
            ..*light
        };
        css += &format!(
            ".chart [fill=\"{light}\"]{{fill:{dark}}}.chart [stroke=\"{light}\"]{{stroke:{dark}}}"
        );
    }
    css + "}"
}

fn escaped(text: &str) -> String {
    html! { (text) }.into_string()
}

fn scaled(length: f64) -> i32 {
    (length * SCALE).round() as i32
}

fn joined(points: &[Point]) -> String {
    let points = points.iter();
    let points = points.map(|&(x, y)| format!("{},{} ", scaled(x), scaled(y)));
    points.collect()
}

impl Canvas {
    fn add(&self, element: &str) {
        *self.0.borrow_mut() += &format!("<{element}>\n");
    }

    /// A line through points.
    pub(crate) fn line(&self, points: &[Point], ink: Ink, width: f64) {
        self.path(points, ink, width, 1.0);
    }

    /// The same of what is not ours: thin, and half as dark.
    pub(super) fn faint(&self, points: &[Point], ink: Ink) {
        self.path(points, ink, 1.0, 0.55);
    }

    fn path(&self, points: &[Point], ink: Ink, width: f64, opacity: f64) {
        let (points, width) = (joined(points), scaled(width));
        self.add(&format!(
            r#"polyline fill="none" opacity="{opacity}" stroke="{ink}" stroke-width="{width}" points="{points}"/"#
        ));
    }

    /// A filled rectangle.
    pub(crate) fn bar(&self, from: Point, to: Point, ink: Ink) {
        let [x, y, right, bottom] = [from.0, from.1, to.0, to.1].map(scaled);
        let (width, height) = (right - x, bottom - y);
        self.add(&format!(
            r#"rect x="{x}" y="{y}" width="{width}" height="{height}" opacity="1" fill="{ink}" stroke="none"/"#
        ));
    }

    /// One line of text, its middle at the height of the point.
    pub(crate) fn text(&self, place: Point, text: &str, side: Align, ink: Ink) {
        self.styled(place, text, side, ink, (LABEL, ""));
    }

    fn styled(&self, (x, y): Point, text: &str, side: Align, ink: Ink, font: (f64, &str)) {
        let (x, y, size, style, text) =
            (scaled(x), scaled(y), font.0 * SCALE, font.1, escaped(text));
        let anchor = match side {
            Align::Left => "start",
            Align::Center => "middle",
            Align::Right => "end",
        };
        self.add(&format!(
            r#"text x="{x}" y="{y}" dy="0.5ex" text-anchor="{anchor}" font-family="sans-serif" font-size="{size}" opacity="1" fill="{ink}"{style}>{text}</text"#
        ));
    }

    /// A chart's title, in bold.
    pub(crate) fn title(&self, lines: &[String]) {
        for (row, line) in lines.iter().enumerate() {
            let place = (MARGIN, MARGIN + 8.0 + row as f64 * ROW);
            let bold = (TITLE, r#" font-weight="bold""#);
            self.styled(place, line, Align::Left, TEXT, bold);
        }
    }

    /// An upright grid line with a label below it.
    pub(super) fn upright(&self, x: f64, (top, bottom): Point, label: &str) {
        self.line(&[(x, top), (x, bottom)], GRID, 1.0);
        self.text((x, bottom + 14.0), label, Align::Center, MUTED);
    }

    /// A line between two points with a bar across each of its ends.
    pub(super) fn whisker(&self, ends: [Point; 2], ink: Ink, width: f64) {
        self.line(&ends, ink, width);
        let upright = ends[0].0 == ends[1].0;
        let (dx, dy) = if upright { (4.0, 0.0) } else { (0.0, 4.0) };
        for (x, y) in ends {
            self.line(&[(x - dx, y - dy), (x + dx, y + dy)], ink, 1.25);
        }
    }

    /// The mark of a series, of a shape of its own; hollow for what is not ours.
    pub(crate) fn mark(&self, (x, y): Point, series: usize, ink: Ink, hollow: bool) {
        const RADIUS: f64 = 4.5;
        let fill = if hollow { CARD } else { ink };
        let corners = corners(series).into_iter();
        let points = corners.map(|(dx, dy)| (x + dx * RADIUS, y + dy * RADIUS));
        let mut points: Vec<Point> = points.collect();
        if points.is_empty() {
            let (x, y, radius, width) = (scaled(x), scaled(y), scaled(RADIUS), scaled(1.5));
            let circle = |style: String| {
                self.add(&format!(
                    r#"circle cx="{x}" cy="{y}" r="{radius}" opacity="1" {style}/"#
                ));
            };
            circle(format!(r#"fill="{fill}" stroke="none" stroke-width="1""#));
            if hollow {
                circle(format!(
                    r#"fill="none" stroke="{ink}" stroke-width="{width}""#
                ));
            }
            return;
        }
        let outline = joined(&points);
        self.add(&format!(
            r#"polygon opacity="1" fill="{fill}" points="{outline}"/"#
        ));
        if hollow {
            points.extend_from_within(0..2);
            self.line(&points, ink, 1.5);
        }
    }
}

/// A mark's corners around its point, for a circle of radius 1; none for the circle.
fn corners(series: usize) -> Vec<Point> {
    let ring = |count: usize, corner: &dyn Fn(usize) -> Point| {
        let corners = (0..count).map(corner);
        let corners = corners.map(|(angle, radius)| (angle.to_radians(), radius));
        corners
            .map(|(angle, radius)| (radius * angle.cos(), radius * angle.sin()))
            .collect()
    };
    let turned = |count: usize, start: f64, radii: [f64; 2]| {
        ring(count, &|at| {
            (start + 360.0 * at as f64 / count as f64, radii[at % 2])
        })
    };
    // A plus or a cross: two corners at the end of each arm, one between it and the next.
    let arms = |start: f64| {
        ring(12, &|at| {
            let (aside, radius) = [(-18.0, 1.3), (18.0, 1.3), (45.0, 0.56)][at % 3];
            (start + 90.0 * (at / 3) as f64 + aside, radius)
        })
    };
    let brick = |x: f64, y: f64| vec![(-x, -y), (x, -y), (x, y), (-x, y)];
    match series % SERIES.len() {
        0 => Vec::new(),
        1 => turned(4, 45.0, [1.25; 2]),
        2 => turned(3, -90.0, [1.35; 2]),
        3 => turned(4, 0.0, [1.3; 2]),
        4 => turned(3, 90.0, [1.35; 2]),
        5 => arms(45.0),
        6 => arms(0.0),
        8 => turned(3, 0.0, [1.35; 2]),
        9 => turned(3, 180.0, [1.35; 2]),
        10 => brick(1.5, 0.5),
        11 => brick(0.5, 1.5),
        _ => turned(10, -90.0, [1.5, 0.65]),
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
            assert!(
                1.05 / (luminance(ink.light) + 0.05) >= 3.0,
                "{ink:?} on white"
            );
            let card = luminance(CARD.dark) + 0.05;
            assert!(
                (luminance(ink.dark) + 0.05) / card >= 3.0,
                "{ink:?} on dark"
            );
        }
    }
}
