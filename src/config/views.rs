//! Tables and charts of the report.

use super::error::ConfigError;
use super::reader::{Item, Table};
use super::{BASELINES, Quantity, TableSpec, TechniqueChoice, TimeUnit};
use crate::words::Case;

/// The pseudo axis with one row, column or line per technique.
pub const TECHNIQUE: &str = "technique";

const SHARED: [&str; 9] = [
    "id",
    "title",
    "quantity",
    "fixed",
    "techniques",
    "baselines",
    "published",
    "published-baseline",
    "analysis",
];

pub(super) struct Names<'a> {
    pub(super) axes: &'a [String],
    pub(super) cases: &'a [Case],
    pub(super) choices: &'a [TechniqueChoice],
    labels: Vec<&'a str>,
}

pub(super) fn read_views(
    root: &Table<'_>,
    axes: &[String],
    cases: &[Case],
    techniques: &[TechniqueChoice],
) -> Result<[Vec<TableSpec>; 2], ConfigError> {
    let measured = techniques.iter().filter(|choice| choice.measured);
    let names = Names {
        axes,
        cases,
        choices: techniques,
        labels: measured.map(|choice| choice.label.as_str()).collect(),
    };
    let tables = each(root.tables("table")?, |table| names.table(table))?;
    let charts = each(root.tables("chart")?, |table| names.chart(table))?;
    Ok([tables, charts])
}

fn each(
    tables: Vec<Table<'_>>,
    read: impl Fn(&Table<'_>) -> Result<TableSpec, ConfigError>,
) -> Result<Vec<TableSpec>, ConfigError> {
    let mut specs: Vec<TableSpec> = Vec::new();
    for table in tables {
        let spec = read(&table)?;
        if specs.iter().any(|other| other.id == spec.id) {
            let twice = format!("{:?} is there twice", spec.id);
            return Err(table.need("id")?.error(twice));
        }
        specs.push(spec);
    }
    Ok(specs)
}

impl Names<'_> {
    fn table(&self, table: &Table<'_>) -> Result<TableSpec, ConfigError> {
        only(table, &["rows", "columns", "unit"])?;
        let item = table.need("quantity")?;
        let quantities = each_once(&item, |item| quantity(item, &[]))?;
        let several = quantities.len() > 1;
        if let Some(fact) = quantities.iter().find(|one| several && one.is_fact()) {
            return Err(item.error(format!("{fact} must stand by itself")));
        }
        let rows = self.directions(&table.need("rows")?, &quantities, &[])?;
        let columns = table.read("columns", |item| match several {
            true => Err(item.error("each quantity has a column; leave the key out")),
            false => self.directions(item, &quantities, &rows),
        })?;
        let columns = columns.unwrap_or_default();
        let unit = table.read("unit", |item| item.one_of(&TimeUnit::WORDS))?;
        let directions: Vec<&str> = rows.iter().chain(&columns).map(String::as_str).collect();
        let shared = self.shared(table, quantities, &directions)?;
        Ok(TableSpec {
            unit: unit.and_then(TimeUnit::parse),
            rows,
            columns,
            ..shared
        })
    }

    fn chart(&self, table: &Table<'_>) -> Result<TableSpec, ConfigError> {
        only(table, &["x", "series", "log"])?;
        let quantities = vec![quantity(&table.need("quantity")?, &[])?];
        let columns = vec![self.direction(&table.need("x")?, &quantities, &[])?];
        let rows = self.directions(&table.need("series")?, &quantities, &columns)?;
        let log = table.read("log", Item::flag)?.unwrap_or_default();
        let directions: Vec<&str> = columns.iter().chain(&rows).map(String::as_str).collect();
        let shared = self.shared(table, quantities, &directions)?;
        Ok(TableSpec {
            log,
            rows,
            columns,
            ..shared
        })
    }

    fn shared(
        &self,
        table: &Table<'_>,
        quantities: Vec<Quantity>,
        directions: &[&str],
    ) -> Result<TableSpec, ConfigError> {
        let id = table.need("id")?.name()?.to_owned();
        let is_fact = quantities.iter().any(Quantity::is_fact);
        let fixed = self.fixed(table, is_fact, directions)?;
        let baselines = self.baselines(table, &quantities)?;
        let techniques = self.techniques(table, &quantities, &baselines)?;
        self.tell_apart(table, directions, &techniques)?;
        let published = table.read("published", |item| each_once(item, published))?;
        let published = published.unwrap_or_default();
        let published_baseline = table.read("published-baseline", |item| {
            if published.is_empty() {
                let problem = "there are no published numbers: the key published is missing";
                return Err(item.error(problem));
            }
            item.one_of(&baselines).map(str::to_owned)
        })?;
        Ok(TableSpec {
            title: table.line_or("title", &id)?,
            analysis: table.text("analysis")?,
            id,
            quantities,
            rows: Vec::new(),
            columns: Vec::new(),
            unit: None,
            log: false,
            fixed,
            techniques,
            baselines,
            published,
            published_baseline,
        })
    }

    /// By default the baselines of every experiment.
    fn baselines(
        &self,
        table: &Table<'_>,
        quantities: &[Quantity],
    ) -> Result<Vec<String>, ConfigError> {
        let needed = quantities.iter().any(Quantity::needs_baseline);
        let given = table.read("baselines", |item| {
            if needed {
                return self.labels(item);
            }
            let names: Vec<String> = quantities.iter().map(Quantity::to_string).collect();
            let names = names.join(", ");
            Err(item.error(format!("{names} has no baseline; leave the key out")))
        })?;
        let usual = BASELINES.into_iter();
        let usual = usual.filter(|name| needed && self.labels.contains(name));
        Ok(given.unwrap_or_else(|| usual.map(str::to_owned).collect()))
    }

    /// By default every technique that is no baseline of this table or chart.
    fn techniques(
        &self,
        table: &Table<'_>,
        quantities: &[Quantity],
        baselines: &[String],
    ) -> Result<Vec<String>, ConfigError> {
        let fact = quantities.iter().find(|quantity| quantity.is_fact());
        let given = table.read("techniques", |item| match fact {
            Some(fact) => Err(item.error(format!("{fact} has no technique; leave the key out"))),
            None => self.labels(item),
        })?;
        if given.is_some() || fact.is_some() {
            return Ok(given.unwrap_or_default());
        }
        let mut others = self.labels.clone();
        others.retain(|label| !baselines.iter().any(|baseline| baseline == label));
        if others.is_empty() {
            return Err(table.error_at_key("techniques", "there is none but the baselines"));
        }
        Ok(others.into_iter().map(str::to_owned).collect())
    }

    fn labels(&self, item: &Item<'_>) -> Result<Vec<String>, ConfigError> {
        let mut labels: Vec<String> = Vec::new();
        for entry in item.list()? {
            let label = entry.one_of(&self.labels)?;
            if labels.iter().any(|other| other == label) {
                return Err(entry.error(format!("{label:?} is there twice")));
            }
            labels.push(label.to_owned());
        }
        if labels.is_empty() {
            return Err(item.error("empty; leave the key out for the default"));
        }
        Ok(labels)
    }
}

fn only(table: &Table<'_>, own: &[&str]) -> Result<(), ConfigError> {
    let keys: Vec<&str> = SHARED.iter().chain(own).copied().collect();
    table.only(&keys)
}

/// One value or a list, unique and not empty.
fn each_once<T: PartialEq>(
    item: &Item<'_>,
    read: impl Fn(&Item<'_>) -> Result<T, ConfigError>,
) -> Result<Vec<T>, ConfigError> {
    let mut all = Vec::new();
    for item in item.some("give one at least")? {
        let one = read(&item)?;
        if all.contains(&one) {
            return Err(item.error("is there twice"));
        }
        all.push(one);
    }
    Ok(all)
}

/// Reads a quantity. `more`: further allowed words, for the error.
pub(super) fn quantity(item: &Item<'_>, more: &[&str]) -> Result<Quantity, ConfigError> {
    if let Some(quantity) = Quantity::parse(item.text()?) {
        return Ok(quantity);
    }
    let mut words: Vec<String> = more.iter().map(ToString::to_string).collect();
    words.extend(Quantity::words());
    item.one_of(&words)?;
    Err(item.error("NAME stands for a name"))
}

fn published(item: &Item<'_>) -> Result<String, ConfigError> {
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
