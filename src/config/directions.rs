//! The axes of rows, columns and points of tables and charts, and the fixed axes.

use super::TechniqueChoice;
use super::cases::values_of;
use super::error::allowed;
use super::raw::{Item, RawView, Table, only};
use super::source::Fault;
use super::views::{Names, TECHNIQUE};
use crate::words::{Case, Value};

impl Names<'_> {
    pub(super) fn directions(
        &self,
        item: &Item,
        is_fact: bool,
        others: &[String],
    ) -> Result<Vec<String>, Fault> {
        let mut names: Vec<String> = Vec::new();
        for item in item.some("give one axis at least")? {
            let taken = [others, &names].concat();
            names.push(self.direction(item, is_fact, &taken)?);
        }
        Ok(names)
    }

    /// An axis; if the quantity has techniques, `technique` or one of their parameters.
    pub(super) fn direction(
        &self,
        item: &Item,
        is_fact: bool,
        others: &[String],
    ) -> Result<String, Fault> {
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
        item.one_of(&names).map(str::to_owned)
    }

    /// If parameters are axes and techniques are not, the parameters must select one technique per case.
    pub(super) fn tell_apart(
        &self,
        raw: &Table<RawView>,
        directions: &[&str],
        techniques: &[String],
    ) -> Result<(), Fault> {
        let mut params = directions.to_vec();
        params.retain(|name| *name != TECHNIQUE && !self.axes.iter().any(|axis| axis == name));
        if params.is_empty() {
            return Ok(());
        }
        let wrong = |problem: String| Err(raw.error_at("techniques", problem));
        let mut seen: Vec<(Vec<&Value>, &TechniqueChoice)> = Vec::new();
        let shown = |choice: &&TechniqueChoice| techniques.contains(&choice.label);
        for choice in self.choices.iter().filter(shown) {
            let mut values = Vec::new();
            for name in &params {
                match choice.params.get(*name) {
                    Some(value) => values.push(value),
                    None => {
                        let problem = format!("{} does not set {name}", choice.label);
                        return wrong(format!("{problem}, which is an axis here"));
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
                return wrong(format!("{one} and {other} have the same {same}"));
            }
            seen.push((values, choice));
        }
        Ok(())
    }

    /// The fixed axes. An axis with several values must be fixed or shown, so that cells are unique, except for facts.
    pub(super) fn fixed(
        &self,
        raw: &Table<RawView>,
        is_fact: bool,
        directions: &[&str],
    ) -> Result<Case, Fault> {
        let given = raw.fixed.as_ref().map(Item::table).transpose()?;
        let mut free: Vec<&str> = self.axes.iter().map(String::as_str).collect();
        free.retain(|axis| !directions.contains(axis));
        if let Some(given) = given {
            only(given, &free)?;
        }
        let mut fixed = Case::default();
        for axis in free {
            let values = values_of(self.cases, axis);
            let item = given.and_then(|given| given.get(axis));
            let value = match (item, values.as_slice()) {
                (Some(item), _) => {
                    let value = item.value()?;
                    if !values.contains(&&value) {
                        let names: Vec<String> = values.iter().map(ToString::to_string).collect();
                        let allowed = allowed(&value.to_string(), &names);
                        return Err(item.error(format!("no case has this value; {allowed}")));
                    }
                    value
                }
                (None, _) if is_fact => continue,
                (None, [value]) => (*value).clone(),
                (None, _) => {
                    let problem = format!(
                        "the axis {axis} has several values and is neither shown nor fixed"
                    );
                    return Err(raw.error_at("fixed", problem));
                }
            };
            fixed.0.push((axis.to_owned(), value));
        }
        Ok(fixed)
    }
}
