//! Tests that no file makes the reader panic, and that every accepted file can be written back.

use proptest::prelude::*;

use super::*;

/// Reads a text. If that works, writes it and reads it again.
fn survive(text: &str) {
    match parse(text, "x.toml", &catalogue()) {
        Ok(experiment) => assert_eq!(read(&to_toml(&experiment)), experiment),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error:?}"),
    }
}

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
    let found = refused(&deep);
    assert!(found.contains(": invalid TOML: "), "{found}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The edits cut out or double pieces, or replace them with other pieces of the file or with odd text.
    #[test]
    fn damaged_files_are_read_or_refused(
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..12usize, any::<prop::sample::Index>(), 0..12usize, 0..9usize),
            1..4,
        )
    ) {
        const ODD: [&str; 8] =
            ["\"", "[[", "= -9223372036854775808", "ä\u{2028}", "\\u0000", "1979-05-27", "{}", "''"];
        let mut text: Vec<char> = FULL.chars().collect();
        for (at, cut, from, take, odd) in edits {
            let from = from.index(text.len());
            let piece: Vec<char> = match ODD.get(odd) {
                Some(odd) => odd.chars().collect(),
                None => text[from..(from + take).min(text.len())].to_vec(),
            };
            let at = at.index(text.len());
            text.splice(at..(at + cut).min(text.len()), piece);
        }
        survive(&text.into_iter().collect::<String>());
    }

    /// Replaces whole values with others, so that valid TOML reaches every check.
    #[test]
    fn any_value_in_any_place_is_read_or_refused(
        place in any::<prop::sample::Index>(), odd in any::<prop::sample::Index>()
    ) {
        const ODD: [&str; 14] = [
            "0", "-1", "18446744073709551616", "1e400", "inf", "true", "\"\"", "\"a b\"", "[]", "[[]]",
            "{}", "[{}]", "\"\\n\"", "1979-05-27",
        ];
        let mut lines: Vec<String> = FULL.lines().map(str::to_owned).collect();
        let places: Vec<usize> =
            (0..lines.len()).filter(|&line| lines[line].contains(" = ")).collect();
        let line = places[place.index(places.len())];
        let key = lines[line].split(" = ").next().unwrap_or_default().to_owned();
        lines[line] = format!("{key} = {}", ODD[odd.index(ODD.len())]);
        survive(&lines.join("\n"));
    }
}
