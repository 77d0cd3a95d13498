//! Board files: TOML with the cells' colours, the edges and the two starts.

use std::fmt::Write;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::board::Place;
use super::{Board, COLOURS};

const KEYS: [&str; 3] = ["colours", "edges", "starts"];

const SHOWN: usize = 40;

/// The refusal of a board file, in one line: `file:line: key: what is wrong; what is allowed`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {key}{}{problem}", if .key.is_empty() { "" } else { ": " })]
pub struct FileError {
    /// The file's name, as given.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// `colours`, `edges` or `starts`, or an unknown key; empty if the file is not TOML.
    pub key: String,
    /// What is wrong, and what is allowed.
    pub problem: String,
}

#[derive(Clone, Copy)]
struct Number {
    value: u64,
    at: usize,
}

/// Reads a board file: `colours` of cells, 0 to 7; `edges`, pairs of cells; `starts` of players 1 and 2. `file` is the
/// name in errors. Fails at the first error, with its line.
pub fn read_board(file: &str, text: &str) -> Result<Board, FileError> {
    let reader = Reader { file, text };
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let message: Vec<&str> = error.message().lines().collect();
        reader.error(at, "", format!("not TOML: {}", message.join("; ")))
    })?;
    let table = document.get_ref();
    let unknown = table
        .keys()
        .filter(|key| !KEYS.contains(&key.get_ref().as_ref()));
    if let Some(key) = unknown.min_by_key(|key| key.span().start) {
        let name = plain(key.get_ref());
        let problem = format!("unknown key; allowed: {}", KEYS.join(", "));
        return Err(reader.error(key.span().start, &name, problem));
    }
    let [colours, edges, starts] = KEYS.map(|key| reader.list(table, key));
    let (colours, edges, starts) = (colours?, edges?, starts?);

    let colours = reader.numbers("colours", colours.1)?;
    let pairs: Vec<[Number; 2]> = (edges.1.iter())
        .map(|edge| {
            let pair = edge.get_ref().as_array().filter(|pair| pair.len() == 2);
            let Some(pair) = pair else {
                let problem = "an edge must be a pair of cells, [0, 1]";
                return Err(reader.error(edge.span().start, "edges", problem));
            };
            let pair = reader.numbers("edges", pair)?;
            Ok([pair[0], pair[1]])
        })
        .collect::<Result<_, _>>()?;
    let named = reader.numbers("starts", starts.1)?;
    let [first, second] = named[..] else {
        let problem = format!(
            "{} cells; there must be one for each of 2 players",
            named.len()
        );
        return Err(reader.error(starts.0, "starts", problem));
    };

    let values: Vec<u64> = colours.iter().map(|colour| colour.value).collect();
    let edges: Vec<[u64; 2]> = pairs.iter().map(|pair| pair.map(|end| end.value)).collect();
    Board::new(&values, &edges, [first.value, second.value]).map_err(|error| {
        let (key, at) = match error.place {
            Place::Colour(cell) => ("colours", colours.get(cell).map_or(0, |colour| colour.at)),
            Place::Edge(edge) => ("edges", pairs[edge][0].at),
            Place::Start(player) => ("starts", named[player].at),
        };
        reader.error(at, key, error.to_string())
    })
}

/// Writes a board in the format of [`read_board`], one edge or 16 colours a line.
pub fn write_board(board: &Board) -> String {
    let mut text = String::new();
    let [first, second] = board.starts();
    // Writing to a `String` cannot fail.
    let _ = writeln!(
        text,
        "# {} cells, each with a colour from 0 to {}",
        board.cells(),
        COLOURS - 1
    );
    text.push_str("colours = [\n");
    for row in board.colours().chunks(16) {
        let row: Vec<String> = row.iter().map(u8::to_string).collect();
        let _ = writeln!(text, "  {},", row.join(", "));
    }
    text.push_str(
        "]\n# pairs of neighbours, by the places of their colours, from 0 on\nedges = [\n",
    );
    for [a, b] in board.edges() {
        let _ = writeln!(text, "  [{a}, {b}],");
    }
    let _ = writeln!(
        text,
        "]\n# player 1, who moves first, and player 2\nstarts = [{first}, {second}]"
    );
    text
}

struct Reader<'t> {
    file: &'t str,
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn error(&self, at: usize, key: &str, problem: impl Into<String>) -> FileError {
        let before = self.text.get(..at).unwrap_or(self.text);
        FileError {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            key: key.to_owned(),
            problem: problem.into(),
        }
    }

    fn list<'d>(
        &self,
        table: &'d DeTable<'t>,
        key: &str,
    ) -> Result<(usize, &'d [Spanned<DeValue<'t>>]), FileError> {
        let found = table.iter().find(|(name, _)| name.get_ref() == key);
        let Some((_, value)) = found else {
            return Err(self.error(self.text.len(), key, "missing"));
        };
        match value.get_ref().as_array() {
            Some(list) => Ok((value.span().start, list)),
            None => Err(self.error(value.span().start, key, "must be a list")),
        }
    }

    fn numbers(&self, key: &str, list: &[Spanned<DeValue<'_>>]) -> Result<Vec<Number>, FileError> {
        let number = |item: &Spanned<DeValue<'_>>| {
            let at = item.span().start;
            let number = item.get_ref().as_integer();
            let value = number
                .and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok())
                .ok_or_else(|| {
                    let found = self.text.get(item.span()).map(plain).unwrap_or_default();
                    let problem = format!("must be whole numbers from 0 on, not {found}");
                    self.error(at, key, problem)
                })?;
            Ok(Number { value, at })
        };
        list.iter().map(number).collect()
    }
}

fn plain(text: &str) -> String {
    let mut short: String = text
        .chars()
        .take(SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}
