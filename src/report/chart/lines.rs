//! Line charts: one line for each row of a block, one point for each column.

use super::axis::Axis;
use super::canvas::{
    Anchor, Canvas, DrawError, GRID, Ink, LABEL, MARGIN, MUTED, Mark, REFERENCE, ROW, TEXT, WIDTH,
    draw as on_card, series, title_lines,
};
use super::places::{columns, narrowest, runs, tick_name};
use super::text::{fitted, width};
use crate::config::Quantity;
use crate::report::block::{Block, BlockCell};
use crate::report::naming;
use crate::report::number::Unit;

const PLOT_HEIGHT: f64 = 320.0;
/// The most pixels between the points of two lines in one column.
const MOST_ASIDE: f64 = 5.0;
/// What the legend calls a published point with a note.
const NOTED: &str = "paper, with a note";
/// The widest that a name in the legend may be.
const NAME: f64 = 170.0;

/// A block as a chart; `None` where it has no number at all.
pub(crate) fn draw(
    title: &str,
    block: &Block,
    quantity: &Quantity,
    log: bool,
) -> Result<Option<String>, DrawError> {
    let cells = || block.cells.iter().flatten();
    let reference = (*quantity == Quantity::Speedup).then_some(1.0);
    let values = cells().flat_map(|cell| {
        let ours = ours(cell).map(|(value, interval)| {
            let (low, high) = interval.unwrap_or((value, value));
            [value, low, high]
        });
        ours.into_iter().flatten().chain(paper(cell))
    });
    let Some(y) = Axis::around(values.clone().chain(reference), log) else {
        return Ok(None);
    };
    if values.count() == 0 {
        return Ok(None);
    }
    let keys = Keys {
        published: cells().any(|cell| paper(cell).is_some()),
        noted: cells().any(is_noted),
        whiskers: cells().any(|cell| ours(cell).is_some_and(|(_, interval)| interval.is_some())),
    };
    let layout = Layout::new(title, block, quantity, y, &keys);
    on_card(title, (WIDTH, layout.height), |canvas| {
        layout.frame(canvas, block, quantity, log, reference)?;
        // The paper's lines lie under ours.
        for (at, row) in block.cells.iter().enumerate() {
            layout.published(canvas, at, row)?;
        }
        for (at, row) in block.cells.iter().enumerate() {
            layout.measured(canvas, at, row)?;
        }
        layout.legend(canvas, block, &keys)
    })
    .map(Some)
}

fn ours(cell: &BlockCell) -> Option<(f64, Option<(f64, f64)>)> {
    let known = cell.figure.as_ref().ok()?;
    Some((known.value, known.interval))
}

fn paper(cell: &BlockCell) -> Option<f64> {
    cell.published.as_ref().map(|published| published.value)
}

fn is_noted(cell: &BlockCell) -> bool {
    let published = cell.published.as_ref();
    published.is_some_and(|published| !published.note.is_empty())
}

/// What the legend explains below the lines.
struct Keys {
    published: bool,
    /// A published point has a note.
    noted: bool,
    whiskers: bool,
}

impl Keys {
    fn count(&self) -> usize {
        usize::from(self.published) * 2 + usize::from(self.noted) + usize::from(self.whiskers)
    }
}

struct Layout {
    title: Vec<String>,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    y: Axis,
    unit: Unit,
    /// The place of each column, in pixels.
    columns: Vec<f64>,
    /// What each is called below the axis.
    names: Vec<String>,
    /// Points of one column stand side by side, so that equal values do not hide each other: so
    /// many pixels from one line's to the next's, and so many lines.
    aside: (f64, usize),
    /// Whether the names of the columns stand in two rows.
    staggered: bool,
}

impl Layout {
    fn new(title: &str, block: &Block, quantity: &Quantity, y: Axis, keys: &Keys) -> Self {
        let unit = naming::unit(quantity, None);
        let title = title_lines(title);
        let ticks = y.ticks();
        let tick = ticks
            .iter()
            .map(|tick| width(&unit.tick(*tick), LABEL))
            .fold(0.0, f64::max);
        let names = block
            .rows
            .iter()
            .map(|name| width(name, LABEL))
            .chain(std::iter::once(width(&block.row_axis, LABEL)))
            .chain(keys.published.then(|| width("this run", LABEL)))
            .chain(keys.noted.then(|| width(NOTED, LABEL)))
            .chain(keys.whiskers.then(|| width("95 % interval", LABEL)))
            .fold(0.0, f64::max)
            .min(NAME);
        let left = MARGIN + tick + 10.0;
        let right = WIDTH - MARGIN - names - 48.0;
        // The title, then the vertical axis's name on a line of its own.
        let top = MARGIN + title.len() as f64 * 20.0 + 30.0;
        let legend = ROW * (block.rows.len() + 1 + keys.count()) as f64 + 12.0;
        let bottom = top + PLOT_HEIGHT.max(legend - 40.0);
        let columns: Vec<f64> = columns(&block.columns)
            .into_iter()
            .map(|place| left + 30.0 + place * (right - left - 60.0))
            .collect();
        let gap = narrowest(&columns);
        let names: Vec<String> = block.columns.iter().map(|name| tick_name(name)).collect();
        let widest = names.iter().map(|name| width(name, LABEL));
        let widest = widest.fold(0.0, f64::max);
        let staggered = widest + 8.0 > gap;
        let lines = block.rows.len();
        let aside = (MOST_ASIDE.min(gap * 0.5 / lines.max(1) as f64), lines);
        let height = bottom + if staggered { 60.0 } else { 46.0 };
        Layout {
            title,
            height,
            left,
            right,
            top,
            bottom,
            y,
            unit,
            columns,
            names,
            aside,
            staggered,
        }
    }

    /// The horizontal place of a line's point in a column.
    fn x(&self, column: f64, line: usize) -> f64 {
        let (step, lines) = self.aside;
        column + (line as f64 - (lines.saturating_sub(1)) as f64 / 2.0) * step
    }

    fn y(&self, value: f64) -> Option<f64> {
        self.y
            .place(value)
            .map(|place| self.bottom - place * (self.bottom - self.top))
    }

    fn frame(
        &self,
        canvas: &Canvas<'_>,
        block: &Block,
        quantity: &Quantity,
        log: bool,
        reference: Option<f64>,
    ) -> Result<(), DrawError> {
        canvas.title(&self.title)?;
        let mut name = naming::title(quantity, block.baseline.as_deref());
        if log {
            name += ", log scale";
        }
        canvas.text(
            (MARGIN, self.top - 16.0),
            &name,
            LABEL,
            Anchor::Start,
            MUTED,
        )?;
        for tick in self.y.ticks() {
            let Some(y) = self.y(tick) else { continue };
            canvas.line(&[(self.left, y), (self.right, y)], GRID, 1.0, 1.0)?;
            let label = self.unit.tick(tick);
            canvas.text((self.left - 8.0, y), &label, LABEL, Anchor::End, MUTED)?;
        }
        if let Some(y) = reference.and_then(|value| self.y(value)) {
            canvas.line(&[(self.left, y), (self.right, y)], REFERENCE, 1.5, 1.0)?;
        }
        let (left, right, bottom) = (self.left, self.right, self.bottom);
        canvas.line(&[(left, bottom), (right, bottom)], MUTED, 1.0, 1.0)?;
        // Names that would touch their neighbours stand in two rows by turns.
        let rows = if self.staggered { 2 } else { 1 };
        let room = narrowest(&self.columns) * f64::from(rows) - 6.0;
        for (at, (x, name)) in self.columns.iter().zip(&self.names).enumerate() {
            canvas.line(&[(*x, bottom), (*x, bottom + 4.0)], MUTED, 1.0, 1.0)?;
            let name = fitted(name, LABEL, room);
            let y = bottom + 14.0 + (at % rows as usize) as f64 * 15.0;
            canvas.text((*x, y), &name, LABEL, Anchor::Middle, MUTED)?;
        }
        let axis = block.column_axis.as_deref().unwrap_or_default();
        let middle = (left + right) / 2.0;
        canvas.text(
            (middle, self.height - 12.0),
            axis,
            LABEL,
            Anchor::Middle,
            MUTED,
        )
    }

    fn measured(&self, canvas: &Canvas<'_>, at: usize, row: &[BlockCell]) -> Result<(), DrawError> {
        let (ink, mark) = series(at);
        let points = self.points(at, row, |cell| ours(cell).map(|(value, _)| value));
        for run in runs(&points) {
            canvas.line(&run, ink, 2.0, 1.0)?;
        }
        for (x, cell) in self.columns.iter().zip(row) {
            let Some((low, high)) = ours(cell).and_then(|(_, interval)| interval) else {
                continue;
            };
            let (Some(low), Some(high)) = (self.y(low), self.y(high)) else {
                continue;
            };
            let x = self.x(*x, at);
            canvas.whisker([(x, low), (x, high)], ink, 1.25)?;
        }
        for point in points.into_iter().flatten() {
            canvas.mark(point, mark, ink, false)?;
        }
        Ok(())
    }

    fn published(
        &self,
        canvas: &Canvas<'_>,
        at: usize,
        row: &[BlockCell],
    ) -> Result<(), DrawError> {
        let (ink, mark) = series(at);
        let points = self.points(at, row, paper);
        for run in runs(&points) {
            canvas.line(&run, ink, 1.0, 0.55)?;
        }
        for (point, cell) in points.into_iter().zip(row) {
            let Some(point) = point else { continue };
            canvas.mark(point, mark, ink, true)?;
            if is_noted(cell) {
                crossed(canvas, point, ink)?;
            }
        }
        Ok(())
    }

    /// The places of a row's values; `None` where there is no value, or none that can be drawn.
    fn points(
        &self,
        line: usize,
        row: &[BlockCell],
        value: impl Fn(&BlockCell) -> Option<f64>,
    ) -> Vec<Option<(f64, f64)>> {
        self.columns
            .iter()
            .zip(row)
            .map(|(x, cell)| {
                value(cell)
                    .and_then(|value| self.y(value))
                    .map(|y| (self.x(*x, line), y))
            })
            .collect()
    }

    fn legend(&self, canvas: &Canvas<'_>, block: &Block, keys: &Keys) -> Result<(), DrawError> {
        let x = self.right + 18.0;
        let mut y = self.top + 2.0;
        let text = |y: f64, text: &str, ink: Ink| {
            canvas.text(
                (x + 28.0, y),
                &fitted(text, LABEL, NAME),
                LABEL,
                Anchor::Start,
                ink,
            )
        };
        canvas.text(
            (x, y),
            &fitted(&block.row_axis, LABEL, NAME),
            LABEL,
            Anchor::Start,
            MUTED,
        )?;
        for (at, name) in block.rows.iter().enumerate() {
            y += ROW;
            let (ink, mark) = series(at);
            canvas.line(&[(x, y), (x + 22.0, y)], ink, 2.0, 1.0)?;
            canvas.mark((x + 11.0, y), mark, ink, false)?;
            text(y, name, TEXT)?;
        }
        y += 12.0;
        if keys.published {
            y += ROW;
            canvas.line(&[(x, y), (x + 22.0, y)], MUTED, 2.0, 1.0)?;
            canvas.mark((x + 11.0, y), Mark(0), MUTED, false)?;
            text(y, "this run", TEXT)?;
            y += ROW;
            canvas.line(&[(x, y), (x + 22.0, y)], MUTED, 1.0, 0.55)?;
            canvas.mark((x + 11.0, y), Mark(0), MUTED, true)?;
            text(y, "paper", TEXT)?;
        }
        if keys.noted {
            y += ROW;
            canvas.mark((x + 11.0, y), Mark(0), MUTED, true)?;
            crossed(canvas, (x + 11.0, y), MUTED)?;
            text(y, NOTED, TEXT)?;
        }
        if keys.whiskers {
            y += ROW;
            canvas.whisker([(x + 11.0, y - 6.0), (x + 11.0, y + 6.0)], MUTED, 1.25)?;
            text(y, "95 % interval", TEXT)?;
        }
        Ok(())
    }
}

/// Crosses out a point that contradicts others of its paper. It stays where it was printed.
fn crossed(canvas: &Canvas<'_>, (x, y): (f64, f64), ink: Ink) -> Result<(), DrawError> {
    const ARM: f64 = 7.0;
    for slope in [1.0, -1.0] {
        let from = (x - ARM, y - slope * ARM);
        let to = (x + ARM, y + slope * ARM);
        canvas.line(&[from, to], ink, 1.25, 1.0)?;
    }
    Ok(())
}
