//! Shows the progress of a run: a bar on a terminal, otherwise one line per case. Also prints failures.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::session::exit_of;
use super::{Exit, terminal};
use crate::config::Experiment;
use crate::harness::{CaseGroup, Cell, Plan, Progress};
use crate::results::MeasurementRow;
use crate::words::Task;

/// Progress bar on stderr. If stderr is not a terminal, prints lines instead.
pub struct Bar {
    bar: ProgressBar,
    name: String,
    begun: Instant,
    budget: Duration,
    pass: (u64, u64),
    /// Number of the current case in its pass, and the total number of cases.
    case: (usize, usize),
    /// The case whose line has not been printed yet.
    unsaid: Option<String>,
}

/// Template of the bar until the first cell ends. It has no time estimate. `{msg}` holds the case and the technique.
const BEFORE: &str = "{msg}\n{bar:30} {percent:>3} %  {elapsed_precise}";
const AFTER: &str = "{msg}\n{bar:30} {percent:>3} %  {elapsed_precise}, about {eta} left";

impl Bar {
    pub fn new(experiment: &Experiment, plan: &Plan) -> Self {
        let passes = match experiment.task {
            Task::Match => 1,
            _ => experiment.sampling.passes,
        };
        let steps = (plan.cells().count() * passes) as u64;
        Self {
            bar: terminal::bar(Some(steps), BEFORE),
            name: experiment.name.clone(),
            begun: Instant::now(),
            budget: experiment.budget.total,
            pass: (1, 1),
            case: (0, plan.groups.len()),
            unsaid: None,
        }
    }

    pub fn finish(self) {
        self.bar.finish_and_clear();
    }

    fn say(&self, line: &str) {
        match self.bar.is_hidden() {
            true => eprintln!("{line}"),
            false => self.bar.println(terminal::plain(line)),
        }
    }

    fn advance(&self, cells: u64) {
        self.bar.inc(cells);
        self.bar.set_style(terminal::style(AFTER));
    }

    /// Returns a line such as `reversi: pass 2 of 5, case 3 of 18: board=8x8 depth=4 (1m 10s of at most 13m)`
    fn line(&self, case: &str) -> String {
        let pass = match self.pass {
            (_, 1) => String::new(),
            (pass, passes) => format!("pass {pass} of {passes}, "),
        };
        let (name, (number, cases)) = (&self.name, self.case);
        let [elapsed, budget] = [self.begun.elapsed(), self.budget]
            .map(|time| humantime::format_duration(Duration::from_secs(time.as_secs())));
        format!("{name}: {pass}case {number} of {cases}: {case} ({elapsed} of at most {budget})")
    }
}

impl Progress for Bar {
    fn pass(&mut self, pass: u64, passes: u64) {
        self.pass = (pass, passes);
        self.case.0 = 0;
    }

    fn rested(&mut self, _: &MeasurementRow) {
        self.advance(1);
    }

    fn case(&mut self, group: &CaseGroup) {
        let case = group.case.to_string();
        self.bar.set_message(case.clone());
        self.case.0 += 1;
        self.unsaid = Some(case).filter(|_| !terminal::live());
    }

    fn working(&mut self, cell: &Cell) {
        let (case, label) = (&cell.case, &cell.choice.label);
        self.bar.set_message(format!("{case} {label}"));
        // Prints the line only now, so that a resumed run prints none for a case that is already complete.
        if let Some(case) = self.unsaid.take() {
            self.say(&self.line(&case));
        }
    }

    fn ended(&mut self, row: &MeasurementRow) {
        // The cell is skipped in later passes, so they count as done.
        let (pass, passes) = self.pass;
        self.advance(passes.saturating_sub(pass) + 1);
        if exit_of([row.status]) != Exit::Good {
            let first = row.reason.lines().next().unwrap_or_default();
            self.say(&format!("{}: {}: {first}", row.cell, row.status));
        }
    }
}
