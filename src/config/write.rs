use std::fmt::Display;

use super::cases::AS_WRITTEN;
use super::techniques::NOBODY;
use super::{Experiment, Quantity, TableSpec};
use crate::words::{Case, Params, Value};

/// Writes an experiment as `experiment.toml` of a run folder, which [`super::parse`] reads back unchanged.
pub fn to_toml(experiment: &Experiment) -> String {
    let mut out = Writer::default();
    out.text("name", &experiment.name);
    out.text("title", &experiment.title);
    out.text("paper", &experiment.paper);
    out.text("game", &experiment.game);
    out.text("task", experiment.task.word());
    out.text("analysis", &experiment.analysis);
    out.raw("seed", experiment.seed);
    out.text("order", AS_WRITTEN);
    out.line("cases = [");
    for case in &experiment.cases {
        out.line(&format!("  {},", inline(case)));
    }
    out.line("]");

    out.header("[options]");
    out.params(&experiment.options);
    let sampling = &experiment.sampling;
    out.header("[sampling]");
    out.raw("min-samples", sampling.min_samples);
    out.raw("max-samples", sampling.max_samples);
    out.raw("target", toml::Value::Float(sampling.target));
    out.raw("warmup", sampling.warmup);
    out.raw("passes", sampling.passes);
    match sampling.positions {
        None => out.text("positions", "all"),
        Some(most) => out.raw("positions", most),
    }
    out.raw("min-positions", sampling.min_positions);
    let budget = &experiment.budget;
    out.header("[budget]");
    for (key, time) in [
        ("cell", budget.cell),
        ("total", budget.total),
        ("deadline", budget.deadline),
    ] {
        out.text(key, &humantime::format_duration(time).to_string());
    }

    for choice in &experiment.techniques {
        out.header("[[technique]]");
        out.text("name", &choice.technique);
        out.text("label", &choice.label);
        if let Some(opponent) = &choice.opponent {
            out.text("opponent", opponent);
        } else if !choice.measured {
            out.text("opponent", NOBODY);
        }
        if !choice.only.0.is_empty() {
            out.raw("only", inline(&choice.only));
        }
        out.params(&choice.recorded());
    }
    for table in &experiment.tables {
        out.view(table, false);
    }
    for chart in &experiment.charts {
        out.view(chart, true);
    }
    out.text
}

#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn header(&mut self, header: &str) {
        self.line("");
        self.line(header);
    }

    fn raw(&mut self, key: &str, value: impl Display) {
        self.line(&format!("{key} = {value}"));
    }

    fn text(&mut self, key: &str, value: &str) {
        self.raw(key, string(value));
    }

    fn params(&mut self, params: &Params) {
        for (name, value) in params {
            self.raw(&key(name), literal(value));
        }
    }

    fn labels(&mut self, key: &str, labels: &[String]) {
        if !labels.is_empty() {
            let labels: Vec<String> = labels.iter().map(|label| string(label)).collect();
            self.raw(key, format!("[{}]", labels.join(", ")));
        }
    }

    fn names(&mut self, key: &str, names: &[String]) {
        match names {
            [name] => self.text(key, name),
            names => self.labels(key, names),
        }
    }

    fn view(&mut self, view: &TableSpec, is_chart: bool) {
        let (header, rows, columns) = match is_chart {
            true => ("[[chart]]", "series", "x"),
            false => ("[[table]]", "rows", "columns"),
        };
        self.header(header);
        self.text("id", &view.id);
        self.text("title", &view.title);
        let quantities: Vec<String> = view.quantities.iter().map(Quantity::to_string).collect();
        self.names("quantity", &quantities);
        self.names(rows, &view.rows);
        self.names(columns, &view.columns);
        self.raw("fixed", inline(&view.fixed));
        self.labels("techniques", &view.techniques);
        self.labels("baselines", &view.baselines);
        if is_chart {
            self.raw("log", view.log);
        }
        if let Some(unit) = view.unit {
            self.text("unit", unit.word());
        }
        self.names("published", &view.published);
        if let Some(baseline) = &view.published_baseline {
            self.text("published-baseline", baseline);
        }
        self.text("analysis", &view.analysis);
    }
}

fn inline(case: &Case) -> String {
    let field = |(axis, value): &(String, Value)| format!(" {} = {}", key(axis), literal(value));
    let fields: Vec<String> = case.0.iter().map(field).collect();
    let end = if fields.is_empty() { "}" } else { " }" };
    format!("{{{}{end}", fields.join(","))
}

fn literal(value: &Value) -> String {
    match value {
        Value::Flag(flag) => flag.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Text(text) => string(text),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

fn string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Names in catalogues are bare keys; any other is quoted.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        string(name)
    }
}
