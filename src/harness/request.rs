use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::host::{node, utc_now};
use super::plan::{Cell, CellNames, Plan, Processor, Target};
use super::workers::Workers;
use crate::config::{Experiment, Sampling};
use crate::results::{
    DeviceRecord, Host, Invocation, Program, Provenance, ResultsError, Secrets, Selection,
    anonymous_node, beside,
};
use crate::words::{Case, Catalogue, Devices};

#[derive(Clone)]
pub struct RunRequest<'a> {
    /// The experiment as it is stored in the folder, with overrides but without filters.
    pub experiment: &'a Experiment,
    /// The experiment's cells. Each is marked as requested or not, according to the selection.
    pub plan: &'a Plan,
    /// Decides when a cell has enough samples. For a shard of a match, it covers only the shard's samples.
    pub sampling: &'a Sampling,
    /// True for a case that a paper's claim names. Such cases are measured first.
    pub evidence: &'a dyn Fn(&Case) -> bool,
    pub catalogue: &'a Catalogue,
    pub targets: &'a [Target],
    pub workers: Workers,
    pub program: Program,
    pub host: Host,
    /// The command's selection, to be recorded in the folder.
    pub selection: &'a Selection,
    /// Path of the experiment file, as given on the command line.
    pub config: &'a Path,
    pub folder: &'a Path,
    /// True to delete the run in the folder first.
    pub fresh: bool,
    /// Set when the user asks the run to stop. The run then stops after the current request.
    pub stop: Arc<AtomicBool>,
}

impl RunRequest<'_> {
    /// Describes this command for the folder. Invocations that are sampled together share the id `together`.
    pub(super) fn invocation(&self, together: Option<&str>) -> Invocation {
        let private = Secrets::of_here();
        let mut config = self.config.display().to_string();
        private.scrub_word(&mut config);
        let node = self.selection.shard.and_then(|_| node());
        Invocation {
            id: String::new(),
            utc: utc_now(),
            config,
            selection: private.scrub_selection(self.selection.clone()),
            together: together.map(str::to_owned),
            node: node.map(|name| anonymous_node(&name)),
            program: self.program.clone(),
            host: self.host.clone(),
            devices: self.targets.iter().map(|it| it.record.clone()).collect(),
            others: self.others(),
        }
        .with_id()
    }

    /// Returns a cell's key and address in rows.
    pub(super) fn names(&self, cell: &Cell) -> CellNames {
        let none = DeviceRecord::none();
        let mut provenance = Provenance::of_host(&self.program, &self.host);
        match cell.on {
            Processor::Host => {}
            Processor::NoDevice => provenance.device = Some(&none),
            Processor::Device(place) => {
                let Target { record, others, .. } = &self.targets[place];
                let host = std::iter::once(record).chain(others);
                provenance.device = Some(record);
                provenance.beside = beside(&cell.choice.params, record, host);
            }
        }
        let address = provenance.device.map(|it| &it.address);
        CellNames {
            key: provenance.key(&self.experiment.question(&cell.choice, &cell.case)),
            address: address.cloned().unwrap_or_default(),
        }
    }

    /// Lists the devices outside the run, if a technique that uses several devices may need them.
    fn others(&self) -> Vec<DeviceRecord> {
        let mut techniques = self.experiment.techniques.iter();
        if !techniques.any(|choice| matches!(Devices::of(&choice.params), Ok(Some(_)))) {
            return Vec::new();
        }
        let place = |it: &DeviceRecord| (it.platform.clone(), it.address.clone());
        let mut known: HashSet<_> = self.targets.iter().map(|it| place(&it.record)).collect();
        let others = self.targets.iter().flat_map(|target| &target.others);
        let others = others.filter(|it| known.insert(place(it)));
        others.cloned().collect()
    }
}

/// Why a run did not start, or why it failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder contains another experiment.
    #[error(
        "{}: holds a run of the experiment `{found}`, not of `{wanted}`; use --fresh or another \
         folder with --out", .folder.display()
    )]
    OtherExperiment {
        folder: PathBuf,
        found: String,
        wanted: String,
    },
    /// A filtered run would delete rows that it does not measure again.
    #[error(
        "{}: holds {rows} from another {what}; measure all again without a filter, or use \
         --fresh or another folder with --out", .folder.display()
    )]
    OtherOrigin {
        folder: PathBuf,
        /// The number of rows, as text such as `12 rows`.
        rows: String,
        /// The changed properties, for example `program and host`.
        what: String,
    },
    /// A filtered run would delete CPU rows that it would measure again, but not the device rows compared with them.
    #[error(
        "{}: other sampling rules would replace {rows} of CPU programs, but not those of {device}, \
         which are compared with them; use --device all, the old rules, or another folder with --out",
        .folder.display()
    )]
    OtherRules {
        folder: PathBuf,
        /// The number of rows, as text such as `12 rows`.
        rows: String,
        /// A device whose rows would lose their ratios.
        device: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Files(#[from] ResultsError),
    /// A row could not be written.
    #[error("{0:#}")]
    Write(anyhow::Error),
}
