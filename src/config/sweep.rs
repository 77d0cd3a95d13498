//! Expands sweeps over parameters. Each combination of values becomes a technique in the run.

use super::cases::{combined, distinct};
use super::kinds::{each, will_not_do, wrong};
use super::source::{At, Checked, SHOWN, allowed, fault, only};
use super::views::TECHNIQUE;
use super::{Experiment, Lists, TableSpec, TechniqueChoice};
use crate::words::{Case, Catalogue, Params, TechniqueEntry, Value};

/// Maximum number of techniques that a sweep adds for one technique.
const MOST_VARIANTS: usize = 200;

/// Parses a parameter and its values: `group=32,64,128`.
pub fn parse_sweep(text: &str) -> Result<(String, Vec<Value>), String> {
    let (param, values) = text.split_once('=').unwrap_or_default();
    let values: Vec<&str> = values.split(',').map(str::trim).collect();
    if param.is_empty() || values.contains(&"") {
        return Err("must be PARAMETER=VALUE,VALUE…, such as group=32,64,128".to_owned());
    }
    let values = distinct(values.into_iter().map(Value::parse));
    Ok((param.to_owned(), values))
}

/// The result of sweeping one technique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// The labels of the added techniques.
    pub added: Vec<String>,
    /// The omitted combinations, each with its reason.
    pub left_out: Vec<String>,
    technique: String,
    params: Vec<String>,
}

impl Experiment {
    /// Applies `--sweep` to each measured technique, for the parameters that the file does not set. Fails if a
    /// parameter applies to no technique, or if no combination of values is valid.
    pub fn sweep(&mut self, sweep: &Lists, catalogue: &Catalogue) -> Result<Vec<Swept>, String> {
        let (mut all, mut open) = (Vec::new(), Vec::new());
        for choice in self.techniques.clone() {
            let entry = catalogue.technique(&self.game, &choice.technique);
            let Some(entry) = entry.filter(|_| choice.measured) else {
                continue;
            };
            let params = entry.params.iter().map(|it| it.name);
            let params = params.filter(|it| !choice.params.contains_key(*it));
            open.extend(params.clone());
            let mut own = sweep.clone();
            own.retain(|param, _| params.clone().any(|it| it == param));
            if !own.is_empty() {
                let swept = add(&own, &mut self.techniques, &choice, entry, &self.cases)?;
                for view in self.tables.iter_mut().chain(&mut self.charts) {
                    swept.show(view, &self.axes);
                }
                all.push(swept);
            }
        }
        if let Some(param) = sweep.keys().find(|it| !open.contains(&it.as_str())) {
            let (name, allowed) = (&self.name, allowed(param, distinct(open)));
            let problem = format!("no technique of {name} can vary {param}");
            return Err(format!("{problem}; {allowed}"));
        }
        let mut left_out = all.iter().flat_map(|it| &it.left_out);
        match left_out.next() {
            Some(why) if all.iter().all(|it| it.added.is_empty()) => Err(why.clone()),
            _ => Ok(all),
        }
    }
}

/// Adds the techniques for the key `sweep` in a `[[technique]]` table.
pub(super) fn read(
    sweep: &Params,
    all: &mut Vec<TechniqueChoice>,
    choice: &TechniqueChoice,
    entry: &TechniqueEntry,
    cases: &[Case],
) -> Checked<Swept> {
    let names: Vec<&str> = entry.params.iter().map(|it| it.name).collect();
    only(sweep.keys(), &names)?;
    let mut lists = Lists::new();
    for it in entry.params {
        let check =
            |value: &Value| (it.check)(value).or_else(|why| will_not_do(value, it.name, &why));
        let values = match sweep.get(it.name) {
            None => continue,
            Some(_) if choice.params.contains_key(it.name) => {
                fault("set twice; remove one of the keys")
            }
            Some(values @ Value::List(_)) => each(values, check),
            Some(one) => wrong(one, "a list"),
        };
        lists.insert(it.name.to_owned(), values.at(it.name)?);
    }
    if lists.is_empty() || !choice.measured {
        return fault("must list a parameter of a measured technique");
    }
    let swept = add(&lists, all, choice, entry, cases).or_else(fault)?;
    swept.left_out.first().map_or(Ok(()), fault)?;
    Ok(swept)
}

/// Adds a technique such as `flat-refill-group-64` for each combination of values, after the swept technique.
fn add(
    sweep: &Lists,
    all: &mut Vec<TechniqueChoice>,
    choice: &TechniqueChoice,
    entry: &TechniqueEntry,
    cases: &[Case],
) -> Result<Swept, String> {
    let mut variants = vec![choice.clone()];
    for (param, values) in sweep {
        let number = variants.len() * values.len();
        if number > MOST_VARIANTS {
            let allowed = format!("at most {MOST_VARIANTS} are allowed");
            return Err(format!("{number} combinations; {allowed}"));
        }
        variants = combined(&variants, values, |choice, value| {
            let is_odd = |it: char| !it.is_ascii_alphanumeric() && !"-_.".contains(it);
            let mut variant = choice.clone();
            let value_name = value.to_string().replace(is_odd, "-");
            variant.label = format!("{}-{param}-{value_name}", choice.label);
            variant.params.insert(param.clone(), value.clone());
            variant
        });
    }
    let mut swept = Swept {
        technique: choice.label.clone(),
        params: sweep.keys().cloned().collect(),
        ..Swept::default()
    };
    let place = all.iter().position(|it| it.label == choice.label);
    for variant in variants {
        let label = &variant.label;
        let params = entry.params.iter();
        let mut params = params.filter_map(|it| Some((it, variant.params.get(it.name)?)));
        let mut cases = cases.iter().filter(|case| variant.takes(case));
        let checked = if all.iter().any(|it| it.label == *label) {
            Err("the experiment already has a technique with this label".to_owned())
        } else if label.len() > SHOWN {
            Err(format!("a label has at most {SHOWN} characters"))
        } else {
            params
                .try_for_each(|(it, value)| (it.check)(value))
                .and_then(|()| cases.try_for_each(|case| (entry.check)(case, &variant.params)))
        };
        match checked {
            Err(why) => swept.left_out.push(format!("{label}: {why}")),
            Ok(()) => {
                swept.added.push(label.clone());
                let place = place.map_or(0, |it| it + swept.added.len());
                all.insert(place, variant);
            }
        }
    }
    Ok(swept)
}

impl Swept {
    /// Adds the new techniques to a table or chart that shows the swept technique. If a swept parameter is an axis,
    /// they replace the swept technique, which has no value on that axis.
    pub(super) fn show(&self, view: &mut TableSpec, axes: &[String]) {
        let params = view.rows.iter().chain(&view.columns);
        let mut params = params.filter(|it| !axes.contains(it));
        let is_axis = params.clone().any(|it| self.params.contains(it));
        let tells = is_axis || params.clone().next().is_none() || params.any(|it| it == TECHNIQUE);
        let place = view.techniques.iter().position(|it| *it == self.technique);
        if let (Some(place), true) = (place, tells) {
            let from = place + usize::from(!is_axis);
            view.techniques
                .splice(from..=place, self.added.iter().cloned());
            view.techniques = distinct(view.techniques.drain(..));
        }
    }
}
