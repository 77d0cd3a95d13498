//! Sweeps: each value of a launch parameter becomes a technique of the run.

use std::str::FromStr;

use super::cases::combined;
use super::kinds::{each, wrong};
use super::source::{At, Checked, fault};
use super::techniques::RawTechnique;
use super::views::TECHNIQUE;
use super::{Experiment, TechniqueChoice};
use crate::words::{Catalogue, Kind, ParamEntry, TechniqueEntry, Value};

/// Techniques that a sweep may add.
const MOST_VARIANTS: usize = 200;

/// Values of one parameter: `group=32,64,128`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The parameter.
    pub param: String,
    /// Its values.
    pub values: Vec<Value>,
}

impl FromStr for Sweep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "must be PARAMETER=VALUE,VALUE…, as group=32,64,128".to_owned();
        let (param, values) = text.split_once('=').ok_or_else(wrong)?;
        let values: Vec<&str> = values.split(',').map(str::trim).collect();
        if param.is_empty() || values.iter().any(|value| value.is_empty()) {
            return Err(wrong());
        }
        Ok(Sweep {
            param: param.to_owned(),
            values: values.into_iter().map(Value::parse).collect(),
        })
    }
}

/// The techniques that a sweep added, and those that it left out, each with the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Labels.
    pub added: Vec<String>,
    /// One line each.
    pub left_out: Vec<String>,
}

impl Experiment {
    /// Adds a technique beside each measured device technique that has all swept parameters and sets none, per
    /// combination of values: `flat-refill-group-64`. Tables and charts show it where they show the original. With
    /// `label`, sweeps only the technique of that label. Fails if no technique has the parameters, or if there are too
    /// many combinations.
    pub fn sweep(
        &mut self,
        label: Option<&str>,
        sweeps: &[Sweep],
        catalogue: &Catalogue,
    ) -> Result<Swept, String> {
        let mut all = Vec::new();
        let mut swept = Swept::default();
        let mut of_each: Vec<(String, Vec<String>)> = Vec::new();
        for choice in &self.techniques {
            all.push(choice.clone());
            let entry = catalogue.technique(&self.game, &choice.technique);
            let Some(entry) = entry.filter(|it| it.kind == Kind::Device && choice.measured) else {
                continue;
            };
            let is_open = |sweep: &Sweep| {
                let mut params = entry.params.iter();
                params.any(|it| it.name == sweep.param) && !choice.params.contains_key(&sweep.param)
            };
            if label.is_some_and(|label| label != choice.label) || !sweeps.iter().all(is_open) {
                continue;
            }
            let mut own = Vec::new();
            for variant in variants(choice, sweeps)? {
                match self.takes(&variant, entry) {
                    Ok(()) => own.push(variant),
                    Err(why) => swept.left_out.push(format!("{}: {why}", variant.label)),
                }
            }
            let labels = own.iter().map(|variant| variant.label.clone());
            of_each.push((choice.label.clone(), labels.collect()));
            all.append(&mut own);
        }
        if of_each.is_empty() {
            let params: Vec<&str> = sweeps.iter().map(|it| it.param.as_str()).collect();
            let (name, params) = (&self.name, params.join(" and "));
            return Err(format!("no device technique of {name} has {params} open"));
        }
        self.techniques = all;
        let axes = self.axes.clone();
        for view in self.tables.iter_mut().chain(&mut self.charts) {
            let mut directions = view.rows.iter().chain(&view.columns);
            let by_technique = directions.clone().any(|it| it == TECHNIQUE);
            if by_technique || directions.all(|it| axes.contains(it)) {
                for (label, own) in &of_each {
                    if let Some(at) = view.techniques.iter().position(|it| it == label) {
                        view.techniques.splice(at + 1..at + 1, own.iter().cloned());
                    }
                }
            }
        }
        swept.added = of_each.into_iter().flat_map(|(_, own)| own).collect();
        Ok(swept)
    }

    fn takes(&self, variant: &TechniqueChoice, entry: &TechniqueEntry) -> Result<(), String> {
        if self.choice(&variant.label).is_some() {
            return Err("the experiment has a technique of that label".to_owned());
        }
        let given = |it: &ParamEntry| Some((it.check)(variant.params.get(it.name)?));
        let mut given = entry.params.iter().filter_map(given);
        given.try_for_each(|checked| checked)?;
        let mut cases = self.cases.iter().filter(|case| variant.takes(case));
        cases.try_for_each(|case| (entry.check)(case, &variant.params))
    }

    /// Reads the key `sweep` of a `[[technique]]`.
    pub(super) fn read_sweep(&mut self, raw: &RawTechnique, catalogue: &Catalogue) -> Checked<()> {
        let Some(own) = &raw.sweep else {
            return Ok(());
        };
        let label = raw.label.as_ref().or(raw.name.as_ref());
        let label = label.map_or("", String::as_str);
        let read = |(param, values): (&String, &Value)| {
            let list = Some(values).filter(|values| matches!(values, Value::List(_)));
            let values =
                list.map_or_else(|| wrong(values, "a list"), |list| each(list, |_| Ok(())));
            let (param, values) = (param.clone(), values.at(param)?);
            Ok(Sweep { param, values })
        };
        let sweeps = own.iter().map(read).collect::<Checked<Vec<_>>>()?;
        match self.sweep(Some(label), &sweeps, catalogue) {
            Err(problem) => fault(problem),
            Ok(swept) => swept.left_out.first().map_or(Ok(()), fault),
        }
    }
}

fn variants(choice: &TechniqueChoice, sweeps: &[Sweep]) -> Result<Vec<TechniqueChoice>, String> {
    let mut all = vec![choice.clone()];
    for Sweep { param, values } in sweeps {
        let number = all.len() * values.len();
        if number > MOST_VARIANTS {
            let allowed = format!("allowed are at most {MOST_VARIANTS}");
            return Err(format!("{number} combinations; {allowed}"));
        }
        all = combined(&all, values, |choice, value| {
            let mut variant = choice.clone();
            let value_name = value
                .to_string()
                .replace(|c: char| !c.is_alphanumeric(), "");
            variant.label = format!("{}-{param}-{value_name}", choice.label);
            variant.params.insert(param.clone(), value.clone());
            variant
        });
    }
    Ok(all)
}
