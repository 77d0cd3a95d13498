//! Tests the claim parser and its error messages.

use super::*;

const FILE: &str = r#"paper = "Somebody, Something, 2011"

[[claim]]
id = "small-boards"
experiment = "full"
text = """Small boards leave
  a device idle."""
source = "Table 2"
table = "table-2"
quantity = "speedup"
technique = "split"
baseline = "serial"
cases = [{ board = "8x8" }, { board = "16x16", depth = 1 }]
test = { below = 1 }
note = "Ours is another device."

[[claim]]
id = "facts"
experiment = "other"
text = "It grows."
source = "Table 1"
table = "table-1"
quantity = "fact:branching-factor"
test = { rises = "board" }
"#;

/// Replaces `from` in the file, and returns the only mistake without its location.
fn mistake(from: &str, to: &str) -> String {
    assert!(FILE.contains(from), "{from}");
    let claims = Claims::parse(&FILE.replacen(from, to, 1), "claims.toml");
    assert_eq!(claims.mistakes.len(), 1, "{:?}", claims.mistakes);
    let mistake = claims.mistakes[0].to_string();
    assert_eq!(mistake.lines().count(), 1, "{mistake}");
    let mut parts = mistake.splitn(4, ':');
    assert_eq!(parts.next(), Some("claims.toml"));
    assert!(parts.next().unwrap().parse::<usize>().unwrap() > 0);
    parts.nth(1).unwrap().trim().to_owned()
}

#[test]
fn a_file_is_read() {
    let claims = Claims::parse(FILE, "claims.toml");
    assert_eq!(claims.mistakes, []);
    let [first, second] = &claims.claims[..] else {
        panic!("{claims:?}");
    };
    assert_eq!(first.text, "Small boards leave a device idle.");
    assert_eq!(first.quantity, Quantity::Speedup);
    assert_eq!(first.test, ClaimTest::Below(1.0));
    let is_about = |text: &str| first.is_about(&Case::parse(text).unwrap());
    assert!(is_about("board=8x8 depth=1") && is_about("board=16x16 depth=1"));
    assert!(!is_about("board=16x16 depth=2"));
    assert_eq!(second.test.along(), Some("board"));
    assert!(second.is_about(&Case::default()));
}

#[test]
fn every_test_is_read() {
    let with = |test: &str| {
        let text = FILE.replacen("below = 1", test, 1);
        let claims = Claims::parse(&text, "claims.toml");
        assert_eq!(claims.mistakes, [], "{test}");
        claims.claims[0].test.clone()
    };
    let rows = r#"
above = 1.5 | above 1.5
falls = "depth" | falls along depth
highest = { along = "depth", at = 2 } | highest at depth=2
lowest = { along = "depth", at = 2 } | lowest at depth=2
about = { value = 8.5, within = 2 } | 8.5 within a factor 2
published = { within = 1.5 } | as published within a factor 1.5
"#;
    each_row(rows, |[text, shown]| {
        assert_eq!(with(text).to_string(), shown);
    });
}

#[test]
fn what_is_wrong_is_said_with_the_claim_and_the_key() {
    let rows = r#"
"small-boards" | "small boards" | claim small boards.id: must be 1 to 60 letters
id = "facts" | id = "small-boards" | claim small-boards.id: "small-boards" occurs twice
below = 1 | bleow = 1 | claim small-boards.test: "bleow" is not known; allowed: above, below,
source = "Table 2" | sauce = "Table 2" | claim small-boards.sauce: unknown key; allowed: id
below = 1 | below = "1" | claim small-boards.test: must be a number, not "1"
"speedup" | "speedups" | did you mean speedup?
technique = "split"⏎ |  | claim small-boards.technique: missing
baseline = "serial"⏎ |  | claim small-boards.baseline: missing
"speedup" | "time" | claim small-boards.baseline: time has no baseline; remove the key
table = "table-1"⏎ | table = "table-1"⏎technique = "split"⏎ | claim facts.technique: fact:branching-factor has no technique
table = "table-2"⏎ |  | claim small-boards.table: missing
text = "It grows." | text = "" | claim facts.text: must be a sentence
source = "Table 1"⏎ |  | claim facts.source: missing
below = 1 | about = { value = 1 } | within: missing
paper = "Somebody, Something, 2011" | papr = "x" | papr: unknown key; allowed: paper, claim
"#;
    each_row(rows, |[from, to, says]| {
        let mistake = mistake(from, to);
        assert!(mistake.contains(says), "{from} -> {to}: {mistake}");
    });
}

#[test]
fn the_others_are_read_where_one_is_wrong() {
    let text = FILE.replacen("below = 1", "below = []", 1);
    let claims = Claims::parse(&text, "claims.toml");
    assert_eq!(claims.mistakes.len(), 1);
    assert_eq!(claims.claims.len(), 1);
    assert_eq!(claims.claims[0].id, "facts");
    let broken = Claims::parse("paper = ", "claims.toml");
    assert!(broken.mistakes[0].to_string().contains("invalid TOML"));
}
