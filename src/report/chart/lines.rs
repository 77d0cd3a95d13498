//! Line charts: a panel per row of a block, a point per column, the paper's numbers beside ours.

use super::axis::{Axis, columns, narrowest, runs, tick_name};
use super::canvas::{
    Canvas, DrawError, Drawn, GRID, HPos, LABEL, MARGIN, MUTED, REFERENCE, ROW, TEXT, WIDTH,
    draw as on_card, series, title_lines,
};
use super::text::{fitted, flow, widest};
use crate::config::{Quantity, TECHNIQUE};
use crate::report::block::{Block, BlockCell};
use crate::report::naming;
use crate::report::number::Unit;

/// The plot of a chart with one panel, of each of several, and of each on a phone.
const HEIGHTS: [f64; 3] = [240.0, 150.0, 80.0];
/// The narrowest panel, on a screen and on a phone.
const PANELS: [f64; 2] = [92.0, 80.0];
/// Below and above a panel's plot: names of columns, and its title.
const BELOW: f64 = 24.0;
const ABOVE: f64 = 22.0;
const GAP: f64 = 14.0;
/// The band around the paper's numbers.
const FACTOR: f64 = 2.0;

#[derive(Clone, Copy, PartialEq)]
enum Key {
    Ours,
    Paper,
    Band,
    Noted,
}

/// Draws a block of this width; `None` without numbers.
pub(crate) fn draw(
    title: &str,
    block: &Block,
    quantity: &Quantity,
    log: bool,
    whole: f64,
) -> Result<Option<String>, DrawError> {
    let cells = || block.cells.iter().flatten();
    let reference = (*quantity == Quantity::Speedup).then_some(1.0);
    let values: Vec<f64> = cells()
        .flat_map(|cell| {
            let (low, high) = interval(cell).unzip();
            [ours(cell), paper(cell), low, high].into_iter().flatten()
        })
        .collect();
    let is_published = cells().any(|cell| paper(cell).is_some());
    // A factor of the paper's number has one height on a logarithmic axis alone.
    let log = log || is_published && values.iter().all(|value| *value > 0.0);
    let scale = Axis::around(values.iter().copied().chain(reference), log);
    let Some(scale) = scale.filter(|_| !values.is_empty()) else {
        return Ok(None);
    };
    let mut keys = vec![
        (Key::Ours, "this run, with 95 % interval", true),
        (Key::Paper, "paper", is_published),
        (Key::Band, "within a factor of 2", is_published && log),
        (
            Key::Noted,
            "paper, with a note",
            cells().any(|cell| cell.note().is_some()),
        ),
    ];
    keys.retain(|(.., is_there)| *is_there);
    let mut name = naming::title(quantity, block.baseline.as_deref());
    name += if log { ", log scale" } else { "" };
    let axis = block.column_axis.as_deref().unwrap_or_default();
    let axis = if axis.is_empty() {
        String::new()
    } else {
        format!(", by {axis}")
    };
    let chart = Chart::new(
        title,
        block,
        naming::unit(quantity, None),
        scale,
        keys,
        whole,
    );
    let svg = on_card(title, (whole, chart.height), |canvas| {
        canvas.title(&chart.title)?;
        let place = (MARGIN, chart.top - 12.0);
        let name = fitted(&format!("{name}{axis}"), LABEL, whole - 2.0 * MARGIN);
        canvas.text(place, &name, HPos::Left, MUTED)?;
        for at in 0..block.rows.len() {
            chart.panel(canvas, at, reference)?;
        }
        chart.legend(canvas)
    });
    svg.map(Some)
}

fn ours(cell: &BlockCell) -> Option<f64> {
    cell.figure.as_ref().ok().map(|known| known.value)
}

fn interval(cell: &BlockCell) -> Option<(f64, f64)> {
    cell.figure.as_ref().ok()?.interval
}

fn paper(cell: &BlockCell) -> Option<f64> {
    cell.published.as_ref().map(|published| published.value)
}

struct Chart<'a> {
    block: &'a Block,
    keys: Vec<(Key, &'static str, bool)>,
    title: Vec<String>,
    whole: f64,
    height: f64,
    top: f64,
    /// The left end of the plots, right of the names of ticks.
    left: f64,
    across: usize,
    /// Width and height of a panel's plot.
    plot: (f64, f64),
    scale: Axis,
    unit: Unit,
    names: Vec<String>,
}

impl<'a> Chart<'a> {
    fn new(
        title: &str,
        block: &'a Block,
        unit: Unit,
        scale: Axis,
        keys: Vec<(Key, &'static str, bool)>,
        whole: f64,
    ) -> Self {
        let title = title_lines(title, whole);
        let count = block.rows.len();
        let ticks = scale.ticks().into_iter().map(|tick| unit.tick(tick));
        let left = MARGIN + widest(ticks) + 10.0;
        let room = whole - MARGIN - left;
        let is_narrow = whole < WIDTH;
        let panel = PANELS[usize::from(is_narrow)];
        let across = ((room / (panel + GAP)) as usize).clamp(1, count.max(1));
        let height = HEIGHTS[usize::from(count > 1) * (1 + usize::from(is_narrow))];
        let plot = (room / across as f64 - GAP, height);
        let top = MARGIN + title.len() as f64 * ROW + 30.0;
        let panels = count.div_ceil(across) as f64 * (ABOVE + plot.1 + BELOW);
        let mut chart = Chart {
            names: block.columns.iter().map(|name| tick_name(name)).collect(),
            block,
            keys,
            title,
            whole,
            height: top + panels,
            top,
            left,
            across,
            plot,
            scale,
            unit,
        };
        let lines = chart.key_places().last().map_or(0.0, |(_, y)| *y);
        chart.height += lines + ROW + 8.0;
        chart
    }

    /// A panel with its axes, the band around the paper's numbers, the paper's numbers, and ours.
    fn panel(&self, canvas: &Canvas<'_>, at: usize, reference: Option<f64>) -> Drawn {
        let (width, height) = self.plot;
        let (row, column) = (at / self.across, at % self.across);
        let left = self.left + column as f64 * (width + GAP);
        let top = self.top + row as f64 * (ABOVE + height + BELOW) + ABOVE;
        let (right, bottom) = (left + width, top + height);
        let y = |value: f64| Some(bottom - self.scale.place(value)? * height);
        let (axis, name) = (self.block.row_axis.as_str(), &self.block.rows[at]);
        let named = match axis {
            TECHNIQUE => name.clone(),
            _ => format!("{axis} {name}"),
        };
        let name = fitted(&named, LABEL, width);
        canvas.text((left, top - 10.0), &name, HPos::Left, TEXT)?;
        let mut named = f64::INFINITY;
        for tick in self.scale.ticks() {
            let Some(y) = y(tick) else { continue };
            canvas.line(&[(left, y), (right, y)], GRID, 1.0)?;
            // A short panel has no room for every name.
            if column == 0 && named - y >= 1.4 * LABEL {
                named = y;
                canvas.text((left - 8.0, y), &self.unit.tick(tick), HPos::Right, MUTED)?;
            }
        }
        if let Some(y) = reference.and_then(y) {
            canvas.line(&[(left, y), (right, y)], REFERENCE, 1.5)?;
        }
        canvas.line(&[(left, bottom), (right, bottom)], MUTED, 1.0)?;
        let places = columns(&self.block.columns).into_iter();
        let places: Vec<f64> = places
            .map(|place| left + 12.0 + place * (width - 24.0))
            .collect();
        // The outer names stay within their panel. Between them all have a name, or none has.
        let last = places.len().saturating_sub(1);
        let has_room = 1.5 * widest(&self.names) <= narrowest(&places);
        for (at, (x, name)) in places.iter().zip(&self.names).enumerate() {
            let (x, side) = match at {
                0 if last > 0 => (left, HPos::Left),
                at if at == last && last > 0 => (right, HPos::Right),
                _ if !has_room => continue,
                _ => (*x, HPos::Center),
            };
            canvas.text(
                (x, bottom + 12.0),
                &fitted(name, LABEL, 0.6 * width),
                side,
                MUTED,
            )?;
        }
        let cells = &self.block.cells[at];
        let points = |value: &dyn Fn(&BlockCell) -> Option<f64>| -> Vec<Option<(f64, f64)>> {
            let points = places.iter().zip(cells);
            points
                .map(|(x, cell)| Some((*x, y(value(cell)?)?)))
                .collect()
        };
        let edge = |factor: f64| {
            let inside =
                move |value: f64| (value * factor).clamp(self.scale.ends().0, self.scale.ends().1);
            runs(&points(&|cell| paper(cell).map(inside)))
        };
        if self.keys.iter().any(|(key, ..)| *key == Key::Band) {
            for (above, below) in edge(FACTOR).into_iter().zip(edge(1.0 / FACTOR)) {
                canvas.band(above.into_iter().chain(below.into_iter().rev()).collect())?;
            }
        }
        // Techniques have no order, so no line joins them.
        let joins = self.block.column_axis.as_deref() != Some(TECHNIQUE);
        let (of_paper, of_ours) = (points(&paper), points(&ours));
        for run in runs(&of_paper).iter().filter(|_| joins) {
            canvas.faint(run, MUTED)?;
        }
        for run in runs(&of_ours).iter().filter(|_| joins) {
            canvas.line(run, series(0), 2.0)?;
        }
        for (point, cell) in of_paper.into_iter().zip(cells) {
            let Some(point) = point else { continue };
            canvas.mark(point, 0, MUTED, true)?;
            if cell.note().is_some() {
                crossed(canvas, point)?;
            }
        }
        for (point, cell) in of_ours.into_iter().zip(cells) {
            let Some((x, place)) = point else { continue };
            if let Some((low, high)) = interval(cell).and_then(|(low, high)| y(low).zip(y(high))) {
                canvas.whisker([(x, low), (x, high)], series(0), 1.25)?;
            }
            canvas.mark((x, place), 0, series(0), false)?;
        }
        Ok(())
    }

    /// Where the keys stand below the panels.
    fn key_places(&self) -> Vec<(f64, f64)> {
        let names = self.keys.iter().map(|(_, name, _)| *name);
        flow(names, 28.0, self.whole - 2.0 * MARGIN, ROW)
    }

    fn legend(&self, canvas: &Canvas<'_>) -> Drawn {
        let places = self.key_places();
        let lines = places.last().map_or(0.0, |(_, y)| *y);
        let top = self.height - lines - 16.0;
        for ((key, name, _), (x, y)) in self.keys.iter().zip(places) {
            let x = MARGIN + x;
            let middle = (x + 11.0, top + y);
            let line = [(x, top + y), (x + 22.0, top + y)];
            match key {
                Key::Ours => {
                    canvas.line(&line, series(0), 2.0)?;
                    canvas.mark(middle, 0, series(0), false)?;
                }
                Key::Paper => {
                    canvas.faint(&line, MUTED)?;
                    canvas.mark(middle, 0, MUTED, true)?;
                }
                Key::Band => {
                    let (low, high) = (middle.1 - 6.0, middle.1 + 6.0);
                    canvas.band(vec![(x, low), (x + 22.0, low), (x + 22.0, high), (x, high)])?;
                }
                Key::Noted => {
                    canvas.mark(middle, 0, MUTED, true)?;
                    crossed(canvas, middle)?;
                }
            }
            canvas.text((x + 28.0, top + y), name, HPos::Left, TEXT)?;
        }
        Ok(())
    }
}

/// Crosses out a point that contradicts other numbers of its paper.
fn crossed(canvas: &Canvas<'_>, (x, y): (f64, f64)) -> Drawn {
    const ARM: f64 = 7.0;
    for slope in [1.0, -1.0] {
        let ends = [(x - ARM, y - slope * ARM), (x + ARM, y + slope * ARM)];
        canvas.line(&ends, MUTED, 1.25)?;
    }
    Ok(())
}
