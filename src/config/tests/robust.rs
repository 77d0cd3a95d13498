//! Files that are too large. `tests/program/hostile.rs` damages files.

use super::*;

#[test]
fn too_much_is_refused_before_it_is_made() {
    let many = (1..=12)
        .cycle()
        .take(9_000)
        .map(|n| n.to_string())
        .collect::<Vec<_>>()
        .join(",");
    let boards = (0..9_000)
        .map(|n| format!("\"b{n}\""))
        .collect::<Vec<_>>()
        .join(",");
    let text = LEAST
        .replace("depth = 1", &format!("depth = [{many}]"))
        .replace("\"8x8\"", &format!("[{boards}]"));
    assert!(refused(&text).ends_with(": cases.depth: more than 10000 cases"));
    let deep = format!(
        "{LEAST}[options]\nweights = {}1{}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let holds = refused(&deep).contains(": not TOML: ");
    assert!(holds, "{}", refused(&deep));
}
