//! Tables and charts of the experiment as grids of figures: one block for each technique,
//! baseline and device.

use super::data::{HOST, Index, NO_DEVICE, Place, agrees, is_device};
use super::directions::{Direction, Spot};
use super::figure::{self, Figure, Missing};
use super::naming;
use super::number::Unit;
use super::published::{self, Published, PublishedTable, Wanted};
use crate::config::{ChartSpec, Quantity, TableSpec, TimeUnit};
use crate::words::Case;

/// What a block is made from: the common part of a table and a chart.
pub(crate) struct Shape<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub quantities: &'a [Quantity],
    pub rows: &'a [String],
    pub columns: &'a [String],
    pub fixed: &'a Case,
    pub techniques: &'a [String],
    pub baselines: &'a [String],
    pub unit: Option<TimeUnit>,
    pub published: &'a [String],
    pub published_baseline: Option<&'a str>,
}

impl<'a> From<&'a TableSpec> for Shape<'a> {
    fn from(spec: &'a TableSpec) -> Self {
        Shape {
            id: &spec.id,
            title: &spec.title,
            quantities: &spec.quantities,
            rows: &spec.rows,
            columns: &spec.columns,
            fixed: &spec.fixed,
            techniques: &spec.techniques,
            baselines: &spec.baselines,
            unit: spec.unit,
            published: &spec.published,
            published_baseline: spec.published_baseline.as_deref(),
        }
    }
}

impl<'a> From<&'a ChartSpec> for Shape<'a> {
    /// A chart is a table whose rows are its lines and whose columns are its points.
    fn from(spec: &'a ChartSpec) -> Self {
        Shape {
            id: &spec.id,
            title: &spec.title,
            quantities: std::slice::from_ref(&spec.quantity),
            rows: &spec.series,
            columns: std::slice::from_ref(&spec.x),
            fixed: &spec.fixed,
            techniques: &spec.techniques,
            baselines: &spec.baselines,
            unit: None,
            published: &spec.published,
            published_baseline: spec.published_baseline.as_deref(),
        }
    }
}

/// One cell of a block.
#[derive(Clone, Debug)]
pub(crate) struct BlockCell {
    /// The cell's place on the axes of the block; all the case's axes where it is one case.
    pub case: Case,
    pub technique: String,
    pub device: String,
    pub quantity: Quantity,
    /// Empty where the quantity needs none.
    pub baseline: String,
    pub unit: Unit,
    pub figure: Figure,
    pub published: Option<Published>,
}

impl BlockCell {
    /// Ours over the paper's.
    pub(crate) fn ratio(&self) -> Option<f64> {
        match (&self.figure, &self.published) {
            (Figure::Known(known), Some(published)) if published.value != 0.0 => {
                Some(known.value / published.value)
            }
            _ => None,
        }
    }

    /// What is odd about the paper's number.
    pub(crate) fn note(&self) -> Option<&str> {
        let note = self.published.as_ref().map(|own| own.note.as_str());
        note.filter(|note| !note.is_empty())
    }
}

/// One table, or one chart, of one technique over one baseline on one device.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Unique in the report; a file name without ending.
    pub id: String,
    pub title: String,
    pub technique: Option<String>,
    /// `None` where the quantity needs none, and where columns have their own.
    pub baseline: Option<String>,
    /// Empty where the block is not about a device.
    pub device: String,
    pub row_axis: String,
    pub column_axis: Option<String>,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// By row, then by column.
    pub cells: Vec<Vec<BlockCell>>,
    /// Where the paper's numbers come from.
    pub published_sources: Vec<String>,
}

impl Block {
    /// What tells this block from the others of its table: `pv-split over serial, on NVIDIA H200`.
    pub(crate) fn subtitle(&self) -> String {
        let mut text = self.technique.clone().unwrap_or_default();
        if let Some(baseline) = &self.baseline {
            text += if text.is_empty() { "over " } else { " over " };
            text += baseline;
        }
        if is_device(&self.device) {
            text += if text.is_empty() { "on " } else { ", on " };
            text += &self.device;
        }
        text
    }
}

/// What a block is about.
#[derive(Clone, Copy)]
struct Subject<'a> {
    /// `None` for facts, and where techniques are told apart by an axis.
    technique: Option<&'a str>,
    /// Empty for facts.
    device: &'a str,
    published: &'a [PublishedTable],
}

/// What a column shows.
#[derive(Clone, Copy)]
struct Measure<'a> {
    quantity: &'a Quantity,
    baseline: Option<&'a str>,
}

/// All blocks of a table or a chart. What is wrong with its published numbers goes to `warnings`.
pub(crate) fn blocks(
    index: &Index<'_>,
    shape: &Shape<'_>,
    warnings: &mut Vec<String>,
) -> Vec<Block> {
    let mut published = Vec::new();
    for name in shape.published {
        match PublishedTable::find(&index.data.folder, name) {
            Ok(table) => published.push(table),
            Err(warning) if warnings.contains(&warning) => {}
            Err(warning) => warnings.push(warning),
        }
    }
    let rows = Direction::new(index, shape, shape.rows);
    let columns = Direction::new(index, shape, shape.columns);
    let measures: Vec<Measure<'_>> = shape
        .quantities
        .iter()
        .flat_map(|quantity| {
            let baselines = shape.baselines.iter().map(|name| Some(name.as_str()));
            let baselines: Vec<Option<&str>> = match quantity.needs_baseline() {
                true => baselines.collect(),
                false => vec![None],
            };
            baselines
                .into_iter()
                .map(move |baseline| Measure { quantity, baseline })
        })
        .collect();
    // Several quantities are a block together; several baselines of one have a block each.
    let sets: Vec<&[Measure<'_>]> = match shape.quantities.len() {
        1 => measures.chunks(1).collect(),
        _ => vec![&measures],
    };
    let mut blocks = Vec::new();
    for (technique, device) in subjects(index, shape, &rows, &columns) {
        for &measures in &sets {
            let subject = Subject {
                technique,
                device,
                published: &published,
            };
            let mut block = block(index, shape, subject, &rows, &columns, measures);
            block.id = id(index, shape, &block, sets.len());
            blocks.push(block);
        }
    }
    blocks
}

/// The technique and device of each block; neither for facts, no technique where an axis tells it.
fn subjects<'a>(
    index: &Index<'a>,
    shape: &Shape<'a>,
    rows: &Direction<'_>,
    columns: &Direction<'_>,
) -> Vec<(Option<&'a str>, &'a str)> {
    if shape.quantities.iter().any(Quantity::is_fact) {
        return vec![(None, "")];
    }
    if rows.tells_technique() || columns.tells_technique() {
        let on_devices = shape
            .techniques
            .iter()
            .any(|name| index.on_device(name) == Some(true));
        if !on_devices {
            return vec![(None, "")];
        }
        if index.devices().is_empty() {
            return vec![(None, NO_DEVICE)];
        }
        return index
            .devices()
            .iter()
            .map(|&device| (None, device))
            .collect();
    }
    shape
        .techniques
        .iter()
        .flat_map(|name| index.places(name))
        .map(|place| (Some(place.technique), place.device))
        .collect()
}

fn block(
    index: &Index<'_>,
    shape: &Shape<'_>,
    subject: Subject<'_>,
    rows: &Direction<'_>,
    columns: &Direction<'_>,
    measures: &[Measure<'_>],
) -> Block {
    let across = columns
        .spots
        .iter()
        .flat_map(|spot| measures.iter().map(move |measure| (spot, *measure)));
    let row = |row: &Spot| {
        let cell = |(column, measure)| cell(index, shape, subject, row.and(column), measure);
        across.clone().map(cell).collect()
    };
    let names = match shape.columns {
        [] => measures
            .iter()
            .map(|measure| naming::title(measure.quantity, measure.baseline))
            .collect(),
        _ => columns.names(),
    };
    let single = match measures {
        [measure] => measure.baseline,
        _ => None,
    };
    Block {
        id: String::new(),
        title: shape.title.to_owned(),
        technique: subject.technique.map(str::to_owned),
        baseline: single.map(str::to_owned),
        device: subject.device.to_owned(),
        row_axis: rows.title(),
        column_axis: (!shape.columns.is_empty()).then(|| columns.title()),
        rows: rows.names(),
        columns: names,
        cells: rows.spots.iter().map(row).collect(),
        published_sources: subject
            .published
            .iter()
            .map(|table| table.source.clone())
            .collect(),
    }
}

fn cell(
    index: &Index<'_>,
    shape: &Shape<'_>,
    subject: Subject<'_>,
    spot: Spot,
    measure: Measure<'_>,
) -> BlockCell {
    let Measure { quantity, baseline } = measure;
    let experiment = &index.data.experiment;
    let mut at = shape.fixed.clone();
    at.0.extend(spot.case.0.iter().cloned());
    let cases = experiment.cases.iter();
    let found: Vec<&Case> = cases.filter(|case| agrees(case, &at)).collect();
    let technique = match subject.technique {
        Some(technique) => Some(technique.to_owned()),
        None => spot.technique(index, shape.techniques, &found),
    };
    let technique = technique.unwrap_or_default();
    // Where techniques are an axis, one block holds those of the device and those of the host.
    let device = match index.on_device(&technique) {
        Some(false) => HOST,
        _ => subject.device,
    };
    let place = Place {
        technique: &technique,
        device,
    };
    let figure = match (quantity, found.as_slice()) {
        (_, []) => Figure::Missing(Missing::not_asked()),
        (Quantity::Fact(name), cases) => figure::fact(index, name, cases),
        _ if technique.is_empty() => Figure::Missing(Missing::not_asked()),
        (quantity, [case]) => figure::measured(index, quantity, case, &place, baseline),
        (_, cases) => Figure::Missing(Missing::new(
            "ambiguous",
            format!(
                "{} cases differ along an axis that the table does not show",
                cases.len()
            ),
        )),
    };
    let case = match found.as_slice() {
        [only] => (*only).clone(),
        _ => at,
    };
    let wanted = Wanted {
        quantity,
        baseline: baseline.and_then(|name| experiment.choice(name)),
        technique: experiment.choice(&technique),
        case: &case,
    };
    let is_like = baseline.is_none()
        || shape
            .published_baseline
            .is_none_or(|name| baseline == Some(name));
    let published = is_like.then(|| published::find(subject.published, wanted));
    BlockCell {
        device: device.to_owned(),
        quantity: quantity.clone(),
        baseline: baseline.unwrap_or_default().to_owned(),
        unit: naming::unit(quantity, shape.unit),
        figure,
        published: published.flatten(),
        technique,
        case,
    }
}

/// The table's id, and whatever tells its blocks apart.
fn id(index: &Index<'_>, shape: &Shape<'_>, block: &Block, sets: usize) -> String {
    let mut id = shape.id.to_owned();
    if let Some(technique) = block
        .technique
        .as_ref()
        .filter(|_| shape.techniques.len() > 1)
    {
        id = format!("{id}-{technique}");
    }
    if let Some(baseline) = block.baseline.as_ref().filter(|_| sets > 1) {
        id = format!("{id}-over-{baseline}");
    }
    if is_device(&block.device) && index.devices().len() > 1 {
        id = format!("{id}-{}", block.device);
    }
    slug(&id)
}

/// Letters, digits and single dashes: safe as a file name everywhere.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}
