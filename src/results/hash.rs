use std::path::Path;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::ResultsError;

/// Size of a hash in a run folder, in bytes. Every sample contains such a hash, its invocation's id, so hashes are
/// short. They are long enough for the 10,000 cells of a folder.
pub(super) const KEY_BYTES: usize = 8;

/// Returns the SHA-256 of a file, first 16 digits. Fails if the file is unreadable.
pub fn file_hash(path: &Path) -> Result<String, ResultsError> {
    let bytes = std::fs::read(path).map_err(ResultsError::io("read", path))?;
    Ok(hexadecimal(&Sha256::digest(bytes)))
}

/// Returns a pseudonym for a machine's name, for example `node-3f2a`.
pub fn anonymous_node(name: &str) -> String {
    format!("node-{}", &hexadecimal(&Sha256::digest(name))[..4])
}

pub(super) fn hexadecimal(digest: &[u8]) -> String {
    let bytes = digest.iter().take(KEY_BYTES);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes a value's JSON: SHA-256, first 16 digits. JSON quotes texts, names fields and sorts maps, so it is
/// unambiguous.
pub(super) fn of_json(what: &impl Serialize) -> String {
    let json = serde_json::to_vec(what)
        .expect("texts, whole numbers and maps with text keys always have a JSON form");
    hexadecimal(&Sha256::digest(json))
}
