//! The operations counted in a simulator that fit a cell.

use super::super::data::agrees;
use crate::config::TechniqueChoice;
use crate::results::{MeasurementRow, OperationRow};
use crate::words::Case;

/// A count, and how many of its units a sample did.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Count {
    /// What one unit takes.
    pub row: OperationRow,
    /// Nodes, plies or playouts of a sample, the median.
    pub units: u64,
    /// Whether it was counted with the technique's default parameters in place of the cell's.
    pub by_default: bool,
}

impl Count {
    /// That of a cell: of its technique, at a case that agrees with its own on the axes that matter; with
    /// its parameters where there is such a row, else with the defaults. Of several one of its task: a choice
    /// plays in smaller batches than playouts do; then the one with the most axes.
    pub(super) fn of(
        rows: &[OperationRow],
        game: &str,
        choice: &TechniqueChoice,
        case: &Case,
        row: &MeasurementRow,
    ) -> Option<Count> {
        let words: Vec<String> = choice
            .params
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let params = words.join(" ");
        let fitting = |wanted: &str| {
            rows.iter()
                .filter(|it| it.game == game && it.technique == choice.technique)
                .filter(|it| it.params == wanted && agrees(case, &it.key()))
                .max_by_key(|it| (it.task == row.task, it.key().0.len()))
        };
        let (found, by_default) = match fitting(&params) {
            Some(found) => (found, false),
            None => (fitting("")?, true),
        };
        let units = match found.per.as_str() {
            "node" => row.nodes,
            "ply" => row.plies,
            "playout" => row.playouts,
            _ => None,
        };
        Some(Count {
            row: found.clone(),
            units: units.filter(|units| *units > 0)?,
            by_default,
        })
    }

    /// Where it was counted, for the reader.
    pub(super) fn source(&self, params: &str) -> String {
        let OperationRow {
            task, counted, per, ..
        } = &self.row;
        let without = match self.by_default {
            true => format!(", without {params}"),
            false => String::new(),
        };
        format!("each {per}, counted in {task} {counted}{without}")
    }
}
