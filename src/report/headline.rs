//! The best technique of a device per family of cases, over best one core and best CPU.

use std::collections::HashSet;

use super::data::{HOST, Index, SERIAL};
use super::pairs::cost;
use super::ratios::{ROLES, Ratio};
use super::series::grouped;
use super::{figure, names};
use crate::results::MeasurementRow;
use crate::words::{Case, Status, Task};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Best<'a> {
    pub row: &'a MeasurementRow,
    /// Over best one core and best CPU, in the order of [`ROLES`].
    pub ratios: [Ratio; 2],
}

/// The best of each family of cases that was begun; `None` without an answer. Cases of a family differ only in their
/// last axis. The last case with the most of both ratios stands for the family, ratios with a verdict first.
pub(crate) fn headlines<'a>(index: &Index<'a>, device: &str) -> Vec<(String, Option<Best<'a>>)> {
    let experiment = &index.data.experiment;
    let last = experiment.axes.last().filter(|_| experiment.axes.len() > 1);
    let rows = index.data.measurements.iter();
    let begun: HashSet<&str> = rows.map(|row| row.cell.case.as_str()).collect();
    let cases = experiment.cases.iter();
    let cases = cases.filter(|case| begun.contains(case.to_string().as_str()));
    let families = grouped(cases.map(|case| {
        let name = last.map_or_else(|| case.clone(), |axis| case.without(axis));
        (name.to_string(), case)
    }));
    let known = |best: &Best<'_>| {
        let ratios = || best.ratios.iter().filter_map(|it| it.result.as_ref().ok());
        let decided = ratios().filter(|known| known.verdict.is_some()).count();
        (decided, ratios().count())
    };
    let best = |cases: Vec<&Case>| {
        let cases = cases.into_iter();
        let found = cases.filter_map(|case| best_of(index, case, device));
        found.max_by_key(known)
    };
    let families = families.into_iter();
    families.map(|(name, cases)| (name, best(cases))).collect()
}

const PLIES: &str = "plies";

/// A readable name of a case, with its number of positions if others of its family have more.
pub(crate) fn case_of(index: &Index<'_>, row: &MeasurementRow) -> String {
    let case = Case::parse(&row.cell.case).map(|case| names::case(&case.without(PLIES)));
    let case = case.unwrap_or_else(|| names::text(&row.cell.case));
    let is_game = index.data.experiment.task == Task::Game;
    let last = index.data.experiment.axes.last().map_or("", String::as_str);
    let family = |text: &str| Case::parse(text).map(|case| case.without(last));
    let own = family(&row.cell.case);
    let mut others = index.data.measurements.iter();
    match is_game && others.any(|other| other.units > row.units && family(&other.cell.case) == own)
    {
        true if row.units == 1 => format!("{case}, 1 position"),
        true => format!("{case}, {} positions", row.units),
        false => case,
    }
}

pub(crate) fn best_of<'a>(index: &Index<'a>, case: &Case, device: &str) -> Option<Best<'a>> {
    let text = case.to_string();
    let choices = index.data.experiment.techniques.iter();
    let mut asked: Vec<_> = choices
        .filter(|choice| choice.has_our_rules())
        .filter_map(|choice| Some((choice.is_hybrid(), index.row(&text, &choice.label, device)?)))
        .collect();
    // A player of another kind answers another question than serial; it is shown if the device has no other.
    let is_same = |row: &MeasurementRow| index.data.asks_the_same(&row.cell.technique, SERIAL);
    if device == HOST || asked.iter().any(|(_, row)| is_same(row)) {
        asked.retain(|(_, row)| is_same(row));
    }
    // Hybrid techniques never lose to the host, so they count only if all techniques are hybrid.
    let are_all_hybrid = asked.iter().all(|(is_hybrid, _)| *is_hybrid);
    asked.retain(|(is_hybrid, row)| {
        // Answers without a launch say nothing about the device.
        let is_told = device == HOST || row.launches != Some(0);
        is_told && row.status == Status::Ok && (are_all_hybrid || !is_hybrid)
    });
    let rows = asked.into_iter().map(|(_, row)| row);
    let row = rows.min_by(|a, b| cost(index, a).total_cmp(&cost(index, b)))?;
    row.median_ns?;
    Some(Best {
        row,
        ratios: ROLES.map(|role| figure::ratio(index, row, role)),
    })
}
