//! Line charts: one line per row of a block, one point per column.

use super::axis::{Axis, columns, narrowest, runs, tick_name};
use super::canvas::{
    Canvas, DrawError, Drawn, GRID, HPos, Ink, LABEL, MARGIN, MUTED, REFERENCE, ROW, TEXT, WIDTH,
    draw as on_card, series, title_lines,
};
use super::text::{fitted, widest};
use crate::config::Quantity;
use crate::report::block::{Block, BlockCell};
use crate::report::naming;
use crate::report::number::Unit;

const PLOT_HEIGHT: f64 = 320.0;
const MOST_ASIDE: f64 = 5.0;
const NAME: f64 = 170.0;

#[derive(Clone, Copy)]
enum Key {
    Ours,
    Paper,
    Noted,
    Interval,
}

pub(crate) fn draw(
    title: &str,
    block: &Block,
    quantity: &Quantity,
    log: bool,
) -> Result<Option<String>, DrawError> {
    let cells = || block.cells.iter().flatten();
    let reference = (*quantity == Quantity::Speedup).then_some(1.0);
    let values = cells().flat_map(|cell| {
        let (low, high) = interval(cell).unzip();
        [ours(cell), paper(cell), low, high].into_iter().flatten()
    });
    let values: Vec<f64> = values.collect();
    let scale = Axis::around(values.iter().copied().chain(reference), log);
    let Some(scale) = scale.filter(|_| !values.is_empty()) else {
        return Ok(None);
    };
    let is_published = cells().any(|cell| paper(cell).is_some());
    let is_noted = cells().any(|cell| cell.note().is_some());
    let has_interval = cells().any(|cell| interval(cell).is_some());
    let mut keys = vec![
        (Key::Ours, "this run", is_published),
        (Key::Paper, "paper", is_published),
        (Key::Noted, "paper, with a note", is_noted),
        (Key::Interval, "95 % interval", has_interval),
    ];
    keys.retain(|(.., is_there)| *is_there);
    let mut name = naming::title(quantity, block.baseline.as_deref());
    if log {
        name += ", log scale";
    }
    let layout = Layout::new(title, block, naming::unit(quantity, None), scale, keys);
    let svg = on_card(title, (WIDTH, layout.height), |canvas| {
        layout.frame(canvas, &name, reference)?;
        // The paper's lines lie under ours.
        for is_paper in [true, false] {
            for at in 0..block.cells.len() {
                layout.row(canvas, at, is_paper)?;
            }
        }
        layout.legend(canvas)
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

struct Layout<'a> {
    block: &'a Block,
    keys: Vec<(Key, &'static str, bool)>,
    title: Vec<String>,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    scale: Axis,
    unit: Unit,
    columns: Vec<f64>,
    names: Vec<String>,
    /// Offset in pixels between the points of one column, so that equal values do not hide each other.
    aside: f64,
    /// Rows of column names: 2, alternating, if neighbours would touch.
    rows: usize,
}

impl<'a> Layout<'a> {
    fn new(
        title: &str,
        block: &'a Block,
        unit: Unit,
        scale: Axis,
        keys: Vec<(Key, &'static str, bool)>,
    ) -> Self {
        let title = title_lines(title, WIDTH);
        let ticks = scale.ticks().into_iter().map(|tick| unit.tick(tick));
        let rows = block.rows.iter().chain([&block.row_axis]);
        let names = widest(rows).max(widest(keys.iter().map(|(_, name, _)| name)));
        let left = MARGIN + widest(ticks) + 10.0;
        let right = WIDTH - MARGIN - names.min(NAME) - 48.0;
        let top = MARGIN + title.len() as f64 * ROW + 30.0;
        let legend = ROW * (block.rows.len() + 1 + keys.len()) as f64 + 12.0;
        let bottom = top + PLOT_HEIGHT.max(legend - 40.0);
        let places = columns(&block.columns).into_iter();
        let columns = places.map(|place| left + 30.0 + place * (right - left - 60.0));
        let columns: Vec<f64> = columns.collect();
        let gap = narrowest(&columns);
        let names: Vec<String> = block.columns.iter().map(|name| tick_name(name)).collect();
        let is_full = widest(&names) + 8.0 > gap;
        Layout {
            height: bottom + if is_full { 60.0 } else { 46.0 },
            aside: MOST_ASIDE.min(gap * 0.5 / block.rows.len().max(1) as f64),
            rows: if is_full { 2 } else { 1 },
            block,
            keys,
            title,
            left,
            right,
            top,
            bottom,
            scale,
            unit,
            columns,
            names,
        }
    }

    fn y(&self, value: f64) -> Option<f64> {
        let place = self.scale.place(value)?;
        Some(self.bottom - place * (self.bottom - self.top))
    }

    fn frame(&self, canvas: &Canvas<'_>, name: &str, reference: Option<f64>) -> Drawn {
        let (left, right, bottom) = (self.left, self.right, self.bottom);
        canvas.title(&self.title)?;
        canvas.text((MARGIN, self.top - 16.0), name, HPos::Left, MUTED)?;
        for tick in self.scale.ticks() {
            let Some(y) = self.y(tick) else { continue };
            canvas.line(&[(left, y), (right, y)], GRID, 1.0)?;
            canvas.text((left - 8.0, y), &self.unit.tick(tick), HPos::Right, MUTED)?;
        }
        if let Some(y) = reference.and_then(|value| self.y(value)) {
            canvas.line(&[(left, y), (right, y)], REFERENCE, 1.5)?;
        }
        canvas.line(&[(left, bottom), (right, bottom)], MUTED, 1.0)?;
        let room = narrowest(&self.columns) * self.rows as f64 - 6.0;
        for (at, (x, name)) in self.columns.iter().zip(&self.names).enumerate() {
            canvas.line(&[(*x, bottom), (*x, bottom + 4.0)], MUTED, 1.0)?;
            let y = bottom + 14.0 + (at % self.rows) as f64 * 15.0;
            canvas.text((*x, y), &fitted(name, LABEL, room), HPos::Center, MUTED)?;
        }
        let axis = self.block.column_axis.as_deref().unwrap_or_default();
        let below = ((left + right) / 2.0, self.height - 12.0);
        canvas.text(below, axis, HPos::Center, MUTED)
    }

    /// The line of a row: ours with intervals, or the paper's, thin and with hollow marks.
    fn row(&self, canvas: &Canvas<'_>, at: usize, is_paper: bool) -> Drawn {
        let (row, ink) = (&self.block.cells[at], series(at));
        let value = if is_paper { paper } else { ours };
        let aside = (at as f64 - (self.block.rows.len() - 1) as f64 / 2.0) * self.aside;
        let places = self.columns.iter().map(|x| x + aside).zip(row);
        let points = places.map(|(x, cell)| Some((x, self.y(value(cell)?)?)));
        let points: Vec<Option<(f64, f64)>> = points.collect();
        for run in runs(&points) {
            match is_paper {
                true => canvas.faint(&run, ink)?,
                false => canvas.line(&run, ink, 2.0)?,
            }
        }
        for (point, cell) in points.into_iter().zip(row) {
            let Some((x, y)) = point else { continue };
            let ends = interval(cell).filter(|_| !is_paper);
            let ends = ends.and_then(|(low, high)| Some([(x, self.y(low)?), (x, self.y(high)?)]));
            if let Some(ends) = ends {
                canvas.whisker(ends, ink, 1.25)?;
            }
            canvas.mark((x, y), at, ink, is_paper)?;
            if is_paper && cell.note().is_some() {
                crossed(canvas, (x, y), ink)?;
            }
        }
        Ok(())
    }

    fn legend(&self, canvas: &Canvas<'_>) -> Drawn {
        let x = self.right + 18.0;
        let mut y = self.top + 2.0;
        let text = |x: f64, y: f64, text: &str, ink: Ink| {
            canvas.text((x, y), &fitted(text, LABEL, NAME), HPos::Left, ink)
        };
        let line = |y: f64| [(x, y), (x + 22.0, y)];
        text(x, y, &self.block.row_axis, MUTED)?;
        for (at, name) in self.block.rows.iter().enumerate() {
            y += ROW;
            canvas.line(&line(y), series(at), 2.0)?;
            canvas.mark((x + 11.0, y), at, series(at), false)?;
            text(x + 28.0, y, name, TEXT)?;
        }
        y += 12.0;
        for (key, name, _) in &self.keys {
            y += ROW;
            let middle = (x + 11.0, y);
            match key {
                Key::Ours => canvas.line(&line(y), MUTED, 2.0)?,
                Key::Paper => canvas.faint(&line(y), MUTED)?,
                Key::Noted => {}
                Key::Interval => {
                    let ends = [(middle.0, y - 6.0), (middle.0, y + 6.0)];
                    canvas.whisker(ends, MUTED, 1.25)?;
                }
            }
            if !matches!(key, Key::Interval) {
                canvas.mark(middle, 0, MUTED, !matches!(key, Key::Ours))?;
            }
            if matches!(key, Key::Noted) {
                crossed(canvas, middle, MUTED)?;
            }
            text(x + 28.0, y, name, TEXT)?;
        }
        Ok(())
    }
}

/// Crosses out a point that contradicts other numbers of its paper.
fn crossed(canvas: &Canvas<'_>, (x, y): (f64, f64), ink: Ink) -> Drawn {
    const ARM: f64 = 7.0;
    for slope in [1.0, -1.0] {
        let from = (x - ARM, y - slope * ARM);
        let to = (x + ARM, y + slope * ARM);
        canvas.line(&[from, to], ink, 1.25)?;
    }
    Ok(())
}
