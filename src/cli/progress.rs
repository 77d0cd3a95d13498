//! The progress of a run: a bar on a terminal; elsewhere only what went wrong.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::terminal;
use crate::harness::{CaseGroup, Cell, Progress};
use crate::results::MeasurementRow;
use crate::words::Status;

/// Draws on stderr. Where that is no terminal, it is quiet but for cells that went wrong.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar over so many cells.
    pub fn new(cells: usize) -> Self {
        let target = if terminal::live() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(cells as u64), target);
        let style = ProgressStyle::with_template(
            "{bar:24} {pos}/{len} cells  {elapsed_precise} (about {eta} left)  {wide_msg}",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar }
    }

    /// One without an end, for work whose cells are not known before.
    pub fn spinner() -> Self {
        let bar = Self::new(0);
        let style =
            ProgressStyle::with_template("{spinner} {pos} cells  {elapsed_precise}  {wide_msg}");
        bar.bar
            .set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar
    }

    /// Takes the bar away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }

    fn say(&self, line: &str) {
        if self.bar.is_hidden() {
            eprintln!("{line}");
        } else {
            self.bar.println(line);
        }
    }
}

impl Progress for Bar {
    fn case(&mut self, group: &CaseGroup) {
        self.bar.set_message(group.case.to_string());
    }

    fn working(&mut self, cell: &Cell) {
        self.bar
            .set_message(format!("{} {}", cell.case, cell.choice.label));
    }

    fn ended(&mut self, row: &MeasurementRow, _kept: bool) {
        self.bar.inc(1);
        match row.status {
            Status::Mismatch | Status::BuildFailed | Status::Timeout | Status::Crashed => {
                let first = row.reason.lines().next().unwrap_or_default();
                self.say(&format!(
                    "{} {} on {}: {}: {first}",
                    row.case, row.technique, row.device, row.status
                ));
            }
            Status::Ok
            | Status::Skipped
            | Status::Unsupported
            | Status::Memory
            | Status::Damaged => {}
        }
    }
}
