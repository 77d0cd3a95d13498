//! The progress of a run: a bar on a terminal; otherwise a line per case, and failures.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::pace::Pace;
use super::terminal;
use crate::config::Experiment;
use crate::harness::{CaseGroup, Cell, Plan, Progress};
use crate::results::MeasurementRow;
use crate::words::{Status, Task, Warning};

/// Draws on stderr; prints lines if that is no terminal.
pub struct Bar {
    bar: ProgressBar,
    begun: Instant,
    pace: Pace,
    /// The case whose line is still to be printed.
    case: Option<String>,
    is_warned: bool,
}

impl Bar {
    pub fn new(experiment: &Experiment, plan: &Plan) -> Self {
        let style = "{bar:24} {percent:>3} %  {elapsed_precise} (about {eta} left)  {wide_msg}";
        let passes = match experiment.task {
            Task::Match => 1,
            _ => experiment.sampling.passes,
        };
        let cells = plan.len() * passes;
        let bar = terminal::bar(Some(cells as u64));
        let style = ProgressStyle::with_template(style);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        // The bar would panic if the system has no thread left for it.
        if terminal::live() && std::thread::Builder::new().spawn(|| {}).is_ok() {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        let size = (plan.groups.len(), cells);
        Self {
            bar,
            begun: Instant::now(),
            pace: Pace::new(&experiment.name, size, experiment.budget.total),
            case: None,
            is_warned: false,
        }
    }

    pub fn finish(self) {
        self.bar.finish_and_clear();
    }

    fn say(&self, line: &str) {
        if self.bar.is_hidden() {
            eprintln!("{line}");
        } else {
            self.bar.println(terminal::plain(line));
        }
    }
}

impl Progress for Bar {
    fn pass(&mut self, pass: u64, passes: u64) {
        self.pace.pass(pass, passes);
    }

    fn rested(&mut self, _: &MeasurementRow) {
        self.bar.inc(1);
        self.pace.ended(1, false);
    }

    fn case(&mut self, group: &CaseGroup) {
        let case = group.case.to_string();
        self.bar.set_message(case.clone());
        self.pace.case(self.begun.elapsed());
        self.case = Some(case).filter(|_| !terminal::live());
    }

    fn working(&mut self, cell: &Cell) {
        let (case, label) = (&cell.case, &cell.choice.label);
        self.bar.set_message(format!("{case} {label}"));
        // Delayed: a resumed run prints no case that the folder has completely.
        if let Some(case) = self.case.take() {
            self.say(&self.pace.line(&case, self.begun.elapsed()));
        }
    }

    fn ended(&mut self, row: &MeasurementRow, kept: bool) {
        // The cell takes part in no further pass.
        let passes = self.pace.passes_left();
        self.bar.inc(passes);
        self.pace.ended(passes as usize, kept);
        let mut warnings = row.warned().into_iter();
        // Once: the clock is the machine's, and every row has the warning.
        if let Some(warning) = warnings.find(|warning| matches!(warning, Warning::Coarse(_)))
            && !kept
            && !std::mem::replace(&mut self.is_warned, true)
        {
            self.say(&format!("warning: {warning}"));
        }
        match row.status {
            Status::Mismatch
            | Status::BuildFailed
            | Status::Timeout
            | Status::Crashed
            | Status::Failed => {
                let first = row.reason.lines().next().unwrap_or_default();
                let (case, technique, device) =
                    (&row.cell.case, &row.cell.technique, &row.cell.device);
                let status = row.status;
                self.say(&format!(
                    "{case} {technique} on {device}: {status}: {first}"
                ));
            }
            _ => {}
        }
    }
}
