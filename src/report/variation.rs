//! What varies from sample to sample, from pass to pass and from invocation to invocation.

use super::data::{Index, Place};
use super::grid::{Entry, Grid, Item, Section, section};
use super::number::percent;
use super::series::grouped;
use crate::stats::levels::{Levels, has_two_modes};
use crate::words::Task;

/// A row a technique on a device: the shares of the variance of what a sample costs, over its cases together,
/// and in how many of them its passes have two modes. `None` where no cell has several passes.
pub(crate) fn show(index: &Index<'_>) -> Option<Section> {
    const HOW: &str = "The variance of the logarithm of a sample's time, by level, pooled over the cases. Intervals are \
        made from passes, so they hold what varies within and between passes. What varies between invocations \
        of the program is in no interval: compare runs of one invocation. `two modes`: the number of cases whose passes fall into two groups \
        far apart, as on a machine with two states.";
    if index.data.experiment.task == Task::Match {
        return None;
    }
    let mut grid = Grid::new([
        "technique",
        "device",
        "one sample",
        "within a pass",
        "between passes",
        "between invocations",
        "two modes",
    ]);
    let cells = index.cells().filter_map(|(_, place, row)| {
        let passes = index.passes(row?).into_iter();
        let by_invocation = grouped(passes.map(|((invocation, _), costs)| {
            let costs = costs.into_iter().map(|cost| cost as f64);
            (invocation, costs.collect::<Vec<f64>>())
        }));
        let cell: Vec<Vec<Vec<f64>>> = by_invocation.into_iter().map(|(_, own)| own).collect();
        Some((place, cell))
    });
    for (Place { technique, device }, cells) in grouped(cells) {
        let levels: Vec<Levels> = cells.iter().filter_map(|cell| Levels::of(cell)).collect();
        let count = levels.len() as f64;
        let mean = |of: fn(&Levels) -> f64| levels.iter().map(of).sum::<f64>() / count.max(1.0);
        let all = Levels {
            within: mean(|own| own.within),
            passes: mean(|own| own.passes),
            invocations: mean(|own| own.invocations),
        };
        let Some(shares) = all.shares() else { continue };
        let of_sample = (all.within + all.passes + all.invocations).sqrt();
        let modes = cells.iter().filter(|cell| {
            let passes = cell.iter().flatten().map(|samples| median(samples));
            has_two_modes(&passes.collect::<Vec<_>>())
        });
        let modes = format!("{} of {} cases", modes.count(), cells.len());
        let of_sample = format!("±{}", percent(of_sample));
        let shares = shares.map(|share| Entry::number(percent(share)));
        let before = [Entry::word(device), Entry::number(of_sample)];
        let rest = before.into_iter().chain(shares).chain([Entry::word(modes)]);
        grid.row(Entry::word(technique), rest);
    }
    let is_empty = grid.rows.is_empty();
    let items = [Item::Text(HOW.to_owned()), Item::Table(grid)];
    (!is_empty).then(|| section("variation", "What varies", items))
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
