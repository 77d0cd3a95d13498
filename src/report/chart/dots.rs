//! Dot charts: a row for each thing, a mark for each series, on a logarithmic axis of ratios.

use super::axis::Axis;
use super::canvas::{
    Anchor, Canvas, DrawError, GRID, LABEL, MARGIN, MUTED, REFERENCE, ROW, TEXT, WIDTH,
    draw as on_card, series as series_of, title_lines,
};
use super::text::{fitted, width};
use crate::report::number::Unit;

/// The height of one series in a row, and what a row has besides.
const STEP: f64 = 15.0;
const GAP: f64 = 12.0;
/// The widest that a row's name may be.
const MOST_NAME: f64 = 240.0;

/// A ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dot {
    /// Which series it is of, by place.
    pub series: usize,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
}

/// A row of ratios.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DotRow {
    pub name: String,
    pub dots: Vec<Dot>,
}

/// The rows, the first on top; `None` where none has a ratio. 1 is marked.
pub(crate) fn draw(
    title: &str,
    axis: &str,
    series: &[&str],
    rows: &[DotRow],
) -> Result<Option<String>, DrawError> {
    let dots = || rows.iter().flat_map(|row| &row.dots);
    let values = dots().flat_map(|dot| {
        let (low, high) = dot.interval.unwrap_or((dot.value, dot.value));
        [low, dot.value, high]
    });
    if dots().next().is_none() {
        return Ok(None);
    }
    let Some(x) = Axis::around(values.chain([1.0]), true) else {
        return Ok(None);
    };
    let used: Vec<usize> = (0..series.len())
        .filter(|at| dots().any(|dot| dot.series == *at))
        .collect();
    let layout = Layout::new(title, x, &used, rows);
    on_card(title, (WIDTH, layout.height), |canvas| {
        layout.frame(canvas, axis)?;
        layout.legend(canvas, series, &used)?;
        let mut top = layout.top;
        for row in rows {
            let bottom = top + layout.row;
            let middle = (top + bottom) / 2.0;
            let name = fitted(&row.name, LABEL, layout.left - MARGIN - 8.0);
            canvas.text(
                (layout.left - 10.0, middle),
                &name,
                LABEL,
                Anchor::End,
                TEXT,
            )?;
            canvas.line(&[(MARGIN, bottom), (layout.right, bottom)], GRID, 1.0, 1.0)?;
            for dot in &row.dots {
                let place = used.iter().position(|at| *at == dot.series).unwrap_or(0);
                let y = top + GAP / 2.0 + (place as f64 + 0.5) * STEP;
                layout.dot(canvas, y, dot)?;
            }
            top = bottom;
        }
        Ok(())
    })
    .map(Some)
}

struct Layout {
    title: Vec<String>,
    x: Axis,
    left: f64,
    right: f64,
    legend: f64,
    top: f64,
    row: f64,
    bottom: f64,
    height: f64,
}

impl Layout {
    fn new(title: &str, x: Axis, used: &[usize], rows: &[DotRow]) -> Self {
        let title = title_lines(title);
        let names = rows.iter().map(|row| width(&row.name, LABEL));
        let left = MARGIN + names.fold(0.0, f64::max).min(MOST_NAME) + 14.0;
        let legend = MARGIN + title.len() as f64 * 20.0 + 12.0;
        let top = legend + used.len() as f64 * ROW + 8.0;
        let row = used.len() as f64 * STEP + GAP;
        let bottom = top + rows.len() as f64 * row;
        Layout {
            title,
            x,
            left,
            right: WIDTH - MARGIN - 14.0,
            legend,
            top,
            row,
            bottom,
            height: bottom + 52.0,
        }
    }

    fn at(&self, value: f64) -> Option<f64> {
        let place = self.x.place(value)?;
        Some(self.left + place * (self.right - self.left))
    }

    fn frame(&self, canvas: &Canvas<'_>, axis: &str) -> Result<(), DrawError> {
        canvas.title(&self.title)?;
        for tick in self.x.ticks() {
            let Some(x) = self.at(tick) else { continue };
            canvas.line(&[(x, self.top), (x, self.bottom)], GRID, 1.0, 1.0)?;
            let label = Unit::Plain.tick(tick);
            let below = (x, self.bottom + 14.0);
            canvas.text(below, &label, LABEL, Anchor::Middle, MUTED)?;
        }
        if let Some(x) = self.at(1.0) {
            canvas.line(&[(x, self.top), (x, self.bottom)], REFERENCE, 2.0, 1.0)?;
        }
        canvas.text(
            ((self.left + self.right) / 2.0, self.bottom + 36.0),
            axis,
            LABEL,
            Anchor::Middle,
            MUTED,
        )
    }

    fn legend(
        &self,
        canvas: &Canvas<'_>,
        series: &[&str],
        used: &[usize],
    ) -> Result<(), DrawError> {
        for (row, at) in used.iter().enumerate() {
            let y = self.legend + row as f64 * ROW;
            let (ink, mark) = series_of(*at);
            canvas.mark((MARGIN + 6.0, y), mark, ink, false)?;
            let name = fitted(series[*at], LABEL, WIDTH - 2.0 * MARGIN - 20.0);
            canvas.text((MARGIN + 20.0, y), &name, LABEL, Anchor::Start, TEXT)?;
        }
        Ok(())
    }

    fn dot(&self, canvas: &Canvas<'_>, y: f64, dot: &Dot) -> Result<(), DrawError> {
        let (ink, mark) = series_of(dot.series);
        if let Some((low, high)) = dot.interval
            && let (Some(low), Some(high)) = (self.at(low), self.at(high))
        {
            canvas.whisker([(low, y), (high, y)], ink, 2.5)?;
        }
        match self.at(dot.value) {
            Some(x) => canvas.mark((x, y), mark, ink, false),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, values: &[(usize, f64)]) -> DotRow {
        let dot = |&(series, value): &(usize, f64)| Dot {
            series,
            value,
            interval: Some((value * 0.9, value * 1.1)),
        };
        DotRow {
            name: name.to_owned(),
            dots: values.iter().map(dot).collect(),
        }
    }

    #[test]
    fn a_higher_ratio_stands_further_right() {
        let series = ["GPU <1>", "other"];
        let rows = [row("reversi", &[(0, 4.0)]), row("gomoku", &[(0, 0.5)])];
        let svg = draw("Title", "axis", &series, &rows).unwrap().unwrap();
        // The legend's mark, then a mark for each row.
        let places: Vec<u32> = svg
            .lines()
            .filter(|line| line.starts_with("<circle"))
            .filter_map(|line| line.split("cx=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        let [_, first, second] = places[..] else {
            panic!("{places:?}");
        };
        assert!(first > second, "{first} {second}");
        assert!(svg.contains("GPU &lt;1&gt;") && !svg.contains("other"));
    }

    #[test]
    fn without_a_ratio_there_is_no_chart() {
        assert_eq!(draw("t", "a", &["x"], &[]).unwrap(), None);
        let empty = [row("reversi", &[])];
        assert_eq!(draw("t", "a", &["x"], &empty).unwrap(), None);
    }
}
