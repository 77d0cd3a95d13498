//! What a comparison has in place of a run's clock, workers and folder: preparations count apart, and rows stay in
//! memory.

use std::cell::Cell as Shared;
use std::time::Duration;

use crate::harness::clock::Clock;
use crate::harness::executor::{Executor, Lost};
use crate::harness::plan::Cell;
use crate::harness::protocol::{Opened, Reply, Request};
use crate::harness::schedule::Sink;
use crate::results::{FactRow, MeasurementRow, ResourceRow, SampleRow};

/// Time limit for preparing a variant, however little is left of the budget, which does not include it: a
/// busy host compiles for many seconds.
const PREPARE_PATIENCE: Duration = Duration::from_secs(120);

/// Time since the start of a comparison, preparations excluded.
pub(super) struct Since<'a> {
    pub(super) clock: &'a dyn Clock,
    pub(super) began: Duration,
    pub(super) set_up: &'a Shared<Duration>,
}

impl Clock for Since<'_> {
    fn now(&self) -> Duration {
        let now = self.clock.now().saturating_sub(self.set_up.get());
        now.saturating_sub(self.began)
    }
}

/// An executor that counts preparation time separately, up to its limit, so that it does not use up the
/// budget.
pub(super) struct SetUpApart<'a> {
    pub(super) executor: &'a mut dyn Executor,
    pub(super) clock: &'a dyn Clock,
    pub(super) spent: &'a Shared<Duration>,
    pub(super) allowed: Duration,
}

impl Executor for SetUpApart<'_> {
    fn ask(&mut self, request: Request, deadline: Duration) -> Result<Reply, Lost> {
        if !matches!(request, Request::Prepare(_)) {
            return self.executor.ask(request, deadline);
        }
        let began = self.clock.now();
        let outcome = self.executor.ask(request, deadline.max(PREPARE_PATIENCE));
        let took = self.clock.now().saturating_sub(began);
        let spent = self.spent.get();
        self.spent.set((spent + took).min(self.allowed.max(spent)));
        outcome
    }

    fn retire(&mut self) {
        self.executor.retire();
    }

    fn opened(&self) -> Option<&Opened> {
        self.executor.opened()
    }

    fn generation(&self) -> u64 {
        self.executor.generation()
    }
}

/// Rows in memory.
#[derive(Default)]
pub(super) struct Rows(pub(super) Vec<MeasurementRow>);

impl Sink for Rows {
    fn samples(&mut self, _: &[SampleRow]) -> anyhow::Result<()> {
        Ok(())
    }

    fn measurement(&mut self, row: &MeasurementRow) -> anyhow::Result<()> {
        self.0.push(row.clone());
        Ok(())
    }

    fn fact(&mut self, _: &FactRow) -> anyhow::Result<()> {
        Ok(())
    }

    fn resource(&mut self, _: &Cell, _: &ResourceRow) -> anyhow::Result<()> {
        Ok(())
    }

    fn log(&mut self, _: &Cell, _: &str) -> anyhow::Result<String> {
        Ok("a run of the experiment keeps it".to_owned())
    }
}
