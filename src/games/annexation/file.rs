//! Reads and writes board files: TOML with the colours of the cells, the edges and the two starts.

use serde::Deserialize;
use toml::Spanned;

use super::board::Place;
use super::{Board, COLOURS};

/// The reason why a board file was rejected, with the file and line of the error. It is displayed as one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}")]
pub struct FileError {
    /// The file's name, as given.
    pub file: String,
    /// Number of the line, counted from 1.
    pub line: usize,
    /// The error and the allowed values.
    pub problem: String,
}

const KEYS: [&str; 3] = ["colours", "edges", "starts"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    colours: Spanned<Vec<Spanned<u64>>>,
    edges: Vec<Spanned<Vec<u64>>>,
    starts: Spanned<Vec<u64>>,
}

/// Returns the TOML parser's message, prefixed with the key to which it refers.
fn problem(text: &str, at: usize, message: &str) -> String {
    if let Some(name) = message.strip_prefix("unknown field `") {
        let name = name.split('`').next().unwrap_or_default();
        return format!("{name}: unknown key; allowed: {}", KEYS.join(", "));
    }
    let before = text.get(..at).unwrap_or_default();
    let keys = KEYS
        .iter()
        .filter_map(|key| Some((before.rfind(key)?, key)));
    match keys.max() {
        Some((_, key)) => format!("{key}: {message}"),
        None => message.to_owned(),
    }
}

/// Reads a board file: `colours` of cells (0 to 7), `edges` as pairs of cells, and the `starts` of players 1 and 2.
/// `file` is the name of the file in errors. Fails at the first error, and reports its line.
pub fn read_board(file: &str, text: &str) -> Result<Board, FileError> {
    let refuse = |at: usize, problem: &str| FileError {
        file: file.to_owned(),
        line: text.as_bytes()[..at].split(|byte| *byte == b'\n').count(),
        problem: problem.replace(char::is_control, " "),
    };
    let read: File = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        refuse(at, &problem(text, at, error.message()))
    })?;
    let colours = read.colours.get_ref();
    let values: Vec<u64> = colours.iter().map(|colour| *colour.get_ref()).collect();
    let pair = |key: &str, cells: &Spanned<Vec<u64>>| {
        let list = cells.get_ref();
        let why = || format!("{key}: {} cells; allowed is a pair, as [0, 1]", list.len());
        let pair = <[u64; 2]>::try_from(&list[..]);
        pair.map_err(|_| refuse(cells.span().start, &why()))
    };
    let edges = read.edges.iter().map(|edge| pair("edges", edge));
    let edges = edges.collect::<Result<Vec<_>, _>>()?;
    let starts = pair("starts", &read.starts)?;
    Board::new(&values, &edges, starts).map_err(|error| {
        let at = match error.place {
            Place::Board => read.colours.span(),
            Place::Colour(cell) => colours[cell].span(),
            Place::Edge(edge) => read.edges[edge].span(),
            Place::Starts => read.starts.span(),
        };
        refuse(at.start, &error.to_string())
    })
}

/// Writes a board in the format of [`read_board`], with one edge or 16 colours per line.
pub fn write_board(board: &Board) -> String {
    let (cells, most, [first, second]) = (board.cells(), COLOURS - 1, board.starts());
    let row = |row: &[u8]| {
        let row: Vec<String> = row.iter().map(u8::to_string).collect();
        format!("  {},\n", row.join(", "))
    };
    let colours: String = board.colours().chunks(16).map(row).collect();
    let edge = |[a, b]: [u16; 2]| format!("  [{a}, {b}],\n");
    let edges: String = board.edges().map(edge).collect();
    format!(
        "# {cells} cells, each with a colour from 0 to {most}\n\
         colours = [\n{colours}]\n\
         # pairs of neighbours, by the places of their colours, from 0 on\n\
         edges = [\n{edges}]\n\
         # player 1, who moves first, and player 2\n\
         starts = [{first}, {second}]\n"
    )
}
