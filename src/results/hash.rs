use std::path::Path;

use sha2::{Digest, Sha256};

use super::ResultsError;

/// Bytes of a key: few, because the row of every sample has one, but enough for different keys of all cells of a
/// folder, ten thousand at most.
pub(super) const KEY_BYTES: usize = 8;

/// SHA-256 of a file, first 16 digits.
///
/// # Errors
///
/// Where it cannot be read.
pub fn file_hash(path: &Path) -> Result<String, ResultsError> {
    let bytes = std::fs::read(path).map_err(ResultsError::io("read", path))?;
    Ok(hexadecimal(&Sha256::digest(bytes)))
}

/// SHA-256 of a file, all of its digits.
///
/// # Errors
///
/// Where it cannot be read.
pub fn whole_file_hash(path: &Path) -> Result<String, ResultsError> {
    let bytes = std::fs::read(path).map_err(ResultsError::io("read", path))?;
    let digest = Sha256::digest(bytes);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The beginning of a hash, as rows have it.
pub(super) fn hexadecimal(digest: &[u8]) -> String {
    let bytes = digest.iter().take(KEY_BYTES);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}
