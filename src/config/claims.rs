//! The testable claims of a paper: `claims.toml` beside its published tables.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::DeValue;

use super::kinds::{
    Many, name as checked_name, number, one_of, pick, prose, sentence, wrong, wrong_text,
};
use super::quantity::claimed;
use super::source::{At, Checked, Document, allowed, fault, only, read_text};
use super::{ConfigError, Experiment, Quantity};
use crate::words::{Case, Params, Value};

const MATCHES: &str = "matches";

/// Sections of every report that may show a claim.
const SECTIONS: [&str; 2] = [MATCHES, "cells"];

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
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Claim {
    /// Its name, unique in the file: small letters, digits, `-`.
    pub id: String,
    /// The name of the experiment that measures it.
    pub experiment: String,
    /// The statement, one sentence.
    #[serde(deserialize_with = "sentence")]
    pub text: String,
    /// Its place in the paper.
    #[serde(deserialize_with = "sentence")]
    pub source: String,
    /// The experiment's table or chart that shows it, by id, or a section of every report.
    #[serde(default)]
    pub table: String,
    /// The tested quantity.
    #[serde(deserialize_with = "claimed")]
    pub quantity: Quantity,
    /// The label of the technique; `None` for facts.
    pub technique: Option<String>,
    /// The label of the baseline, if the quantity needs one.
    pub baseline: Option<String>,
    /// Partial cases: the claim is about the cases that agree with one. Empty: every case.
    #[serde(default, deserialize_with = "parts")]
    pub cases: Vec<Case>,
    /// The test.
    #[serde(skip, default = "ClaimTest::unread")]
    pub test: ClaimTest,
    /// Differences from the paper's measurement; may be empty.
    #[serde(default, deserialize_with = "prose")]
    pub note: String,
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
    fn unread() -> ClaimTest {
        ClaimTest::Above(f64::NAN)
    }

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClaims {
    #[serde(deserialize_with = "sentence")]
    paper: String,
    /// Each is read by itself, so that a mistake costs one claim.
    #[serde(rename = "claim")]
    _claim: Vec<IgnoredAny>,
}

/// The keys of a claim beside those of its test.
const KEYS: &str = "id experiment text source table quantity technique baseline cases test note";

#[derive(Deserialize)]
struct RawTest {
    test: String,
    #[serde(default, deserialize_with = "number")]
    value: Option<f64>,
    #[serde(default, deserialize_with = "number")]
    within: Option<f64>,
    along: Option<String>,
    at: Option<Value>,
}

fn parts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Case>, D::Error> {
    let what = "a table of axes and values, or a list of these";
    let parts = from.deserialize_any(Many::<Params>(what, PhantomData))?;
    let parts = parts
        .into_iter()
        .map(|part| Case(part.into_iter().collect()));
    Ok(parts.collect())
}

impl Claims {
    /// The claims of a game under `reports/published/`: `reversi/claims.toml`.
    pub fn file_of(game: &str) -> String {
        format!("{game}/claims.toml")
    }

    /// Reads a file of claims. Fails if it is unreadable; faults of its content are in `mistakes`.
    pub fn read(path: &Path, against: Option<&Experiment>) -> Result<Claims, ConfigError> {
        let text = read_text(path)?;
        Ok(Claims::parse(&text, &path.display().to_string(), against))
    }

    /// Reads a text; `file` is its name in errors. Checks names if the claim is about the experiment `against`.
    pub fn parse(text: &str, file: &str, against: Option<&Experiment>) -> Claims {
        let mut claims = Claims::default();
        if let Err(mistake) = claims.fill(text, file, against) {
            claims.mistakes.push(mistake);
        }
        claims
    }

    fn fill(
        &mut self,
        text: &str,
        file: &str,
        against: Option<&Experiment>,
    ) -> Result<(), ConfigError> {
        let document = Document::parse(text, file)?;
        self.paper = document.raw::<RawClaims>()?.paper;
        for table in document.list("claim") {
            match self.read_claim(&document, table, against) {
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
        against: Option<&Experiment>,
    ) -> Result<Claim, ConfigError> {
        let content = table.get_ref().as_table().cloned().unwrap_or_default();
        let mut part = document.with(table.span(), content);
        part.path = match part.text_of("id").filter(|id| is_id(id)) {
            Some(id) => format!("claim {id}"),
            None => "claim".to_owned(),
        };
        let keys = match part.text_of("test") {
            Some(word) => part.checked(pick(word, ClaimTest::KEYS).at("test"))?,
            None => &["value", "within", "along", "at"],
        };
        let all: Vec<&str> = KEYS.split(' ').chain(keys.iter().copied()).collect();
        part.checked(only(part.table().keys().map(Spanned::get_ref), &all))?;
        let test: RawTest = part.raw()?;
        let missing = keys.iter().find(|key| part.get(key).is_none());
        part.checked(missing.map_or(Ok(()), |key| fault("missing").at(key)))?;
        let claim: Claim = part.raw()?;
        if self.claims.iter().any(|other| other.id == claim.id) {
            return part.checked(fault(format!("{:?} is there twice", claim.id)).at("id"));
        }
        let against = against.filter(|it| claim.experiment == it.name);
        part.checked(Reader(against).claim(claim, test))
    }
}

fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !id.is_empty() && id.chars().all(plain)
}

/// Checks claims against their experiment, if it is known.
struct Reader<'a>(Option<&'a Experiment>);

impl<'a> Reader<'a> {
    fn claim(&self, mut claim: Claim, test: RawTest) -> Checked<Claim> {
        let quantity = &claim.quantity;
        if !is_id(&claim.id) {
            return wrong_text(&claim.id, "small letters, digits and '-'").at("id");
        }
        checked_name(&claim.experiment).at("experiment")?;
        claim.test = self.test(test, quantity)?;
        let label = |key, label: &Option<String>, is_needed, what| match (label, is_needed) {
            (None, false) => Ok(()),
            (None, true) => fault(format!("missing; {what}the label of one")).at(key),
            (Some(_), false) => {
                fault(format!("{quantity} has no {key}; leave the key out")).at(key)
            }
            (Some(label), true) => {
                let labels = |it: &'a Experiment| it.techniques.iter().map(|it| it.label.as_str());
                self.known(label, |it| labels(it).collect()).at(key)
            }
        };
        label("technique", &claim.technique, !quantity.is_fact(), "")?;
        let over = format!("{quantity} is over ");
        label(
            "baseline",
            &claim.baseline,
            quantity.needs_baseline(),
            &over,
        )?;
        for (place, part) in claim.cases.iter().enumerate() {
            self.case(part).at(place).at("cases")?;
        }
        if claim.table.is_empty() && *quantity == Quantity::Score {
            // Matches have a section.
            claim.table = MATCHES.to_owned();
        }
        self.table(&claim).at("table")?;
        Ok(claim)
    }

    /// Refuses a name that the experiment lacks.
    fn known(&self, text: &str, names: impl FnOnce(&'a Experiment) -> Vec<&'a str>) -> Checked<()> {
        let checked = match self.0 {
            Some(experiment) => one_of(text, &names(experiment)),
            None => checked_name(text),
        };
        checked.map(drop)
    }

    fn case(&self, part: &Case) -> Checked<()> {
        for (axis, value) in &part.0 {
            let axes = self.0.map(|it| &it.axes);
            if let Some(axes) = axes.filter(|axes| !axes.contains(axis)) {
                return fault(format!("no axis; {}", allowed(axis, axes))).at(axis);
            }
            if let Value::List(_) = value {
                return wrong(value, "one value of the axis").at(axis);
            }
        }
        let is_there = |it: &Experiment| it.cases.iter().any(|own| agrees(part, own));
        match self.0.is_none_or(is_there) {
            _ if part.0.is_empty() => fault("empty; leave the key out for every case"),
            true => Ok(()),
            false => fault(format!("{part} is no case of the experiment")),
        }
    }

    fn table(&self, claim: &Claim) -> Checked<()> {
        let id = claim.table.as_str();
        if id.is_empty() {
            return fault("missing; the id of the one that shows it");
        }
        let ids = |it: &'a Experiment| it.views().map(|own| own.id.as_str());
        self.known(id, |it| ids(it).chain(SECTIONS).collect())?;
        let has_none = |it: &Experiment| it.published_of(id).is_none();
        if matches!(claim.test, ClaimTest::Published { .. }) && self.0.is_some_and(has_none) {
            return fault(format!("{id} has no published numbers to compare with"));
        }
        Ok(())
    }

    fn test(&self, raw: RawTest, quantity: &Quantity) -> Checked<ClaimTest> {
        let (value, within) = (raw.value.unwrap_or(0.0), raw.within.unwrap_or(f64::MAX));
        if within <= 1.0 {
            return fault(format!("must be a factor above 1, not {within}")).at("within");
        }
        if let Some(along) = &raw.along {
            let axes = |it: &'a Experiment| it.axes.iter().map(String::as_str).collect();
            self.known(along, axes).at("along")?;
        }
        let along = raw.along.unwrap_or_default();
        let is_there = |it: &Experiment, at: &Value| {
            let mut values = it.cases.iter().filter_map(|case| case.get(&along));
            values.any(|value| value.to_string() == at.to_string())
        };
        if let (Some(it), Some(at)) = (self.0, &raw.at)
            && !is_there(it, at)
        {
            return fault(format!("{along}={at} is in no case of the experiment")).at("at");
        }
        let at = raw.at.unwrap_or(Value::Flag(false));
        Ok(match raw.test.as_str() {
            "above" => ClaimTest::Above(value),
            "below" => ClaimTest::Below(value),
            "rises" => ClaimTest::Rises(along),
            "falls" => ClaimTest::Falls(along),
            "highest" => ClaimTest::Highest { along, at },
            "lowest" => ClaimTest::Lowest { along, at },
            "about" if value <= 0.0 => {
                return fault(format!("must be a number above 0, not {value}")).at("value");
            }
            "about" => ClaimTest::About { value, within },
            _ if *quantity == Quantity::Score => {
                return fault("no paper's table has a score to compare with").at("test");
            }
            _ => ClaimTest::Published { within },
        })
    }
}
