//! Tables and charts of the report.

use super::error::ConfigError;
use super::reader::{Item, Table, line_or, text_or};
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
    let labels = techniques
        .iter()
        .filter(|choice| choice.measured)
        .map(|choice| choice.label.as_str())
        .collect();
    let names = Names {
        axes,
        cases,
        choices: techniques,
        labels,
    };
    let tables = each(root.get("table"), |table| names.table(table))?;
    let charts = each(root.get("chart"), |table| names.chart(table))?;
    Ok([tables, charts])
}

fn each(
    list: Option<Item<'_>>,
    read: impl Fn(&Table<'_>) -> Result<TableSpec, ConfigError>,
) -> Result<Vec<TableSpec>, ConfigError> {
    let mut specs: Vec<TableSpec> = Vec::new();
    for table in list.map_or(Ok(Vec::new()), |list| list.tables())? {
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
        let columns = match table.get("columns") {
            Some(item) if several => {
                return Err(item.error("each quantity has a column; leave the key out"));
            }
            Some(item) => self.directions(&item, &quantities, &rows)?,
            None => Vec::new(),
        };
        let unit = match table.get("unit") {
            None => None,
            Some(item) => TimeUnit::parse(item.one_of(&TimeUnit::WORDS)?),
        };
        let directions: Vec<&str> = rows.iter().chain(&columns).map(String::as_str).collect();
        let shared = self.shared(table, quantities, &directions)?;
        Ok(TableSpec {
            unit,
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
        let log = table.get("log").map_or(Ok(false), |item| item.flag())?;
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
        let published = match table.get("published") {
            Some(item) => each_once(&item, published)?,
            None => Vec::new(),
        };
        let published_baseline = match table.get("published-baseline") {
            None => None,
            Some(item) if published.is_empty() => {
                return Err(
                    item.error("there are no published numbers: the key published is missing")
                );
            }
            Some(item) => {
                let names: Vec<&str> = baselines.iter().map(String::as_str).collect();
                Some(item.one_of(&names)?.to_owned())
            }
        };
        Ok(TableSpec {
            title: line_or(table.get("title"), &id)?,
            analysis: text_or(table.get("analysis"), "")?,
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
        match table.get("baselines") {
            Some(item) if !needed => {
                let names: Vec<String> = quantities.iter().map(Quantity::to_string).collect();
                let names = names.join(", ");
                Err(item.error(format!("{names} has no baseline; leave the key out")))
            }
            Some(item) => self.labels(&item),
            None if !needed => Ok(Vec::new()),
            None => {
                let there = |name: &&str| self.labels.contains(name);
                Ok(BASELINES
                    .into_iter()
                    .filter(there)
                    .map(str::to_owned)
                    .collect())
            }
        }
    }

    /// By default every technique that is no baseline of this table or chart.
    fn techniques(
        &self,
        table: &Table<'_>,
        quantities: &[Quantity],
        baselines: &[String],
    ) -> Result<Vec<String>, ConfigError> {
        let fact = quantities.iter().find(|quantity| quantity.is_fact());
        match (table.get("techniques"), fact) {
            (Some(item), Some(fact)) => {
                Err(item.error(format!("{fact} has no technique; leave the key out")))
            }
            (Some(item), None) => self.labels(&item),
            (None, Some(_)) => Ok(Vec::new()),
            (None, None) => {
                let others: Vec<String> = self
                    .labels
                    .iter()
                    .filter(|label| !baselines.iter().any(|baseline| baseline == *label))
                    .map(|label| (*label).to_owned())
                    .collect();
                if others.is_empty() {
                    return Err(table.error_at_key("techniques", "there is none but the baselines"));
                }
                Ok(others)
            }
        }
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
    for item in item.list_or_one()? {
        let one = read(&item)?;
        if all.contains(&one) {
            return Err(item.error("is there twice"));
        }
        all.push(one);
    }
    if all.is_empty() {
        return Err(item.error("empty; give one at least"));
    }
    Ok(all)
}

/// Reads a quantity. `more`: further allowed words, for the error.
pub(super) fn quantity(item: &Item<'_>, more: &[&str]) -> Result<Quantity, ConfigError> {
    if let Some(quantity) = Quantity::parse(item.text()?) {
        return Ok(quantity);
    }
    let words = Quantity::words();
    let words = words.iter().map(String::as_str);
    item.one_of(&more.iter().copied().chain(words).collect::<Vec<_>>())
        .and_then(|_| Err(item.error("NAME stands for a name")))
}

fn published(item: &Item<'_>) -> Result<String, ConfigError> {
    let text = item.text()?;
    let plain = |part: &str| {
        !part.starts_with('.')
            && !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    if text.ends_with(".csv") && text.split('/').all(plain) {
        return Ok(text.to_owned());
    }
    Err(item.wrong("the path of a .csv file under reports/published/"))
}
