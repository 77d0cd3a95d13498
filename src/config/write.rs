use std::fmt::Write;
use std::time::Duration;

use super::cases::AS_WRITTEN;
use super::techniques::NOBODY;
use super::{Experiment, Quantity, TableSpec};
use crate::words::{Case, Value};

/// Writes an experiment as `experiment.toml` of a run folder, which [`super::parse`] reads back unchanged.
pub fn to_toml(experiment: &Experiment) -> String {
    let mut out = Writer::default();
    out.text("name", &experiment.name);
    out.text("title", &experiment.title);
    out.text("paper", &experiment.paper);
    out.text("game", &experiment.game);
    out.text("task", experiment.task.word());
    out.text("analysis", &experiment.analysis);
    out.raw("seed", &experiment.seed.to_string());
    out.text("order", AS_WRITTEN);
    out.line("cases = [");
    for case in &experiment.cases {
        out.line(&format!("  {},", inline(case)));
    }
    out.line("]");

    out.header("[options]");
    for (key, value) in &experiment.options {
        out.raw(&self::key(key), &literal(value));
    }
    let sampling = &experiment.sampling;
    out.header("[sampling]");
    out.raw("min-samples", &sampling.min_samples.to_string());
    out.raw("max-samples", &sampling.max_samples.to_string());
    out.raw("target", &toml::Value::Float(sampling.target).to_string());
    out.raw("warmup", &sampling.warmup.to_string());
    out.raw("passes", &sampling.passes.to_string());
    match sampling.positions {
        None => out.text("positions", "all"),
        Some(most) => out.raw("positions", &most.to_string()),
    }
    out.raw("min-positions", &sampling.min_positions.to_string());
    out.header("[budget]");
    out.duration("cell", experiment.budget.cell);
    out.duration("total", experiment.budget.total);
    out.duration("deadline", experiment.budget.deadline);

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
            out.raw("only", &inline(&choice.only));
        }
        for (key, value) in choice.recorded().as_ref() {
            out.raw(&self::key(key), &literal(value));
        }
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

    fn raw(&mut self, key: &str, value: &str) {
        self.line(&format!("{key} = {value}"));
    }

    fn text(&mut self, key: &str, value: &str) {
        self.raw(key, &string(value));
    }

    fn duration(&mut self, key: &str, duration: Duration) {
        self.text(key, &humantime::format_duration(duration).to_string());
    }

    fn labels(&mut self, key: &str, labels: &[String]) {
        if !labels.is_empty() {
            let labels: Vec<String> = labels.iter().map(|label| string(label)).collect();
            self.raw(key, &format!("[{}]", labels.join(", ")));
        }
    }

    fn names(&mut self, key: &str, names: &[String]) {
        match names {
            [name] => self.text(key, name),
            names => self.labels(key, names),
        }
    }

    fn optional(&mut self, key: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.text(key, value);
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
        self.raw("fixed", &inline(&view.fixed));
        self.labels("techniques", &view.techniques);
        self.labels("baselines", &view.baselines);
        if is_chart {
            self.raw("log", &view.log.to_string());
        }
        if let Some(unit) = view.unit {
            self.text("unit", unit.word());
        }
        self.names("published", &view.published);
        self.optional("published-baseline", view.published_baseline.as_ref());
        self.text("analysis", &view.analysis);
    }
}

fn inline(case: &Case) -> String {
    let mut text = String::from("{");
    for (i, (axis, value)) in case.0.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let _ = write!(text, "{comma} {} = {}", key(axis), literal(value));
    }
    text.push_str(if case.0.is_empty() { "}" } else { " }" });
    text
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
