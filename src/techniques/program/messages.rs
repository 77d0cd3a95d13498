//! Defines the messages between the harness and a program. `docs/PROTOCOL.md` explains each key.

use crate::techniques::prelude::*;
use serde::{Deserialize, Serialize};

/// Protocol version. It increases if the meaning of a message changes, but not for a new key that readers may ignore.
pub const PROTOCOL: u32 = 1;

#[derive(Deserialize, Serialize)]
pub struct Request {
    /// Number of the request, counted from 1.
    pub id: u64,
    #[serde(flatten)]
    pub what: What,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Hello {
        protocol: u32,
    },
    Prepare(CellAsked),
    /// Timed. A request without positions gets an empty answer and serves to measure the round trip.
    Sample {
        positions: Vec<String>,
        #[serde(flatten)]
        of_each: OfEach,
    },
}

#[derive(Deserialize, Serialize)]
pub struct CellAsked {
    pub game: String,
    pub task: Task,
    pub case: Params,
    pub options: Params,
    pub seed: u64,
    pub threads: usize,
}

/// The amount of work per position.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub enum OfEach {
    ToDepth { depth: u32 },
    Playouts { first: u64, count: u64 },
    InTime { time_ms: u64 },
    Iterations { iterations: u64 },
    Nothing {},
}

/// A reply. `id` is the number of the request. The other keys depend on the request.
#[derive(Deserialize)]
pub struct Reply {
    pub id: u64,
    pub hello: Option<Hello>,
    pub prepared: Option<Prepared>,
    /// One answer per position, in order.
    pub answers: Option<Vec<serde_json::Value>>,
    /// The reason why the cell is `unsupported`.
    pub unsupported: Option<String>,
    /// The reason why the cell is `failed`.
    pub error: Option<String>,
    /// Time that the program reports for its answers, in ns.
    pub own_ns: Option<u64>,
}

/// The name and version of a program.
#[derive(Deserialize)]
pub struct Hello {
    pub protocol: u32,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub version: String,
}

#[derive(Deserialize)]
pub struct Prepared {
    #[serde(default)]
    pub notes: String,
}

#[derive(Deserialize)]
pub struct SearchAnswer {
    pub value: i64,
    #[serde(flatten)]
    pub choice: ChooseAnswer,
}

#[derive(Deserialize)]
pub struct PerftAnswer {
    pub leaves: u64,
    #[serde(default)]
    pub nodes: u64,
}

#[derive(Deserialize)]
pub struct ChooseAnswer {
    pub best: Option<String>,
    #[serde(flatten)]
    pub counters: Counters,
}
