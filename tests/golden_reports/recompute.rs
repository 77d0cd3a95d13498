//! Recomputes numbers of the README and the site from the raw samples, with a script that shares no code with the
//! report.

use std::path::Path;
use std::process::Command;

use super::ROOT;

/// Runs the script on randomly chosen numbers from a README and a site. It must confirm all numbers if `is_right` is set,
/// and otherwise name a difference.
fn recompute(site: &Path, readme: &Path, is_right: bool) {
    let mut command = Command::new("python3");
    command.args(["scripts/recompute", "--seed", "24", "--count", "60"]);
    command.arg("--site").arg(site).arg("--readme").arg(readme);
    let output = command.current_dir(ROOT).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let (code, part) = match is_right {
        true => (0, "60 of 60 numbers"),
        false => (1, "DIFFERS"),
    };
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(part), "{said}");
}

pub fn numbers_drawn_at_random_are_those_of_the_samples(site: &Path) {
    let readme = Path::new(ROOT).join("README.md");
    recompute(site, &readme, true);
    // The script must detect a changed number in the README.
    let text = std::fs::read_to_string(readme).unwrap();
    let (before, rest) = text.split_once("<!-- reports:begin -->").unwrap();
    let (block, after) = rest.split_once("<!-- reports:end -->").unwrap();
    let edited = block
        .replace(" games/s](", "1 games/s](")
        .replace("M1", "G");
    assert_ne!(edited, block);
    let other = site.join("README.md");
    let text = format!("{before}<!-- reports:begin -->{edited}<!-- reports:end -->{after}");
    std::fs::write(&other, text).unwrap();
    recompute(site, &other, false);
}
