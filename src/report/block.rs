//! Tables and charts of an experiment as grids of figures: one block per technique, baseline and device.

use serde::Serialize;

use super::data::{HOST, Index, NO_DEVICE, Place, is_device};
use super::directions::{self, Direction};
use super::known::{Figure, Gap, Missing};
use super::number::Unit;
use super::published::{self, Published, PublishedTable};
use super::series::distinct;
use super::{figure, naming};
use crate::config::{Quantity, TableSpec};
use crate::words::{Case, Task};

#[derive(Clone, Debug, Serialize)]
pub(crate) struct BlockCell {
    /// Values on the block's axes; all axes of the case if the cell is one case.
    pub case: Case,
    pub technique: String,
    pub device: String,
    pub quantity: Quantity,
    pub baseline: String,
    #[serde(skip)]
    pub unit: Unit,
    pub figure: Figure,
    /// Positions of a sample, if the task has several.
    pub positions: Option<u64>,
    /// True if the block's cells differ in their positions.
    pub uneven: bool,
    pub published: Option<Published>,
}

impl BlockCell {
    pub(crate) fn ratio(&self) -> Option<f64> {
        let (known, published) = (self.figure.as_ref().ok()?, self.published.as_ref()?);
        (published.value != 0.0).then(|| known.value / published.value)
    }

    pub(crate) fn note(&self) -> Option<&str> {
        let note = self.published.as_ref().map(|own| own.note.as_str());
        note.filter(|note| !note.is_empty())
    }
}

/// A table or chart of one technique over one baseline on one device.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Block {
    /// Unique in the report; a file name without extension.
    pub id: String,
    pub title: String,
    pub technique: Option<String>,
    /// `None` if the quantity needs none, or if each column has a baseline.
    pub baseline: Option<String>,
    /// Empty if the block has no device, or several.
    pub device: String,
    pub row_axis: String,
    pub column_axis: Option<String>,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    pub cells: Vec<Vec<BlockCell>>,
    pub published_sources: Vec<String>,
}

impl Block {
    /// Distinguishes the blocks of a table: `pv-split over serial, on NVIDIA H200`.
    pub(crate) fn subtitle(&self) -> String {
        let over = self.baseline.as_ref().map(|name| format!("over {name}"));
        let place = Some(&self.device).filter(|device| is_device(device));
        let subject: Vec<String> = self.technique.clone().into_iter().chain(over).collect();
        let mut parts = vec![subject.join(" ")];
        parts.extend(place.map(|device| format!("on {device}")));
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    pub(crate) fn printed(&self) -> usize {
        let cells = self.cells.iter().flatten();
        cells.filter(|cell| cell.published.is_some()).count()
    }
}

type Measure<'a> = (&'a Quantity, Option<&'a str>);

/// All blocks of a table or chart. Faults of its published numbers go to `warnings`.
pub(crate) fn blocks(
    index: &Index<'_>,
    spec: &TableSpec,
    warnings: &mut Vec<String>,
) -> Vec<Block> {
    let mut published = Vec::new();
    for name in &spec.published {
        match PublishedTable::find(&index.data.folder, name) {
            Ok(table) => published.push(table),
            Err(warning) if warnings.contains(&warning) => {}
            Err(warning) => warnings.push(warning),
        }
    }
    let measures = spec.quantities.iter().flat_map(|quantity| {
        let needs = quantity.needs_baseline();
        let names = spec.baselines.iter().filter(move |_| needs);
        let names = names.map(|name| Some(name.as_str()));
        let names = names.chain((!needs).then_some(None));
        names.map(move |name| (quantity, name))
    });
    let measures: Vec<Measure<'_>> = measures.collect();
    // Several quantities share a block; several baselines of one quantity have a block each.
    let size = match spec.quantities.len() {
        1 => 1,
        _ => measures.len().max(1),
    };
    let is_fact = spec.quantities.iter().any(Quantity::is_fact);
    let maker = Maker {
        index,
        spec,
        rows: Direction::new(index, spec, &spec.rows),
        columns: Direction::new(index, spec, &spec.columns),
        published,
        is_fact,
        across: spec.columns.is_empty()
            && spec.quantities.len() == 1
            && !is_fact
            && index.devices.len() > 1,
    };
    let mut blocks = Vec::new();
    for subject in maker.subjects() {
        let sets = measures.chunks(size);
        let of_several = sets.len() > 1;
        blocks.extend(sets.map(|measures| maker.block(subject, measures, of_several)));
    }
    blocks
}

/// Technique, unless an axis names it; and device, empty for facts and if devices are the columns.
type Subject<'a> = (Option<&'a str>, &'a str);

struct Maker<'a, 'i> {
    index: &'a Index<'i>,
    spec: &'a TableSpec,
    rows: Direction<'a>,
    columns: Direction<'a>,
    published: Vec<PublishedTable>,
    is_fact: bool,
    across: bool,
}

impl<'a> Maker<'a, '_> {
    fn subjects(&self) -> Vec<Subject<'a>> {
        let (index, names) = (self.index, &self.spec.techniques);
        if self.is_fact {
            return vec![(None, "")];
        }
        if self.rows.tells_technique || self.columns.tells_technique {
            let mut names = names.iter();
            let on_devices = names.any(|name| index.on_device(name) == Some(true));
            return match &index.devices[..] {
                _ if self.across || !on_devices => vec![(None, "")],
                [] => vec![(None, NO_DEVICE)],
                devices => devices.iter().map(|device| (None, *device)).collect(),
            };
        }
        let mut subjects = Vec::new();
        for name in names {
            let places = match index.on_device(name) {
                Some(true) if self.across => vec![""],
                _ => index.places(name),
            };
            let places = places.into_iter();
            subjects.extend(places.map(|device| (Some(name.as_str()), device)));
        }
        subjects
    }

    /// All devices if devices are the columns; the host first if a technique runs there.
    fn devices(&self, (technique, device): Subject<'_>) -> Vec<Option<&'a str>> {
        if !self.across || !device.is_empty() {
            return vec![None];
        }
        let mut names = self.spec.techniques.iter();
        let on_host = names.any(|name| self.index.on_device(name) == Some(false));
        let host = (technique.is_none() && on_host).then_some(HOST);
        let devices = self.index.devices.iter().copied();
        host.into_iter().chain(devices).map(Some).collect()
    }

    /// `of_several`: the blocks of this technique and device differ in their baselines.
    fn block(&self, subject: Subject<'_>, measures: &[Measure<'_>], of_several: bool) -> Block {
        let (technique, device) = subject;
        let devices = self.devices(subject);
        let row = |row: &Case| {
            let mut cells = Vec::new();
            for column in &self.columns.spots {
                let spot = directions::and(row, column);
                for measure in measures {
                    let of = devices.iter().map(|own| (*own, *measure));
                    cells.extend(of.map(|(own, measure)| self.cell(subject, &spot, measure, own)));
                }
            }
            cells
        };
        let title = |(quantity, baseline): &Measure<'_>| naming::title(quantity, *baseline);
        let named: Vec<&str> = devices.iter().copied().flatten().collect();
        let (columns, column_axis) = match (&self.spec.columns[..], &named[..], measures) {
            ([], [], _) => (measures.iter().map(title).collect(), None),
            ([], devices, [measure, ..]) => {
                let names = devices.iter().map(|&device| device.to_owned());
                (names.collect(), Some(format!("{} on", title(measure))))
            }
            _ => (self.columns.names(), Some(self.columns.title())),
        };
        let baseline = match measures {
            [(_, baseline)] => *baseline,
            _ => None,
        };
        let mut id = vec![self.spec.id.as_str()];
        id.extend(technique.filter(|_| self.spec.techniques.len() > 1));
        let over = baseline.filter(|_| of_several);
        id.extend(over.iter().flat_map(|own| ["over", own]));
        id.extend(Some(device).filter(|own| is_device(own) && self.index.devices.len() > 1));
        let mut cells: Vec<Vec<BlockCell>> = self.rows.spots.iter().map(row).collect();
        let counts = cells.iter().flatten().filter_map(|cell| cell.positions);
        let uneven = distinct(counts).len() > 1;
        let all = cells.iter_mut().flatten();
        all.for_each(|cell| cell.uneven = uneven);
        Block {
            id: slug(&id.join("-")),
            title: self.spec.title.clone(),
            technique: technique.map(str::to_owned),
            baseline: baseline.map(str::to_owned),
            device: device.to_owned(),
            row_axis: self.rows.title(),
            column_axis,
            rows: self.rows.names(),
            columns,
            cells,
            published_sources: self.published.iter().map(|it| it.source.clone()).collect(),
        }
    }

    fn cell(
        &self,
        subject: Subject<'_>,
        spot: &Case,
        (quantity, baseline): Measure<'_>,
        device: Option<&str>,
    ) -> BlockCell {
        let (index, spec) = (self.index, self.spec);
        let experiment = &index.data.experiment;
        let mut at = spec.fixed.clone();
        at.0.extend(directions::on_axes(experiment, spot).0);
        let found = index.cases_of(&at);
        let of_spot = || directions::technique(experiment, spec, spot, &found);
        let technique = subject.0.map(str::to_owned).or_else(of_spot);
        let technique = technique.unwrap_or_default();
        // If techniques are an axis, one block holds device and host techniques.
        let on_host = index.on_device(&technique) == Some(false);
        let is_elsewhere = device.is_some_and(|device| on_host != (device == HOST));
        let device = device.unwrap_or(if on_host { HOST } else { subject.1 });
        let place = Place {
            technique: &technique,
            device,
        };
        let figure = match (quantity, &found[..]) {
            (_, []) => Err(Missing::NOT_ASKED),
            (Quantity::Fact(name), cases) => figure::fact(index, name, cases),
            _ if technique.is_empty() => Err(Missing::NOT_ASKED),
            _ if is_elsewhere => Err(Missing::ELSEWHERE),
            (quantity, [case]) => figure::measured(index, quantity, case, &place, baseline),
            (_, cases) => {
                let count = cases.len();
                let why =
                    format!("{count} cases differ along an axis that the table does not show");
                Err(Missing::new(Gap::AMBIGUOUS, why))
            }
        };
        let only = found.first().filter(|_| found.len() == 1).copied();
        let row = only.and_then(|case| index.row(&case.to_string(), &technique, device));
        let is_game = experiment.task == Task::Game && figure.is_ok() && !quantity.is_fact();
        let case = only.cloned().unwrap_or(at);
        let like = spec.published_baseline.as_deref();
        let is_like = baseline.is_none() || like.is_none() || baseline == like;
        let labels = [Some(technique.as_str()), baseline];
        let find = || published::find(&self.published, experiment, quantity, labels, &case);
        let published = is_like.then(find).flatten();
        BlockCell {
            device: device.to_owned(),
            quantity: quantity.clone(),
            baseline: baseline.unwrap_or_default().to_owned(),
            unit: naming::unit(quantity, spec.unit),
            figure,
            positions: row.map(|row| row.units).filter(|_| is_game),
            uneven: false,
            published,
            technique,
            case,
        }
    }
}

/// Letters, digits and single dashes: safe as a file name everywhere.
pub(crate) fn slug(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}
