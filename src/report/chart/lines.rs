//! Draws line charts, with one panel per row of a block, one point per column, and the paper's numbers next to ours.

use super::axis::{Axis, columns, runs, tick_name};
use super::canvas::{
    Canvas, GRID, HPos, MARGIN, MUTED, REFERENCE, ROW, TEXT, WIDTH, draw as on_card, series,
};
use super::text::{LABEL, fitted, fitted_apart, widest};
use crate::config::{Quantity, TECHNIQUE};
use crate::report::block::{Block, BlockCell};
use crate::report::format;

/// Height of a plot in a chart with one panel, in a chart with several panels, and on a phone.
const HEIGHTS: [f64; 3] = [240.0, 150.0, 80.0];
/// Minimum width of a panel, on a screen and on a phone.
const PANELS: [f64; 2] = [92.0, 80.0];
/// Space below a panel's plot for the columns' names, and above it for its title.
const BELOW: f64 = 24.0;
const ABOVE: f64 = 22.0;
const GAP: f64 = 14.0;
/// The edges of the band are the paper's numbers divided and multiplied by this factor.
const FACTOR: f64 = 2.0;

/// Draws a block with a width of `whole` pixels. Returns `None` if there are no numbers.
pub(crate) fn draw(
    title: &str,
    block: &Block,
    quantity: &Quantity,
    log: bool,
    whole: f64,
) -> Option<String> {
    let cells = || block.cells.iter().flatten();
    let reference = (*quantity == Quantity::Speedup).then_some(1.0);
    let values = cells().flat_map(|cell| {
        let (low, high) = interval(cell).unzip();
        [cell.ours(), cell.paper(), low, high].into_iter().flatten()
    });
    let values: Vec<f64> = values.collect();
    let is_published = cells().any(|cell| cell.published.is_some());
    // The band has a constant height only on a logarithmic axis.
    let log = log || is_published && values.iter().all(|value| *value > 0.0);
    let scale = Axis::around(values.iter().copied().chain(reference), log);
    let scale = scale.filter(|_| !values.is_empty())?;
    let has_band = is_published && log;
    let mut axis = format::title(quantity, block.baseline.as_deref());
    axis += if log { ", log scale" } else { "" };
    if let Some(by) = block.column_axis.as_deref().filter(|by| !by.is_empty()) {
        axis += &format!(", by {by}");
    }
    let unit = format::unit(quantity, None);
    let ticks = scale.ticks().into_iter();
    let ticks = ticks.filter_map(|tick| Some((scale.place(tick)?, unit.tick(tick))));
    let ticks: Vec<(f64, String)> = ticks.collect();
    // The plots are to the right of the tick labels.
    let left = MARGIN + widest(ticks.iter().map(|(_, name)| name)) + 10.0;
    let room = whole - MARGIN - left;
    let (count, is_narrow) = (block.rows.len(), usize::from(whole < WIDTH));
    let across = ((room / (PANELS[is_narrow] + GAP)) as usize).clamp(1, count.max(1));
    let width = room / across as f64 - GAP;
    let height = HEIGHTS[usize::from(count > 1) * (1 + is_narrow)];
    let titles = block.rows.iter().map(|name| match block.row_axis.as_str() {
        TECHNIQUE => name.clone(),
        axis => format!("{axis} {name}"),
    });
    let titles = fitted_apart(&titles.collect::<Vec<_>>(), width);
    let rows = count.div_ceil(across) as f64 * (ABOVE + height + BELOW);
    // On a phone, the band's key is below the others.
    let is_broken = has_band && whole < WIDTH;
    let below = rows + ROW + if is_broken { ROW } else { 0.0 } + 38.0;
    let svg = on_card(title, whole, below, |canvas, top| {
        let top = top + 30.0;
        let axis = fitted(&axis, LABEL, whole - 2.0 * MARGIN);
        canvas.text((MARGIN, top - 12.0), &axis, HPos::Left, MUTED);
        for (at, title) in titles.iter().enumerate() {
            let (row, column) = (at / across, at % across);
            let left = left + column as f64 * (width + GAP);
            let top = top + row as f64 * (ABOVE + height + BELOW) + ABOVE;
            canvas.text((left, top - 10.0), title, HPos::Left, TEXT);
            let mut named = f64::INFINITY;
            for (place, name) in &ticks {
                let y = top + height - place * height;
                canvas.line(&[(left, y), (left + width, y)], GRID, 1.0);
                // A short panel has no room for every label.
                if column == 0 && named - y >= 1.4 * LABEL {
                    named = y;
                    canvas.text((left - 8.0, y), name, HPos::Right, MUTED);
                }
            }
            let (block, place) = ((block, at), [(left, top), (width, height)]);
            panel(canvas, block, scale, place, reference, has_band);
        }
        let line = |x: f64, y: f64| [(x, y), (x + 22.0, y)];
        let named = |x: f64, y: f64, name: &str| {
            canvas.text((x + 28.0, y), name, HPos::Left, TEXT);
            x + 28.0 + widest([name]) + 16.0
        };
        let (x, y) = (MARGIN, top + rows + ROW - 8.0);
        canvas.line(&line(x, y), series(0), 2.0);
        canvas.mark((x + 11.0, y), 0, series(0));
        let x = named(x, y, "this run, with 95 % interval");
        if is_published {
            canvas.faint(&line(x, y), MUTED);
            canvas.ring((x + 11.0, y), MUTED);
            let x = named(x, y, "paper");
            if has_band {
                let (x, y) = if is_broken { (MARGIN, y + ROW) } else { (x, y) };
                let [above, below] = [y - 6.0, y + 6.0].map(|y| line(x, y));
                canvas.band(vec![above[0], above[1], below[1], below[0]]);
                named(x, y, "within a factor of 2");
            }
        }
    });
    Some(svg)
}

fn interval(cell: &BlockCell) -> Option<(f64, f64)> {
    cell.figure.as_ref().ok()?.interval
}

/// Draws a row of a block in a plot with this corner and size: the band, the paper's numbers and our numbers.
fn panel(
    canvas: &Canvas<'_>,
    (block, at): (&Block, usize),
    scale: Axis,
    [(left, top), (width, height)]: [(f64, f64); 2],
    reference: Option<f64>,
    has_band: bool,
) {
    let (right, bottom) = (left + width, top + height);
    let y = |value: f64| Some(bottom - scale.place(value)? * height);
    if let Some(y) = reference.and_then(y) {
        canvas.line(&[(left, y), (right, y)], REFERENCE, 1.5);
    }
    canvas.line(&[(left, bottom), (right, bottom)], MUTED, 1.0);
    let names: Vec<String> = block.columns.iter().map(|name| tick_name(name)).collect();
    let places = columns(&block.columns).into_iter();
    let places = places.map(|place| left + 12.0 + place * (width - 24.0));
    let places: Vec<f64> = places.collect();
    // The outer names stay within their panel. The names between them are either all shown or all omitted.
    let last = places.len().saturating_sub(1);
    let distances = places.windows(2).map(|pair| pair[1] - pair[0]);
    let has_room = 1.5 * widest(&names) <= distances.fold(f64::INFINITY, f64::min);
    for (at, (x, name)) in places.iter().zip(&names).enumerate() {
        let (x, side) = match at {
            0 if last > 0 => (left, HPos::Left),
            at if at == last && last > 0 => (right, HPos::Right),
            _ if !has_room => continue,
            _ => (*x, HPos::Center),
        };
        let name = fitted(name, LABEL, 0.6 * width);
        canvas.text((x, bottom + 12.0), &name, side, MUTED);
    }
    let cells = &block.cells[at];
    let points = |value: &dyn Fn(&BlockCell) -> Option<f64>| -> Vec<Option<(f64, f64)>> {
        let points = places.iter().zip(cells);
        points
            .map(|(x, cell)| Some((*x, y(value(cell)?)?)))
            .collect()
    };
    if has_band {
        let edge = |factor: f64| {
            let inside = |value: f64| (value * factor).clamp(scale.low, scale.high);
            runs(&points(&|cell| cell.paper().map(inside)))
        };
        for (above, below) in edge(FACTOR).into_iter().zip(edge(1.0 / FACTOR)) {
            canvas.band(above.into_iter().chain(below.into_iter().rev()).collect());
        }
    }
    let (of_paper, of_ours) = (points(&BlockCell::paper), points(&BlockCell::ours));
    for run in runs(&of_paper) {
        canvas.faint(&run, MUTED);
    }
    for run in runs(&of_ours) {
        canvas.line(&run, series(0), 2.0);
    }
    for point in of_paper.into_iter().flatten() {
        canvas.ring(point, MUTED);
    }
    for (point, cell) in of_ours.into_iter().zip(cells) {
        let Some((x, place)) = point else { continue };
        if let Some((low, high)) = interval(cell).and_then(|(low, high)| y(low).zip(y(high))) {
            canvas.whisker([(x, low), (x, high)], series(0), 1.25);
        }
        canvas.mark((x, place), 0, series(0));
    }
}
