//! Tables and charts of the experiment as grids of figures: one block for each technique,
//! baseline and device.

use super::data::{HOST, Index, NO_DEVICE, Place, agrees, axis_values, is_device};
use super::figure::{self, Figure, Missing};
use super::published::{Published, PublishedTable};
use crate::config::{ChartSpec, Quantity, TECHNIQUE, TableSpec};
use crate::words::{Case, Value};

/// What a block is made from: the common part of a table and a chart.
pub(crate) struct Shape<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub quantity: &'a Quantity,
    pub rows: &'a str,
    pub columns: Option<&'a str>,
    pub fixed: &'a Case,
    pub techniques: &'a [String],
    pub baselines: &'a [String],
    pub published: Option<&'a str>,
    pub published_baseline: Option<&'a str>,
}

impl<'a> From<&'a TableSpec> for Shape<'a> {
    fn from(spec: &'a TableSpec) -> Self {
        Shape {
            id: &spec.id,
            title: &spec.title,
            quantity: &spec.quantity,
            rows: &spec.rows,
            columns: spec.columns.as_deref(),
            fixed: &spec.fixed,
            techniques: &spec.techniques,
            baselines: &spec.baselines,
            published: spec.published.as_deref(),
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
            quantity: &spec.quantity,
            rows: &spec.series,
            columns: Some(&spec.x),
            fixed: &spec.fixed,
            techniques: &spec.techniques,
            baselines: &spec.baselines,
            published: spec.published.as_deref(),
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
}

/// One table, or one chart, of one technique over one baseline on one device.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Unique in the report; a file name without ending.
    pub id: String,
    pub title: String,
    pub quantity: Quantity,
    pub technique: Option<String>,
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
    pub published_source: Option<String>,
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
    /// `None` for facts, and where techniques are an axis.
    technique: Option<&'a str>,
    baseline: Option<&'a str>,
    /// Empty for facts.
    device: &'a str,
    published: Option<&'a PublishedTable>,
}

/// All blocks of a table or a chart. What is wrong with its published numbers goes to `warnings`.
pub(crate) fn blocks(
    index: &Index<'_>,
    shape: &Shape<'_>,
    warnings: &mut Vec<String>,
) -> Vec<Block> {
    let published = shape.published.and_then(|name| {
        PublishedTable::find(&index.data.folder, name)
            .map_err(|warning| {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            })
            .ok()
    });
    let baselines: Vec<Option<&str>> =
        if shape.quantity.needs_baseline() && !shape.baselines.is_empty() {
            shape
                .baselines
                .iter()
                .map(|name| Some(name.as_str()))
                .collect()
        } else {
            vec![None]
        };
    let mut blocks = Vec::new();
    for (technique, device) in subjects(index, shape) {
        for &baseline in &baselines {
            let like = baseline.is_none()
                || shape
                    .published_baseline
                    .is_none_or(|name| baseline == Some(name));
            let published = published.as_ref().filter(|_| like);
            let mut block = block(
                index,
                shape,
                Subject {
                    technique,
                    baseline,
                    device,
                    published,
                },
            );
            block.id = id(index, shape, &block, baselines.len());
            blocks.push(block);
        }
    }
    blocks
}

/// The technique and device of each block; neither for facts, no technique where it is an axis.
fn subjects<'a>(index: &Index<'a>, shape: &Shape<'a>) -> Vec<(Option<&'a str>, &'a str)> {
    if shape.quantity.is_fact() {
        return vec![(None, "")];
    }
    if shape.rows == TECHNIQUE || shape.columns == Some(TECHNIQUE) {
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

fn block(index: &Index<'_>, shape: &Shape<'_>, subject: Subject<'_>) -> Block {
    let cases: Vec<Case> = index
        .data
        .experiment
        .cases
        .iter()
        .filter(|case| agrees(case, shape.fixed))
        .cloned()
        .collect();
    let values = |axis: Option<&str>| match axis {
        None => vec![None],
        Some(TECHNIQUE) => shape
            .techniques
            .iter()
            .map(|name| Some(Value::Text(name.clone())))
            .collect(),
        Some(axis) => axis_values(&cases, axis)
            .into_iter()
            .map(Some)
            .collect::<Vec<_>>(),
    };
    let (rows, columns) = (values(Some(shape.rows)), values(shape.columns));
    let cells = rows
        .iter()
        .map(|row| {
            columns
                .iter()
                .map(|column| {
                    let axes = [(Some(shape.rows), row), (shape.columns, column)];
                    cell(index, shape, &cases, axes, subject)
                })
                .collect()
        })
        .collect();
    let headings = |values: &[Option<Value>], single: &str| {
        values
            .iter()
            .map(|v| v.as_ref().map_or(single.to_owned(), Value::to_string))
            .collect()
    };
    Block {
        id: String::new(),
        title: shape.title.to_owned(),
        quantity: shape.quantity.clone(),
        technique: subject.technique.map(str::to_owned),
        baseline: subject.baseline.map(str::to_owned),
        device: subject.device.to_owned(),
        row_axis: shape.rows.to_owned(),
        column_axis: shape.columns.map(str::to_owned),
        rows: headings(&rows, ""),
        columns: headings(&columns, &figure::title(shape.quantity, subject.baseline)),
        cells,
        published_source: subject.published.map(|table| table.source.clone()),
    }
}

fn cell(
    index: &Index<'_>,
    shape: &Shape<'_>,
    cases: &[Case],
    axes: [(Option<&str>, &Option<Value>); 2],
    subject: Subject<'_>,
) -> BlockCell {
    let Subject {
        baseline,
        published,
        ..
    } = subject;
    let mut at = shape.fixed.clone();
    let mut technique = subject.technique.map(str::to_owned);
    for (axis, value) in axes {
        match (axis, value) {
            (Some(TECHNIQUE), Some(value)) => technique = Some(value.to_string()),
            (Some(axis), Some(value)) => at.0.push((axis.to_owned(), value.clone())),
            _ => {}
        }
    }
    let technique = technique.unwrap_or_default();
    // Where techniques are an axis, one block holds those of the device and those of the host.
    let device = match index.on_device(&technique) {
        Some(false) => HOST,
        _ => subject.device,
    };
    let found: Vec<&Case> = cases.iter().filter(|case| agrees(case, &at)).collect();
    let place = Place {
        technique: &technique,
        device,
    };
    let figure = match (shape.quantity, found.as_slice()) {
        (_, []) => Figure::Missing(Missing::not_asked()),
        (Quantity::Fact(name), cases) => figure::fact(index, name, cases),
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
    let published = published.and_then(|table| {
        table.value(|axis| match axis {
            TECHNIQUE => Some(technique.clone()).filter(|name| !name.is_empty()),
            "baseline" => baseline.map(str::to_owned),
            axis => case.get(axis).map(Value::to_string),
        })
    });
    BlockCell {
        case,
        device: device.to_owned(),
        figure,
        published: published.cloned(),
        technique,
    }
}

/// The table's id, and whatever tells its blocks apart.
fn id(index: &Index<'_>, shape: &Shape<'_>, block: &Block, baselines: usize) -> String {
    let mut id = shape.id.to_owned();
    if let Some(technique) = block
        .technique
        .as_ref()
        .filter(|_| shape.techniques.len() > 1)
    {
        id = format!("{id}-{technique}");
    }
    if let Some(baseline) = block.baseline.as_ref().filter(|_| baselines > 1) {
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
