//! Tables and charts of the report.

use super::error::allowed;
use super::raw::{CHART_KEYS, Flag, Item, RawExperiment, RawView, TABLE_KEYS, Table};
use super::source::Fault;
use super::{BASELINES, Quantity, TableSpec, TechniqueChoice, TimeUnit};
use crate::words::Case;

/// The pseudo axis with one row, column or line per technique.
pub const TECHNIQUE: &str = "technique";

/// The remedy for an empty list.
const ONE: &str = "give one at least";

pub(super) struct Names<'a> {
    pub(super) axes: &'a [String],
    pub(super) cases: &'a [Case],
    pub(super) choices: &'a [TechniqueChoice],
    labels: Vec<&'a str>,
}

pub(super) fn read_views(
    raw: &RawExperiment,
    axes: &[String],
    cases: &[Case],
    techniques: &[TechniqueChoice],
) -> Result<[Vec<TableSpec>; 2], Fault> {
    let measured = techniques.iter().filter(|choice| choice.measured);
    let names = Names {
        axes,
        cases,
        choices: techniques,
        labels: measured.map(|choice| choice.label.as_str()).collect(),
    };
    Ok([
        names.views(&raw.table, false)?,
        names.views(&raw.chart, true)?,
    ])
}

impl Names<'_> {
    fn views(&self, raw: &[Table<RawView>], is_chart: bool) -> Result<Vec<TableSpec>, Fault> {
        let mut specs: Vec<TableSpec> = Vec::new();
        for view in raw {
            let spec = self.view(view, is_chart)?;
            if specs.iter().any(|other| other.id == spec.id) {
                let twice = format!("{:?} is there twice", spec.id);
                return Err(Fault::new(view.id.span(), twice));
            }
            specs.push(spec);
        }
        Ok(specs)
    }

    fn view(&self, raw: &Table<RawView>, is_chart: bool) -> Result<TableSpec, Fault> {
        let of_table = [&raw.rows, &raw.columns, &raw.unit];
        let of_chart = [&raw.x, &raw.series, &raw.log];
        let (own, others, keys) = match is_chart {
            true => (CHART_KEYS, TABLE_KEYS, of_table),
            false => (TABLE_KEYS, CHART_KEYS, of_chart),
        };
        if let Some((key, Some(item))) = others.iter().zip(keys).find(|(_, item)| item.is_some()) {
            return Err(item.error(format!("unknown key; {}", allowed(key, &own))));
        }
        let item = &raw.quantity;
        let quantities = match is_chart {
            true => vec![quantity(item, &[])?],
            false => item.each_once(ONE, |item| quantity(item, &[]))?,
        };
        let is_fact = quantities.iter().any(Quantity::is_fact);
        let several = quantities.len() > 1;
        if let Some(fact) = quantities.iter().find(|one| several && one.is_fact()) {
            return Err(item.error(format!("{fact} must stand by itself")));
        }
        let (rows, columns) = if is_chart {
            let x = vec![self.direction(raw.need("x", &raw.x)?, is_fact, &[])?];
            let series = raw.need("series", &raw.series)?;
            (self.directions(series, is_fact, &x)?, x)
        } else {
            let rows = self.directions(raw.need("rows", &raw.rows)?, is_fact, &[])?;
            let columns = match &raw.columns {
                Some(item) if several => {
                    return Err(item.error("each quantity has a column; leave the key out"));
                }
                Some(item) => self.directions(item, is_fact, &rows)?,
                None => Vec::new(),
            };
            (rows, columns)
        };
        let directions: Vec<&str> = rows.iter().chain(&columns).map(String::as_str).collect();
        let fixed = self.fixed(raw, is_fact, &directions)?;
        let baselines = self.baselines(raw, &quantities)?;
        let techniques = self.techniques(raw, &quantities, &baselines)?;
        self.tell_apart(raw, &directions, &techniques)?;
        let published = raw.published.as_ref();
        let published =
            published.map_or(Ok(Vec::new()), |item| item.each_once(ONE, published_file))?;
        let read = |item: &Item| match published.is_empty() {
            true => Err(item.error("there are no published numbers: the key published is missing")),
            false => item.one_of(&baselines).map(str::to_owned),
        };
        let unit = |item: &Item| item.pick(TimeUnit::ALL.map(|unit| (unit.word(), unit)));
        let id = &raw.id.get_ref().0;
        Ok(TableSpec {
            title: raw.title.as_ref().map_or(id, |title| &title.0).clone(),
            id: id.clone(),
            published_baseline: raw.published_baseline.as_ref().map(read).transpose()?,
            unit: raw.unit.as_ref().map(unit).transpose()?,
            log: raw
                .log
                .as_ref()
                .map_or(Ok(false), |item| item.read().map(|flag: Flag| flag.0))?,
            analysis: raw.analysis.0.clone(),
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
    fn baselines(&self, raw: &RawView, quantities: &[Quantity]) -> Result<Vec<String>, Fault> {
        let needed = quantities.iter().any(Quantity::needs_baseline);
        match &raw.baselines {
            Some(item) if needed => self.some_labels(item),
            Some(item) => {
                let names: Vec<String> = quantities.iter().map(Quantity::to_string).collect();
                let names = names.join(", ");
                Err(item.error(format!("{names} has no baseline; leave the key out")))
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
        raw: &Table<RawView>,
        quantities: &[Quantity],
        baselines: &[String],
    ) -> Result<Vec<String>, Fault> {
        let fact = quantities.iter().find(|quantity| quantity.is_fact());
        match (&raw.techniques, fact) {
            (Some(item), Some(fact)) => {
                return Err(item.error(format!("{fact} has no technique; leave the key out")));
            }
            (Some(item), None) => return self.some_labels(item),
            (None, Some(_)) => return Ok(Vec::new()),
            (None, None) => {}
        }
        let others = self.labels.iter().map(|label| (*label).to_owned());
        let others: Vec<String> = others.filter(|label| !baselines.contains(label)).collect();
        match others.is_empty() {
            true => {
                let problem = "there is none but the baselines";
                Err(raw.error_at("techniques", problem))
            }
            false => Ok(others),
        }
    }

    fn some_labels(&self, item: &Item) -> Result<Vec<String>, Fault> {
        item.list()?;
        item.each_once("leave the key out for the default", |item| {
            item.one_of(&self.labels).map(str::to_owned)
        })
    }
}

/// Reads a quantity. `more`: further allowed words, for the error.
pub(super) fn quantity(item: &Item, more: &[&str]) -> Result<Quantity, Fault> {
    if let Some(quantity) = Quantity::parse(item.text()?) {
        return Ok(quantity);
    }
    let mut words: Vec<String> = more.iter().map(ToString::to_string).collect();
    words.extend(Quantity::words());
    item.one_of(&words)?;
    Err(item.error("NAME stands for a name"))
}

fn published_file(item: &Item) -> Result<String, Fault> {
    let text = item.text()?;
    let plain = |part: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.starts_with('.') && !part.is_empty() && part.chars().all(plain)
    };
    if text.ends_with(".csv") && text.split('/').all(plain) {
        return Ok(text.to_owned());
    }
    Err(item.wrong("the path of a .csv file under reports/published/"))
}
