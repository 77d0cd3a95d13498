//! The axes of rows, columns and points of tables and charts, and the fixed axes.

use super::TechniqueChoice;
use super::cases::values_of;
use super::error::allowed;
use super::raw::{each, one_of};
use super::source::{At, Checked, fault, only};
use super::views::{Names, TECHNIQUE};
use crate::words::{Case, Params, Value};

impl Names<'_> {
    /// Axes; if the quantity has techniques, `technique` and their parameters too.
    pub(super) fn directions(
        &self,
        value: &Value,
        is_fact: bool,
        others: &[String],
    ) -> Checked<Vec<String>> {
        let mut names: Vec<&str> = self.axes.iter().map(String::as_str).collect();
        if !is_fact {
            names.push(TECHNIQUE);
            for name in self.choices.iter().flat_map(|choice| choice.params.keys()) {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        names.retain(|name| !others.iter().any(|other| other == name));
        each(value, "give one axis at least", |value| {
            let name = one_of(value, &names)?;
            names.retain(|other| *other != name);
            Ok(name)
        })
    }

    /// If parameters are axes and techniques are not, the parameters must select one technique per case.
    pub(super) fn tell_apart(&self, directions: &[&str], techniques: &[String]) -> Checked<()> {
        let mut params = directions.to_vec();
        params.retain(|name| *name != TECHNIQUE && !self.axes.iter().any(|axis| axis == name));
        if params.is_empty() {
            return Ok(());
        }
        let mut seen: Vec<(Vec<&Value>, &TechniqueChoice)> = Vec::new();
        let shown = |choice: &&TechniqueChoice| techniques.contains(&choice.label);
        for choice in self.choices.iter().filter(shown) {
            let mut values = Vec::new();
            for name in &params {
                match choice.params.get(*name) {
                    Some(value) => values.push(value),
                    None => {
                        let problem = format!("{} does not set {name}", choice.label);
                        return fault(format!("{problem}, which is an axis here"));
                    }
                }
            }
            let meet = |other: &TechniqueChoice| {
                let mut cases = self.cases.iter();
                cases.any(|case| other.takes(case) && choice.takes(case))
            };
            let mut seen_like = seen.iter().filter(|_| !directions.contains(&TECHNIQUE));
            let like = seen_like.find(|(own, other)| *own == values && meet(other));
            if let Some((_, other)) = like {
                let (one, other, same) = (&other.label, &choice.label, params.join(" and "));
                return fault(format!("{one} and {other} have the same {same}"));
            }
            seen.push((values, choice));
        }
        Ok(())
    }

    /// The fixed axes. An axis with several values must be fixed or shown, so that cells are unique, except for facts.
    pub(super) fn fixed(
        &self,
        given: &Params,
        is_fact: bool,
        directions: &[&str],
    ) -> Checked<Case> {
        let mut free: Vec<&str> = self.axes.iter().map(String::as_str).collect();
        free.retain(|axis| !directions.contains(axis));
        only(given.keys(), &free)?;
        let mut fixed = Case::default();
        for axis in free {
            let values = values_of(self.cases, axis);
            let value = match (given.get(axis), values.as_slice()) {
                (Some(value), values) if values.contains(&value) => value,
                (Some(value), values) => {
                    let names: Vec<String> = values.iter().map(ToString::to_string).collect();
                    let allowed = allowed(&value.to_string(), &names);
                    return fault(format!("no case has this value; {allowed}")).at(axis);
                }
                (None, _) if is_fact => continue,
                (None, [value]) => value,
                (None, _) => {
                    return fault(format!(
                        "the axis {axis} has several values and is neither shown nor fixed"
                    ));
                }
            };
            fixed.0.push((axis.to_owned(), value.clone()));
        }
        Ok(fixed)
    }
}
