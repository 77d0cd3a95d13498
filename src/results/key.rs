use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::words::{Case, Params, Task};

/// Everything that a measurement depends on, budgets and sample counts apart. A resumed run keeps
/// a row exactly where all of it is the same as when the row was made.
///
/// How many positions a cell took within its budget is not part of it: the row says so in `units`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellIdentity<'a> {
    /// As in [`super::Program::kernel_hash`].
    pub kernel_hash: &'a str,
    /// As in [`super::Program::source_hash`].
    pub source_hash: &'a str,
    /// The game.
    pub game: &'a str,
    /// Its options.
    pub options: &'a Params,
    /// The task.
    pub task: Task,
    /// The case.
    pub case: &'a Case,
    /// The technique's name in the catalogue.
    pub technique: &'a str,
    /// Its label: rows are found by it.
    pub label: &'a str,
    /// Its parameters.
    pub params: &'a Params,
    /// `match`: name and parameters of the opponent.
    pub opponent: Option<(&'a str, &'a Params)>,
    /// At most so many positions of a line of play; `None`: all.
    pub positions: Option<usize>,
    /// The seed.
    pub seed: u64,
    /// Label of the device; `host` for the CPU baselines.
    pub device: &'a str,
    /// Platform, name and driver version of the device; empty for the CPU baselines.
    pub driver: &'a str,
    /// Processor model of the host.
    pub cpu: &'a str,
    /// Threads that the parallel baselines use.
    pub threads: usize,
}

/// Bytes of a key: of the cells of a folder, ten thousand at most, no two will be alike, and every sample's row
/// has one.
const KEY_BYTES: usize = 8;

/// The key of a cell: SHA-256 of its identity, the first 16 hexadecimal digits.
pub fn cell_key(identity: &CellIdentity<'_>) -> String {
    // JSON quotes its texts and names its fields, so no two identities are written alike; the maps
    // are sorted.
    let json = serde_json::to_vec(identity)
        .expect("texts, whole numbers and maps with text keys always have a JSON form");
    Sha256::digest(json)
        .iter()
        .take(KEY_BYTES)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Value;

    #[test]
    fn every_part_counts() {
        let case = Case(vec![("board".into(), Value::Text("8x8".into()))]);
        let other_case = Case(vec![("board".into(), Value::Text("4x4".into()))]);
        let none = Params::new();
        let number = Params::from([("group".to_owned(), Value::Int(64))]);
        let text = Params::from([("group".to_owned(), Value::Text("64".into()))]);
        let base = CellIdentity {
            kernel_hash: "k",
            source_hash: "s",
            game: "reversi",
            options: &none,
            task: Task::Game,
            case: &case,
            technique: "pv-split",
            label: "pv-split",
            params: &none,
            opponent: None,
            positions: None,
            seed: 1,
            device: "pocl",
            driver: "3.1",
            cpu: "a processor",
            threads: 2,
        };
        let variants = [
            base.clone(),
            CellIdentity {
                kernel_hash: "K",
                ..base.clone()
            },
            CellIdentity {
                source_hash: "S",
                ..base.clone()
            },
            CellIdentity {
                game: "gomoku",
                ..base.clone()
            },
            CellIdentity {
                options: &number,
                ..base.clone()
            },
            CellIdentity {
                task: Task::Search,
                ..base.clone()
            },
            CellIdentity {
                case: &other_case,
                ..base.clone()
            },
            CellIdentity {
                technique: "serial",
                ..base.clone()
            },
            CellIdentity {
                label: "pv",
                ..base.clone()
            },
            CellIdentity {
                params: &number,
                ..base.clone()
            },
            CellIdentity {
                params: &text,
                ..base.clone()
            },
            CellIdentity {
                opponent: Some(("serial", &none)),
                ..base.clone()
            },
            CellIdentity {
                opponent: Some(("serial", &number)),
                ..base.clone()
            },
            CellIdentity {
                positions: Some(1),
                ..base.clone()
            },
            CellIdentity {
                seed: 2,
                ..base.clone()
            },
            CellIdentity {
                device: "s",
                ..base.clone()
            },
            CellIdentity {
                driver: "",
                ..base.clone()
            },
            CellIdentity {
                cpu: "another",
                ..base.clone()
            },
            CellIdentity {
                threads: 3,
                ..base.clone()
            },
        ];
        let keys: std::collections::BTreeSet<String> = variants.iter().map(cell_key).collect();
        assert_eq!(keys.len(), variants.len());
        assert_eq!(cell_key(&base), cell_key(&base.clone()));
        assert!(keys.iter().all(|key| key.len() == 64));
    }
}
