use std::time::Duration;

use super::{Budget, Experiment};

/// The command line's changes to an experiment, which its run folder stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--budget`: of the whole run; a cell gets no more.
    pub budget: Option<Duration>,
    /// `--cell-budget`: of each cell.
    pub cell_budget: Option<Duration>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--passes`.
    pub passes: Option<usize>,
    /// `--quick`: fewer samples, three passes, and a fifth of each budget. Rows stay comparable; intervals are wider.
    pub quick: bool,
}

impl Experiment {
    /// Applies the command line.
    pub fn apply(&mut self, overrides: &Overrides) {
        self.prune_views();
        if let Some(seed) = overrides.seed {
            self.seed = seed;
        }
        if overrides.quick {
            self.hurry();
        }
        if let Some(passes) = overrides.passes {
            self.sampling.passes = passes;
        }
        if let Some(cell) = overrides.cell_budget {
            self.budget.cell = cell;
            self.budget.deadline = self.budget.deadline.max(cell * 3);
        }
        if let Some(total) = overrides.budget {
            self.budget.total = total;
            self.budget.cell = self.budget.cell.min(total);
        }
    }

    fn hurry(&mut self) {
        let sampling = &mut self.sampling;
        sampling.min_samples = sampling.min_samples.min(3);
        sampling.max_samples = sampling.max_samples.min(10);
        sampling.warmup = sampling.warmup.min(1);
        sampling.passes = sampling.passes.min(3);
        let Budget { cell, total, .. } = &mut self.budget;
        *cell = (*cell / 5).max(Duration::from_millis(1));
        *total = (*total / 5).max(Duration::from_millis(1));
    }
}
