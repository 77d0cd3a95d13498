//! Checks `facts.csv` for impossible values and duplicates.

use std::collections::HashMap;

use super::data::{Data, Place, Problem};
use super::finding::records;
use crate::words::{Case, Status, Task};

pub fn check(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let mut known: HashMap<[String; 2], String> = HashMap::new();
    let file = data.run.path.join("facts.csv");
    let searched = match data.experiment.task {
        Task::Game => searched(data),
        _ => Vec::new(),
    };
    for (line, [case, fact, value]) in records(&file, ["case", "fact", "value"]) {
        let mut say = |what: String| {
            problems.push(Problem::new(
                Place::Fact(line),
                format!("{case}: {fact} {what}"),
            ));
        };
        if let Some(why) = impossible(&searched, &case, &fact, value.parse().unwrap_or(f64::NAN)) {
            say(format!("is {value}, {why}"));
        }
        // A resumed run may write a fact again.
        let before = known
            .entry([case.clone(), fact.clone()])
            .or_insert(value.clone());
        if *before != value {
            say(format!("is there twice, as {before} and as {value}"));
        }
    }
}

/// True if a fact of a partial case is about a case.
pub fn is_of(fact: &Case, case: &Case) -> bool {
    let mut axes = fact.0.iter();
    axes.all(|(axis, value)| case.get(axis) == Some(value))
}

fn searched(data: &Data<'_>) -> Vec<(Case, u64)> {
    let mut most: HashMap<&str, u64> = HashMap::new();
    let rows = data.run.measurements.iter();
    for row in rows.filter(|row| row.status == Status::Ok) {
        let own = most.entry(&row.cell.case).or_default();
        *own = row.units.max(*own);
    }
    let parsed = most
        .into_iter()
        .filter_map(|(case, units)| Some((Case::parse(case)?, units)));
    parsed.collect()
}

fn impossible(searched: &[(Case, u64)], case: &str, fact: &str, value: f64) -> Option<String> {
    if !value.is_finite() {
        return Some("which is no number".to_owned());
    }
    if value < 0.0 {
        return Some("allowed is 0 or more".to_owned());
    }
    let is_percent = fact.split('-').any(|word| word == "percent");
    if is_percent && value > 100.0 {
        return Some("allowed is 0 to 100".to_owned());
    }
    if fact != "positions" {
        return None;
    }
    if value.fract() != 0.0 || value < 1.0 {
        return Some("allowed is a whole number from 1 on".to_owned());
    }
    let of = Case::parse(case).unwrap_or_default();
    let mut searched = searched.iter();
    let (case, units) = searched.find(|(own, units)| *units as f64 > value && is_of(&of, own))?;
    Some(format!("and the rows of {case} have {units} positions"))
}
