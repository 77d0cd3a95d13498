//! Tables and charts of the experiment as grids of figures: one block for each technique, baseline
//! and device. A table that runs in one direction only has the devices across instead, where there
//! are several.

use super::data::{HOST, Index, NO_DEVICE, Place, is_device};
use super::directions::{Direction, Spot};
use super::figure::{self, Figure};
use super::known::Missing;
use super::naming;
use super::number::Unit;
use super::published::{self, Published, PublishedTable, Wanted};
pub(crate) use super::shape::Shape;
use crate::config::Quantity;
use crate::words::Case;

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
    /// Empty where the block is not about a device, or about several.
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
    /// Empty for facts, and where devices are the columns.
    device: &'a str,
    published: &'a [PublishedTable],
}

/// One column of a block.
#[derive(Clone, Copy)]
struct Column<'a> {
    spot: &'a Spot,
    measure: Measure<'a>,
    /// Where devices are the columns: this one's label, or [`HOST`].
    device: Option<&'a str>,
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
    let across = devices_are_columns(index, shape);
    let mut blocks = Vec::new();
    for (technique, device) in subjects(index, shape, &rows, &columns, across) {
        for &measures in &sets {
            let subject = Subject {
                technique,
                device,
                published: &published,
            };
            let devices = match across && device.is_empty() {
                true => devices_of(index, shape, technique),
                false => Vec::new(),
            };
            let mut block = block(index, shape, subject, (&rows, &columns), &devices, measures);
            block.id = id(index, shape, &block, sets.len());
            blocks.push(block);
        }
    }
    blocks
}

/// Whether a table has room for the devices of a run beside each other: several devices, and neither
/// columns nor several quantities, which are columns too.
fn devices_are_columns(index: &Index<'_>, shape: &Shape<'_>) -> bool {
    let one_way = shape.columns.is_empty() && shape.quantities.len() == 1;
    let of_cells = !shape.quantities.iter().any(Quantity::is_fact);
    one_way && of_cells && index.devices().len() > 1
}

/// Where devices are the columns: all of them, after the host where a technique shown runs there.
fn devices_of<'a>(index: &Index<'a>, shape: &Shape<'_>, technique: Option<&str>) -> Vec<&'a str> {
    let on_host = |name: &str| index.on_device(name) == Some(false);
    let host = technique.is_none() && shape.techniques.iter().any(|name| on_host(name));
    let devices = index.devices().iter().copied();
    host.then_some(HOST).into_iter().chain(devices).collect()
}

/// The technique and device of each block; neither for facts, no technique where an axis tells it, no
/// device where several are the columns.
fn subjects<'a>(
    index: &Index<'a>,
    shape: &Shape<'a>,
    rows: &Direction<'_>,
    columns: &Direction<'_>,
    across: bool,
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
        if across {
            return vec![(None, "")];
        }
        return index
            .devices()
            .iter()
            .map(|&device| (None, device))
            .collect();
    }
    let techniques = shape.techniques.iter().map(String::as_str);
    techniques
        .flat_map(|name| match index.on_device(name) {
            Some(true) if across => vec![(Some(name), "")],
            _ => {
                let places = index.places(name).into_iter();
                places.map(|place| (Some(name), place.device)).collect()
            }
        })
        .collect()
}

fn block(
    index: &Index<'_>,
    shape: &Shape<'_>,
    subject: Subject<'_>,
    (rows, columns): (&Direction<'_>, &Direction<'_>),
    devices: &[&str],
    measures: &[Measure<'_>],
) -> Block {
    let mut across = Vec::new();
    for spot in &columns.spots {
        for &measure in measures {
            let column = |device| Column {
                spot,
                measure,
                device,
            };
            match devices {
                [] => across.push(column(None)),
                devices => across.extend(devices.iter().map(|&device| column(Some(device)))),
            }
        }
    }
    let row = |row: &Spot| {
        let cell = |column: &Column<'_>| cell(index, shape, subject, row, *column);
        across.iter().map(cell).collect()
    };
    let title = |measure: &Measure<'_>| naming::title(measure.quantity, measure.baseline);
    let names = match (shape.columns, devices) {
        ([], []) => measures.iter().map(title).collect(),
        ([], devices) => devices.iter().map(|&device| device.to_owned()).collect(),
        _ => columns.names(),
    };
    let column_axis = match (devices, measures) {
        ([], _) => (!shape.columns.is_empty()).then(|| columns.title()),
        (_, [measure, ..]) => Some(format!("{} on", title(measure))),
        (_, []) => None,
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
        column_axis,
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
    row: &Spot,
    column: Column<'_>,
) -> BlockCell {
    let spot = row.and(column.spot);
    let Measure { quantity, baseline } = column.measure;
    let experiment = &index.data.experiment;
    let mut at = shape.fixed.clone();
    at.0.extend(spot.case.0.iter().cloned());
    let found = index.cases_of(&at);
    let technique = match subject.technique {
        Some(technique) => Some(technique.to_owned()),
        None => spot.technique(index, shape.techniques, &found),
    };
    let technique = technique.unwrap_or_default();
    // Where techniques are an axis, one block holds those of the device and those of the host.
    let on_host = index.on_device(&technique) == Some(false);
    let device = match column.device {
        Some(device) => device,
        None if on_host => HOST,
        None => subject.device,
    };
    let is_elsewhere = column.device.is_some() && on_host != (device == HOST);
    let place = Place {
        technique: &technique,
        device,
    };
    let figure = match (quantity, found.as_slice()) {
        (_, []) => Figure::Missing(Missing::not_asked()),
        (Quantity::Fact(name), cases) => figure::fact(index, name, cases),
        _ if technique.is_empty() => Figure::Missing(Missing::not_asked()),
        _ if is_elsewhere => Figure::Missing(Missing::elsewhere()),
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
