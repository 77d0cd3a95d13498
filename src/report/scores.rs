//! The scores of matches as charts.

use super::chart::WIDTH;
use super::chart::dots::{self, Dot, DotRow, Scale};
use super::data::Index;
use super::grid::Item;
use super::matches::{self, Match};
use super::names;
use super::series::{distinct, grouped};

/// The players' points with their intervals, a mark for each device: a chart a case, or a player where there are fewer of
/// them than cases.
pub(super) fn charts(index: &Index<'_>) -> Vec<Item> {
    let all: Vec<Match<'_>> = matches::all(index).collect();
    let devices = distinct(all.iter().map(|own| own.device));
    let pair = |own: &Match<'_>| format!("{} against {}", own.player, own.opponent);
    let (cases, pairs) = (
        distinct(all.iter().map(|own| own.case)),
        distinct(all.iter().map(pair)),
    );
    let dots = all.iter().filter_map(|own| {
        let (share, (low, high)) = matches::share(&own.score)?;
        let dot = Dot {
            series: devices.iter().position(|device| *device == own.device)?,
            value: 100.0 * share,
            interval: Some((100.0 * low, 100.0 * high)),
            note: "",
        };
        let (case, pair) = (names::case(own.case), pair(own));
        Some(match pairs.len() < cases.len() {
            true => (pair, (case, dot)),
            false => (case, (pair, dot)),
        })
    });
    let mut items = Vec::new();
    for (number, (of, dots)) in grouped(dots).into_iter().enumerate() {
        let rows = grouped(dots).into_iter();
        let rows: Vec<DotRow> = rows.map(|(name, dots)| DotRow { name, dots }).collect();
        let title = match of.as_str() {
            "" => "Points of each match".to_owned(),
            of => format!("Points: {of}"),
        };
        let axis = "share of the points, %, with its 95 % interval";
        let svg = dots::draw(&title, axis, &devices, &rows, Scale::Percent, WIDTH);
        let id = format!("score-{}", number + 1);
        items.extend(svg.map(|svg| Item::chart(id, title, svg)));
    }
    items
}
