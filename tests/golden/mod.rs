//! Compares texts with golden files, leaf by leaf. With `PLYBENCH_BLESS=1`, the tests write the files instead.

#![allow(dead_code, reason = "each binary of tests needs some of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The leaves of a file: each text by its path.
pub type Leaves = BTreeMap<String, String>;

/// Maximum number of differences to print.
const SHOWN: usize = 40;

/// Returns true if the tests write the golden files instead of comparing them.
pub fn is_blessed() -> bool {
    std::env::var_os("PLYBENCH_BLESS").is_some_and(|value| value == "1")
}

/// Returns one line for each leaf that is missing, additional or different.
pub fn differences(expected: &Leaves, found: &Leaves) -> Vec<String> {
    let places: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let differ = |place: &&String| expected.get(*place) != found.get(*place);
    let line = |place: &String| {
        let [expected, found] =
            [expected, found].map(|all| all.get(place).map_or("nothing", String::as_str));
        format!("{place}: expected {expected}, found {found}")
    };
    places.into_iter().filter(differ).map(line).collect()
}

/// Compares a text with a file below `tests`, or writes the file.
///
/// # Panics
///
/// If a leaf differs.
pub fn check(file: &str, text: &str, leaves: impl Fn(&str) -> Leaves) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(file);
    if is_blessed() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        return std::fs::write(path, text).unwrap();
    }
    let frozen = std::fs::read_to_string(path).unwrap_or_else(|_| "{}".to_owned());
    let wrong = differences(&leaves(&frozen), &leaves(text));
    let shown = wrong[..wrong.len().min(SHOWN)].join("\n");
    let count = wrong.len();
    assert!(
        wrong.is_empty(),
        "{count} differences from tests/{file}; PLYBENCH_BLESS=1 writes it again\n{shown}"
    );
}
