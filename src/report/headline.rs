//! For each family of cases the best technique of a device, over best one core and over best CPU.

use std::collections::HashSet;

use super::data::{HOST, Index, SERIAL};
use super::pairs::cost;
use super::ratios::{ROLES, Ratio};
use super::series::grouped;
use super::{figure, names};
use crate::results::MeasurementRow;
use crate::words::{Case, Status, Task};

/// The best technique of a case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Best<'a> {
    pub row: &'a MeasurementRow,
    /// Over best one core and over best CPU, in the order of [`ROLES`].
    pub ratios: [Ratio; 2],
}

/// The best of each family of cases, which differ in their last axis only, that was begun; `None` without an answer.
///
/// It is not the case that looks best, but the last of its family, the most work, that has the most of both ratios,
/// those with a verdict first.
pub(crate) fn headlines<'a>(index: &Index<'a>, device: &str) -> Vec<(String, Option<Best<'a>>)> {
    let experiment = &index.data.experiment;
    let last = experiment.axes.last().filter(|_| experiment.axes.len() > 1);
    let rows = index.data.measurements.iter();
    let begun: HashSet<&str> = rows.map(|row| row.case.as_str()).collect();
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
        // Of equals the last.
        let cases = cases.into_iter();
        let found = cases.filter_map(|case| best_of(index, case, device));
        found.max_by_key(known)
    };
    let families = families.into_iter();
    families.map(|(name, cases)| (name, best(cases))).collect()
}

/// The axis that lists positions of a line of play.
const PLIES: &str = "plies";

/// A case as a person would name it, with its number of positions where others of its family have more.
pub(crate) fn case_of(index: &Index<'_>, row: &MeasurementRow) -> String {
    // Which plies stands in the case, and is longer than a name.
    let case = Case::parse(&row.case).map(|case| names::case(&case.without(PLIES)));
    let case = case.unwrap_or_else(|| names::text(&row.case));
    let is_game = index.data.experiment.task == Task::Game;
    let last = index.data.experiment.axes.last().map_or("", String::as_str);
    let family = |text: &str| Case::parse(text).map(|case| case.without(last));
    let own = family(&row.case);
    let mut others = index.data.measurements.iter();
    match is_game && others.any(|other| other.units > row.units && family(&other.case) == own) {
        true if row.units == 1 => format!("{case}, 1 position"),
        true => format!("{case}, {} positions", row.units),
        false => case,
    }
}

/// The fastest technique of one case on a device, or of the host.
pub(crate) fn best_of<'a>(index: &Index<'a>, case: &Case, device: &str) -> Option<Best<'a>> {
    let text = case.to_string();
    let choices = index.data.experiment.techniques.iter();
    let mut asked: Vec<_> = choices
        .filter(|choice| choice.has_our_rules())
        .filter_map(|choice| Some((choice.is_hybrid(), index.row(&text, &choice.label, device)?)))
        .collect();
    // A player of another kind answers another question than serial; where a device has no other, it is shown.
    let is_same = |row: &MeasurementRow| index.data.asks_the_same(&row.technique, SERIAL);
    if device == HOST || asked.iter().any(|(_, row)| is_same(row)) {
        asked.retain(|(_, row)| is_same(row));
    }
    // With the host's help no device loses to it: where the device itself does, the page says first. Where
    // nothing was asked without that help, it is all that can be said.
    let are_all_hybrid = asked.iter().all(|(is_hybrid, _)| *is_hybrid);
    let rows = asked.into_iter();
    let rows = rows.filter(|(is_hybrid, _)| are_all_hybrid || !is_hybrid);
    let rows = rows
        .map(|(_, row)| row)
        .filter(|row| row.status == Status::Ok)
        // What the host answered without a launch says nothing of the device.
        .filter(|row| device == HOST || row.launches != Some(0));
    let row = rows.min_by(|a, b| cost(index, a).total_cmp(&cost(index, b)))?;
    row.median_ns?;
    Some(Best {
        row,
        ratios: ROLES.map(|role| figure::ratio(index, row, role)),
    })
}
