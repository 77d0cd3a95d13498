//! Rows and columns of a table or chart: axes of the case, techniques and their parameters.

use super::data::{Index, agrees};
use super::series::in_order;
use crate::config::{TECHNIQUE, TableSpec, TechniqueChoice};
use crate::words::{Case, Value};

#[derive(Clone, Copy)]
struct Axis<'a> {
    name: &'a str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Case,
    Technique,
    Param,
}

#[derive(Clone, Default)]
pub(crate) struct Spot<'a>(Vec<(Axis<'a>, Value)>);

impl<'a> Spot<'a> {
    pub(crate) fn and(&self, other: &Spot<'a>) -> Spot<'a> {
        Spot([&self.0[..], &other.0].concat())
    }

    pub(crate) fn case(&self) -> Case {
        let own = self.0.iter().filter(|(axis, _)| axis.kind == Kind::Case);
        let named = own.map(|(axis, value)| (axis.name.to_owned(), value.clone()));
        Case(named.collect())
    }

    pub(crate) fn technique(
        &self,
        index: &Index<'_>,
        shown: &[String],
        cases: &[&Case],
    ) -> Option<String> {
        let experiment = &index.data.experiment;
        let choices = shown.iter().filter_map(|label| experiment.choice(label));
        let found: Vec<&TechniqueChoice> = choices.filter(|choice| self.is_of(choice)).collect();
        // Several techniques, distinguished by the cases that they take.
        let takes = |choice: &&&TechniqueChoice| cases.iter().any(|case| choice.takes(case));
        let choice = found.iter().find(takes).or(found.first());
        choice.map(|choice| choice.label.clone())
    }

    fn is_of(&self, choice: &TechniqueChoice) -> bool {
        self.0.iter().all(|(axis, value)| match axis.kind {
            Kind::Case => true,
            Kind::Technique => value.as_text() == Some(&choice.label),
            Kind::Param => choice.params.get(axis.name) == Some(value),
        })
    }
}

pub(crate) struct Direction<'a> {
    axes: Vec<Axis<'a>>,
    /// In reading order; a single empty spot without axes.
    pub spots: Vec<Spot<'a>>,
}

impl<'a> Direction<'a> {
    /// All values of an axis; for several axes, the experiment's combinations.
    pub(crate) fn new(index: &Index<'_>, spec: &TableSpec, names: &'a [String]) -> Self {
        let experiment = &index.data.experiment;
        let axis = |name: &'a String| Axis {
            name,
            kind: match name.as_str() {
                TECHNIQUE => Kind::Technique,
                _ if experiment.axes.contains(name) => Kind::Case,
                _ => Kind::Param,
            },
        };
        let axes: Vec<Axis<'a>> = names.iter().map(axis).collect();
        let mut cases: Vec<&Case> = experiment.cases.iter().collect();
        cases.retain(|case| agrees(case, &spec.fixed));
        let shown = spec.techniques.iter();
        let choices: Vec<&TechniqueChoice> =
            shown.filter_map(|label| experiment.choice(label)).collect();
        let mut spots = vec![Spot::default()];
        for axis in &axes {
            let values = axis.values(&cases, &choices);
            let values = values.into_iter().map(|value| Spot(vec![(*axis, value)]));
            let values: Vec<Spot<'a>> = values.collect();
            let crossed = spots
                .iter()
                .map(|spot| values.iter().map(|value| spot.and(value)));
            spots = crossed.flatten().collect();
        }
        if axes.len() > 1 {
            spots.retain(|spot| {
                let at = spot.case();
                let techniques: Vec<_> = choices.iter().filter(|own| spot.is_of(own)).collect();
                let mut here = cases.iter().filter(|case| agrees(case, &at));
                here.any(|case| choices.is_empty() || techniques.iter().any(|own| own.takes(case)))
            });
        }
        Direction { axes, spots }
    }

    pub(crate) fn tells_technique(&self) -> bool {
        self.axes.iter().any(|axis| axis.kind != Kind::Case)
    }

    /// The axes by name: `depth`, `(depth, split)`.
    pub(crate) fn title(&self) -> String {
        together(self.axes.iter().map(|axis| axis.name.to_owned()).collect())
    }

    /// The values of each spot: `4`, `(4, 2)`.
    pub(crate) fn names(&self) -> Vec<String> {
        let values = |spot: &Spot<'_>| spot.0.iter().map(|(_, value)| value.to_string()).collect();
        let names = self.spots.iter().map(|spot| together(values(spot)));
        names.collect()
    }
}

impl Axis<'_> {
    /// Numbers rise; words keep the experiment's order.
    fn values(&self, cases: &[&Case], choices: &[&TechniqueChoice]) -> Vec<Value> {
        let params = choices.iter().filter_map(|own| own.params.get(self.name));
        let labels = choices.iter().map(|own| Value::Text(own.label.clone()));
        match self.kind {
            Kind::Case => in_order(cases.iter().filter_map(|case| case.get(self.name)).cloned()),
            Kind::Technique => in_order(labels),
            Kind::Param => in_order(params.cloned()),
        }
    }
}

fn together(words: Vec<String>) -> String {
    match words.len() {
        0 | 1 => words.concat(),
        _ => format!("({})", words.join(", ")),
    }
}
