//! Computes the results of a run once. Renderers only format them.

use std::collections::HashSet;

use serde::Serialize;

use super::block::{self, Block, BlockCell};
use super::claims::{self, Judged};
use super::data::{Index, RunData, SERIAL};
use super::figure;
use super::headline::{Headline, headlines};
use super::known::Figure;
use super::ladder::{Ladder, Question, ladders};
use super::matches::{self, Match};
use super::ratios::{ROLES, Ratio, indexed, ratio};
use super::sections::{Estimate, estimates};
use crate::config::{Experiment, Quantity, TableSpec};
use crate::results::MeasurementRow;
use crate::words::{Case, Task};

/// Every number and verdict of a run: the cells with their ratios, the tables with the paper's numbers, the judged
/// claims, and the headlines. It has no sentences for readers.
#[derive(Serialize)]
pub struct Analysis {
    #[serde(skip)]
    pub(crate) data: RunData,
    pub(crate) devices: Vec<String>,
    /// Every cell in the experiment, case by case.
    pub(crate) cells: Vec<CellResult>,
    pub(crate) ratios: Vec<Ratio>,
    /// The experiment's tables, then its charts.
    pub(crate) views: Vec<View>,
    pub(crate) claims: Vec<Judged>,
    #[serde(skip)]
    pub(crate) question: Option<Question>,
    /// One ladder per device, then one for the host. Empty unless the experiment reproduces a paper.
    pub(crate) ladders: Vec<Ladder>,
    /// One headline per device, then one for the host.
    pub(crate) headlines: Vec<Headline>,
    pub(crate) matches: Vec<Match>,
    pub(crate) complexity: Vec<Estimate>,
    /// Faults in the paper's files, one line each.
    pub(crate) warnings: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct CellResult {
    pub case: Case,
    pub technique: String,
    /// The label of a device or the host. Empty if the run ended before the device was known.
    pub device: String,
    /// False if the run's commands excluded the cell.
    pub planned: bool,
    pub row: Option<MeasurementRow>,
    pub measured: Option<Measured>,
}

#[derive(Serialize)]
pub(crate) struct Measured {
    pub over_serial: Figure,
    pub node_overhead: Figure,
    pub node_rate: Figure,
    /// In the order of [`ROLES`].
    pub over_roles: [Ratio; 2],
}

#[derive(Serialize)]
pub(crate) struct View {
    #[serde(skip)]
    pub spec: TableSpec,
    pub is_chart: bool,
    pub blocks: Vec<Block>,
}

/// Computes the results of a run.
pub fn analyse(data: RunData) -> Analysis {
    let index = indexed(&data);
    let mut warnings = Vec::new();
    let views = views(&index, &mut warnings);
    let claims = claims::judge(&index, &mut warnings);
    let question = Question::of(&data, &mut warnings);
    let headlines = headlines(&index);
    let tables = views.iter().filter(|view| !view.is_chart);
    let blocks = tables.flat_map(|view| &view.blocks);
    let printed: Vec<&BlockCell> = blocks.flat_map(|own| own.cells.iter().flatten()).collect();
    let (mut of_paper, mut complexity) = (Vec::new(), Vec::new());
    if let Some(question) = question.as_ref().filter(|own| !own.case.is_empty()) {
        of_paper = ladders(&index, question, &headlines, &printed, &claims);
        complexity = estimates(&data, &mut warnings);
    }
    let cells = index.cells().map(|(case, place, row)| CellResult {
        case: case.clone(),
        technique: place.technique.to_owned(),
        device: place.device.to_owned(),
        planned: index.is_asked(&case.to_string(), place.technique),
        row: row.cloned(),
        measured: row.map(|row| Measured {
            over_serial: ratio(&index, row, SERIAL).result,
            node_overhead: figure::node_overhead(&index, row, SERIAL),
            node_rate: figure::measured(&index, (&Quantity::NodeRate, None), case, &place),
            over_roles: ROLES.map(|role| ratio(&index, row, role)),
        }),
    });
    Analysis {
        devices: index.devices.iter().map(ToString::to_string).collect(),
        cells: cells.collect(),
        ratios: index.ratios.clone(),
        matches: matches::all(&index),
        headlines,
        views,
        claims,
        question,
        ladders: of_paper,
        complexity,
        warnings,
        data,
    }
}

/// The ids of the tables that every report has, in addition to the experiment's own.
pub(crate) const TABLES: [&str; 3] = ["cells", "ratios", "claims"];

/// Makes the tables and charts. The ids of their blocks are unique in the report.
fn views(index: &Index<'_>, warnings: &mut Vec<String>) -> Vec<View> {
    let experiment = &index.data.experiment;
    let default = default_table(experiment);
    let tables = experiment.tables.iter().chain(&default);
    let charts = experiment.charts.iter().map(|spec| (spec, true));
    // A table of the experiment may have the id of a table that every report has.
    let mut ids = HashSet::from(TABLES.map(str::to_owned));
    let views = tables.map(|spec| (spec, false)).chain(charts);
    let views = views.map(|(spec, is_chart)| {
        let mut blocks = block::blocks(index, spec, warnings);
        for block in &mut blocks {
            block.id = unique(&mut ids, &block.id);
        }
        View {
            spec: spec.clone(),
            is_chart,
            blocks,
        }
    });
    views.collect()
}

/// Returns a table of rates or times per technique, if the experiment defines no tables.
fn default_table(experiment: &Experiment) -> Option<TableSpec> {
    let (title, quantity) = match experiment.task {
        _ if !experiment.tables.is_empty() => return None,
        Task::Match => return None,
        Task::Playouts | Task::Choose => ("Games per second", Quantity::PlayoutRate),
        Task::Game => ("Time per position", Quantity::TimePerUnit),
        Task::Search | Task::Perft => ("Time", Quantity::Time),
    };
    let techniques = experiment.techniques.iter();
    Some(TableSpec {
        id: "of-each-technique".to_owned(),
        title: title.to_owned(),
        quantities: vec![quantity],
        rows: vec!["technique".to_owned()],
        columns: experiment.axes.clone(),
        techniques: techniques.map(|choice| choice.label.clone()).collect(),
        ..TableSpec::default()
    })
}

/// Returns the id, with a number appended if it is taken.
pub(crate) fn unique(taken: &mut HashSet<String>, id: &str) -> String {
    let numbered = (2..).map(|number| format!("{id}-{number}"));
    let mut candidates = std::iter::once(id.to_owned()).chain(numbered);
    let free = candidates.find(|candidate| taken.insert(candidate.clone()));
    free.unwrap_or_default()
}

impl Analysis {
    /// Returns the cells that have been or will be measured.
    pub(crate) fn planned(&self) -> impl Iterator<Item = &CellResult> {
        self.cells.iter().filter(|cell| cell.planned)
    }

    pub(crate) fn tables(&self) -> impl DoubleEndedIterator<Item = &View> {
        self.views.iter().filter(|view| !view.is_chart)
    }

    /// Returns our questions, which have better baselines than the paper's claims, and then the paper's claims.
    pub(crate) fn claims(&self) -> [Vec<&Judged>; 2] {
        let question = self.question.as_ref();
        let is_ours = |one: &&Judged| question.is_some_and(|own| own.is_ours(&one.claim));
        self.claims.iter().partition::<Vec<_>, _>(is_ours).into()
    }
}
