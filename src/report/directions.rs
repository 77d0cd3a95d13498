//! What runs down and across a table, or along a chart: axes of the case, techniques, and parameters
//! of techniques.

use super::data::{Index, agrees};
use super::series::in_order;
use super::shape::Shape;
use crate::config::{TECHNIQUE, TechniqueChoice};
use crate::words::{Case, Params, Value};

/// One row, column, line or point, or where two of them cross.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spot {
    /// Its values on axes of the case.
    pub case: Case,
    /// The label of its technique, where techniques are an axis.
    label: Option<String>,
    /// What the parameters of its technique are, where they are axes.
    params: Params,
}

impl Spot {
    /// Where two cross.
    pub(crate) fn and(&self, other: &Spot) -> Spot {
        let mut both = self.clone();
        both.case.0.extend(other.case.0.iter().cloned());
        both.label = both.label.or_else(|| other.label.clone());
        let params = other.params.iter();
        both.params
            .extend(params.map(|(name, value)| (name.clone(), value.clone())));
        both
    }

    /// The label of the technique among those shown that it is about, in these cases; `None` where
    /// there is none.
    pub(crate) fn technique(
        &self,
        index: &Index<'_>,
        shown: &[String],
        cases: &[&Case],
    ) -> Option<String> {
        let choices = shown
            .iter()
            .filter_map(|label| index.data.experiment.choice(label));
        let found: Vec<&TechniqueChoice> = choices.filter(|choice| self.is_of(choice)).collect();
        // Several that are told apart by the cases that they take.
        let takes = |choice: &&&TechniqueChoice| cases.iter().any(|case| choice.takes(case));
        let choice = found.iter().find(takes).or(found.first());
        choice.map(|choice| choice.label.clone())
    }

    fn is_of(&self, choice: &TechniqueChoice) -> bool {
        let mut params = self.params.iter();
        self.label.as_ref().is_none_or(|own| *own == choice.label)
            && params.all(|(name, value)| choice.params.get(name) == Some(value))
    }

    fn with(&self, axis: &Axis<'_>, value: &Value) -> Spot {
        let mut spot = self.clone();
        match axis.kind {
            Kind::Case => spot.case.0.push((axis.name.to_owned(), value.clone())),
            Kind::Technique => spot.label = Some(value.to_string()),
            Kind::Param => {
                spot.params.insert(axis.name.to_owned(), value.clone());
            }
        }
        spot
    }
}

/// One or more axes that run in one direction.
pub(crate) struct Direction<'a> {
    axes: Vec<Axis<'a>>,
    /// In reading order; a single one that says nothing where there is no axis.
    pub spots: Vec<Spot>,
}

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

impl<'a> Direction<'a> {
    /// All values of an axis; of several axes the combinations that the experiment has.
    pub(crate) fn new(index: &Index<'_>, shape: &Shape<'_>, names: &'a [String]) -> Self {
        let experiment = &index.data.experiment;
        let axes: Vec<Axis<'_>> = names
            .iter()
            .map(|name| Axis {
                name,
                kind: match name.as_str() {
                    TECHNIQUE => Kind::Technique,
                    name if experiment.axes.iter().any(|axis| axis == name) => Kind::Case,
                    _ => Kind::Param,
                },
            })
            .collect();
        let cases: Vec<&Case> = experiment
            .cases
            .iter()
            .filter(|case| agrees(case, shape.fixed))
            .collect();
        let choices: Vec<&TechniqueChoice> = shape
            .techniques
            .iter()
            .filter_map(|label| experiment.choice(label))
            .collect();
        let mut spots = vec![Spot::default()];
        for axis in &axes {
            let values = axis.values(&cases, &choices);
            spots = spots
                .iter()
                .flat_map(|spot| values.iter().map(|value| spot.with(axis, value)))
                .collect();
        }
        if axes.len() > 1 {
            spots.retain(|spot| {
                let mut here = cases.iter().filter(|case| agrees(case, &spot.case));
                here.any(|case| {
                    let mut techniques = choices.iter();
                    let has = |choice: &&TechniqueChoice| choice.takes(case) && spot.is_of(choice);
                    choices.is_empty() || techniques.any(has)
                })
            });
        }
        Direction { axes, spots }
    }

    /// Whether its values say which technique is meant.
    pub(crate) fn tells_technique(&self) -> bool {
        self.axes.iter().any(|axis| axis.kind != Kind::Case)
    }

    /// The axes by name: `depth`, `(depth, split)`.
    pub(crate) fn title(&self) -> String {
        together(self.axes.iter().map(|axis| axis.name.to_owned()).collect())
    }

    /// The values of each spot: `4`, `(4, 2)`.
    pub(crate) fn names(&self) -> Vec<String> {
        let name = |spot: &Spot| {
            let own = |axis: &Axis<'_>| match axis.kind {
                Kind::Case => spot.case.get(axis.name).map(Value::to_string),
                Kind::Technique => spot.label.clone(),
                Kind::Param => spot.params.get(axis.name).map(Value::to_string),
            };
            together(self.axes.iter().filter_map(own).collect())
        };
        self.spots.iter().map(name).collect()
    }
}

impl Axis<'_> {
    /// Numbers rise; words come as the experiment first names them.
    fn values(&self, cases: &[&Case], choices: &[&TechniqueChoice]) -> Vec<Value> {
        let all: Vec<Value> = match self.kind {
            Kind::Case => {
                let values = cases.iter().filter_map(|case| case.get(self.name));
                values.cloned().collect()
            }
            Kind::Technique => {
                let labels = choices.iter().map(|choice| choice.label.clone());
                labels.map(Value::Text).collect()
            }
            Kind::Param => {
                let values = choices.iter().filter_map(|own| own.params.get(self.name));
                values.cloned().collect()
            }
        };
        in_order(all)
    }
}

fn together(words: Vec<String>) -> String {
    match words.as_slice() {
        [] => String::new(),
        [word] => word.clone(),
        words => format!("({})", words.join(", ")),
    }
}
