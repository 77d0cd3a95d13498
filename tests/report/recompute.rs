//! A script that shares no code with the report recomputes numbers of the README and the site from the raw samples.

use std::path::Path;
use std::process::{Command, Output};

use plybench::report::{Site, make};
use plybench::techniques::registry;

use crate::fixture::committed;

fn site() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let wanted = Site {
        out: Some(folder.path().to_owned()),
        ..Site::default()
    };
    let made = make(&committed(), Some(&wanted), &registry::catalogue()).unwrap();
    made.write().unwrap();
    folder
}

fn recompute(site: &Path, readme: &Path, seed: &str, count: &str) -> Output {
    let mut command = Command::new("python3");
    command.args(["scripts/recompute", "--seed", seed, "--count", count]);
    command.arg("--site").arg(site).arg("--readme").arg(readme);
    command.output().unwrap()
}

#[test]
fn numbers_drawn_at_random_are_those_of_the_samples() {
    let site = site();
    let readme = Path::new("README.md");
    let output = recompute(site.path(), readme, "24", "60");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("60 of 60 numbers"), "{said}");
    // The script must detect a changed number in the README.
    let text = std::fs::read_to_string(readme).unwrap();
    let (before, rest) = text.split_once("<!-- reports:begin -->").unwrap();
    let (block, after) = rest.split_once("<!-- reports:end -->").unwrap();
    let edited = block
        .replace(" games/s](", "1 games/s](")
        .replace("M1", "G");
    assert_ne!(edited, block);
    let other = site.path().join("README.md");
    let begin = "<!-- reports:begin -->";
    std::fs::write(
        &other,
        format!("{before}{begin}{edited}<!-- reports:end -->{after}"),
    )
    .unwrap();
    let output = recompute(site.path(), &other, "24", "60");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("DIFFERS"), "{said}");
}
