//! Tables and charts of the report.

use super::cases::{unique, values_of};
use super::error::allowed;
use super::raw::{RawView, Word, each, name, one_of, pick, text, wrong};
use super::source::{At, Checked, fault, only};
use super::{BASELINES, Quantity, TableSpec, TechniqueChoice, TimeUnit};
use crate::words::{Case, Params, Value};

/// The pseudo axis with one row, column or line per technique.
pub const TECHNIQUE: &str = "technique";

/// The remedy for an empty list.
const ONE: &str = "give one at least";

struct Names<'a> {
    axes: &'a [String],
    cases: &'a [Case],
    choices: &'a [TechniqueChoice],
    labels: Vec<&'a str>,
}

pub(super) fn read_views(
    tables: Vec<RawView>,
    charts: Vec<RawView>,
    axes: &[String],
    cases: &[Case],
    techniques: &[TechniqueChoice],
) -> Checked<[Vec<TableSpec>; 2]> {
    let measured = techniques.iter().filter(|choice| choice.measured);
    let names = Names {
        axes,
        cases,
        choices: techniques,
        labels: measured.map(|choice| choice.label.as_str()).collect(),
    };
    Ok([
        names.views(tables, false).at("table")?,
        names.views(charts, true).at("chart")?,
    ])
}

impl Names<'_> {
    fn views(&self, raw: Vec<RawView>, is_chart: bool) -> Checked<Vec<TableSpec>> {
        let mut specs: Vec<TableSpec> = Vec::new();
        for (place, view) in raw.into_iter().enumerate() {
            let spec = self.view(view, is_chart).at(place)?;
            if specs.iter().any(|other| other.id == spec.id) {
                let twice = fault(format!("{:?} is there twice", spec.id));
                return twice.at("id").at(place);
            }
            specs.push(spec);
        }
        Ok(specs)
    }

    fn view(&self, raw: RawView, is_chart: bool) -> Checked<TableSpec> {
        let quantities = match is_chart {
            true => quantity(&raw.quantity, &[]).map(|one| vec![one]),
            false => each(&raw.quantity, ONE, |value| quantity(value, &[])),
        };
        let quantities = quantities.at("quantity")?;
        let is_fact = quantities.iter().any(Quantity::is_fact);
        let several = quantities.len() > 1;
        if let Some(fact) = quantities.iter().find(|one| several && one.is_fact()) {
            return fault(format!("{fact} must stand by itself")).at("quantity");
        }
        let x = raw.x.as_ref().map(|x| x.0.clone());
        let [first, second] = match is_chart {
            true => [("x", &x), ("series", &raw.series)],
            false => [("rows", &raw.rows), ("columns", &raw.columns)],
        };
        let read = |(key, value): (&str, &Option<Value>), others: &[String]| match value {
            None if key == "columns" => Ok(Vec::new()),
            None => fault("missing").at(key),
            Some(_) if key == "columns" && several => {
                fault("each quantity has a column; leave the key out").at(key)
            }
            Some(value) => self.directions(value, is_fact, others).at(key),
        };
        let first = read(first, &[])?;
        let second = read(second, &first)?;
        let (rows, columns) = match is_chart {
            true => (second, first),
            false => (first, second),
        };
        let directions: Vec<&str> = rows.iter().chain(&columns).map(String::as_str).collect();
        let fixed = self.fixed(&raw.fixed, is_fact, &directions).at("fixed")?;
        let baselines = self.baselines(&raw, &quantities).at("baselines")?;
        let techniques = self.techniques(&raw, &quantities, &baselines);
        let techniques = techniques.at("techniques")?;
        self.tell_apart(&directions, &techniques).at("techniques")?;
        let files = raw.published.as_ref();
        let files = files.map(|value| each(value, ONE, published_file));
        let published = files.unwrap_or(Ok(Vec::new())).at("published")?;
        let baseline = |value: &Word| match published.is_empty() {
            true => fault("there are no published numbers: the key published is missing"),
            false => one_of(&value.0, &baselines),
        };
        let published_baseline = raw.published_baseline.as_ref().map(baseline).transpose();
        let id = name(&raw.id.0).at("id")?;
        let unit = |value: &Value| pick(value, TimeUnit::ALL.map(|unit| (unit.word(), unit)));
        Ok(TableSpec {
            title: raw.title.map_or_else(|| id.clone(), |title| title.0),
            id,
            published_baseline: published_baseline.at("published-baseline")?,
            unit: raw.unit.as_ref().map(unit).transpose().at("unit")?,
            log: raw.log.unwrap_or_default(),
            analysis: raw.analysis.map_or_else(String::new, |text| text.0),
            quantities,
            rows,
            columns,
            fixed,
            techniques,
            baselines,
            published,
        })
    }

    /// By default the baselines of every experiment.
    fn baselines(&self, raw: &RawView, quantities: &[Quantity]) -> Checked<Vec<String>> {
        let needed = quantities.iter().any(Quantity::needs_baseline);
        match &raw.baselines {
            Some(given) if needed => self.some_labels(given),
            Some(_) => {
                let names: Vec<String> = quantities.iter().map(Quantity::to_string).collect();
                let names = names.join(", ");
                fault(format!("{names} has no baseline; leave the key out"))
            }
            None => {
                let usual = BASELINES.into_iter();
                let usual = usual.filter(|name| needed && self.labels.contains(name));
                Ok(usual.map(str::to_owned).collect())
            }
        }
    }

    /// By default every technique that is no baseline of this table or chart.
    fn techniques(
        &self,
        raw: &RawView,
        quantities: &[Quantity],
        baselines: &[String],
    ) -> Checked<Vec<String>> {
        let fact = quantities.iter().find(|quantity| quantity.is_fact());
        match (&raw.techniques, fact) {
            (Some(_), Some(fact)) => fault(format!("{fact} has no technique; leave the key out")),
            (Some(given), None) => self.some_labels(given),
            (None, Some(_)) => Ok(Vec::new()),
            (None, None) => {
                let others = self.labels.iter().map(|label| (*label).to_owned());
                let others: Vec<_> = others.filter(|label| !baselines.contains(label)).collect();
                match others.is_empty() {
                    true => fault("there is none but the baselines"),
                    false => Ok(others),
                }
            }
        }
    }

    fn some_labels(&self, given: &Value) -> Checked<Vec<String>> {
        let remedy = "leave the key out for the default";
        match given {
            Value::List(_) => each(given, remedy, |label| one_of(label, &self.labels)),
            one => wrong(one, "a list"),
        }
    }

    /// Axes; if the quantity has techniques, `technique` and their parameters too.
    fn directions(&self, value: &Value, is_fact: bool, others: &[String]) -> Checked<Vec<String>> {
        let mut names: Vec<&str> = self.axes.iter().map(String::as_str).collect();
        if !is_fact {
            names.push(TECHNIQUE);
            let params = self.choices.iter().flat_map(|choice| choice.params.keys());
            names.extend(params.map(String::as_str));
        }
        let mut names = unique(names);
        names.retain(|name| !others.iter().any(|other| other == name));
        each(value, "give one axis at least", |value| {
            let name = one_of(value, &names)?;
            names.retain(|other| *other != name);
            Ok(name)
        })
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
    fn fixed(&self, given: &Params, is_fact: bool, directions: &[&str]) -> Checked<Case> {
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

/// Reads a quantity. `more`: further allowed words, for the error.
pub(super) fn quantity(value: &Value, more: &[&str]) -> Checked<Quantity> {
    if let Some(quantity) = Quantity::parse(text(value)?) {
        return Ok(quantity);
    }
    let mut words: Vec<String> = more.iter().map(ToString::to_string).collect();
    words.extend(Quantity::words());
    one_of(value, &words)?;
    fault("NAME stands for a name")
}

fn published_file(value: &Value) -> Checked<String> {
    let text = text(value)?;
    let plain = |part: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.starts_with('.') && !part.is_empty() && part.chars().all(plain)
    };
    match text.ends_with(".csv") && text.split('/').all(plain) {
        true => Ok(text.to_owned()),
        false => wrong(value, "the path of a .csv file under reports/published/"),
    }
}
