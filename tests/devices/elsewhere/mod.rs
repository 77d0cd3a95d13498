//! Tests techniques for devices that this machine lacks: compiles kernels for these devices, and checks the chosen
//! group sizes. Without an OpenCL device, each test prints a message and passes.

mod compiled;
mod groups;

use std::path::Path;

use super::{Turn, best, opened, setup};

use plybench::config::{self, Experiment, TechniqueChoice};
use plybench::opencl::{Device, DeviceInfo};
use plybench::techniques::{Sampler, Setup, registry};
use plybench::words::{Case, Fault, Kind};

/// Opens a device of this machine, but with the properties that `describe` returns.
pub(super) fn device_as(describe: impl FnOnce(DeviceInfo) -> DeviceInfo) -> Option<(Turn, Device)> {
    opened(|| best().map(describe))
}

/// A cell of a device technique, from the experiments that are small enough for a simulator.
struct Cell {
    experiment: Experiment,
    choice: TechniqueChoice,
    case: Case,
}

impl Cell {
    /// Prepares a technique for the cell, on a device or on the host.
    fn prepare(&self, name: &str, device: Option<&Device>) -> Result<Box<dyn Sampler>, Fault> {
        let technique = registry::find(&self.experiment.game, name).unwrap();
        (technique.prepare)(&Setup {
            options: &self.experiment.options,
            params: &self.choice.params,
            positions: self.experiment.sampling.positions,
            ..setup(self.experiment.task, &self.case, device)
        })
    }

    fn name(&self) -> String {
        let Experiment { game, task, .. } = &self.experiment;
        format!("{game} {task} {} {}", self.choice.label, self.case)
    }
}

/// Returns every cell of a device technique in `scripts/oclgrind.toml`.
fn cells() -> Vec<Cell> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/oclgrind.toml");
    let catalogue = registry::catalogue();
    let mut cells = Vec::new();
    for (_, experiment) in config::load(&suite, &catalogue).unwrap() {
        for choice in &experiment.techniques {
            let entry = catalogue.technique(&experiment.game, &choice.technique);
            if entry.unwrap().kind != Kind::Device {
                continue;
            }
            for case in experiment.cases.iter().filter(|case| choice.takes(case)) {
                cells.push(Cell {
                    experiment: experiment.clone(),
                    choice: choice.clone(),
                    case: case.clone(),
                });
            }
        }
    }
    assert!(!cells.is_empty());
    cells
}
