//! Represents a report as a tree of texts, tables and charts, which becomes Markdown or HTML.

use super::chart::{NARROW, WIDTH};
use super::format;
use super::known::meaning;
use super::markdown::part;
use crate::config::Quantity;
use crate::words::Case;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Faster,
    Slower,
    /// The interval contains 1.
    Tie,
    /// A ratio that is not coloured, because it has too few samples.
    Few,
    Missing,
    Bad,
}

/// A table entry: a main text, plus details that appear on hover (for numbers) or in small print (for words).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    pub main: String,
    pub small: Vec<String>,
    pub tone: Tone,
    pub word: bool,
    /// The link target of the main text: a path relative to this page, or a section as `#id`.
    pub link: Option<String>,
    /// Identifies the number: run folder (empty on the run's page), case, technique, device, quantity and baseline.
    pub cell: Option<String>,
    /// The summary and the lines of a folded text below the entry.
    pub fold: Option<(String, Vec<String>)>,
}

impl Entry {
    pub(crate) fn number(main: impl Into<String>) -> Self {
        Entry {
            main: main.into(),
            ..Entry::default()
        }
    }

    pub(crate) fn word(main: impl Into<String>) -> Self {
        Entry {
            word: true,
            ..Entry::number(main)
        }
    }

    pub(crate) fn missing(main: impl Into<String>) -> Self {
        Entry::number(main).tone(Tone::Missing)
    }

    pub(crate) fn small(mut self, line: impl Into<String>) -> Self {
        self.small.push(line.into());
        self
    }

    pub(crate) fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    pub(crate) fn of(mut self, case: &Case, quantity: &Quantity, labels: [&String; 3]) -> Self {
        let [technique, device, baseline] = labels;
        let quantity = format::column_name(quantity);
        self.cell = Some(format!(
            ";{case};{technique};{device};{quantity};{baseline}"
        ));
        self
    }

    pub(crate) fn link(mut self, path: impl Into<String>) -> Self {
        self.link = Some(path.into());
        self
    }

    pub(crate) fn fold(mut self, title: impl Into<String>, lines: Vec<String>) -> Self {
        self.fold = Some((title.into(), lines));
        self
    }
}

/// A table with a heading for every column. The first column contains the row headings.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Grid {
    pub head: Vec<String>,
    pub rows: Vec<Vec<Entry>>,
    /// True if each row becomes a card with one line per column on a narrow page.
    pub is_cards: bool,
}

impl Grid {
    pub(crate) fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Grid {
            head: head.into_iter().map(Into::into).collect(),
            ..Grid::default()
        }
    }

    pub(crate) fn row(&mut self, heading: Entry, rest: impl IntoIterator<Item = Entry>) {
        let row = std::iter::once(heading).chain(rest);
        self.rows.push(row.collect());
    }

    /// Returns true if a column contains words. Its heading is then left-aligned.
    pub(crate) fn is_word(&self, column: usize) -> bool {
        let mut entries = self.rows.iter().filter_map(|row| row.get(column));
        column == 0 || entries.any(|entry| entry.word)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chart {
    pub id: String,
    pub title: String,
    pub svg: String,
    pub narrow: String,
}

impl Chart {
    /// Draws a chart for a screen and for a phone. Returns `None` if it has no numbers.
    pub(crate) fn new(
        id: &str,
        title: &str,
        draw: impl Fn(f64) -> Option<String>,
    ) -> Option<Chart> {
        Some(Chart {
            id: id.to_owned(),
            title: title.to_owned(),
            svg: draw(WIDTH)?,
            narrow: draw(NARROW)?,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// A text in Markdown.
    Text(String),
    Heading(String),
    Table(Grid),
    /// Small tables with titles, side by side. A narrow page shows one at a time, starting with the last one.
    Beside(Vec<(String, Grid)>),
    Chart(Chart),
    List(Vec<String>),
    /// Commands to copy, one per line.
    Commands(Vec<String>),
    /// A summary, and the items that it hides until the reader opens it.
    Folded(String, Vec<Item>),
}

impl Item {
    /// Explains the marks in these items. Returns `None` if there are none.
    pub(crate) fn few(items: &[Item]) -> Option<Item> {
        let text = meaning(std::iter::once(part(items).as_str()));
        (!text.is_empty()).then_some(Item::Text(text))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Section {
    pub id: String,
    pub title: String,
    pub items: Vec<Item>,
    pub folded: bool,
}

pub(crate) fn section(id: &str, title: &str, items: impl IntoIterator<Item = Item>) -> Section {
    Section {
        id: id.to_owned(),
        title: title.to_owned(),
        items: items.into_iter().collect(),
        folded: false,
    }
}

impl Section {
    pub(crate) fn folded(mut self) -> Self {
        self.folded = true;
        self
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    pub title: String,
    pub lead: Vec<String>,
    pub links: Vec<(String, String)>,
    pub sections: Vec<Section>,
    pub made_from: String,
}
