//! Draws dot charts, with one row per subject and one mark per series, on a single axis.

use super::axis::Axis;
use super::canvas::{
    GRID, HPos, MARGIN, MUTED, REFERENCE, ROW, TEXT, draw as on_card, series as series_ink,
};
use super::text::{LABEL, fitted, widest};
use crate::report::format::Unit;

const STEP: f64 = 13.0;
const GAP: f64 = 12.0;
/// Maximum width of a row's name, as a share of the chart's width.
const MOST_NAME: f64 = 0.33;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Dot {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    pub note: &'static str,
}

/// The name of a row, and its dot in each series.
pub(crate) type DotRow = (String, Vec<Option<Dot>>);

/// Draws the rows from top to bottom. Returns `None` if there are no numbers. If `log`, the values are ratios on a
/// logarithmic axis with a line at 1. Otherwise, the axis is linear and starts at 0. `whole` is the width in pixels.
pub(crate) fn draw(
    title: &str,
    axis: &str,
    series: &[&str],
    rows: &[DotRow],
    log: bool,
    whole: f64,
) -> Option<String> {
    let dots = || rows.iter().flat_map(|(_, dots)| dots.iter().flatten());
    let values = dots().flat_map(|dot| {
        let (low, high) = dot.interval.unwrap_or((dot.value, dot.value));
        [low, dot.value, high]
    });
    let marked = log.then_some(1.0);
    let scale = Axis::around(values.chain(marked), log);
    let scale = scale.filter(|_| dots().next().is_some())?;
    let left = MARGIN + widest(rows.iter().map(|(name, _)| name)).min(MOST_NAME * whole) + 14.0;
    let right = whole - MARGIN - 14.0;
    let height = series.len() as f64 * STEP + GAP;
    let (of_legend, of_rows) = (series.len() as f64 * ROW, rows.len() as f64 * height);
    let at = |value: f64| Some(left + scale.place(value)? * (right - left));
    let svg = on_card(title, whole, of_legend + of_rows + 72.0, |canvas, top| {
        let (legend, top) = (top + 12.0, top + 20.0 + of_legend);
        let bottom = top + of_rows;
        let ticks = scale.ticks().into_iter();
        for (x, tick) in ticks.filter_map(|tick| Some((at(tick)?, tick))) {
            canvas.line(&[(x, top), (x, bottom)], GRID, 1.0);
            let label = Unit::Plain.tick(tick);
            canvas.text((x, bottom + 14.0), &label, HPos::Center, MUTED);
        }
        if let Some(x) = marked.and_then(at) {
            canvas.line(&[(x, top), (x, bottom)], REFERENCE, 2.0);
        }
        let axis = fitted(axis, LABEL, whole - 2.0 * MARGIN);
        canvas.text((whole / 2.0, bottom + 36.0), &axis, HPos::Center, MUTED);
        for (own, name) in series.iter().enumerate() {
            let y = legend + own as f64 * ROW;
            canvas.mark((MARGIN + 6.0, y), own, series_ink(own));
            let name = fitted(name, LABEL, whole - 2.0 * MARGIN - 20.0);
            canvas.text((MARGIN + 20.0, y), &name, HPos::Left, TEXT);
        }
        for (at_row, (name, dots)) in rows.iter().enumerate() {
            let top = top + at_row as f64 * height;
            let bottom = top + height;
            let name = fitted(name, LABEL, left - MARGIN - 8.0);
            let place = (left - 10.0, (top + bottom) / 2.0);
            canvas.text(place, &name, HPos::Right, TEXT);
            canvas.line(&[(MARGIN, bottom), (right, bottom)], GRID, 1.0);
            for (series, dot) in dots.iter().enumerate() {
                let Some(dot) = dot else { continue };
                let y = top + GAP / 2.0 + (series as f64 + 0.5) * STEP;
                let ink = series_ink(series);
                let ends = dot.interval;
                let ends = ends.and_then(|(low, high)| Some((at(low)?, at(high)?)));
                if let Some((low, high)) = ends {
                    canvas.whisker([(low, y), (high, y)], ink, 2.5);
                }
                if let Some(x) = at(dot.value) {
                    canvas.mark((x, y), series, ink);
                    // The note is on the side with more room, outside the interval.
                    let (low, high) = ends.unwrap_or((x, x));
                    let (beside, side) = match x > (left + right) / 2.0 {
                        true => (low - 10.0, HPos::Right),
                        false => (high + 10.0, HPos::Left),
                    };
                    canvas.text((beside, y), dot.note, side, MUTED);
                }
            }
        }
    });
    Some(svg)
}
