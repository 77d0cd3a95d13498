//! The scores of matches as charts.

use super::chart::WIDTH;
use super::chart::dots::{self, Dot, DotRow, Scale};
use super::data::Index;
use super::error::ReportError;
use super::grid::{Chart, Item};
use super::matches::{self, Match};
use super::names;
use super::series::distinct;

/// The players' points with their intervals, a mark for each device: a chart a case, or a player where there are fewer of
/// them than cases.
pub(super) fn charts(index: &Index<'_>) -> Result<Vec<Item>, ReportError> {
    let all: Vec<Match<'_>> = matches::all(index).collect();
    let case = |own: &Match<'_>| names::case(own.case);
    let pair = |own: &Match<'_>| format!("{} against {}", own.player, own.opponent);
    let (cases, pairs) = (
        distinct(all.iter().map(case)),
        distinct(all.iter().map(pair)),
    );
    if pairs.len() < cases.len() {
        return draw(&all, (&pairs, pair), (&cases, case));
    }
    draw(&all, (&cases, case), (&pairs, pair))
}

/// A chart for each of the first, with a row for each of the second.
fn draw<'a>(
    all: &[Match<'a>],
    (charts, chart_of): (&[String], impl Fn(&Match<'a>) -> String),
    (rows, row_of): (&[String], impl Fn(&Match<'a>) -> String),
) -> Result<Vec<Item>, ReportError> {
    let devices = distinct(all.iter().map(|own| own.device));
    let mut items = Vec::new();
    for (number, of) in charts.iter().enumerate() {
        let dot = |own: &Match<'_>| {
            let (share, (low, high)) = matches::share(&own.score)?;
            Some(Dot {
                series: devices.iter().position(|device| *device == own.device)?,
                value: 100.0 * share,
                interval: Some((100.0 * low, 100.0 * high)),
                note: "",
            })
        };
        let rows = rows.iter().map(|row| {
            let own = all.iter().filter(|own| chart_of(own) == *of);
            let own = own.filter(|own| row_of(own) == *row);
            DotRow {
                name: row.clone(),
                dots: own.filter_map(dot).collect(),
            }
        });
        let rows: Vec<DotRow> = rows.filter(|row| !row.dots.is_empty()).collect();
        let title = match of.as_str() {
            "" => "Points of each match".to_owned(),
            of => format!("Points: {of}"),
        };
        let axis = "share of the points, %, with its 95 % interval";
        let svg = dots::draw(&title, axis, &devices, &rows, Scale::Percent, WIDTH)?;
        items.extend(svg.map(|svg| {
            Item::Chart(Chart {
                id: format!("score-{}", number + 1),
                title,
                svg,
                narrow: String::new(),
            })
        }));
    }
    Ok(items)
}
