//! Reads `claims.toml`.

use std::path::Path;

use super::{Claim, ClaimTest, Claimed, Claims, SCORE, agrees};
use crate::config::Experiment;
use crate::config::error::{ConfigError, allowed};
use crate::config::parse::{document, read_text};
use crate::config::reader::{Item, Source, Table};
use crate::config::views::quantity;
use crate::words::{Case, Value};

const FILE: &str = "claims.toml";

/// Keys of every `[[claim]]`; each test adds keys.
const KEYS: [&str; 11] = [
    "id",
    "experiment",
    "text",
    "source",
    "table",
    "quantity",
    "technique",
    "baseline",
    "cases",
    "test",
    "note",
];

const MATCHES: &str = "matches";

/// Sections of every report that may show a claim.
const SECTIONS: [&str; 2] = [MATCHES, "cells"];

impl Claims {
    /// The claims of a game under `reports/published/`: `reversi/claims.toml`.
    pub fn file_of(game: &str) -> String {
        format!("{game}/{FILE}")
    }

    /// Reads a file of claims. Fails if it is unreadable; faults of its content are in `mistakes`.
    pub fn read(path: &Path, against: Option<&Experiment>) -> Result<Claims, ConfigError> {
        let text = read_text(path)?;
        Ok(Claims::parse(&text, &path.display().to_string(), against))
    }

    /// Reads a text; `file` is its name in errors. Checks names if the claim is about the experiment `against`.
    pub fn parse(text: &str, file: &str, against: Option<&Experiment>) -> Claims {
        let mut claims = Claims::default();
        if let Err(mistake) = claims.fill(Source { file, text }, against) {
            claims.mistakes.push(mistake);
        }
        claims
    }

    fn fill(
        &mut self,
        source: Source<'_>,
        against: Option<&Experiment>,
    ) -> Result<(), ConfigError> {
        let document = document(source)?;
        let root = Table::root(source, document.get_ref());
        root.only(&["paper", "claim"])?;
        self.paper = sentence(&root, "paper")?;
        let mut ids: Vec<String> = Vec::new();
        for table in root.need("claim")?.tables()? {
            match read_claim(&table, against) {
                Ok(claim) if ids.contains(&claim.id) => {
                    let again = format!("{:?} is there twice", claim.id);
                    self.mistakes.push(table.need("id")?.error(again));
                }
                Ok(claim) => {
                    ids.push(claim.id.clone());
                    self.claims.push(claim);
                }
                Err(mistake) => self.mistakes.push(mistake),
            }
        }
        Ok(())
    }
}

fn sentence(table: &Table<'_>, key: &str) -> Result<String, ConfigError> {
    let item = table.need(key)?;
    let words: Vec<&str> = item.text()?.split_whitespace().collect();
    match words.is_empty() {
        true => Err(item.wrong("a sentence")),
        false => Ok(words.join(" ")),
    }
}

fn read_claim(table: &Table<'_>, against: Option<&Experiment>) -> Result<Claim, ConfigError> {
    let item = table.need("id")?;
    let id = item.text()?.to_owned();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if id.is_empty() || !id.chars().all(plain) {
        return Err(item.wrong("small letters, digits and '-'"));
    }
    let table = table.clone().called(format!("claim {id}"));
    let word = table.need("test")?.one_of(&ClaimTest::WORDS)?;
    let keys: Vec<&str> = KEYS.iter().chain(ClaimTest::keys(word)).copied().collect();
    table.only(&keys)?;
    let experiment = table.need("experiment")?.name()?.to_owned();
    let against = against.filter(|against| against.name == experiment);
    let item = table.need("quantity")?;
    let quantity = match item.text()? {
        SCORE => Claimed::Score,
        _ => Claimed::Quantity(quantity(&item, &[SCORE])?),
    };
    let test = read_test(&table, word, &quantity, against)?;
    Ok(Claim {
        technique: match quantity.is_fact() {
            true => refuse(&table, "technique", &quantity)?,
            false => Some(label(&table, "technique", "the label of one", against)?),
        },
        baseline: match quantity.needs_baseline() {
            true => {
                let what = format!("{quantity} is over the label of one");
                Some(label(&table, "baseline", &what, against)?)
            }
            false => refuse(&table, "baseline", &quantity)?,
        },
        cases: read_cases(&table, against)?,
        table: read_table(&table, &quantity, &test, against)?,
        text: sentence(&table, "text")?,
        source: sentence(&table, "source")?,
        note: table.text("note")?,
        id,
        experiment,
        quantity,
        test,
    })
}

/// Refuses a key that the quantity does not have.
fn refuse(table: &Table<'_>, key: &str, quantity: &Claimed) -> Result<Option<String>, ConfigError> {
    table.read(key, |item| {
        Err(item.error(format!("{quantity} has no {key}; leave the key out")))
    })
}

/// The label of a technique; `what` is for the error without the key.
fn label(
    table: &Table<'_>,
    key: &str,
    what: &str,
    against: Option<&Experiment>,
) -> Result<String, ConfigError> {
    let missing = || table.error_at_key(key, format!("missing; {what}"));
    let item = table.get(key).ok_or_else(missing)?;
    let labels = against.map(|it| it.techniques.iter().map(|it| it.label.as_str()).collect());
    known(&item, labels)
}

/// One of these names, or any if they are not known.
fn known(item: &Item<'_>, names: Option<Vec<&str>>) -> Result<String, ConfigError> {
    let name = names.map_or_else(|| item.name(), |names| item.one_of(&names))?;
    Ok(name.to_owned())
}

fn read_cases(table: &Table<'_>, against: Option<&Experiment>) -> Result<Vec<Case>, ConfigError> {
    let Some(item) = table.get("cases") else {
        return Ok(Vec::new());
    };
    let mut cases = Vec::new();
    let remedy = "leave the key out for every case";
    for item in item.some(remedy)? {
        let mut case = Case::default();
        for (name, value) in item.table()?.entries() {
            let axes = against.map(|experiment| &experiment.axes);
            if let Some(axes) = axes.filter(|axes| !axes.iter().any(|axis| axis == name)) {
                return Err(value.error(format!("no axis; {}", allowed(name, axes))));
            }
            let value = match value.value()? {
                Value::List(_) => return Err(value.wrong("one value of the axis")),
                one => one,
            };
            case.0.push((name.to_owned(), value));
        }
        if case.0.is_empty() {
            return Err(item.error(format!("empty; {remedy}")));
        }
        let mut all = against.into_iter().flat_map(|experiment| &experiment.cases);
        if against.is_some() && !all.any(|own| agrees(&case, own)) {
            return Err(item.error(format!("{case} is no case of the experiment")));
        }
        cases.push(case);
    }
    Ok(cases)
}

/// The table that shows the claim. Matches have a section.
fn read_table(
    table: &Table<'_>,
    quantity: &Claimed,
    test: &ClaimTest,
    against: Option<&Experiment>,
) -> Result<String, ConfigError> {
    let Some(item) = table.get("table") else {
        return match quantity {
            Claimed::Score => Ok(MATCHES.to_owned()),
            _ => Err(table.error_at_key("table", "missing; the id of the one that shows it")),
        };
    };
    let Some(experiment) = against else {
        return Ok(item.name()?.to_owned());
    };
    let mut ids: Vec<&str> = experiment.views().map(|own| own.id.as_str()).collect();
    ids.extend(SECTIONS);
    let id = item.one_of(&ids)?;
    let is_published = matches!(test, ClaimTest::Published { .. });
    if is_published && experiment.published_of(id).is_none() {
        return Err(item.error(format!("{id} has no published numbers to compare with")));
    }
    Ok(id.to_owned())
}

fn read_test(
    table: &Table<'_>,
    word: &str,
    quantity: &Claimed,
    against: Option<&Experiment>,
) -> Result<ClaimTest, ConfigError> {
    let number = |key: &str| table.need(key)?.number();
    let within = || {
        let item = table.need("within")?;
        match item.number()? {
            factor if factor > 1.0 => Ok(factor),
            _ => Err(item.wrong("a factor above 1")),
        }
    };
    let along = || {
        let axes = against.map(|it| it.axes.iter().map(String::as_str).collect());
        known(&table.need("along")?, axes)
    };
    let at = |along: &str| {
        let item = table.need("at")?;
        let at = item.value()?;
        let is_there = |experiment: &Experiment| {
            let mut values = experiment.cases.iter().filter_map(|case| case.get(along));
            values.any(|value| value.to_string() == at.to_string())
        };
        match against.is_none_or(is_there) {
            true => Ok(at),
            false => Err(item.error(format!("{along}={at} is in no case of the experiment"))),
        }
    };
    Ok(match word {
        "above" => ClaimTest::Above(number("value")?),
        "below" => ClaimTest::Below(number("value")?),
        "rises" => ClaimTest::Rises(along()?),
        "falls" => ClaimTest::Falls(along()?),
        "highest" | "lowest" => {
            let along = along()?;
            let at = at(&along)?;
            match word {
                "highest" => ClaimTest::Highest { along, at },
                _ => ClaimTest::Lowest { along, at },
            }
        }
        "about" => {
            let item = table.need("value")?;
            match item.number()? {
                value if value > 0.0 => ClaimTest::About {
                    value,
                    within: within()?,
                },
                _ => return Err(item.wrong("a number above 0")),
            }
        }
        _ if *quantity == Claimed::Score => {
            return Err(table.error_at_key("test", "no paper's table has a score to compare with"));
        }
        _ => ClaimTest::Published { within: within()? },
    })
}
