//! Finds the fastest technique of each device in each case, and compares it with the best CPU program.

use std::collections::HashSet;

use serde::Serialize;

use super::data::{HOST, Index, Place, SERIAL};
use super::figure;
use super::format::{self, PLIES, Unit};
use super::known::{BEST_UNKNOWN, Few, Figure, Known};
use super::ratios::{ROLES, Ratio, cost, ratio};
use crate::config::Quantity;
use crate::results::MeasurementRow;
use crate::stats::Verdict;
use crate::words::{Case, Status, Task, counted};

/// The fastest technique of a device in one case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Best {
    pub case: Case,
    pub row: MeasurementRow,
    /// The row's playout rate if its task has playouts, otherwise its time per unit.
    pub rate: Option<(Quantity, Known)>,
    /// Ratios over the best single-core program and over the best CPU program, in the order of [`ROLES`].
    pub ratios: [Ratio; 2],
    /// The ratio over the fastest measured CPU program, if the best CPU program is unknown.
    pub over_measured: Option<Known>,
}

/// The fastest technique in each case of a run, on one device or on the host.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Headline {
    pub device: String,
    /// The last axis except the plies, for example the depth. Cases that differ only on this axis are a family.
    #[serde(skip)]
    axis: String,
    /// Every case with a row, in the order of the experiment. A case has `None` if the device did not answer it.
    pub cases: Vec<(Case, Option<Best>)>,
}

/// Returns the headline of each device, then of the host.
pub(crate) fn headlines(index: &Index<'_>) -> Vec<Headline> {
    if index.data.experiment.task == Task::Match {
        return Vec::new();
    }
    let rows = index.data.measurements.iter();
    let begun: HashSet<&str> = rows.map(|row| row.cell.case.as_str()).collect();
    let mut cases = index.data.experiment.cases.clone();
    cases.retain(|case| begun.contains(case.to_string().as_str()));
    let mut axes = index.data.experiment.axes.iter().rev();
    let axis = axes.find(|axis| *axis != PLIES);
    let places = index.devices.iter().copied().chain([HOST]);
    let headline = |device: &str| {
        let bests = cases.iter().map(|case| best_of(index, case, device));
        Headline {
            device: device.to_owned(),
            axis: axis.cloned().unwrap_or_default(),
            cases: cases.iter().cloned().zip(bests).collect(),
        }
    };
    places.map(headline).collect()
}

fn best_of(index: &Index<'_>, case: &Case, device: &str) -> Option<Best> {
    let text = case.to_string();
    let choices = index.data.experiment.techniques.iter();
    let mut candidates: Vec<_> = choices
        .filter(|choice| choice.has_our_rules())
        .filter_map(|choice| Some((choice.is_hybrid(), index.row(&text, &choice.label, device)?)))
        .collect();
    // A technique that answers a different question from serial counts only if the device has no other technique.
    let is_same = |row: &MeasurementRow| index.data.asks_the_same(&row.cell.technique, SERIAL);
    if device == HOST || candidates.iter().any(|(_, row)| is_same(row)) {
        candidates.retain(|(_, row)| is_same(row));
    }
    // Hybrid techniques never lose to the host, so they count only if all techniques are hybrid.
    let are_all_hybrid = candidates.iter().all(|(is_hybrid, _)| *is_hybrid);
    candidates.retain(|(is_hybrid, row)| {
        // Answers without a launch say nothing about the device.
        let launched = device == HOST || row.launches != Some(0);
        launched && row.status == Status::Ok && (are_all_hybrid || !is_hybrid)
    });
    let rows = candidates.into_iter().map(|(_, row)| row);
    let row = rows.min_by(|a, b| cost(index, a).total_cmp(&cost(index, b)))?;
    row.median_ns?;
    let ratios = ROLES.map(|role| ratio(index, row, role));
    // The quantity that summaries quote for a technique.
    let quantity = match index.data.experiment.task {
        Task::Playouts | Task::Choose => Quantity::PlayoutRate,
        _ => Quantity::TimePerUnit,
    };
    let technique = &row.cell.technique;
    let rate = figure::measured(index, (&quantity, None), case, &Place { technique, device });
    Some(Best {
        over_measured: over_measured(index, row, &ratios[1].result),
        rate: rate.ok().map(|known| (quantity, known)),
        case: case.clone(),
        row: row.clone(),
        ratios,
    })
}

/// Returns the speedup over the fastest measured CPU program if the best CPU program is unknown ([`BEST_UNKNOWN`]).
fn over_measured(index: &Index<'_>, row: &MeasurementRow, over: &Figure) -> Option<Known> {
    over.as_ref().err().filter(|why| why.gap == BEST_UNKNOWN)?;
    let choices = index.data.experiment.techniques.iter();
    let measured = choices.filter_map(|choice| {
        let label = &choice.label;
        let is_asked = index.data.asks_the_same(label, &row.cell.technique);
        let base = index.row(&row.cell.case, label, HOST)?;
        let known = ratio(index, row, label).result.ok()?;
        (choice.may_be_best() && is_asked).then(|| (cost(index, base), known))
    });
    let fastest = measured.min_by(|a, b| a.0.total_cmp(&b.0));
    fastest.map(|(_, known)| known)
}

/// Formats a rate or a time: `653 M games/s`, `1.23 ms per position`.
pub(crate) fn rate_text(task: Task, (quantity, known): &(Quantity, Known)) -> String {
    let shown = format::unit(quantity, None).show(known.value);
    let mark = known.few.map_or("", Few::mark);
    match (shown.strip_suffix("/s"), task) {
        (Some(count), _) => format!("{count} games/s{mark}"),
        (None, Task::Game) => format!("{shown} per position{mark}"),
        (None, _) => format!("{shown} per search{mark}"),
    }
}

/// Formats a factor: `4.63x`.
pub(crate) fn times(value: f64) -> String {
    format!("{}x", Unit::Plain.show(value))
}

/// Describes a speedup: `1.45x faster`, `3.6x slower`, `as fast`.
pub(crate) fn in_words(known: &Known) -> String {
    match known.verdict {
        Some(Verdict::Tie) => "as fast".to_owned(),
        _ if known.value >= 1.0 => format!("{} faster", times(known.value)),
        _ => format!("{} slower", times(1.0 / known.value)),
    }
}

/// Describes a speedup over a program: `3.6x slower than serial`, `as fast as serial`.
pub(crate) fn in_words_over(known: &Known, program: &str) -> String {
    let than = ["than", "as"][usize::from(known.verdict == Some(Verdict::Tie))];
    format!("{} {than} {program}", in_words(known))
}

impl Best {
    /// Returns the ratio over the best CPU program or, if that program is unknown, over the fastest measured one.
    fn over_cpu(&self) -> Option<&Known> {
        let best = self.ratios[1].result.as_ref().ok();
        best.or(self.over_measured.as_ref())
    }

    fn verdict(&self) -> Option<Verdict> {
        self.over_cpu()?.verdict
    }

    /// Returns the ratio or its inverse, whichever is at least 1.
    fn distance(&self) -> f64 {
        let value = self.over_cpu().map_or(1.0, |known| known.value);
        value.max(1.0 / value)
    }
}

impl Headline {
    pub(crate) fn bests(&self) -> impl Iterator<Item = &Best> {
        self.cases.iter().filter_map(|(_, best)| best.as_ref())
    }

    /// Returns the cases with this verdict against the best CPU program, the largest factor first.
    pub(crate) fn with(&self, verdict: Verdict) -> Vec<&Best> {
        let found = self.bests().filter(|best| best.verdict() == Some(verdict));
        let mut found: Vec<&Best> = found.collect();
        found.sort_by(|a, b| b.distance().total_cmp(&a.distance()));
        found
    }

    /// Counts the verdicts: `faster than the best CPU program in 3 of 36 cases (largest: 1.82x, 8x8, depth 12), …`.
    pub(crate) fn counts(&self) -> String {
        let all = self.cases.len();
        let verdicts = [Verdict::Faster, Verdict::Slower, Verdict::Tie];
        let [faster, slower, ties] = verdicts.map(|verdict| self.with(verdict));
        let open = all - faster.len() - slower.len() - ties.len();
        let largest = |found: &[&Best]| {
            found.first().map_or(String::new(), |best| {
                let case = format::case(&best.case.without(PLIES));
                format!(" (largest: {}, {case})", times(best.distance()))
            })
        };
        let (count, fastest) = (faster.len(), largest(&faster));
        let mut text =
            format!("faster than the best CPU program in {count} of {all} cases{fastest}");
        let others = [
            (slower.len(), "slower in", largest(&slower)),
            (ties.len(), "as fast in", String::new()),
            (open, "without a verdict in", String::new()),
        ];
        for (count, what, largest) in others.into_iter().filter(|(count, ..)| *count > 0) {
            text += &format!(", {what} {count}{largest}");
        }
        let measured = self.bests().filter(|best| best.over_measured.is_some());
        match measured.count() {
            0 => text,
            count => format!(
                "{text}. In {}, a CPU program without an answer may be faster than the baseline",
                counted(count, "case")
            ),
        }
    }

    fn common(&self, case: &Case) -> Case {
        case.without(&self.axis).without(PLIES)
    }

    /// Returns the family of a case, split into cases with a verdict and those without.
    fn family(&self, case: &Case) -> [Vec<&Best>; 2] {
        let common = self.common(case);
        let family = self
            .bests()
            .filter(|best| self.common(&best.case) == common);
        family
            .partition::<Vec<_>, _>(|best| best.verdict().is_some())
            .into()
    }

    /// Returns true if the family of a case has different verdicts.
    pub(crate) fn turns(&self, case: &Case) -> bool {
        let [family, _] = self.family(case);
        let mut pairs = family.windows(2);
        pairs.any(|pair| pair[0].verdict() != pair[1].verdict())
    }

    /// Describes the family of a case: `3.6x slower at depth 2, 1.21x faster at depth 4`. See [`listed`].
    pub(crate) fn told(&self, case: &Case) -> String {
        let [family, open] = self.family(case);
        let value = |best: &Best| {
            let axes = best.case.0.iter().filter(|(own, _)| *own == self.axis);
            format::case(&Case(axes.cloned().collect()))
        };
        let verdicts: Vec<_> = family.iter().map(|best| best.verdict()).collect();
        let told = listed(&verdicts).into_iter().map(|at| {
            let words = family[at].over_cpu().map_or(String::new(), in_words);
            format!("{words} at {}", value(family[at]))
        });
        let told = told.collect::<Vec<_>>().join(", ");
        match format::list(&open.into_iter().map(value).collect::<Vec<_>>(), 3) {
            none if none.is_empty() || told.is_empty() => told,
            open => format!("{told}, without a verdict at {open}"),
        }
    }

    /// Describes the family of a case: `3.6x slower at depth 2, 1.21x faster at depth 4 (15x15)`.
    pub(crate) fn told_in_full(&self, case: &Case) -> String {
        let (told, common) = (self.told(case), self.common(case));
        match common.0.is_empty() || told.is_empty() {
            true => told,
            false => format!("{told} ({})", format::case(&common)),
        }
    }
}

/// Returns the indices of the cases in a sentence about a family. If the family has more than four cases, these are the
/// first, the last, and each case whose verdict differs from the verdict of the case before it.
fn listed(verdicts: &[Option<Verdict>]) -> Vec<usize> {
    const MOST: usize = 4;
    let count = verdicts.len();
    let is_listed = |&at: &usize| {
        count <= MOST || at == 0 || at + 1 == count || verdicts[at] != verdicts[at - 1]
    };
    (0..count).filter(is_listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_family_lists_its_ends_and_its_turns() {
        let of = |letters: &str| {
            let verdict = |letter| match letter {
                'f' => Verdict::Faster,
                's' => Verdict::Slower,
                _ => Verdict::Tie,
            };
            let verdicts: Vec<_> = letters.chars().map(|own| Some(verdict(own))).collect();
            listed(&verdicts)
        };
        assert!(of("").is_empty());
        assert_eq!(of("ffff"), [0, 1, 2, 3]);
        assert_eq!(of("fffff"), [0, 4]);
        assert_eq!(of("sstffff"), [0, 2, 3, 6]);
        assert_eq!(of("sfsfs"), [0, 1, 2, 3, 4]);
    }
}
