//! Time breakdown: one bar per cell, its parts side by side.

use super::canvas::{
    DrawError, HPos, Ink, LABEL, MARGIN, MUTED, REFERENCE, SERIES, TEXT, draw as on_card,
    title_lines,
};
use super::text::{fitted, flow, widest};
use crate::report::number::Unit;

pub(crate) const PARTS: [(&str, Ink); 5] = [
    ("upload", SERIES[2]),
    ("queue", SERIES[1]),
    ("kernel", SERIES[0]),
    ("download", SERIES[3]),
    ("host", REFERENCE),
];

pub(crate) struct Split {
    pub case: String,
    pub median_ns: u64,
    pub shares: [f64; 5],
}

const ROW: f64 = 22.0;
/// The widest name of a case, as a share of the chart; longer names are cut.
const MOST_NAME: f64 = 0.45;

/// Draws cells as bars from 0 to 100 %, with the total time at the end.
pub(crate) fn draw(title: &str, splits: &[Split], whole: f64) -> Result<String, DrawError> {
    let lines = title_lines(title, whole);
    let time = |split: &Split| Unit::Time.show(split.median_ns as f64);
    let times: Vec<String> = splits.iter().map(time).collect();
    let names = widest(splits.iter().map(|split| &split.case)).min(MOST_NAME * whole);
    let left = MARGIN + names + 10.0;
    let right = whole - MARGIN - widest(&times) - 10.0;
    let legend = MARGIN + lines.len() as f64 * 20.0 + 12.0;
    let keys = flow(
        PARTS.iter().map(|(name, _)| *name),
        18.0,
        whole - 2.0 * MARGIN,
        20.0,
    );
    let top = legend + keys.last().map_or(0.0, |(_, y)| *y) + 20.0;
    let bottom = top + splits.len() as f64 * ROW + 4.0;
    let x = |share: f64| left + share * (right - left);
    on_card(title, (whole, bottom + 52.0), |canvas| {
        for ((name, ink), (at, y)) in PARTS.into_iter().zip(keys) {
            let (at, y) = (MARGIN + at, legend + y);
            canvas.bar((at, y - 6.0), (at + 12.0, y + 6.0), ink)?;
            canvas.text((at + 18.0, y), name, HPos::Left, TEXT)?;
        }
        // Five names do not fit a phone.
        let steps = if right - left < 240.0 { 2 } else { 4 };
        for step in 0..=steps {
            let share = f64::from(step) / f64::from(steps);
            let label = format!("{:.0} %", share * 100.0);
            canvas.upright(x(share), (top, bottom), &label)?;
        }
        for (row, (split, time)) in splits.iter().zip(&times).enumerate() {
            let from = top + row as f64 * ROW + 4.0;
            let to = top + (row + 1) as f64 * ROW - 2.0;
            let middle = (from + to) / 2.0;
            let name = fitted(&split.case, LABEL, names + 1.0);
            canvas.text((left - 8.0, middle), &name, HPos::Right, TEXT)?;
            let mut done = 0.0;
            for ((_, ink), share) in PARTS.iter().zip(split.shares) {
                canvas.bar((x(done), from), (x(done + share), to), *ink)?;
                done += share;
            }
            canvas.text((right + 8.0, middle), time, HPos::Left, MUTED)?;
        }
        let name = "share of the task's time; the whole time at the right";
        let name = fitted(name, LABEL, whole - 2.0 * MARGIN);
        canvas.text((whole / 2.0, bottom + 38.0), &name, HPos::Center, MUTED)
    })
}
