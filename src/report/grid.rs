//! The report as a tree of texts, tables and charts, before it becomes Markdown or HTML.

use super::known::meaning;

/// How an entry is coloured, where there is colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    /// The technique is faster than its baseline.
    Faster,
    /// It is slower.
    Slower,
    /// Neither can be told from the other.
    Tie,
    /// There is a ratio, of too few samples to colour it.
    Few,
    /// There is no number.
    Missing,
    /// Something went wrong.
    Bad,
}

/// One entry of a table: a main text and what more is known of it. On a page a number shows its main text alone,
/// and the rest while it is pointed at; under a word the rest stands in small print.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    pub main: String,
    pub small: Vec<String>,
    pub tone: Tone,
    /// A word, not a number: set to the left.
    pub word: bool,
    /// Where the main text leads: a path from this page on, or a section of it as `#id`.
    pub link: Option<String>,
    /// The cell that its number is made of, for programs: the run's folder (empty on its own page), case,
    /// technique, device, quantity, and what a ratio is over, with `;` between.
    pub cell: Option<String>,
    /// A text that is folded below it, under a word of its own.
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
            main: main.into(),
            word: true,
            ..Entry::default()
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

    /// Names its cell: case, technique, device, quantity, and what a ratio is over.
    pub(crate) fn of(mut self, parts: [&str; 5]) -> Self {
        self.cell = Some(format!(";{}", parts.join(";")));
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

/// A table with a heading for every column. The first column heads its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Grid {
    pub head: Vec<String>,
    pub rows: Vec<Vec<Entry>>,
    /// On a narrow page each row is a card, a line a column.
    pub is_cards: bool,
}

impl Grid {
    pub(crate) fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Grid {
            head: head.into_iter().map(Into::into).collect(),
            ..Grid::default()
        }
    }

    /// Adds a row: its heading, then the rest.
    pub(crate) fn row(&mut self, heading: Entry, rest: impl IntoIterator<Item = Entry>) {
        self.rows
            .push(std::iter::once(heading).chain(rest).collect());
    }

    /// Whether a column holds words, so that its heading is set to the left.
    pub(crate) fn is_word(&self, column: usize) -> bool {
        let mut entries = self.rows.iter().filter_map(|row| row.get(column));
        column == 0 || entries.any(|entry| entry.word)
    }
}

/// A chart, drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chart {
    /// File name without ending.
    pub id: String,
    pub title: String,
    pub svg: String,
    /// The same for a phone; empty where it scrolls there.
    pub narrow: String,
}

/// One of several cards beside each other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Card {
    pub title: String,
    /// A path from this page on.
    pub link: String,
    /// Other pages about the same, by name and path.
    pub more: Vec<(String, String)>,
    pub lines: Vec<String>,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// Paragraphs, blank lines between; `code` in back quotes; lines that begin with `- ` are a
    /// list.
    Text(String),
    /// A heading inside the section.
    Heading(String),
    Table(Grid),
    /// Small tables beside each other, each with its title. On a narrow page they stand below each other, the
    /// last one first.
    Beside(Vec<(String, Grid)>),
    /// Tables of one shape, of which a reader chooses one to see, the first at first.
    Switch(Vec<(String, Grid)>),
    Cards(Vec<Card>),
    Chart(Chart),
    List(Vec<String>),
    /// Commands to copy, a line each.
    Commands(Vec<String>),
    /// Closed until it is opened.
    Folded(String, Vec<Item>),
}

impl Item {
    /// A chart that scrolls on a phone.
    pub(crate) fn chart(id: impl Into<String>, title: impl Into<String>, svg: String) -> Item {
        Item::Chart(Chart {
            id: id.into(),
            title: title.into(),
            svg,
            narrow: String::new(),
        })
    }

    /// What the marks of numbers in some of these mean; `None` where none is marked.
    pub(crate) fn few(items: &[Item]) -> Option<Item> {
        let of_grid = |grid: &Grid| {
            let numbers = grid.rows.iter().flatten().filter(|entry| !entry.word);
            numbers.map(|entry| entry.main.as_str()).collect::<String>()
        };
        let texts = items.iter().flat_map(|item| match item {
            Item::Text(text) => vec![text.clone()],
            Item::Table(grid) => vec![of_grid(grid)],
            Item::Beside(all) | Item::Switch(all) => {
                all.iter().map(|(_, grid)| of_grid(grid)).collect()
            }
            _ => Vec::new(),
        });
        let texts: Vec<String> = texts.collect();
        let text = meaning(texts.iter().map(String::as_str));
        (!text.is_empty()).then_some(Item::Text(text))
    }
}

/// A part of the report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Section {
    /// For links.
    pub id: String,
    pub title: String,
    pub items: Vec<Item>,
    /// Closed until it is opened.
    pub folded: bool,
}

/// A section that is open.
pub(crate) fn section(id: &str, title: &str, items: impl IntoIterator<Item = Item>) -> Section {
    Section {
        id: id.to_owned(),
        title: title.to_owned(),
        items: items.into_iter().collect(),
        folded: false,
    }
}

/// The whole report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    pub title: String,
    /// Short lines under the title: paper, host, devices.
    pub lead: Vec<String>,
    /// Other pages and files, by name and path, above the sections.
    pub links: Vec<(String, String)>,
    pub sections: Vec<Section>,
    /// What it was made from, in a sentence.
    pub made_from: String,
}

impl Document {
    /// Every chart of the report; none is inside a fold.
    pub(crate) fn charts(&self) -> impl Iterator<Item = &Chart> {
        let items = self.sections.iter().flat_map(|section| &section.items);
        items.filter_map(|item| match item {
            Item::Chart(chart) => Some(chart),
            _ => None,
        })
    }
}
