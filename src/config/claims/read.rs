//! Reads `claims.toml`.

use std::path::Path;

use toml::Spanned;
use toml::de::DeValue;

use super::{Claim, ClaimTest, Claimed, Claims, SCORE, agrees};
use crate::config::Experiment;
use crate::config::error::{ConfigError, allowed};
use crate::config::raw::{
    Parts, RawClaim, RawClaims, Word, name as checked_name, one_of, pick, wrong,
};
use crate::config::source::{At, Checked, Document, fault, keys_of, only, read_text};
use crate::config::views::quantity as read_quantity;
use crate::words::{Case, Params, Value};

const MATCHES: &str = "matches";

/// Sections of every report that may show a claim.
const SECTIONS: [&str; 2] = [MATCHES, "cells"];

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
        let raw: RawClaims = document.raw()?;
        self.paper = raw.paper.0;
        for (place, table) in document.list("claim").iter().enumerate() {
            let claim = read_claim(&document, table, against).and_then(|claim| {
                if self.claims.iter().all(|other| other.id != claim.id) {
                    return Ok(claim);
                }
                let again = fault(format!("{:?} is there twice", claim.id));
                document.checked(again.at("id").at(place).at("claim"))
            });
            match claim {
                Ok(claim) => self.claims.push(claim),
                Err(mistake) => self.mistakes.push(mistake),
            }
        }
        Ok(())
    }
}

fn read_claim<'t>(
    document: &Document<'t>,
    table: &Spanned<DeValue<'t>>,
    against: Option<&Experiment>,
) -> Result<Claim, ConfigError> {
    let content = table.get_ref().as_table().cloned().unwrap_or_default();
    let mut part = document.with(table.span(), content);
    let id = part.get("id").and_then(|id| id.get_ref().as_str());
    part.path = match id.filter(|id| is_id(id)) {
        Some(id) => format!("claim {id}"),
        None => "claim".to_owned(),
    };
    let test = part.get("test").and_then(|test| test.get_ref().as_str());
    let own = ClaimTest::KEYS.iter().find(|(word, _)| Some(*word) == test);
    if let Some((_, own)) = own {
        let is_of_another = |key: &str| ["value", "within", "along", "at"].contains(&key);
        let mut keys = keys_of::<RawClaim>();
        keys.retain(|key| own.contains(&key.as_str()) || !is_of_another(key));
        part.checked(only(part.table().keys().map(Spanned::get_ref), &keys))?;
        let missing = own.iter().find(|key| part.get(key).is_none());
        part.checked(missing.map_or(Ok(()), |key| fault("missing").at(key)))?;
    }
    let raw: RawClaim = part.raw()?;
    let against = against.filter(|it| raw.experiment.0.as_text() == Some(&it.name));
    part.checked(Reader { raw: &raw, against }.claim())
}

fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !id.is_empty() && id.chars().all(plain)
}

struct Reader<'a> {
    raw: &'a RawClaim,
    against: Option<&'a Experiment>,
}

impl<'a> Reader<'a> {
    fn claim(&self) -> Checked<Claim> {
        let raw = self.raw;
        let id = raw.id.0.as_text().filter(|id| is_id(id));
        let id = id.map_or_else(|| wrong(&raw.id.0, "small letters, digits and '-'"), Ok);
        let id = id.at("id")?.to_owned();
        pick(&raw.test.0, ClaimTest::KEYS).at("test")?;
        let Some(Word(quantity)) = &raw.quantity else {
            return fault("missing").at("quantity");
        };
        let quantity = match quantity.as_text() {
            Some(SCORE) => Claimed::Score,
            _ => Claimed::Quantity(read_quantity(quantity, &[SCORE]).at("quantity")?),
        };
        let test = self.test(&quantity)?;
        let note = raw.note.as_ref().map(|note| note.0.clone());
        let label = |key, label: &Option<Word>, is_needed, what| match (label, is_needed) {
            (None, false) => Ok(None),
            (None, true) => fault(format!("missing; {what}the label of one")).at(key),
            (Some(_), false) => {
                fault(format!("{quantity} has no {key}; leave the key out")).at(key)
            }
            (Some(label), true) => {
                let labels = |it: &'a Experiment| it.techniques.iter().map(|it| it.label.as_str());
                let label = self.known(&label.0, |it| labels(it).collect());
                label.map(Some).at(key)
            }
        };
        let over = format!("{quantity} is over ");
        let [has_technique, has_baseline] = [!quantity.is_fact(), quantity.needs_baseline()];
        Ok(Claim {
            technique: label("technique", &raw.technique, has_technique, "")?,
            baseline: label("baseline", &raw.baseline, has_baseline, &over)?,
            cases: self.cases().at("cases")?,
            table: self.table(&quantity, &test).at("table")?,
            text: raw.text.0.clone(),
            source: raw.source.0.clone(),
            note: note.unwrap_or_default(),
            experiment: checked_name(&raw.experiment.0).at("experiment")?,
            id,
            quantity,
            test,
        })
    }

    /// One of the names that the experiment has; any if it is not known.
    fn known(
        &self,
        value: &Value,
        names: impl FnOnce(&'a Experiment) -> Vec<&'a str>,
    ) -> Checked<String> {
        match self.against {
            Some(experiment) => one_of(value, &names(experiment)),
            None => checked_name(value),
        }
    }

    fn cases(&self) -> Checked<Vec<Case>> {
        let empty = "empty; leave the key out for every case";
        let read = |part: &Params| {
            for (axis, value) in part {
                let axes = self.against.map(|it| &it.axes);
                if let Some(axes) = axes.filter(|axes| !axes.contains(axis)) {
                    let problem = format!("no axis; {}", allowed(axis, axes));
                    return fault(problem).at(axis.as_str());
                }
                if let Value::List(_) = value {
                    return wrong(value, "one value of the axis").at(axis.as_str());
                }
            }
            let case = Case(part.clone().into_iter().collect());
            let is_there = |it: &Experiment| it.cases.iter().any(|own| agrees(&case, own));
            if part.is_empty() {
                return fault(empty);
            }
            match self.against.is_none_or(is_there) {
                true => Ok(case),
                false => fault(format!("{case} is no case of the experiment")),
            }
        };
        match &self.raw.cases {
            None => Ok(Vec::new()),
            Some(Parts::One(part)) => Ok(vec![read(part)?]),
            Some(Parts::Many(parts)) if parts.is_empty() => fault(empty),
            Some(Parts::Many(parts)) => {
                let parts = parts.iter().enumerate();
                parts.map(|(place, part)| read(part).at(place)).collect()
            }
        }
    }

    /// The table that shows the claim. Matches have a section.
    fn table(&self, quantity: &Claimed, test: &ClaimTest) -> Checked<String> {
        let Some(table) = &self.raw.table else {
            return match quantity {
                Claimed::Score => Ok(MATCHES.to_owned()),
                _ => fault("missing; the id of the one that shows it"),
            };
        };
        let ids = |it: &'a Experiment| it.views().map(|own| own.id.as_str());
        let id = self.known(&table.0, |it| ids(it).chain(SECTIONS).collect())?;
        let has_none = |it: &Experiment| it.published_of(&id).is_none();
        if matches!(test, ClaimTest::Published { .. }) && self.against.is_some_and(has_none) {
            return fault(format!("{id} has no published numbers to compare with"));
        }
        Ok(id)
    }

    fn test(&self, quantity: &Claimed) -> Checked<ClaimTest> {
        let raw = self.raw;
        let value = raw.value.as_ref().map_or(0.0, |value| value.0);
        let within = raw.within.as_ref().map_or(f64::MAX, |within| within.0);
        if within <= 1.0 {
            return fault(format!("must be a factor above 1, not {within}")).at("within");
        }
        let along = match &raw.along {
            Some(axis) => self.known(&axis.0, |it| it.axes.iter().map(String::as_str).collect()),
            None => Ok(String::new()),
        };
        let along = along.at("along")?;
        let at = raw.at.clone().unwrap_or(Value::Flag(false));
        let is_there = |it: &Experiment| {
            let mut values = it.cases.iter().filter_map(|case| case.get(&along));
            values.any(|value| value.to_string() == at.to_string())
        };
        if raw.at.is_some() && !self.against.is_none_or(is_there) {
            return fault(format!("{along}={at} is in no case of the experiment")).at("at");
        }
        Ok(match raw.test.0.as_text().unwrap_or_default() {
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
            _ if *quantity == Claimed::Score => {
                return fault("no paper's table has a score to compare with").at("test");
            }
            _ => ClaimTest::Published { within },
        })
    }
}
