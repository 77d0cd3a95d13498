//! The time of each position of a sample, if a case names the plies of its positions.

use super::data::{Cell, Index, on};
use super::figure;
use super::grid::{Entry, Grid, Item, Section, section};
use super::known::{Figure, Known, Missing};
use super::names;
use super::number::Unit;
use super::paper::shown;
use super::passes::{of_costs, of_passes};
use crate::results::{MeasurementRow, Sample};
use crate::stats::median;
use crate::words::Case;

const PLIES: &str = "plies";

/// The smallest ratio over positions and all times, by case; `None` if no row has the times.
pub(crate) fn positions(index: &Index<'_>) -> Option<Section> {
    const HOW: &str = "A sample searches the positions after these plies of the line of play, one after another; a \
        time here is the median of a position's over the samples. Techniques that search positions together have \
        none. A ratio is made as that of whole samples is, from the passes that both sides were sampled in.";
    let (mut smallest, mut times) = (Vec::new(), Vec::new());
    for case in &index.data.experiment.cases {
        let Some(of_case) = OfCase::new(index, case) else {
            continue;
        };
        let name = names::case(&case.without(PLIES));
        smallest.push((name.clone(), of_case.smallest()));
        times.push((name, of_case.times()));
    }
    if times.is_empty() {
        return None;
    }
    let mut items = vec![
        Item::Text(HOW.to_owned()),
        Item::Heading("The position with the smallest ratio".to_owned()),
        Item::Switch(smallest),
        Item::Heading("Time by position".to_owned()),
        Item::Switch(times),
    ];
    items.extend(Item::few(&items[1..]));
    Some(section("positions", "Position by position", items))
}

struct OfCase<'i, 'a> {
    index: &'i Index<'a>,
    plies: Vec<u64>,
    rows: Vec<&'a MeasurementRow>,
    baselines: Vec<&'a str>,
}

impl<'i, 'a> OfCase<'i, 'a> {
    fn new(index: &'i Index<'a>, case: &Case) -> Option<Self> {
        let plies = case.get(PLIES)?.to_string();
        let plies = plies.split(',').map(str::parse);
        let plies = plies.collect::<Result<Vec<u64>, _>>().ok()?;
        let of_case = index.whole().filter(|(own, ..)| *own == case);
        let has_all = |row: &&MeasurementRow| {
            let samples = index.samples(row);
            let mut counts = samples.iter().map(|sample| sample.positions_ns.len());
            !samples.is_empty() && counts.all(|count| count == plies.len())
        };
        let row = |(.., row): Cell<'a>| row.filter(has_all);
        let rows: Vec<&MeasurementRow> = of_case.filter_map(row).collect();
        let named = index.data.experiment.baselines();
        let labels = rows.iter().map(|row| row.cell.technique.as_str());
        Some(OfCase {
            index,
            baselines: labels.filter(|label| named.contains(label)).collect(),
            plies,
            rows,
        })
        .filter(|own| !own.rows.is_empty())
    }

    fn smallest(&self) -> Grid {
        let over = self.baselines.iter().map(|label| format!("over {label}"));
        let mut grid = Grid::new(std::iter::once("technique".to_owned()).chain(over));
        for row in &self.rows {
            let entries = self.baselines.iter().map(|label| {
                let figures = (0..self.plies.len()).map(|at| self.ratio(row, label, at));
                let figures: Vec<Figure> = figures.collect();
                let known = figures.iter().zip(&self.plies);
                let known = known.filter_map(|(figure, ply)| Some((figure.as_ref().ok()?, ply)));
                let least = known.min_by(|(one, _), (other, _)| one.value.total_cmp(&other.value));
                let unclear = figures.iter().filter(|figure| figure.is_err()).count();
                match (least, figures.first()) {
                    (Some((least, ply)), _) => {
                        let entry = shown(Unit::Plain, &Ok(least.clone()));
                        let entry = entry.small(format!("after {ply} plies"));
                        match unclear {
                            0 => entry,
                            _ => entry.small(format!("{unclear} positions have no clear ratio")),
                        }
                    }
                    (None, Some(figure)) => shown(Unit::Plain, figure),
                    (None, None) => Entry::default(),
                }
            });
            grid.row(
                Entry::word(on(&row.cell.technique, &row.cell.device)),
                entries,
            );
        }
        grid
    }

    fn times(&self) -> Grid {
        let places = self
            .rows
            .iter()
            .map(|row| on(&row.cell.technique, &row.cell.device));
        let mut grid = Grid::new(std::iter::once("after plies".to_owned()).chain(places));
        for (at, ply) in self.plies.iter().enumerate() {
            let times = self.rows.iter().map(|row| {
                let of = |samples: &[&Sample]| Some(median(&times_at(samples, at)?)? as f64);
                shown(Unit::Time, &figure::sampled(self.index, row, of))
            });
            grid.row(Entry::word(ply.to_string()), times);
        }
        grid
    }

    /// Speedup over a baseline in one position; missing if the whole samples' ratio is missing.
    fn ratio(&self, row: &MeasurementRow, over: &str, at: usize) -> Figure {
        if row.cell.technique == over {
            return Err(Missing::IS_BASELINE);
        }
        figure::ratio(self.index, row, over).result?;
        let base = self.index.baseline(&row.cell.case, over, &row.cell.device);
        let base = base.ok_or(Missing::NOT_MEASURED)?;
        let of_base = self.index.by_pass(base);
        let both = self.index.by_pass(row).into_iter();
        let both = both.filter_map(|(pass, own)| {
            let (_, base) = of_base.iter().find(|(other, _)| *other == pass)?;
            Some([times_at(base, at), times_at(&own, at)])
        });
        let both = both.map(|[base, own]| Some([base?, own?]));
        let both: Option<Vec<[Vec<u64>; 2]>> = both.collect();
        let both = both.unwrap_or_default();
        let (each, whole) = of_costs(&both).ok_or_else(|| Missing::of_row(row))?;
        let [of_base, own] = [0, 1].map(|side| both.iter().flat_map(move |pass| &pass[side]));
        let of_base: Vec<u64> = of_base.copied().collect();
        Ok(Known {
            baseline_ns: median(&of_base),
            ..of_passes(&each, whole, None, [of_base.len(), own.count()])?
        })
    }
}

/// One position's times, ns; `None` if a sample lacks it.
fn times_at(samples: &[&Sample], at: usize) -> Option<Vec<u64>> {
    let times = samples.iter().map(|sample| sample.positions_ns.get(at));
    times.map(Option::<&u64>::copied).collect()
}
