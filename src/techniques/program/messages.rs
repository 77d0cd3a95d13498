//! What the harness and a program say to each other, as `docs/PROTOCOL.md` has it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::words::{Params, Value};

/// The version of the protocol. It grows when a message changes its meaning; new keys that may be ignored do not make a
/// new one.
pub const PROTOCOL: u32 = 1;

/// A request with its number.
#[derive(Debug, Serialize)]
pub struct Request<'a> {
    /// Counted from 1.
    pub id: u64,
    /// What is asked.
    #[serde(flatten)]
    pub what: What<'a>,
}

/// What is asked of a program.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What<'a> {
    /// Who it is.
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
    },
    /// To make itself ready for a cell; not timed.
    Prepare(CellAsked<'a>),
    /// To answer; timed. Without positions: an empty answer, whose round trip is measured.
    Sample(SampleAsked<'a>),
}

/// A cell, as a program needs to know it.
#[derive(Debug, Serialize)]
pub struct CellAsked<'a> {
    /// The game's name.
    pub game: &'a str,
    /// What each position is asked for: `search`, `perft`, `playouts` or `choose`.
    pub task: &'static str,
    /// The case's axes.
    pub case: BTreeMap<&'a str, &'a Value>,
    /// The game's options that the experiment gives.
    pub options: &'a Params,
    /// Seeds everything random.
    pub seed: u64,
    /// Threads that it may use.
    pub threads: usize,
}

/// Positions, and what is asked of each.
#[derive(Debug, Default, Serialize)]
pub struct SampleAsked<'a> {
    /// In the game's notation.
    pub positions: &'a [String],
    /// `search` and `perft`: plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// `playouts`: the number of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// `playouts`: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// `choose`: the time of a move, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// `choose`: the number of iterations in place of a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
}

/// A reply: the number of its request, and one of what follows.
#[derive(Debug, Deserialize)]
pub struct Reply {
    /// The request's number.
    pub id: u64,
    /// To `hello`.
    pub hello: Option<Hello>,
    /// To `prepare`.
    pub prepared: Option<Prepared>,
    /// To `sample`: one for each position, in order.
    pub answers: Option<Vec<serde_json::Value>>,
    /// It cannot do that: the reason. The cell is `unsupported`.
    pub unsupported: Option<String>,
    /// It failed: the reason. The cell is `failed`.
    pub error: Option<String>,
    /// What it says that it took for the answers, ns.
    pub own_ns: Option<u64>,
}

/// Who a program is.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Hello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its version, with those of the libraries that decide how fast it is.
    #[serde(default)]
    pub version: String,
}

impl Hello {
    /// Its name and its version, as rows have them.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.version).trim().to_owned()
    }
}

/// A program is ready.
#[derive(Debug, Default, Deserialize)]
pub struct Prepared {
    /// What it chose or used, for the row.
    #[serde(default)]
    pub notes: String,
}

/// What a search of a position found.
#[derive(Debug, Deserialize)]
pub struct SearchAnswer {
    /// The value at the depth, from the side to move.
    pub value: i64,
    /// A move with that value; none where the side to move has none.
    pub best: Option<String>,
    /// Positions entered.
    #[serde(default)]
    pub nodes: u64,
    /// Positions evaluated.
    #[serde(default)]
    pub leaves: u64,
}

/// How many sequences of moves there are.
#[derive(Debug, Deserialize)]
pub struct PerftAnswer {
    /// Sequences of exactly this number of plies.
    pub leaves: u64,
    /// Positions entered.
    #[serde(default)]
    pub nodes: u64,
}

/// How random games from a position ended, from the side to move there.
#[derive(Debug, Deserialize)]
pub struct PlayoutsAnswer {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
    /// Plies of all of them.
    #[serde(default)]
    pub plies: u64,
    /// The same by first move, in the game's order of moves; may be left out.
    #[serde(default)]
    pub by_first_move: Vec<(u64, u64, u64)>,
}

/// The move chosen at a position.
#[derive(Debug, Deserialize)]
pub struct ChooseAnswer {
    /// The move; none where there is none.
    pub best: Option<String>,
    /// Random games that it played for it.
    #[serde(default)]
    pub playouts: u64,
    /// Their plies.
    #[serde(default)]
    pub plies: u64,
    /// Positions that it entered.
    #[serde(default)]
    pub nodes: u64,
}
