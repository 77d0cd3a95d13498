//! Two machines' runs of one experiment: the fastest technique per case on their devices and on their hosts.

use anyhow::bail;
use serde_json::{Value, json};

use crate::config::Quantity;
use crate::report::analysis::Analysis;
use crate::report::data::{HOST, is_device};
use crate::report::format::{self, Unit, shortened, significant};
use crate::report::headline::{Best, Headline, rate_text};
use crate::report::terminal::{BOLD, DIM, Field, GREEN, Lines, RED, Table};
use crate::words::{Case, Task};

/// The cases that both machines answered.
pub struct Machines {
    task: Task,
    /// Per machine: its folder, host and devices.
    about: [String; 2],
    rows: Vec<Row>,
}

struct Row {
    case: Case,
    /// The first machine's device, or the host.
    device: String,
    bests: [Best; 2],
    /// The first machine's speed over the second's.
    ratio: f64,
}

impl Machines {
    /// Pairs the cases of two runs: each device of the first with the best device of the second, and host with host.
    /// Fails if the experiments differ, or if no case has two answers.
    pub fn new(a: &Analysis, b: &Analysis) -> anyhow::Result<Machines> {
        // Each machine's fastest technique counts, so techniques may differ.
        super::refuse_unlike(&a.data, &b.data, None)?;
        let [first, second] = [a, b].map(|it| it.data.folder.display().to_string());
        let rows: Vec<Row> = a.headlines.iter().flat_map(|own| paired(own, b)).collect();
        if rows.is_empty() {
            bail!("{first} and {second}: no case has an answer in both");
        }
        let about = [a, b].map(|it| {
            let (host, devices) = (&it.data.environment.host, it.devices.join(", "));
            let folder = it.data.folder.display();
            format!(
                "{folder}: {devices}; {}, {} threads",
                host.cpu, host.threads
            )
        });
        Ok(Machines {
            task: a.data.experiment.task,
            about,
            rows,
        })
    }

    /// A table for a terminal. `names`: the machines.
    pub fn text(&self, names: [&str; 2], width: usize, colour: bool) -> String {
        let mut out = Lines::new(width, colour);
        self.about.iter().for_each(|about| out.line(DIM, about));
        let [mine, theirs] = names.map(|name| shortened(name, 20));
        let is = format!("{mine} is");
        let head = ["case", "on", &mine, &theirs, &is];
        let rows = self.rows.iter().map(|row| -> Vec<Field> {
            let [own, other] = row.bests.each_ref().map(|best| self.shown(best));
            let (code, is) = match row.ratio >= 1.0 {
                true => (GREEN, format!("{}x faster", significant(row.ratio))),
                false => (RED, format!("{}x slower", significant(1.0 / row.ratio))),
            };
            let on = if row.device == HOST {
                "CPU"
            } else {
                &row.device
            };
            let (case, on) = (format::case(&row.case), shortened(on, 20));
            vec![(case, BOLD), (on, ""), (own, ""), (other, ""), (is, code)]
        });
        out.table(&Table::new(&head, rows, &[2, 3, 4]));
        out.say(
            DIM,
            "The fastest technique of each device and of each host, per case. The ratio of two machines has no interval.",
        );
        out.text()
    }

    fn shown(&self, best: &Best) -> String {
        let rate = best.rate.as_ref();
        rate.map_or("–".to_owned(), |rate| rate_text(self.task, rate))
    }

    /// The rows as JSON.
    pub fn json(&self) -> Value {
        let side = |best: &Best| {
            let rate = best.rate.as_ref().map(|(_, known)| known.value);
            json!({
                "technique": best.row.cell.technique, "device": best.row.cell.device, "value": rate,
                "median_ns": best.row.median_ns, "units": best.row.units,
            })
        };
        let rows = self.rows.iter().map(|row| {
            let [a, b] = row.bests.each_ref().map(side);
            json!({ "case": row.case.to_string(), "a": a, "b": b, "speed": row.ratio })
        });
        rows.collect()
    }
}

/// The cases of a headline that the other machine answered too.
fn paired(own: &Headline, other: &Analysis) -> Vec<Row> {
    let is_host = !is_device(&own.device);
    let mut theirs = other.headlines.iter();
    let Some(theirs) = theirs.find(|it| is_device(&it.device) != is_host) else {
        return Vec::new();
    };
    let found = own.cases.iter().filter_map(|(case, best)| {
        let mut theirs = theirs.cases.iter();
        let (_, twin) = theirs.find(|(other, _)| other == case)?;
        let (best, twin) = (best.clone()?, twin.clone()?);
        let ratio = speed(&best)? / speed(&twin)?;
        // The mean of other positions answers another question.
        (best.row.units == twin.row.units || is_rate(&best)).then_some(Row {
            case: case.clone(),
            device: own.device.clone(),
            bests: [best, twin],
            ratio,
        })
    });
    found.collect()
}

fn is_rate(best: &Best) -> bool {
    let quantity = best.rate.as_ref().map(|(quantity, _)| quantity);
    quantity.is_some_and(|it| matches!(format::unit(it, None), Unit::Rate))
}

/// Larger is faster.
fn speed(best: &Best) -> Option<f64> {
    let (_, known): &(Quantity, _) = best.rate.as_ref()?;
    Some(if is_rate(best) {
        known.value
    } else {
        1.0 / known.value
    })
}
