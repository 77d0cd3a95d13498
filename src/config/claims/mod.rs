//! What a paper says that a run can be held against: `claims.toml` beside its published tables.

mod read;

use std::fmt;

use super::{ConfigError, Experiment, Quantity};
use crate::words::{Case, Value};

/// The word of [`Claimed::Score`].
const SCORE: &str = "score";

/// The claims of one paper.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// The paper: authors, title, year.
    pub paper: String,
    /// What could be read, in the order of the file.
    pub claims: Vec<Claim>,
    /// What was wrong: the first mistake of each claim, or of the file.
    pub mistakes: Vec<ConfigError>,
}

/// One statement of a paper, in a form that a program can judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Its name, once in the file: small letters, digits, `-`.
    pub id: String,
    /// The name of the experiment that measures it.
    pub experiment: String,
    /// The statement, one sentence.
    pub text: String,
    /// Where in the paper.
    pub source: String,
    /// The table or chart of the experiment that shows it, by id, or a section of every report.
    pub table: String,
    /// What is looked at.
    pub quantity: Claimed,
    /// The label of the technique; `None` for facts.
    pub technique: Option<String>,
    /// The label of the baseline, where the quantity needs one.
    pub baseline: Option<String>,
    /// Partial cases: what agrees with one of them is looked at. Empty: every case.
    pub cases: Vec<Case>,
    /// What must be true.
    pub test: ClaimTest,
    /// What differs from the paper's own measurement; may be empty.
    pub note: String,
}

/// What a claim is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Claimed {
    /// A quantity as in the experiment's tables, in the unit in which this program keeps it: ratios
    /// as they are, times in ns, rates a second.
    Quantity(Quantity),
    /// In a match, the player's points over its games, a draw being half of one: 0 to 1.
    Score,
}

/// What must be true of the cells that a claim is about.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimTest {
    /// Every cell is above a value.
    Above(f64),
    /// Every cell is below a value.
    Below(f64),
    /// Along an axis the last is above the first, and no step goes down.
    Rises(String),
    /// Along an axis the last is below the first, and no step goes up.
    Falls(String),
    /// Along an axis the highest stands at a value of it.
    Highest {
        /// The axis.
        along: String,
        /// Its value.
        at: Value,
    },
    /// Along an axis the lowest stands at a value of it.
    Lowest {
        /// The axis.
        along: String,
        /// Its value.
        at: Value,
    },
    /// Every cell is a number to within a factor.
    About {
        /// The number, above 0.
        value: f64,
        /// The factor, above 1.
        within: f64,
    },
    /// Every cell is the paper's number for it to within a factor.
    Published {
        /// The factor, above 1.
        within: f64,
    },
}

impl ClaimTest {
    /// The words of all tests.
    const WORDS: [&str; 8] = [
        "above",
        "below",
        "rises",
        "falls",
        "highest",
        "lowest",
        "about",
        "published",
    ];

    /// The axis along which cells are put in a row, for the tests that look at rows of cells.
    pub fn along(&self) -> Option<&str> {
        match self {
            ClaimTest::Rises(along)
            | ClaimTest::Falls(along)
            | ClaimTest::Highest { along, .. }
            | ClaimTest::Lowest { along, .. } => Some(along),
            _ => None,
        }
    }

    /// The keys that a test has besides those of every claim.
    fn keys(word: &str) -> &'static [&'static str] {
        match word {
            "above" | "below" => &["value"],
            "rises" | "falls" => &["along"],
            "highest" | "lowest" => &["along", "at"],
            "about" => &["value", "within"],
            _ => &["within"],
        }
    }
}

impl fmt::Display for ClaimTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClaimTest::Above(value) => write!(f, "above {value}"),
            ClaimTest::Below(value) => write!(f, "below {value}"),
            ClaimTest::Rises(along) => write!(f, "rises along {along}"),
            ClaimTest::Falls(along) => write!(f, "falls along {along}"),
            ClaimTest::Highest { along, at } => write!(f, "highest at {along}={at}"),
            ClaimTest::Lowest { along, at } => write!(f, "lowest at {along}={at}"),
            ClaimTest::About { value, within } => write!(f, "{value} within a factor {within}"),
            ClaimTest::Published { within } => {
                write!(f, "as published within a factor {within}")
            }
        }
    }
}

impl fmt::Display for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claimed::Quantity(quantity) => quantity.fmt(f),
            Claimed::Score => f.write_str(SCORE),
        }
    }
}

impl Claimed {
    fn needs_baseline(&self) -> bool {
        matches!(self, Claimed::Quantity(quantity) if quantity.needs_baseline())
    }

    fn is_fact(&self) -> bool {
        matches!(self, Claimed::Quantity(quantity) if quantity.is_fact())
    }
}

impl Claim {
    /// Whether a case is one that the claim is about.
    pub fn is_about(&self, case: &Case) -> bool {
        // As they are written, which is how rows hold them.
        let same = |(axis, value): &(String, Value)| {
            let own = case.get(axis);
            own.is_some_and(|own| own.to_string() == value.to_string())
        };
        self.cases.is_empty() || self.cases.iter().any(|part| part.0.iter().all(same))
    }

    /// Whether the claim names a case and needs its time: a claim about every case names none, and a fact
    /// comes with any cell of its case.
    pub fn names(&self, case: &Case) -> bool {
        !self.cases.is_empty() && !self.quantity.is_fact() && self.is_about(case)
    }
}

impl Experiment {
    /// The published files of a table or chart, and the baseline that they correspond to; `None` if there is no
    /// such table or chart, or it has no published numbers.
    pub fn published_of(&self, id: &str) -> Option<(&[String], Option<&str>)> {
        let mut views = self.views();
        let view = views.find(|view| view.id == id && !view.published.is_empty())?;
        Some((&view.published, view.published_baseline.as_deref()))
    }
}
