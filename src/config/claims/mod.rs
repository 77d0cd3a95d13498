//! The testable claims of a paper: `claims.toml` beside its published tables.

mod read;

use std::fmt;

use super::{ConfigError, Experiment, Quantity};
use crate::words::{Case, Value};

const SCORE: &str = "score";

/// The claims of one paper.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// The paper: authors, title, year.
    pub paper: String,
    /// The readable claims, in the order of the file.
    pub claims: Vec<Claim>,
    /// The first mistake of each claim, or of the file.
    pub mistakes: Vec<ConfigError>,
}

/// A statement of a paper, in a form that a program can test.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Its name, unique in the file: small letters, digits, `-`.
    pub id: String,
    /// The name of the experiment that measures it.
    pub experiment: String,
    /// The statement, one sentence.
    pub text: String,
    /// Its place in the paper.
    pub source: String,
    /// The experiment's table or chart that shows it, by id, or a section of every report.
    pub table: String,
    /// The tested quantity.
    pub quantity: Claimed,
    /// The label of the technique; `None` for facts.
    pub technique: Option<String>,
    /// The label of the baseline, if the quantity needs one.
    pub baseline: Option<String>,
    /// Partial cases: the claim is about the cases that agree with one. Empty: every case.
    pub cases: Vec<Case>,
    /// The test.
    pub test: ClaimTest,
    /// Differences from the paper's measurement; may be empty.
    pub note: String,
}

/// The subject of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Claimed {
    /// A quantity of the experiment's tables, in this program's unit: plain ratios, times in ns, rates per second.
    Quantity(Quantity),
    /// In a match, the player's points over its games, 0 to 1; a draw counts half.
    Score,
}

/// The test of a claim's cells.
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
    /// Along an axis the highest stands at a value.
    Highest {
        /// The axis.
        along: String,
        /// Its value.
        at: Value,
    },
    /// Along an axis the lowest stands at a value.
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
    /// Every cell is the paper's number to within a factor.
    Published {
        /// The factor, above 1.
        within: f64,
    },
}

impl ClaimTest {
    /// The words of the tests, with the keys of each.
    const KEYS: [(&str, &[&str]); 8] = [
        ("above", &["value"]),
        ("below", &["value"]),
        ("rises", &["along"]),
        ("falls", &["along"]),
        ("highest", &["along", "at"]),
        ("lowest", &["along", "at"]),
        ("about", &["value", "within"]),
        ("published", &["within"]),
    ];

    /// The axis of the tests that compare rows of cells.
    pub fn along(&self) -> Option<&str> {
        match self {
            ClaimTest::Rises(along)
            | ClaimTest::Falls(along)
            | ClaimTest::Highest { along, .. }
            | ClaimTest::Lowest { along, .. } => Some(along),
            _ => None,
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

/// True if a case has a part's values. Compares texts, as rows hold them.
fn agrees(part: &Case, case: &Case) -> bool {
    part.0.iter().all(|(axis, value)| {
        let own = case.get(axis);
        own.is_some_and(|own| own.to_string() == value.to_string())
    })
}

impl Claim {
    /// True if the claim is about a case.
    pub fn is_about(&self, case: &Case) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|part| agrees(part, case))
    }

    /// True if the claim names a case and needs its time; false for a claim about every case and for facts.
    pub fn names(&self, case: &Case) -> bool {
        !self.cases.is_empty() && !self.quantity.is_fact() && self.is_about(case)
    }
}

impl Experiment {
    /// The published files of a table or chart, and their baseline; `None` without any.
    pub fn published_of(&self, id: &str) -> Option<(&[String], Option<&str>)> {
        let mut views = self.views();
        let view = views.find(|view| view.id == id && !view.published.is_empty())?;
        Some((&view.published, view.published_baseline.as_deref()))
    }
}
