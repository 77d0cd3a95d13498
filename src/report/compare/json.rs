//! A comparison as one JSON object, for scripts: numbers unformatted.

use serde_json::{Value, json};

use super::{Cell, Change, Common, Comparison, Incomparable, Side, TechniqueChange};

impl Comparison {
    /// The object that `bench compare --json` prints. Costs are in ns, of a sample or, where `each`, of a
    /// playout; `ratio`, `low` and `high` are B's over A's; shares are 0.05 for 5 %.
    pub fn json(&self) -> Value {
        let [a, b] = &self.sides;
        let [only_a, only_b] = &self.only;
        let counts =
            Change::ALL.map(|change| (change.word().to_owned(), self.count(change).into()));
        json!({
            "experiment": self.experiment,
            "a": side(a),
            "b": side(b),
            "same": self.options.same,
            "fail_over": self.options.fail_over,
            "fail_work": self.options.fail_work,
            "failed": self.is_slower(),
            "warnings": self.warnings,
            "summary": Value::Object(counts.into_iter().collect()),
            "techniques": self.techniques.iter().map(technique).collect::<Vec<_>>(),
            "cells": self.common.iter().map(common).collect::<Vec<_>>(),
            "incomparable": self.incomparable.iter().map(incomparable).collect::<Vec<_>>(),
            "only_a": only_a.iter().map(cell).collect::<Vec<_>>(),
            "only_b": only_b.iter().map(cell).collect::<Vec<_>>(),
        })
    }
}

fn side(side: &Side) -> Value {
    json!({
        "folder": side.folder, "program": side.program, "host": side.host, "devices": side.devices,
    })
}

fn cell(cell: &Cell) -> Value {
    json!({ "case": cell.case, "technique": cell.technique, "device": cell.device })
}

fn technique(own: &TechniqueChange) -> Value {
    let (low, high) = own.ratio.interval.unzip();
    json!({
        "technique": own.technique, "device": own.device, "cells": own.cells,
        "ratio": own.ratio.value, "low": low, "high": high, "beyond": own.beyond,
    })
}

fn common(common: &Common) -> Value {
    let (low, high) = common.ratio.interval.unzip();
    let more = json!({
        "a_ns": common.costs[0], "b_ns": common.costs[1], "each": common.each,
        "ratio": common.ratio.value, "low": low, "high": high,
        "change": common.change.word(), "beyond": common.beyond, "more_work": common.more_work,
        "samples_a": common.samples[0], "samples_b": common.samples[1],
        "few_passes": common.has_few_passes(), "notes": common.notes,
    });
    with(cell(&common.cell), more)
}

fn incomparable(own: &Incomparable) -> Value {
    let [a, b] = own.status.map(|status| status.word());
    let more = json!({ "status_a": a, "status_b": b, "why": own.why });
    with(cell(&own.cell), more)
}

/// An object with another's fields added.
fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut object, more) {
        fields.extend(more);
    }
    object
}
