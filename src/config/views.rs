//! Checks the tables and charts of the report.

use super::cases::{unique, values_of};
use super::kinds::{known, name, once, one_of, wrong, wrong_text};
use super::source::{At, Checked, Document, allowed, fault, only};
use super::{BASELINES, Quantity, TableSpec, TechniqueChoice};
use crate::words::{Case, Value};

/// The pseudo axis with one row, column or line per technique.
pub const TECHNIQUE: &str = "technique";

const KEYS: &str =
    "id title quantity fixed techniques baselines published published-baseline analysis";

/// Refuses the keys of charts in tables and the reverse, which have one struct, and empty lists.
pub(super) fn check_keys(document: &Document<'_>, list: &str) -> Checked<()> {
    let is_chart = list == "chart";
    let more = ["rows columns unit", "x series log"][usize::from(is_chart)];
    let keys: Vec<&str> = KEYS.split(' ').chain(more.split(' ')).collect();
    for (place, view) in document.list(list).iter().enumerate() {
        for (key, value) in view.get_ref().as_table().into_iter().flatten() {
            let key = key.get_ref().as_ref();
            only([key], &keys).at(place).at(list)?;
            let checked = match (key, value.get_ref().as_array().map(|list| list.len())) {
                ("x" | "quantity", Some(_)) if is_chart => {
                    wrong(&Value::List(Vec::new()), "text in quotes")
                }
                ("techniques" | "baselines", Some(0)) => {
                    fault("empty; leave the key out for the default")
                }
                ("quantity" | "published", Some(0)) => fault("empty; give one at least"),
                (_, Some(0)) => fault("empty; give one axis at least"),
                _ => Ok(()),
            };
            checked.at(key).at(place).at(list)?;
        }
    }
    Ok(())
}

pub(super) struct Names<'a> {
    axes: Vec<&'a str>,
    cases: &'a [Case],
    choices: &'a [TechniqueChoice],
    labels: Vec<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn new(
        axes: &'a [String],
        cases: &'a [Case],
        choices: &'a [TechniqueChoice],
    ) -> Self {
        let measured = choices.iter().filter(|choice| choice.measured);
        Names {
            axes: axes.iter().map(String::as_str).collect(),
            cases,
            choices,
            labels: measured.map(|choice| choice.label.as_str()).collect(),
        }
    }

    /// Checks tables or charts, and fills in their defaults.
    pub(super) fn resolved(
        &self,
        mut views: Vec<TableSpec>,
        is_chart: bool,
    ) -> Checked<Vec<TableSpec>> {
        for place in 0..views.len() {
            self.resolve(&mut views[place], is_chart).at(place)?;
            let id = &views[place].id;
            if views[..place].iter().any(|other| other.id == *id) {
                return fault(format!("{id:?} is there twice")).at("id").at(place);
            }
        }
        Ok(views)
    }

    fn resolve(&self, view: &mut TableSpec, is_chart: bool) -> Checked<()> {
        name(&view.id).at("id")?;
        if view.title.is_empty() {
            view.title.clone_from(&view.id);
        }
        let quantities = &view.quantities;
        once(quantities, |one| format!("\"{one}\"")).at("quantity")?;
        let fact = quantities.iter().find(|one| one.is_fact());
        let several = quantities.len() > 1;
        if let Some(fact) = fact.filter(|_| several) {
            return fault(format!("{fact} must stand by itself")).at("quantity");
        }
        if several && !view.columns.is_empty() {
            return fault("each quantity has a column; leave the key out").at("columns");
        }
        let lists = match is_chart {
            true => [("x", &view.columns), ("series", &view.rows)],
            false => [("rows", &view.rows), ("columns", &view.columns)],
        };
        let mut free = self.directions(fact.is_some());
        for (key, axes) in lists {
            if axes.is_empty() && key != "columns" {
                return fault("missing").at(key);
            }
            for (place, axis) in axes.iter().enumerate() {
                one_of(axis, &free).at(place).at(key)?;
                free.retain(|other| other != axis);
            }
        }
        let directions = view.rows.iter().chain(&view.columns);
        let directions: Vec<&str> = directions.map(String::as_str).collect();
        view.fixed = self
            .fixed(&view.fixed, fact.is_some(), &directions)
            .at("fixed")?;
        let needs_baseline = quantities.iter().any(Quantity::needs_baseline);
        if view.baselines.is_empty() {
            let usual = BASELINES.into_iter().filter(|_| needs_baseline);
            let usual = usual.filter(|name| self.labels.contains(name));
            view.baselines = usual.map(str::to_owned).collect();
        } else if needs_baseline {
            known(&view.baselines, &self.labels).at("baselines")?;
        } else {
            let names: Vec<String> = quantities.iter().map(Quantity::to_string).collect();
            let names = names.join(", ");
            let problem = format!("{names} has no baseline; leave the key out");
            return fault(problem).at("baselines");
        }
        // By default every technique that is no baseline of this view.
        let checked = match (view.techniques.is_empty(), fact) {
            (true, Some(_)) => Ok(()),
            (false, Some(fact)) => fault(format!("{fact} has no technique; leave the key out")),
            (false, None) => known(&view.techniques, &self.labels),
            (true, None) => {
                let others = self.labels.iter().map(|label| (*label).to_owned());
                let others = others.filter(|label| !view.baselines.contains(label));
                view.techniques = others.collect();
                match view.techniques.is_empty() {
                    true => fault("there is none but the baselines"),
                    false => Ok(()),
                }
            }
        };
        let checked = checked.and_then(|()| self.tell_apart(&directions, &view.techniques));
        checked.at("techniques")?;
        for (place, file) in view.published.iter().enumerate() {
            if !is_published(file) {
                let must = "the path of a .csv file under reports/published/";
                return wrong_text(file, must).at(place).at("published");
            }
        }
        once(&view.published, |file| format!("\"{file}\"")).at("published")?;
        let checked = match &view.published_baseline {
            Some(_) if view.published.is_empty() => {
                fault("there are no published numbers: the key published is missing")
            }
            Some(label) => one_of(label, &view.baselines).map(drop),
            None => Ok(()),
        };
        checked.at("published-baseline")
    }

    /// Axes; if the quantity has techniques, `technique` and their parameters too.
    fn directions(&self, is_fact: bool) -> Vec<&'a str> {
        let params = self.choices.iter().flat_map(|choice| choice.params.keys());
        let more = [TECHNIQUE].into_iter().chain(params.map(String::as_str));
        let more = more.filter(|_| !is_fact);
        unique(self.axes.iter().copied().chain(more))
    }

    /// If parameters are axes and techniques are not, the parameters must select one technique per case.
    fn tell_apart(&self, directions: &[&str], techniques: &[String]) -> Checked<()> {
        let mut params = directions.to_vec();
        params.retain(|name| *name != TECHNIQUE && !self.axes.contains(name));
        if params.is_empty() {
            return Ok(());
        }
        let mut seen: Vec<(Vec<&Value>, &TechniqueChoice)> = Vec::new();
        let shown = |choice: &&TechniqueChoice| techniques.contains(&choice.label);
        for choice in self.choices.iter().filter(shown) {
            let own = params
                .iter()
                .map(|name| choice.params.get(*name).ok_or(name));
            let values = own.collect::<Result<Vec<_>, _>>().or_else(|name| {
                let problem = format!("{} does not set {name}", choice.label);
                fault(format!("{problem}, which is an axis here"))
            })?;
            let meet = |other: &TechniqueChoice| {
                let mut cases = self.cases.iter();
                cases.any(|case| other.takes(case) && choice.takes(case))
            };
            let mut like = seen.iter().filter(|_| !directions.contains(&TECHNIQUE));
            if let Some((_, other)) = like.find(|(own, other)| *own == values && meet(other)) {
                let (one, other, same) = (&other.label, &choice.label, params.join(" and "));
                return fault(format!("{one} and {other} have the same {same}"));
            }
            seen.push((values, choice));
        }
        Ok(())
    }

    /// The fixed axes. An axis with several values must be fixed or shown, so that cells are unique, except for facts.
    fn fixed(&self, given: &Case, is_fact: bool, directions: &[&str]) -> Checked<Case> {
        let mut free = self.axes.clone();
        free.retain(|axis| !directions.contains(axis));
        only(given.0.iter().map(|(axis, _)| axis), &free)?;
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
                    let problem = "has several values and is neither shown nor fixed";
                    return fault(format!("the axis {axis} {problem}"));
                }
            };
            fixed.0.push((axis.to_owned(), value.clone()));
        }
        Ok(fixed)
    }
}

fn is_published(file: &str) -> bool {
    let plain = |part: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.starts_with('.') && !part.is_empty() && part.chars().all(plain)
    };
    file.ends_with(".csv") && file.split('/').all(plain)
}
