//! Rows and columns of a table or chart: axes of the case, techniques and their parameters.

use super::data::{Index, agrees};
use super::series::in_order;
use crate::config::{Experiment, TECHNIQUE, TableSpec, TechniqueChoice};
use crate::words::{Case, Value};

/// Rows or columns.
pub(crate) struct Direction<'a> {
    axes: &'a [String],
    /// Values on the axes, in reading order; a single empty spot without axes.
    pub spots: Vec<Case>,
    /// True if an axis is [`TECHNIQUE`] or a parameter.
    pub tells_technique: bool,
}

impl<'a> Direction<'a> {
    /// All values of an axis, where numbers rise and words keep the experiment's order; for several axes, the
    /// experiment's combinations.
    pub(crate) fn new(index: &Index<'_>, spec: &TableSpec, axes: &'a [String]) -> Self {
        let experiment = &index.data.experiment;
        let mut cases: Vec<&Case> = experiment.cases.iter().collect();
        cases.retain(|case| agrees(case, &spec.fixed));
        let choices = choices(experiment, spec);
        let mut spots = vec![Case::default()];
        for axis in axes {
            let of_cases = cases.iter().filter_map(|case| case.get(axis));
            let params = choices.iter().filter_map(|own| own.params.get(axis));
            let labels = choices.iter().map(|own| Value::Text(own.label.clone()));
            let values = match axis.as_str() {
                TECHNIQUE => in_order(labels),
                _ if experiment.axes.contains(axis) => in_order(of_cases.cloned()),
                _ => in_order(params.cloned()),
            };
            let crossed = spots.iter().flat_map(|spot| {
                let with = |value: &Value| and(spot, &Case(vec![(axis.clone(), value.clone())]));
                values.iter().map(with).collect::<Vec<_>>()
            });
            spots = crossed.collect();
        }
        if axes.len() > 1 {
            spots.retain(|spot| {
                let at = on_axes(experiment, spot);
                let mut techniques = choices.clone();
                techniques.retain(|own| is_of(experiment, spot, own));
                let mut here = cases.iter().filter(|case| agrees(case, &at));
                here.any(|case| choices.is_empty() || techniques.iter().any(|own| own.takes(case)))
            });
        }
        Direction {
            tells_technique: axes.iter().any(|axis| !experiment.axes.contains(axis)),
            axes,
            spots,
        }
    }

    /// The axes by name: `depth`, `(depth, split)`.
    pub(crate) fn title(&self) -> String {
        together(self.axes)
    }

    /// The values of each spot: `4`, `(4, 2)`.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.spots.iter().map(|spot| {
            let values = spot.0.iter().map(|(_, value)| value.to_string());
            together(&values.collect::<Vec<_>>())
        });
        names.collect()
    }
}

fn choices<'e>(experiment: &'e Experiment, spec: &TableSpec) -> Vec<&'e TechniqueChoice> {
    let shown = spec.techniques.iter();
    shown.filter_map(|label| experiment.choice(label)).collect()
}

/// Two spots together.
pub(crate) fn and(spot: &Case, other: &Case) -> Case {
    Case([&spot.0[..], &other.0].concat())
}

/// The part of a spot that is on axes of the case.
pub(crate) fn on_axes(experiment: &Experiment, spot: &Case) -> Case {
    let axes = &experiment.axes;
    let own = spot.0.iter().filter(|(axis, _)| axes.contains(axis));
    Case(own.cloned().collect())
}

/// The technique of a spot. Of several, the first that takes one of the spot's cases.
pub(crate) fn technique(
    experiment: &Experiment,
    spec: &TableSpec,
    spot: &Case,
    cases: &[&Case],
) -> Option<String> {
    let mut found = choices(experiment, spec);
    found.retain(|choice| is_of(experiment, spot, choice));
    let takes = |choice: &&&TechniqueChoice| cases.iter().any(|case| choice.takes(case));
    let choice = found.iter().find(takes).or(found.first());
    choice.map(|choice| choice.label.clone())
}

fn is_of(experiment: &Experiment, spot: &Case, choice: &TechniqueChoice) -> bool {
    spot.0.iter().all(|(axis, value)| match axis.as_str() {
        TECHNIQUE => value.as_text() == Some(&choice.label),
        _ if experiment.axes.contains(axis) => true,
        _ => choice.params.get(axis) == Some(value),
    })
}

fn together(words: &[String]) -> String {
    match words.len() {
        0 | 1 => words.concat(),
        _ => format!("({})", words.join(", ")),
    }
}
