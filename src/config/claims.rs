//! Reads a paper's testable claims from `claims.toml`, which is stored with the published tables.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::kinds::{many, name, prose, sentence};
use super::quantity::claimed;
use super::source::{At, Checked, Document, fault};
use super::{ConfigError, Experiment, Quantity};
use crate::words::{Case, Params, Value};

/// The claims of one paper.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// The readable claims, in file order.
    pub claims: Vec<Claim>,
    /// The first mistake in each faulty claim, or in the file.
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
    /// The id of the experiment's table or chart that shows it, or `matches` for the section about matches.
    pub table: String,
    /// The tested quantity.
    #[serde(deserialize_with = "claimed")]
    pub quantity: Quantity,
    /// The label of the technique; `None` for facts.
    pub technique: Option<String>,
    /// The label of the baseline, if the quantity needs one.
    pub baseline: Option<String>,
    /// Partial cases. The claim covers every case that matches any of them, or all cases if the list is empty.
    #[serde(default, deserialize_with = "many")]
    pub cases: Vec<Params>,
    /// The test that its cells must pass.
    pub test: ClaimTest,
    /// How our measurement differs from the paper's. May be empty.
    #[serde(default, deserialize_with = "prose")]
    pub note: String,
}

/// A test that a claim's cells must pass.
#[derive(Clone, Debug, PartialEq, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClaimTest {
    /// Every cell is above a value.
    #[error("above {0}")]
    Above(f64),
    /// Every cell is below a value.
    #[error("below {0}")]
    Below(f64),
    /// Along an axis, the last cell is above the first, and no step goes down.
    #[error("rises along {0}")]
    Rises(String),
    /// Along an axis, the last cell is below the first, and no step goes up.
    #[error("falls along {0}")]
    Falls(String),
    /// Along an axis, the highest cell is at a given value.
    #[error("highest at {along}={at}")]
    Highest {
        /// The axis.
        along: String,
        /// The value on the axis.
        at: Value,
    },
    /// Along an axis, the lowest cell is at a given value.
    #[error("lowest at {along}={at}")]
    Lowest {
        /// The axis.
        along: String,
        /// The value on the axis.
        at: Value,
    },
    /// Every cell is within a given factor of a number.
    #[error("{value} within a factor {within}")]
    About {
        /// The number, above 0.
        value: f64,
        /// The factor, above 1.
        within: f64,
    },
    /// Every cell is within a given factor of the paper's number.
    #[error("as published within a factor {within}")]
    Published {
        /// The factor, above 1.
        within: f64,
    },
}

impl ClaimTest {
    /// Returns the axis along which the test compares cells, if any.
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

impl Claim {
    /// Returns true if the claim covers a case.
    pub fn is_about(&self, case: &Case) -> bool {
        let agrees = |part: &Params| part.iter().all(|(axis, value)| case.has(axis, value));
        self.cases.is_empty() || self.cases.iter().any(agrees)
    }

    /// Returns true if the claim lists this case and needs its time. False for claims about all cases and about facts.
    pub fn names(&self, case: &Case) -> bool {
        !self.cases.is_empty() && !self.quantity.is_fact() && self.is_about(case)
    }

    fn check(&self, before: &[Claim]) -> Checked<()> {
        name(&self.id).at("id")?;
        if before.iter().any(|other| other.id == self.id) {
            return fault(format!("{:?} occurs twice", self.id)).at("id");
        }
        let quantity = &self.quantity;
        for (key, label, is_needed) in [
            ("technique", &self.technique, !quantity.is_fact()),
            ("baseline", &self.baseline, quantity.needs_baseline()),
        ] {
            let problem = match (label, is_needed) {
                (None, true) => format!("missing; name a {key}"),
                (Some(_), false) => format!("{quantity} has no {key}; remove the key"),
                _ => continue,
            };
            return fault(problem).at(key);
        }
        Ok(())
    }
}

impl Experiment {
    /// Returns a table's or chart's published files and their baseline, or `None` if it has no files.
    pub fn published_of(&self, id: &str) -> Option<(&[String], Option<&str>)> {
        let mut views = self.views();
        let view = views.find(|view| view.id == id && !view.published.is_empty())?;
        Some((&view.published, view.published_baseline.as_deref()))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClaims {
    /// Authors, title and year.
    #[serde(rename = "paper", deserialize_with = "sentence")]
    _paper: String,
    /// Each claim is parsed separately, so that a mistake invalidates only one claim.
    #[serde(rename = "claim")]
    _claim: Vec<IgnoredAny>,
}

impl Claims {
    /// Returns the path of a game's claims below `reports/published/`: `reversi/claims.toml`.
    pub fn file_of(game: &str) -> String {
        format!("{game}/claims.toml")
    }

    /// Parses claims. Errors refer to the text as `file`. Mistakes are collected in the field `mistakes`.
    pub fn parse(text: &str, file: &str) -> Claims {
        let mut claims = Claims::default();
        if let Err(mistake) = claims.fill(text, file) {
            claims.mistakes.push(mistake);
        }
        claims
    }

    fn fill(&mut self, text: &str, file: &str) -> Result<(), ConfigError> {
        let document = Document::parse(text, file)?;
        document.raw::<RawClaims>()?;
        for mut part in document.parts("claim") {
            part.path = format!("claim {}", part.text_of("id").unwrap_or_default());
            let claim = part.raw().and_then(|claim: Claim| {
                part.checked(claim.check(&self.claims))?;
                Ok(claim)
            });
            match claim {
                Ok(claim) => self.claims.push(claim),
                Err(mistake) => self.mistakes.push(mistake),
            }
        }
        Ok(())
    }
}
