//! Reads `claims.toml`.

use std::path::Path;

use toml::Spanned;

use super::{Claim, ClaimTest, Claimed, Claims, SCORE, agrees};
use crate::config::Experiment;
use crate::config::error::{ConfigError, allowed};
use crate::config::parse::read_text;
use crate::config::raw::{Item, Name, Number, RawClaim, RawClaims, Table};
use crate::config::source::{Document, Fault};
use crate::config::views::quantity;
use crate::words::{Case, Value};

const FILE: &str = "claims.toml";

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
        let raw: Table<RawClaims> = document.raw()?;
        self.paper = raw.paper.0.clone();
        let tables = document
            .get("claim")
            .and_then(|list| list.get_ref().as_array());
        for table in tables.into_iter().flatten() {
            let content = table.get_ref().as_table().cloned().unwrap_or_default();
            let id = content.get("id").and_then(|id| id.get_ref().as_str());
            let path = match id.filter(|id| is_id(id)) {
                Some(id) => format!("claim {id}"),
                None => "claim".to_owned(),
            };
            let part = document.part(Spanned::new(table.span(), content), &path);
            let claim = part.raw().and_then(|raw: Table<RawClaim>| {
                let against = against.filter(|it| it.name == raw.experiment.0);
                let claim = Reader { raw: &raw, against }.claim();
                let claim = claim.map_err(|fault| part.error(fault))?;
                if self.claims.iter().any(|other| other.id == claim.id) {
                    let again = format!("{:?} is there twice", claim.id);
                    return Err(document.error(raw.id.error(again)));
                }
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

fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !id.is_empty() && id.chars().all(plain)
}

struct Reader<'a> {
    raw: &'a Table<RawClaim>,
    against: Option<&'a Experiment>,
}

impl Reader<'_> {
    fn claim(&self) -> Result<Claim, Fault> {
        let raw = self.raw;
        let id = raw.id.text()?;
        if !is_id(id) {
            return Err(raw.id.wrong("small letters, digits and '-'"));
        }
        let quantity = match raw.quantity.is(SCORE) {
            true => Claimed::Score,
            false => Claimed::Quantity(quantity(&raw.quantity, &[SCORE])?),
        };
        let test = self.test(&quantity)?;
        let technique = "the label of one".to_owned();
        let technique = (!quantity.is_fact()).then_some(technique);
        let baseline = format!("{quantity} is over the label of one");
        let baseline = quantity.needs_baseline().then_some(baseline);
        Ok(Claim {
            technique: self.label("technique", &raw.technique, technique, &quantity)?,
            baseline: self.label("baseline", &raw.baseline, baseline, &quantity)?,
            cases: self.cases()?,
            table: self.table(&quantity, &test)?,
            text: raw.text.0.clone(),
            source: raw.source.0.clone(),
            note: raw.note.0.clone(),
            id: id.to_owned(),
            experiment: raw.experiment.0.clone(),
            quantity,
            test,
        })
    }

    /// A technique's label. `needed`: its meaning, if the quantity has one.
    fn label(
        &self,
        key: &str,
        item: &Option<Item>,
        needed: Option<String>,
        quantity: &Claimed,
    ) -> Result<Option<String>, Fault> {
        match (item, needed) {
            (Some(item), None) => {
                Err(item.error(format!("{quantity} has no {key}; leave the key out")))
            }
            (None, None) => Ok(None),
            (None, Some(what)) => Err(self.raw.error_at(key, format!("missing; {what}"))),
            (Some(item), Some(_)) => {
                let techniques = |it: &Experiment| {
                    let labels = it.techniques.iter();
                    labels.map(|it| it.label.clone()).collect()
                };
                known(item, self.against.map(techniques)).map(Some)
            }
        }
    }

    fn cases(&self) -> Result<Vec<Case>, Fault> {
        let Some(item) = &self.raw.cases else {
            return Ok(Vec::new());
        };
        let mut cases = Vec::new();
        let remedy = "leave the key out for every case";
        for item in item.some(remedy)? {
            let mut case = Case::default();
            let mut entries: Vec<_> = item.table()?.iter().collect();
            entries.sort_by_key(|(name, _)| name.span().start);
            for (name, item) in entries {
                let name = name.get_ref();
                let axes = self.against.map(|experiment| &experiment.axes);
                if let Some(axes) = axes.filter(|axes| !axes.contains(name)) {
                    return Err(item.error(format!("no axis; {}", allowed(name, axes))));
                }
                let value = match item.value()? {
                    Value::List(_) => return Err(item.wrong("one value of the axis")),
                    one => one,
                };
                case.0.push((name.clone(), value));
            }
            if case.0.is_empty() {
                return Err(item.error(format!("empty; {remedy}")));
            }
            let is_there = |it: &Experiment| it.cases.iter().any(|own| agrees(&case, own));
            if !self.against.is_none_or(is_there) {
                return Err(item.error(format!("{case} is no case of the experiment")));
            }
            cases.push(case);
        }
        Ok(cases)
    }

    /// The table that shows the claim. Matches have a section.
    fn table(&self, quantity: &Claimed, test: &ClaimTest) -> Result<String, Fault> {
        let Some(item) = &self.raw.table else {
            return match quantity {
                Claimed::Score => Ok(MATCHES.to_owned()),
                _ => Err(self
                    .raw
                    .error_at("table", "missing; the id of the one that shows it")),
            };
        };
        let ids = |it: &Experiment| {
            let ids = it.views().map(|own| own.id.as_str());
            ids.chain(SECTIONS).map(str::to_owned).collect()
        };
        let id = known(item, self.against.map(ids))?;
        let has_none = |it: &Experiment| it.published_of(&id).is_none();
        if matches!(test, ClaimTest::Published { .. }) && self.against.is_some_and(has_none) {
            return Err(item.error(format!("{id} has no published numbers to compare with")));
        }
        Ok(id)
    }

    fn test(&self, quantity: &Claimed) -> Result<ClaimTest, Fault> {
        let raw = self.raw;
        let word = raw.test.one_of(&ClaimTest::WORDS)?;
        let own = ClaimTest::keys(word);
        let given = [
            ("value", &raw.value),
            ("within", &raw.within),
            ("along", &raw.along),
            ("at", &raw.at),
        ];
        for (key, item) in given {
            if let Some(item) = item.as_ref().filter(|_| !own.contains(&key)) {
                return Err(item.error(format!("unknown key; {}", allowed(key, own))));
            }
        }
        let value = || {
            let item = raw.need("value", &raw.value)?;
            item.read().map(|number: Number| (item, number.0))
        };
        let within = || {
            let item = raw.need("within", &raw.within)?;
            match item.read::<Number>()?.0 {
                factor if factor > 1.0 => Ok(factor),
                _ => Err(item.wrong("a factor above 1")),
            }
        };
        let along = || {
            let axes = self.against.map(|it| it.axes.clone());
            known(raw.need("along", &raw.along)?, axes)
        };
        let peak = || {
            let (along, item) = (along()?, raw.need("at", &raw.at)?);
            let at = item.value()?;
            let is_there = |it: &Experiment| {
                let mut values = it.cases.iter().filter_map(|case| case.get(&along));
                values.any(|value| value.to_string() == at.to_string())
            };
            match self.against.is_none_or(is_there) {
                true => Ok((along, at)),
                false => Err(item.error(format!("{along}={at} is in no case of the experiment"))),
            }
        };
        Ok(match word {
            "above" => ClaimTest::Above(value()?.1),
            "below" => ClaimTest::Below(value()?.1),
            "rises" => ClaimTest::Rises(along()?),
            "falls" => ClaimTest::Falls(along()?),
            "highest" => peak().map(|(along, at)| ClaimTest::Highest { along, at })?,
            "lowest" => peak().map(|(along, at)| ClaimTest::Lowest { along, at })?,
            "about" => match value()? {
                (_, value) if value > 0.0 => ClaimTest::About {
                    value,
                    within: within()?,
                },
                (item, _) => return Err(item.wrong("a number above 0")),
            },
            _ if *quantity == Claimed::Score => {
                let problem = "no paper's table has a score to compare with";
                return Err(raw.error_at("test", problem));
            }
            _ => ClaimTest::Published { within: within()? },
        })
    }
}

/// One of these names, or any if they are not known.
fn known(item: &Item, names: Option<Vec<String>>) -> Result<String, Fault> {
    match names {
        Some(names) => item.one_of(&names).map(str::to_owned),
        None => item.read().map(|name: Name| name.0),
    }
}
