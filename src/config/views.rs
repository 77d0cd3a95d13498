//! Checks the tables and charts in the report.

use super::cases::{distinct, values_of};
use super::kinds::{is_name, known, name, once, one_of, quoted};
use super::source::{At, Checked, allowed, fault, only};
use super::{BASELINES, Experiment, Quantity, Swept, TableSpec, TechniqueChoice};
use crate::words::Params;

/// Name of the pseudo-axis that has one row, column or line per technique.
pub const TECHNIQUE: &str = "technique";

impl Experiment {
    /// Checks tables or charts, and fills in their defaults.
    pub(super) fn resolved(
        &self,
        mut views: Vec<TableSpec>,
        is_chart: bool,
        swept: &[Swept],
    ) -> Checked<Vec<TableSpec>> {
        for place in 0..views.len() {
            self.resolve(&mut views[place], is_chart, swept).at(place)?;
            let id = &views[place].id;
            if views[..place].iter().any(|other| other.id == *id) {
                return fault(format!("{id:?} occurs twice")).at("id").at(place);
            }
        }
        Ok(views)
    }

    fn resolve(&self, view: &mut TableSpec, is_chart: bool, swept: &[Swept]) -> Checked<()> {
        let measured = self.techniques.iter().filter(|choice| choice.measured);
        let labels: Vec<String> = measured.map(|choice| choice.label.clone()).collect();
        name(&view.id).at("id")?;
        if view.title.is_empty() {
            view.title.clone_from(&view.id);
        }
        let quantities = &view.quantities;
        let several = quantities.len() > 1;
        let is_fact = quantities.iter().any(Quantity::is_fact);
        let needs_baseline = quantities.iter().any(Quantity::needs_baseline);
        let [rows, columns] = match is_chart {
            true => ["series", "x"],
            false => ["rows", "columns"],
        };
        once(quantities).at("quantity")?;
        let (is_column, has_baselines) = (!view.columns.is_empty(), !view.baselines.is_empty());
        let (has_several, has_techniques) = (view.columns.len() > 1, !view.techniques.is_empty());
        let alone = "a fact must be the only quantity";
        let each = "each quantity has a column; remove the key";
        let no_baseline = "its quantity has no baseline; remove the key";
        let no_technique = "a fact has no technique; remove the key";
        let refused = [
            (quantities.is_empty(), "quantity", "give at least one"),
            (is_chart && several, "quantity", "a chart has only one"),
            (several && is_fact, "quantity", alone),
            (view.rows.is_empty(), rows, "missing"),
            (is_chart && !is_column, columns, "missing"),
            (is_chart && has_several, columns, "a chart has only one"),
            (several && is_column, columns, each),
            (!needs_baseline && has_baselines, "baselines", no_baseline),
            (is_fact && has_techniques, "techniques", no_technique),
        ];
        if let Some((_, key, problem)) = refused.into_iter().find(|it| it.0) {
            return fault(problem).at(key);
        }
        let mut free = self.directions(is_fact);
        for (key, axes) in [(rows, &view.rows), (columns, &view.columns)] {
            for (place, axis) in axes.iter().enumerate() {
                one_of(axis, &free).at(place).at(key)?;
                free.retain(|other| other != axis);
            }
        }
        let directions = view.rows.iter().chain(&view.columns).cloned();
        let directions: Vec<String> = directions.collect();
        let fixed = self.fixed(&view.fixed, is_fact, &directions);
        view.fixed = fixed.at("fixed")?;
        if view.baselines.is_empty() && needs_baseline {
            let usual = BASELINES.map(str::to_owned).into_iter();
            view.baselines = usual.filter(|name| labels.contains(name)).collect();
        }
        known(&view.baselines, &labels).at("baselines")?;
        if view.techniques.is_empty() && !is_fact {
            let others = labels.iter().filter(|it| !view.baselines.contains(it));
            view.techniques = others.cloned().collect();
            if view.techniques.is_empty() {
                return fault("there are none besides the baselines").at("techniques");
            }
        }
        known(&view.techniques, &labels).at("techniques")?;
        swept.iter().for_each(|it| it.show(view, &self.axes));
        let checked = self.tell_apart(&directions, &view.techniques);
        checked.at("techniques")?;
        for (place, file) in view.published.iter().enumerate() {
            if !(file.ends_with(".csv") && file.split('/').all(is_name)) {
                let must = "the path of a .csv file under reports/published/";
                let problem = format!("must be {must}, not {}", quoted(file));
                return fault(problem).at(place).at("published");
            }
        }
        let baseline = view.published_baseline.as_slice();
        known(baseline, &view.baselines).at("published-baseline")
    }

    /// Returns the possible axes. If the quantity depends on techniques, they include `technique` and all parameters.
    fn directions(&self, is_fact: bool) -> Vec<&str> {
        let choices = self.techniques.iter();
        let params = choices.flat_map(|choice| choice.params.keys());
        let more = [TECHNIQUE].into_iter().chain(params.map(String::as_str));
        let more = more.filter(|_| !is_fact);
        distinct(self.axes.iter().map(String::as_str).chain(more))
    }

    /// Checks that parameters select one technique per case, if parameters are axes and `technique` is not.
    fn tell_apart(&self, directions: &[String], techniques: &[String]) -> Checked<()> {
        let mut params = directions.to_vec();
        params.retain(|name| name != TECHNIQUE && !self.axes.contains(name));
        let is_told = params.is_empty() || directions.iter().any(|it| it == TECHNIQUE);
        let mut shown: Vec<&TechniqueChoice> = self.techniques.iter().collect();
        shown.retain(|choice| techniques.contains(&choice.label));
        for (place, choice) in shown.iter().enumerate() {
            let label = &choice.label;
            if let Some(name) = params.iter().find(|it| !choice.params.contains_key(*it)) {
                let problem = format!("{label} does not set {name}, which is an axis here");
                return fault(problem);
            }
            let meets = |other: &TechniqueChoice| {
                let mut cases = self.cases.iter();
                let is_like = |it: &String| other.params.get(it) == choice.params.get(it);
                params.iter().all(is_like) && cases.any(|it| other.takes(it) && choice.takes(it))
            };
            if let Some(other) = shown[..place].iter().find(|it| !is_told && meets(it)) {
                let (other, same) = (&other.label, params.join(" and "));
                return fault(format!("{other} and {label} have the same {same}"));
            }
        }
        Ok(())
    }

    /// Returns the fixed axes. Except for facts, every axis with several values must be fixed or shown.
    fn fixed(&self, given: &Params, is_fact: bool, directions: &[String]) -> Checked<Params> {
        let mut free = self.axes.clone();
        free.retain(|axis| !directions.contains(axis));
        only(given.keys(), &free)?;
        let mut fixed = Params::new();
        for axis in free {
            let values = values_of(&self.cases, &axis);
            let value = match (given.get(&axis), values.as_slice()) {
                (Some(value), values) if values.contains(&value) => value,
                (Some(value), values) => {
                    let allowed = allowed(&value.to_string(), values);
                    return fault(format!("no case has this value; {allowed}")).at(axis);
                }
                (None, _) if is_fact => continue,
                (None, [value]) => value,
                (None, _) => {
                    let problem = "has several values and is neither shown nor fixed";
                    return fault(format!("the axis {axis} {problem}"));
                }
            };
            fixed.insert(axis, value.clone());
        }
        Ok(fixed)
    }
}
