//! Tables and charts: what the report shows.

use super::error::{ConfigError, allowed};
use super::parse::text_or;
use super::reader::{Item, Table};
use super::techniques::BASELINES;
use super::{ChartSpec, Quantity, TableSpec, TechniqueChoice};
use crate::words::{Case, Value};

/// The name that stands for "one row, column or line for each technique" beside the axes.
pub const TECHNIQUE: &str = "technique";

/// Keys that tables and charts share.
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

/// What tables and charts may name.
struct Names<'a> {
    axes: &'a [String],
    cases: &'a [Case],
    labels: Vec<&'a str>,
}

/// What tables and charts share, read.
struct Shared {
    id: String,
    title: String,
    quantity: Quantity,
    fixed: Case,
    techniques: Vec<String>,
    baselines: Vec<String>,
    published: Option<String>,
    published_baseline: Option<String>,
    analysis: String,
}

/// Reads `[[table]]` and `[[chart]]`.
pub(super) fn read_views(
    root: &Table<'_>,
    axes: &[String],
    cases: &[Case],
    techniques: &[TechniqueChoice],
) -> Result<(Vec<TableSpec>, Vec<ChartSpec>), ConfigError> {
    let labels = techniques
        .iter()
        .map(|choice| choice.label.as_str())
        .collect();
    let names = Names {
        axes,
        cases,
        labels,
    };
    let tables = each(
        root.get("table"),
        |table| names.table(table),
        |spec| &spec.id,
    )?;
    let charts = each(
        root.get("chart"),
        |table| names.chart(table),
        |spec| &spec.id,
    )?;
    Ok((tables, charts))
}

/// Reads a list of tables and refuses a second one of the same id.
fn each<Spec>(
    list: Option<Item<'_>>,
    read: impl Fn(&Table<'_>) -> Result<Spec, ConfigError>,
    id: impl Fn(&Spec) -> &str,
) -> Result<Vec<Spec>, ConfigError> {
    let mut specs: Vec<Spec> = Vec::new();
    for table in list.map_or(Ok(Vec::new()), |list| list.tables())? {
        let spec = read(&table)?;
        if specs.iter().any(|other| id(other) == id(&spec)) {
            return Err(table
                .need("id")?
                .error(format!("{:?} is there twice", id(&spec))));
        }
        specs.push(spec);
    }
    Ok(specs)
}

impl Names<'_> {
    fn table(&self, table: &Table<'_>) -> Result<TableSpec, ConfigError> {
        only(table, &["rows", "columns"])?;
        let quantity = quantity(table)?;
        let rows = self.direction(&table.need("rows")?, &quantity, None)?;
        let columns = table.get("columns");
        let columns = columns
            .map(|item| self.direction(&item, &quantity, Some(&rows)))
            .transpose()?;
        let directions: Vec<&str> = std::iter::once(&rows)
            .chain(&columns)
            .map(|s| s.as_str())
            .collect();
        let shared = self.shared(table, quantity, &directions)?;
        Ok(TableSpec {
            id: shared.id,
            title: shared.title,
            quantity: shared.quantity,
            fixed: shared.fixed,
            techniques: shared.techniques,
            baselines: shared.baselines,
            published: shared.published,
            published_baseline: shared.published_baseline,
            analysis: shared.analysis,
            rows,
            columns,
        })
    }

    fn chart(&self, table: &Table<'_>) -> Result<ChartSpec, ConfigError> {
        only(table, &["x", "series", "log"])?;
        let quantity = quantity(table)?;
        let x = self.direction(&table.need("x")?, &quantity, None)?;
        let series = self.direction(&table.need("series")?, &quantity, Some(&x))?;
        let log = table.get("log").map_or(Ok(false), |item| item.flag())?;
        let shared = self.shared(table, quantity, &[&x, &series])?;
        Ok(ChartSpec {
            id: shared.id,
            title: shared.title,
            quantity: shared.quantity,
            fixed: shared.fixed,
            techniques: shared.techniques,
            baselines: shared.baselines,
            published: shared.published,
            published_baseline: shared.published_baseline,
            analysis: shared.analysis,
            x,
            series,
            log,
        })
    }

    /// What runs down, across, or along: an axis, or the techniques where the quantity has some.
    fn direction(
        &self,
        item: &Item<'_>,
        quantity: &Quantity,
        other: Option<&str>,
    ) -> Result<String, ConfigError> {
        let mut names: Vec<&str> = self.axes.iter().map(String::as_str).collect();
        if !quantity.is_fact() {
            names.push(TECHNIQUE);
        }
        names.retain(|name| Some(*name) != other);
        item.one_of(&names).map(str::to_owned)
    }

    fn shared(
        &self,
        table: &Table<'_>,
        quantity: Quantity,
        directions: &[&str],
    ) -> Result<Shared, ConfigError> {
        let id = table.need("id")?.name()?.to_owned();
        let fixed = self.fixed(table, &quantity, directions)?;
        let baselines = self.baselines(table, &quantity)?;
        let techniques = self.techniques(table, &quantity, &baselines)?;
        let published = table
            .get("published")
            .map(|item| published(&item))
            .transpose()?;
        let published_baseline = match table.get("published-baseline") {
            None => None,
            Some(item) if published.is_none() => {
                return Err(
                    item.error("there are no published numbers: the key published is missing")
                );
            }
            Some(item) => {
                let names: Vec<&str> = baselines.iter().map(String::as_str).collect();
                Some(item.one_of(&names)?.to_owned())
            }
        };
        Ok(Shared {
            title: text_or(table.get("title"), &id)?,
            analysis: text_or(table.get("analysis"), "")?,
            id,
            quantity,
            fixed,
            techniques,
            baselines,
            published,
            published_baseline,
        })
    }

    /// The axes held fixed, in the experiment's order. An axis with one value is fixed by itself;
    /// one with more must be fixed or shown, lest two cells want one place. A fact may depend on
    /// fewer axes than its case has.
    fn fixed(
        &self,
        table: &Table<'_>,
        quantity: &Quantity,
        directions: &[&str],
    ) -> Result<Case, ConfigError> {
        let given = table.get("fixed").map(|item| item.table()).transpose()?;
        let free: Vec<&str> = self
            .axes
            .iter()
            .map(String::as_str)
            .filter(|axis| !directions.contains(axis))
            .collect();
        if let Some(given) = &given {
            given.only(&free)?;
        }
        let mut fixed = Case::default();
        for axis in free {
            let mut values: Vec<&Value> = Vec::new();
            for value in self.cases.iter().filter_map(|case| case.get(axis)) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            let item = given.as_ref().and_then(|given| given.get(axis));
            let value = match (item, values.as_slice()) {
                (Some(item), _) => {
                    let value = item.value()?;
                    if !values.contains(&&value) {
                        let names: Vec<String> = values.iter().map(ToString::to_string).collect();
                        let names: Vec<&str> = names.iter().map(String::as_str).collect();
                        let allowed = allowed(&value.to_string(), &names);
                        return Err(item.error(format!("no case has this value; {allowed}")));
                    }
                    value
                }
                (None, _) if quantity.is_fact() => continue,
                (None, [value]) => (*value).clone(),
                (None, _) => {
                    return Err(table.error_at_key(
                        "fixed",
                        format!(
                            "the axis {axis} has several values and is neither shown nor fixed"
                        ),
                    ));
                }
            };
            fixed.0.push((axis.to_owned(), value));
        }
        Ok(fixed)
    }

    /// Where the file does not say: the baselines of every experiment.
    fn baselines(
        &self,
        table: &Table<'_>,
        quantity: &Quantity,
    ) -> Result<Vec<String>, ConfigError> {
        match table.get("baselines") {
            Some(item) if !quantity.needs_baseline() => {
                Err(item.error(format!("{quantity} has no baseline; leave the key out")))
            }
            Some(item) => self.labels(&item),
            None if !quantity.needs_baseline() => Ok(Vec::new()),
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

    /// Where the file does not say: every technique that is no baseline of this table or chart.
    fn techniques(
        &self,
        table: &Table<'_>,
        quantity: &Quantity,
        baselines: &[String],
    ) -> Result<Vec<String>, ConfigError> {
        match table.get("techniques") {
            Some(item) if quantity.is_fact() => {
                Err(item.error(format!("{quantity} has no technique; leave the key out")))
            }
            Some(item) => self.labels(&item),
            None if quantity.is_fact() => Ok(Vec::new()),
            None => {
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

    /// A list of labels, each once and one at least.
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

fn quantity(table: &Table<'_>) -> Result<Quantity, ConfigError> {
    let item = table.need("quantity")?;
    match Quantity::parse(item.text()?) {
        Some(quantity) => Ok(quantity),
        None => {
            let mut words = Quantity::WORDS.to_vec();
            words.push("fact:NAME");
            item.one_of(&words)
                .and_then(|_| Err(item.error("NAME stands for the name of a fact")))
        }
    }
}

/// A path under `reports/published/`, and not out of it.
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
