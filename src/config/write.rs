//! Writes an experiment in the form that `parse` reads.

use std::time::Duration;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::cases::AS_WRITTEN;
use super::techniques::NOBODY;
use super::{Experiment, TechniqueChoice};
use crate::words::{Case, Params};

/// Writes an experiment as a run folder's `experiment.toml`, from which [`super::parse`] restores it unchanged.
pub fn to_toml(experiment: &Experiment) -> String {
    toml::to_string(experiment).expect("every key is a text, and no value lacks a TOML form")
}

pub(super) fn time<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&humantime::format_duration(*time))
}

pub(super) fn order<S: Serializer>(_: &[String], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(AS_WRITTEN)
}

pub(super) fn cases<S: Serializer>(cases: &[Case], to: S) -> Result<S::Ok, S::Error> {
    let tables = cases.iter().map(|case| case.0.iter().cloned());
    to.collect_seq(tables.map(Params::from_iter))
}

impl Serialize for TechniqueChoice {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("name", &self.technique)?;
        map.serialize_entry("label", &self.label)?;
        let nobody = (!self.measured).then_some(NOBODY);
        if let Some(opponent) = self.opponent.as_deref().or(nobody) {
            map.serialize_entry("opponent", opponent)?;
        }
        if !self.only.is_empty() {
            map.serialize_entry("only", &self.only)?;
        }
        let params = self.recorded();
        let mut params = params.iter();
        params.try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}
