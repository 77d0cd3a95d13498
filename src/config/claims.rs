//! The testable claims in a paper, from `claims.toml` next to its published tables.

use std::fmt;
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::DeValue;

use super::kinds::{many, name, prose, sentence};
use super::quantity::claimed;
use super::source::{At, Checked, Document, fault, read_text};
use super::{ConfigError, Experiment, Quantity};
use crate::words::{Case, Params, Value};

/// The claims of one paper.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// The paper: authors, title, year.
    pub paper: String,
    /// The readable claims, in file order.
    pub claims: Vec<Claim>,
    /// The first mistake in each claim, or in the file.
    pub mistakes: Vec<ConfigError>,
}

/// A statement from a paper, in a form that a program can test.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim's name, unique in the file.
    pub id: String,
    /// The name of the experiment that measures it.
    pub experiment: String,
    /// The statement, in one sentence.
    #[serde(deserialize_with = "sentence")]
    pub text: String,
    /// The statement's location in the paper.
    #[serde(deserialize_with = "sentence")]
    pub source: String,
    /// The id of the experiment's table or chart that shows it; `matches` for the section about matches.
    pub table: String,
    /// The tested quantity.
    #[serde(deserialize_with = "claimed")]
    pub quantity: Quantity,
    /// The label of the technique; `None` for facts.
    pub technique: Option<String>,
    /// The label of the baseline, if the quantity needs one.
    pub baseline: Option<String>,
    /// Partial cases. The claim covers every case that agrees with one of them, or all cases if the list is empty.
    #[serde(default, deserialize_with = "parts")]
    pub cases: Vec<Case>,
    /// The test.
    pub test: ClaimTest,
    /// Differences from the paper's measurement. May be empty.
    #[serde(default, deserialize_with = "prose")]
    pub note: String,
}

/// The test for a claim's cells.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClaimTest {
    /// Every cell is above a value.
    Above(f64),
    /// Every cell is below a value.
    Below(f64),
    /// Along an axis, the last cell is above the first, and no step goes down.
    Rises(String),
    /// Along an axis, the last cell is below the first, and no step goes up.
    Falls(String),
    /// Along an axis, the highest cell is at a given value.
    Highest {
        /// The axis.
        along: String,
        /// The value on the axis.
        at: Value,
    },
    /// Along an axis, the lowest cell is at a given value.
    Lowest {
        /// The axis.
        along: String,
        /// The value on the axis.
        at: Value,
    },
    /// Every cell is within a factor of a given number.
    About {
        /// The number, above 0.
        value: f64,
        /// The factor, above 1.
        within: f64,
    },
    /// Every cell is within a factor of the paper's number.
    Published {
        /// The factor, above 1.
        within: f64,
    },
}

impl ClaimTest {
    /// The axis, if the test compares cells along one.
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

impl Claim {
    /// True if the claim covers a case. Compares texts, because rows store text.
    pub fn is_about(&self, case: &Case) -> bool {
        let is = |(axis, value): &(String, Value)| {
            let own = case.get(axis);
            own.is_some_and(|own| own.to_string() == value.to_string())
        };
        self.cases.is_empty() || self.cases.iter().any(|part| part.0.iter().all(is))
    }

    /// True if the claim names a case and needs its time. False for a claim about every case and for facts.
    pub fn names(&self, case: &Case) -> bool {
        !self.cases.is_empty() && !self.quantity.is_fact() && self.is_about(case)
    }

    fn check(&self, before: &[Claim]) -> Checked<()> {
        name(&self.id).at("id")?;
        if before.iter().any(|other| other.id == self.id) {
            return fault(format!("{:?} is there twice", self.id)).at("id");
        }
        let quantity = &self.quantity;
        for (key, label, is_needed) in [
            ("technique", &self.technique, !quantity.is_fact()),
            ("baseline", &self.baseline, quantity.needs_baseline()),
        ] {
            match label.is_some() {
                has if has == is_needed => {}
                false => return fault("missing; the label of one").at(key),
                true => {
                    return fault(format!("{quantity} has no {key}; leave the key out")).at(key);
                }
            }
        }
        Ok(())
    }
}

impl Experiment {
    /// The published files for a table or chart, and their baseline; `None` without files.
    pub fn published_of(&self, id: &str) -> Option<(&[String], Option<&str>)> {
        let mut views = self.views();
        let view = views.find(|view| view.id == id && !view.published.is_empty())?;
        Some((&view.published, view.published_baseline.as_deref()))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClaims {
    #[serde(deserialize_with = "sentence")]
    paper: String,
    /// Each claim is parsed separately, so that a mistake invalidates only one claim.
    #[serde(rename = "claim")]
    _claim: Vec<IgnoredAny>,
}

fn parts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Case>, D::Error> {
    let parts: Vec<Params> = many(from)?;
    let case = |part: Params| Case(part.into_iter().collect());
    Ok(parts.into_iter().map(case).collect())
}

impl Claims {
    /// The file with a game's claims, under `reports/published/`: `reversi/claims.toml`.
    pub fn file_of(game: &str) -> String {
        format!("{game}/claims.toml")
    }

    /// Reads a file of claims. Fails if it is unreadable. Faults in its content go to `mistakes`.
    pub fn read(path: &Path) -> Result<Claims, ConfigError> {
        let text = read_text(path)?;
        Ok(Claims::parse(&text, &path.display().to_string()))
    }

    /// Reads claims from a text. Errors call the text `file`.
    pub fn parse(text: &str, file: &str) -> Claims {
        let mut claims = Claims::default();
        if let Err(mistake) = claims.fill(text, file) {
            claims.mistakes.push(mistake);
        }
        claims
    }

    fn fill(&mut self, text: &str, file: &str) -> Result<(), ConfigError> {
        let document = Document::parse(text, file)?;
        self.paper = document.raw::<RawClaims>()?.paper;
        for table in document.list("claim") {
            match self.read_claim(&document, table) {
                Ok(claim) => self.claims.push(claim),
                Err(mistake) => self.mistakes.push(mistake),
            }
        }
        Ok(())
    }

    fn read_claim<'t>(
        &self,
        document: &Document<'t>,
        table: &Spanned<DeValue<'t>>,
    ) -> Result<Claim, ConfigError> {
        let content = table.get_ref().as_table().cloned().unwrap_or_default();
        let mut part = document.with(table.span(), content);
        part.path = format!("claim {}", part.text_of("id").unwrap_or_default());
        let claim: Claim = part.raw()?;
        part.checked(claim.check(&self.claims))?;
        Ok(claim)
    }
}
