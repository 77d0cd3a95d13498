use std::fmt::Display;

use super::cases::AS_WRITTEN;
use super::techniques::NOBODY;
use super::{Experiment, TableSpec};
use crate::words::{Case, Params, Value};

/// Writes an experiment as `experiment.toml` of a run folder, which [`super::parse`] reads back unchanged.
pub fn to_toml(experiment: &Experiment) -> String {
    let mut out = String::new();
    let (sampling, budget) = (&experiment.sampling, &experiment.budget);
    let cases = experiment.cases.iter();
    let cases: String = cases.map(|case| format!("  {},\n", inline(case))).collect();
    out += &keys([
        ("name", text(&experiment.name)),
        ("title", text(&experiment.title)),
        ("paper", text(&experiment.paper)),
        ("game", text(&experiment.game)),
        ("task", text(experiment.task)),
        ("analysis", text(&experiment.analysis)),
        ("seed", experiment.seed.to_string()),
        ("order", text(AS_WRITTEN)),
        ("cases", format!("[\n{cases}]")),
    ]);
    out += "\n[options]\n";
    out += &params(&experiment.options);
    out += "\n[sampling]\n";
    let positions = sampling.positions.map(|most| most.to_string());
    out += &keys([
        ("min-samples", sampling.min_samples.to_string()),
        ("max-samples", sampling.max_samples.to_string()),
        ("target", toml::Value::Float(sampling.target).to_string()),
        ("warmup", sampling.warmup.to_string()),
        ("passes", sampling.passes.to_string()),
        ("positions", positions.unwrap_or_else(|| text("all"))),
        ("min-positions", sampling.min_positions.to_string()),
    ]);
    out += "\n[budget]\n";
    let time = |time| text(humantime::format_duration(time));
    out += &keys([
        ("cell", time(budget.cell)),
        ("total", time(budget.total)),
        ("deadline", time(budget.deadline)),
    ]);
    for choice in &experiment.techniques {
        let nobody = (!choice.measured).then_some(NOBODY);
        let opponent = choice.opponent.as_deref().or(nobody);
        out += "\n[[technique]]\n";
        out += &keys([
            ("name", text(&choice.technique)),
            ("label", text(&choice.label)),
            ("opponent", opponent.map_or_else(String::new, text)),
            ("only", inline(&choice.only)),
        ]);
        out += &params(&choice.recorded());
    }
    for table in &experiment.tables {
        view(&mut out, table, ["table", "rows", "columns"]);
    }
    for chart in &experiment.charts {
        view(&mut out, chart, ["chart", "series", "x"]);
    }
    out
}

fn view(out: &mut String, view: &TableSpec, [header, rows, columns]: [&str; 3]) {
    let quantities: Vec<String> = view.quantities.iter().map(ToString::to_string).collect();
    let log = (header == "chart").then(|| view.log.to_string());
    let baseline = view.published_baseline.as_ref();
    out.push_str(&format!("\n[[{header}]]\n"));
    *out += &keys([
        ("id", text(&view.id)),
        ("title", text(&view.title)),
        ("quantity", names(&quantities)),
        (rows, names(&view.rows)),
        (columns, names(&view.columns)),
        ("fixed", inline(&view.fixed)),
        ("techniques", list(&view.techniques)),
        ("baselines", list(&view.baselines)),
        ("log", log.unwrap_or_default()),
        ("unit", view.unit.map_or_else(String::new, text)),
        ("published", names(&view.published)),
        (
            "published-baseline",
            baseline.map_or_else(String::new, text),
        ),
        ("analysis", text(&view.analysis)),
    ]);
}

/// The lines of the values that are not empty.
fn keys<const N: usize>(values: [(&str, String); N]) -> String {
    let values = values.iter().filter(|(_, value)| !value.is_empty());
    values
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect()
}

fn params(params: &Params) -> String {
    let values = params.iter();
    values
        .map(|(name, value)| format!("{} = {}\n", key(name), literal(value)))
        .collect()
}

fn text(text: impl Display) -> String {
    toml::Value::String(text.to_string()).to_string()
}

fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!(
            "[{}]",
            names.iter().map(text).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// A list; a text if there is one name.
fn names(names: &[String]) -> String {
    match names {
        [name] => text(name),
        names => list(names),
    }
}

fn inline(case: &Case) -> String {
    let field = |(axis, value): &(String, Value)| format!("{} = {}", key(axis), literal(value));
    let fields: Vec<String> = case.0.iter().map(field).collect();
    match fields.is_empty() {
        true => String::new(),
        false => format!("{{ {} }}", fields.join(", ")),
    }
}

fn literal(value: &Value) -> String {
    let value = toml::Value::try_from(value);
    value.map_or_else(|_| String::new(), |value| value.to_string())
}

/// Names in catalogues are bare keys; any other is quoted.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => text(name),
    }
}
