//! Makes the tables and charts of an experiment as grids of figures, with one block per technique, baseline and device.

use serde::Serialize;

use super::data::{HOST, Index, Place, in_order, is_device};
use super::figure;
use super::format::{self, Unit};
use super::known::{Figure, Missing};
use super::published::{self, Published, PublishedTable};
use crate::config::{Quantity, TECHNIQUE, TableSpec, TechniqueChoice};
use crate::words::{Case, Task, Value};

#[derive(Clone, Debug, Serialize)]
pub(crate) struct BlockCell {
    /// The case's values on the block's axes or, if the cell contains only one case, on all axes.
    pub case: Case,
    pub technique: String,
    pub device: String,
    pub quantity: Quantity,
    pub baseline: String,
    #[serde(skip)]
    pub unit: Unit,
    pub figure: Figure,
    /// Number of positions in a sample, if the task has several.
    pub positions: Option<u64>,
    pub published: Option<Published>,
}

impl BlockCell {
    pub(crate) fn new(
        index: &Index<'_>,
        (quantity, baseline): Measure<'_>,
        place: &Place<'_>,
        case: Case,
        figure: Figure,
    ) -> Self {
        let row = index.row(&case.to_string(), place.technique, place.device);
        let is_game = index.data.experiment.task == Task::Game;
        let is_counted = is_game && figure.is_ok() && !quantity.is_fact();
        BlockCell {
            technique: place.technique.to_owned(),
            device: place.device.to_owned(),
            quantity: quantity.clone(),
            baseline: baseline.unwrap_or_default().to_owned(),
            unit: format::unit(quantity, None),
            positions: row.filter(|_| is_counted).map(|row| row.units),
            published: None,
            case,
            figure,
        }
    }

    pub(crate) fn ours(&self) -> Option<f64> {
        self.figure.as_ref().ok().map(|known| known.value)
    }

    pub(crate) fn paper(&self) -> Option<f64> {
        self.published.as_ref().map(|published| published.value)
    }

    pub(crate) fn ratio(&self) -> Option<f64> {
        let (ours, paper) = (self.ours()?, self.paper()?);
        (paper != 0.0).then(|| ours / paper)
    }

    pub(crate) fn note(&self) -> Option<&str> {
        let note = self.published.as_ref().map(|own| own.note.as_str());
        note.filter(|note| !note.is_empty())
    }
}

/// The part of a table or chart for one technique, compared with one baseline on one device.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Block {
    /// Unique in the report. It is also the file name without extension.
    pub id: String,
    pub title: String,
    pub technique: Option<String>,
    /// `None` if the quantity does not need a baseline, or if each column has its own baseline.
    pub baseline: Option<String>,
    /// Empty if the block has no device or several devices.
    pub device: String,
    pub row_axis: String,
    pub column_axis: Option<String>,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    pub cells: Vec<Vec<BlockCell>>,
    pub published_sources: Vec<String>,
}

impl Block {
    /// Returns a heading that distinguishes the blocks of a table: `pv-split over serial, on NVIDIA H200`.
    pub(crate) fn subtitle(&self) -> String {
        let over = self.baseline.as_ref().map(|name| format!("over {name}"));
        let subject: Vec<String> = self.technique.clone().into_iter().chain(over).collect();
        let mut parts = vec![subject.join(" ")];
        parts.extend(is_device(&self.device).then(|| format!("on {}", self.device)));
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    pub(crate) fn printed(&self) -> usize {
        let cells = self.cells.iter().flatten();
        cells.filter(|cell| cell.published.is_some()).count()
    }
}

/// A quantity and its baseline.
pub(crate) type Measure<'a> = (&'a Quantity, Option<&'a str>);

/// Makes all blocks of a table or chart. Adds faults in its published numbers to `warnings`.
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
    let of_quantity = |quantity| -> Vec<Measure<'_>> {
        let baselines = spec.baselines.iter().map(|name| Some(name.as_str()));
        match Quantity::needs_baseline(quantity) {
            true => baselines.map(|name| (quantity, name)).collect(),
            false => vec![(quantity, None)],
        }
    };
    // Several quantities share a block. If there is only one quantity, each of its baselines has a separate block.
    let measures = spec.quantities.iter().flat_map(of_quantity);
    let sets: Vec<Vec<Measure<'_>>> = match spec.quantities.len() {
        1 => measures.map(|own| vec![own]).collect(),
        _ => vec![measures.collect()],
    };
    let choices = spec.techniques.iter();
    let choices = choices.filter_map(|label| index.data.experiment.choice(label));
    let maker = Maker {
        choices: choices.collect(),
        index,
        spec,
        published,
    };
    let spots = [&spec.rows, &spec.columns].map(|axes| maker.spots(axes));
    let mut blocks = Vec::new();
    for subject in maker.subjects() {
        blocks.extend(sets.iter().map(|own| maker.block(subject, own, &spots)));
    }
    blocks
}

/// The technique, unless techniques are an axis, and the device. The device is empty for facts.
type Subject<'a> = (Option<&'a str>, &'a str);

struct Maker<'a, 'i> {
    index: &'a Index<'i>,
    spec: &'a TableSpec,
    choices: Vec<&'a TechniqueChoice>,
    published: Vec<PublishedTable>,
}

impl<'a> Maker<'a, '_> {
    /// Returns the combinations of values on the axes of the rows or columns, in reading order: numbers in ascending
    /// order, words in the order of the experiment. For several axes, uses the combinations that occur in the
    /// experiment. Without axes, there is one empty combination.
    fn spots(&self, axes: &[String]) -> Vec<Case> {
        let (_, cases) = self.cases(&Case::default());
        let mut spots = vec![Case::default()];
        for axis in axes {
            let choices = self.choices.iter();
            let of_cases = cases.iter().filter_map(|case| case.get(axis));
            let values: Vec<Value> = match axis.as_str() {
                TECHNIQUE => choices.map(|own| Value::Text(own.label.clone())).collect(),
                _ if self.is_of_cases(axis) => of_cases.cloned().collect(),
                _ => choices
                    .filter_map(|own| own.params.get(axis))
                    .cloned()
                    .collect(),
            };
            let values = in_order(values);
            let crossed = spots.iter().flat_map(|spot| {
                let with = |value: &Value| and(spot, &Case(vec![(axis.clone(), value.clone())]));
                values.iter().map(with).collect::<Vec<_>>()
            });
            spots = crossed.collect();
        }
        if axes.len() > 1 {
            spots.retain(|spot| {
                let (choices, (_, cases)) = (self.choices(spot), self.cases(spot));
                let takes = |case: &&Case| choices.iter().any(|own| own.takes(case));
                cases
                    .iter()
                    .any(|case| self.choices.is_empty() || takes(case))
            });
        }
        spots
    }

    fn is_of_cases(&self, axis: &String) -> bool {
        self.index.data.experiment.axes.contains(axis)
    }

    /// Returns the shown techniques that match the values of `spot`.
    fn choices(&self, spot: &Case) -> Vec<&'a TechniqueChoice> {
        let mut choices = self.choices.clone();
        choices.retain(|choice| {
            spot.0.iter().all(|(axis, value)| match axis.as_str() {
                TECHNIQUE => value.as_text() == Some(&choice.label),
                _ if self.is_of_cases(axis) => true,
                _ => choice.params.get(axis) == Some(value),
            })
        });
        choices
    }

    /// Returns the values of `spot` on the axes of cases, plus the fixed values, and the cases that match them.
    fn cases(&self, spot: &Case) -> (Case, Vec<&'a Case>) {
        let own = spot.0.iter().filter(|(axis, _)| self.is_of_cases(axis));
        let mut at = Case(self.spec.fixed.clone().into_iter().collect());
        at.0.extend(own.cloned());
        let cases = self.index.data.experiment.cases.iter();
        let found = cases.filter(|case| case.agrees(&at)).collect();
        (at, found)
    }

    fn subjects(&self) -> Vec<Subject<'a>> {
        let (index, spec) = (self.index, self.spec);
        let mut names = spec.techniques.iter();
        if spec.quantities.iter().any(Quantity::is_fact) {
            return vec![(None, "")];
        }
        let mut axes = spec.rows.iter().chain(&spec.columns);
        if !axes.all(|axis| self.is_of_cases(axis)) {
            let on_device = names.find(|name| index.on_device(name) == Some(true));
            let places = on_device.map_or(vec![""], |name| index.places(name));
            return places.into_iter().map(|device| (None, device)).collect();
        }
        let subjects = names.flat_map(|name| {
            let places = index.places(name).into_iter();
            places.map(|device| (Some(name.as_str()), device))
        });
        subjects.collect()
    }

    fn block(
        &self,
        subject: Subject<'_>,
        measures: &[Measure<'_>],
        [rows, columns]: &[Vec<Case>; 2],
    ) -> Block {
        let (technique, device) = subject;
        let row = |row: &Case| {
            let spots = columns.iter().map(|column| and(row, column));
            let cells = spots.flat_map(|spot| {
                let cells = measures.iter().map(|own| self.cell(subject, &spot, *own));
                cells.collect::<Vec<_>>()
            });
            cells.collect()
        };
        let title = |(quantity, baseline): &Measure<'_>| format::title(quantity, *baseline);
        let (column_names, column_axis) = match self.spec.columns.is_empty() {
            true => (measures.iter().map(title).collect(), None),
            false => (names(columns), Some(together(&self.spec.columns))),
        };
        let baseline = match measures {
            [(_, baseline)] => *baseline,
            _ => None,
        };
        let mut id = vec![self.spec.id.as_str()];
        id.extend(technique.filter(|_| self.spec.techniques.len() > 1));
        let over = baseline.filter(|_| self.spec.baselines.len() > 1);
        id.extend(over.iter().flat_map(|own| ["over", own]));
        id.extend(Some(device).filter(|own| is_device(own) && self.index.devices.len() > 1));
        Block {
            id: slug(&id.join("-")),
            title: self.spec.title.clone(),
            technique: technique.map(str::to_owned),
            baseline: baseline.map(str::to_owned),
            device: device.to_owned(),
            row_axis: together(&self.spec.rows),
            column_axis,
            rows: names(rows),
            columns: column_names,
            cells: rows.iter().map(row).collect(),
            published_sources: self.published.iter().map(|it| it.source.clone()).collect(),
        }
    }

    fn cell(&self, subject: Subject<'_>, spot: &Case, measure: Measure<'_>) -> BlockCell {
        let (index, spec) = (self.index, self.spec);
        let (quantity, baseline) = measure;
        let (at, found) = self.cases(spot);
        // If there are several techniques, uses the first one that supports any of the cases.
        let of_spot = || {
            let choices = self.choices(spot);
            let takes = |choice: &&&TechniqueChoice| found.iter().any(|case| choice.takes(case));
            let choice = choices.iter().find(takes).or(choices.first());
            choice.map(|choice| choice.label.as_str())
        };
        let technique = subject.0.or_else(of_spot).unwrap_or_default();
        // If techniques are an axis, a block contains techniques of the device and of the host.
        let device = match index.on_device(technique) {
            Some(false) => HOST,
            _ => subject.1,
        };
        let place = Place { technique, device };
        let figure = match (quantity, &found[..]) {
            (_, []) => Err(Missing::NOT_ASKED),
            (Quantity::Fact(name), cases) => figure::fact(index, name, cases),
            _ if technique.is_empty() => Err(Missing::NOT_ASKED),
            // Except for facts, the configuration ensures that only one case matches.
            (_, [case, ..]) => figure::measured(index, measure, case, &place),
        };
        let case = match found[..] {
            [only] => only.clone(),
            _ => at,
        };
        let like = spec.published_baseline.as_deref();
        let is_like = baseline.is_none() || like.is_none() || baseline == like;
        let (labels, experiment) = ([Some(technique), baseline], &index.data.experiment);
        let find = || published::find(&self.published, experiment, quantity, labels, &case);
        BlockCell {
            unit: format::unit(quantity, spec.unit),
            published: is_like.then(find).flatten(),
            ..BlockCell::new(index, measure, &place, case, figure)
        }
    }
}

/// Reduces a text to letters, digits and single dashes, which are safe in file names on every system.
pub(crate) fn slug(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Names each row or column by its values: `4`, `(4, 2)`.
fn names(spots: &[Case]) -> Vec<String> {
    let names = spots.iter().map(|spot| {
        let values = spot.0.iter().map(|(_, value)| value.to_string());
        together(&values.collect::<Vec<_>>())
    });
    names.collect()
}

fn and(spot: &Case, other: &Case) -> Case {
    Case([&spot.0[..], &other.0].concat())
}

/// Joins words: `depth`, `(depth, split)`.
fn together(words: &[String]) -> String {
    match words.len() {
        0 | 1 => words.concat(),
        _ => format!("({})", words.join(", ")),
    }
}
