//! The time of each position of a sample, if a case names the plies of its positions.

use serde::Serialize;

use super::data::{Index, on};
use super::grid::{Entry, Grid, Item, Section, section};
use super::known::Figure;
use super::number::Unit;
use super::paper::shown;
use super::{figure, names};
use crate::results::MeasurementRow;
use crate::stats::median;
use crate::words::Case;

pub(crate) const PLIES: &str = "plies";

/// The times of a case by position.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PositionTimes {
    pub case: Case,
    /// The ply of each position.
    pub plies: Vec<u64>,
    pub techniques: Vec<TechniqueTimes>,
}

/// The median time of each position, ns.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TechniqueTimes {
    pub technique: String,
    pub device: String,
    pub times: Vec<Figure>,
}

pub(crate) fn positions(index: &Index<'_>) -> Vec<PositionTimes> {
    let cases = index.data.experiment.cases.iter();
    cases.filter_map(|case| of_case(index, case)).collect()
}

fn of_case(index: &Index<'_>, case: &Case) -> Option<PositionTimes> {
    let plies = case.get(PLIES)?.to_string();
    let plies: Result<Vec<u64>, _> = plies.split(',').map(str::parse).collect();
    let plies = plies.ok()?;
    let has_all = |row: &&MeasurementRow| {
        let samples = index.samples(row);
        let mut counts = samples.iter().map(|sample| sample.positions_ns.len());
        !samples.is_empty() && counts.all(|count| count == plies.len())
    };
    let rows = index.whole().filter(|(own, ..)| *own == case);
    let rows = rows.filter_map(|(.., row)| row.filter(has_all));
    let techniques = rows.map(|row| {
        let times = (0..plies.len()).map(|at| {
            figure::sampled(index, row, |samples| {
                let mut times = Vec::new();
                for sample in samples {
                    times.push(*sample.positions_ns.get(at)?);
                }
                median(&times).map(|ns| ns as f64)
            })
        });
        TechniqueTimes {
            technique: row.cell.technique.clone(),
            device: row.cell.device.clone(),
            times: times.collect(),
        }
    });
    let techniques: Vec<TechniqueTimes> = techniques.collect();
    (!techniques.is_empty()).then(|| PositionTimes {
        case: case.clone(),
        plies,
        techniques,
    })
}

pub(crate) fn section_of(positions: &[PositionTimes]) -> Option<Section> {
    const HOW: &str = "A sample searches the positions after these plies of the line of play, one after another. A \
        time is the median of a position's times over the samples. Techniques that search positions together have \
        no times here.";
    let grids = positions.iter().map(|own| {
        let places = own.techniques.iter();
        let places = places.map(|it| on(&it.technique, &it.device));
        let mut grid = Grid::new(std::iter::once("after plies".to_owned()).chain(places));
        for (at, ply) in own.plies.iter().enumerate() {
            let times = own.techniques.iter();
            let times = times.map(|it| shown(Unit::Time, &it.times[at]));
            grid.row(Entry::word(ply.to_string()), times);
        }
        (names::case(&own.case.without(PLIES)), grid)
    });
    let grids: Vec<(String, Grid)> = grids.collect();
    (!grids.is_empty()).then(|| {
        let mut items = vec![Item::Text(HOW.to_owned()), Item::Switch(grids)];
        items.extend(Item::few(&items[1..]));
        section("positions", "Position by position", items)
    })
}
