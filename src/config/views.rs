//! Checks the tables and charts of the report.

use super::cases::{unique, values_of};
use super::kinds::{is_name, known, name, once, one_of, wrong_text};
use super::source::{At, Checked, allowed, fault, only};
use super::{BASELINES, Experiment, Quantity, TableSpec, TechniqueChoice};
use crate::words::{Case, Value};

/// The pseudo axis with one row, column or line per technique.
pub const TECHNIQUE: &str = "technique";

impl Experiment {
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
        let measured = self.techniques.iter().filter(|choice| choice.measured);
        let labels: Vec<&str> = measured.map(|choice| choice.label.as_str()).collect();
        name(&view.id).at("id")?;
        if view.title.is_empty() {
            view.title.clone_from(&view.id);
        }
        let quantities = &view.quantities;
        let several = quantities.len() > 1;
        let [rows, columns] = match is_chart {
            true => ["series", "x"],
            false => ["rows", "columns"],
        };
        once(quantities).at("quantity")?;
        let many_columns = several && !view.columns.is_empty();
        for (is_wrong, key, problem) in [
            (is_chart && several, "quantity", "a chart has one"),
            (
                is_chart && view.columns.len() > 1,
                columns,
                "a chart has one",
            ),
            (
                many_columns,
                columns,
                "each quantity has a column; leave the key out",
            ),
        ] {
            if is_wrong {
                return fault(problem).at(key);
            }
        }
        let fact = quantities.iter().find(|one| one.is_fact());
        if let Some(fact) = fact.filter(|_| several) {
            return fault(format!("{fact} must stand by itself")).at("quantity");
        }
        let mut free = self.directions(fact.is_some());
        for (key, axes) in [(rows, &view.rows), (columns, &view.columns)] {
            if axes.is_empty() && (is_chart || key == rows) {
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
            let usual = usual.filter(|name| labels.contains(name));
            view.baselines = usual.map(str::to_owned).collect();
        } else if needs_baseline {
            known(&view.baselines, &labels).at("baselines")?;
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
            (false, None) => known(&view.techniques, &labels),
            (true, None) => {
                let others = labels.iter().map(|label| (*label).to_owned());
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
            if !(file.ends_with(".csv") && file.split('/').all(is_name)) {
                let must = "the path of a .csv file under reports/published/";
                return wrong_text(file, must).at(place).at("published");
            }
        }
        once(&view.published).at("published")?;
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
    fn directions(&self, is_fact: bool) -> Vec<&str> {
        let params = self
            .techniques
            .iter()
            .flat_map(|choice| choice.params.keys());
        let more = [TECHNIQUE].into_iter().chain(params.map(String::as_str));
        let more = more.filter(|_| !is_fact);
        unique(self.axes.iter().map(String::as_str).chain(more))
    }

    /// If parameters are axes and techniques are not, the parameters must select one technique per case.
    fn tell_apart(&self, directions: &[&str], techniques: &[String]) -> Checked<()> {
        let mut params = directions.to_vec();
        params.retain(|name| *name != TECHNIQUE && !self.axes.iter().any(|axis| axis == name));
        if params.is_empty() {
            return Ok(());
        }
        let mut seen: Vec<(Vec<&Value>, &TechniqueChoice)> = Vec::new();
        let shown = |choice: &&TechniqueChoice| techniques.contains(&choice.label);
        for choice in self.techniques.iter().filter(shown) {
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
        free.retain(|axis| !directions.contains(&axis.as_str()));
        only(given.0.iter().map(|(axis, _)| axis), &free)?;
        let mut fixed = Case::default();
        for axis in free {
            let values = values_of(&self.cases, &axis);
            let value = match (given.get(&axis), values.as_slice()) {
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
            fixed.0.push((axis, value.clone()));
        }
        Ok(fixed)
    }
}
