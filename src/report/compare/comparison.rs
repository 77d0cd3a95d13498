use serde_json::{Value, json};

use super::{Change, Common, CompareError, Comparison, Filter, Incomparable, Options, Side};
use super::{TechniqueChange, cells, likeness};
use crate::report::data::{Index, RunData};
use crate::words::Status;

impl Comparison {
    /// Compares a run with an earlier one. Fails if they differ in game, task, options, axes, parameters, or the seed
    /// of playouts; if a filter matches nothing; and if no cell has an answer in both.
    pub fn new(a: &RunData, b: &RunData, options: Options) -> Result<Self, CompareError> {
        let filter = Filter::new([a, b], &options)?;
        likeness::refuse_unlike(a, b, &filter)?;
        let (a, b) = (Index::new(a), Index::new(b));
        let devices = cells::Devices::pair(&a, &b);
        let cells = cells::gather([&a, &b], &devices, &filter, &options);
        let own = Comparison {
            experiment: a.data.experiment.name.clone(),
            options,
            sides: [&a, &b].map(side),
            warnings: likeness::warnings(&a, &b, &devices, &cells.common),
            ..cells
        };
        let [one, other] = own.sides.each_ref().map(|side| &side.folder);
        if own.common.is_empty() && !own.has_lost() {
            let [only_a, only_b] = own.only.each_ref().map(Vec::len);
            let others = own.incomparable.len();
            return Err(CompareError(format!(
                "{one} and {other}: no cell has an answer in both (only in A: {only_a}, only in B: {only_b}, without \
                 two answers to compare: {others})"
            )));
        }
        let is_judged = own.common.iter().any(|cell| !cell.has_few_passes());
        if own.options.fail_over.is_some() && !is_judged && !own.has_lost() {
            return Err(CompareError(format!(
                "--fail-over: no cell of {one} and {other} has three passes on both sides, so none can be judged"
            )));
        }
        Ok(own)
    }

    fn has_lost(&self) -> bool {
        self.lost().next().is_some() || self.options.has_gate() && !self.unmeasured.is_empty()
    }

    /// True if a gate fails: by [`Options::fail_over`], by [`Options::fail_work`], or by a lost answer.
    pub fn is_slower(&self) -> bool {
        self.beyond().next().is_some()
            || self.techniques.iter().any(|own| own.beyond)
            || self.common.iter().any(|own| !own.more_work.is_empty())
            || self.has_lost()
    }

    /// With a gate, the cells whose answer the second run lost or has for fewer positions.
    pub(super) fn lost(&self) -> impl Iterator<Item = &Incomparable> {
        let gate = self.options.has_gate();
        let own = self.incomparable.iter().filter(move |_| gate);
        own.filter(|own| {
            let [one, other] = own.status.map(|status| status == Status::Ok);
            own.less || one && !other
        })
    }

    pub(super) fn beyond(&self) -> impl Iterator<Item = &Common> {
        self.common.iter().filter(|cell| cell.beyond)
    }

    /// Counts the cells with this change.
    pub fn count(&self, change: Change) -> usize {
        let cells = self.common.iter();
        cells.filter(|cell| cell.change == change).count()
    }

    /// The object of `bench compare --json`: costs in ns per sample, or per playout if `each`; ratios of B over A.
    pub fn json(&self) -> Value {
        let [a, b] = &self.sides;
        let [only_a, only_b] = &self.only;
        let counts =
            Change::ALL.map(|change| (change.word().to_owned(), self.count(change).into()));
        json!({
            "experiment": self.experiment,
            "a": a,
            "b": b,
            "same": self.options.same,
            "fail_over": self.options.fail_over,
            "fail_work": self.options.fail_work,
            "failed": self.is_slower(),
            "warnings": self.warnings,
            "summary": Value::Object(counts.into_iter().collect()),
            "techniques": self.techniques.iter().map(technique).collect::<Vec<_>>(),
            "cells": self.common.iter().map(common).collect::<Vec<_>>(),
            "incomparable": self.incomparable.iter().map(incomparable).collect::<Vec<_>>(),
            "only_a": only_a,
            "only_b": only_b,
        })
    }
}

fn side(index: &Index<'_>) -> Side {
    let environment = &index.data.environment;
    let (host, program) = (&environment.host, &environment.program);
    Side {
        folder: index.data.folder.display().to_string(),
        program: format!("{} ({})", program.version, program.revision),
        host: format!("{}, {} threads", host.cpu, host.threads),
        devices: index.devices.iter().map(|it| (*it).to_owned()).collect(),
    }
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
    with(json!(common.cell), more)
}

fn incomparable(own: &Incomparable) -> Value {
    let [a, b] = own.status.map(|status| status.word());
    let more = json!({ "status_a": a, "status_b": b, "why": own.why });
    with(json!(own.cell), more)
}

fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut object, more) {
        fields.extend(more);
    }
    object
}
