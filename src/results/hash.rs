use std::path::Path;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::ResultsError;

/// Short, because every sample has a key, but long enough for the cells in a folder, at most ten thousand.
pub(super) const KEY_BYTES: usize = 8;

/// SHA-256 of a file, first 16 digits. Fails if it is unreadable.
pub fn file_hash(path: &Path) -> Result<String, ResultsError> {
    let bytes = std::fs::read(path).map_err(ResultsError::io("read", path))?;
    Ok(hexadecimal(&Sha256::digest(bytes)))
}

/// A pseudonym for the name of a machine: `node-3f2a`.
pub fn anonymous_node(name: &str) -> String {
    format!("node-{}", &hexadecimal(&Sha256::digest(name))[..4])
}

pub(super) fn hexadecimal(digest: &[u8]) -> String {
    let bytes = digest.iter().take(KEY_BYTES);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of a value as JSON, first 16 digits. JSON quotes texts, names fields and sorts maps, so it is injective.
pub(super) fn of_json(what: &impl Serialize) -> String {
    let json = serde_json::to_vec(what)
        .expect("texts, whole numbers and maps with text keys always have a JSON form");
    hexadecimal(&Sha256::digest(json))
}
