//! Tests error messages for invalid files.

use super::*;

#[test]
fn unknown_keys_are_refused_at_every_level() {
    all_say(
        r#"
seed | §sed | sed: unknown key; allowed: name, title, paper, game, task, analysis, seed, order, options, cases, technique, techniques, sampling, budget, table, chart; did you mean seed?
weights | §weight | options.weight: unknown key; allowed: group, weights; did you mean weights?
board = "16x16" | §bord = "16x16" | cases.bord: unknown key; allowed: board, depth, rule; did you mean board?
group = 4 | §gruop = 4 | technique.gruop: unknown key; allowed: name, label, opponent, only, sweep, group, items; did you mean group?
warmup | §warm-up | sampling.warm-up: unknown key; allowed: min-samples, max-samples, target, warmup, passes, positions, min-positions; did you mean warmup?
total | §totla | budget.totla: unknown key; allowed: cell, total, deadline; did you mean total?
columns = "depth" | §cols = "depth" | table.cols: unknown key; allowed: id, title, quantity, rows, series, columns, x, fixed, techniques, baselines, unit, log, published, published-baseline, analysis
log = true | §logs = true | chart.logs: unknown key; allowed: id, title, quantity, rows, series, columns, x, fixed, techniques, baselines, unit, log, published, published-baseline, analysis; did you mean log?
depth = 1 } | §dept = 1 } | table.fixed.dept: unknown key; allowed: depth; did you mean depth?
seed | §"a\nb" | a\nb: unknown key; allowed: name, title, paper, game, task, analysis, seed, order, options, cases, technique, techniques, sampling, budget, table, chart
"#,
    );
}

#[test]
fn names_are_checked_and_the_nearest_is_named() {
    all_say(
        r#"
"draughts" | §"draught" | game: "draught" is not known; allowed: draughts; did you mean draughts?
"game" | §"gme" | task: "gme" is not known; allowed: game, match, perft; did you mean game?
"old"⏎⏎[samp | §"odl"⏎⏎[samp | technique.name: "odl" is not known; allowed: old, serial, rayon, split, counter, deep; did you mean old?
"old"⏎⏎[samp | §"counter"⏎⏎[samp | technique.name: counter does not support the task game; allowed: old, serial, rayon, split, deep
"speedup" | §"speed-up" | table.quantity: "speed-up" is not known; allowed: speedup, time-per-unit, mean-time-per-unit, time, node-overhead, node-rate, nodes, leaf-rate, playout-rate, ply-rate, part:upload, part:queue, part:kernel, part:download, part:host, transfer-share, fact:NAME, resource:NAME; did you mean speedup?
["split"] | [§"splat"] | table.techniques: "splat" is not known; allowed: serial, rayon, split, split-4, old; did you mean split?
["depth", "board"] | ["depth", §"rule"] | order: "rule" is not known; allowed: board, depth
rows = "technique" | rows = §"techniques" | table.rows: "techniques" is not known; allowed: board, depth, technique, group; did you mean technique?
baseline = "old" | baseline = §"rayon" | table.published-baseline: "rayon" is not known; allowed: old, serial
"#,
    );
}

#[test]
fn values_are_checked_by_the_catalogue() {
    all_say(
        r#"
group = 3 | group = §30 | options.group: 30 is not allowed: must be 1 to 9, or "board"
group = 4 | group = §"bored" | technique.group: "bored" is not allowed: must be 1 to 9, or "board"
[2, 1] | [2, §13] | cases.depth: 13 is not allowed: must be 1 to 12
[[cases]]⏎board = "16x16" | §[[cases]]⏎board = "9x9" | cases: board=9x9 depth=1 is not allowed: board 9x9 is odd
"#,
    );
    // This check includes the key and the value in its error.
    let rules = format!("{LEAST}rule = 5");
    let expected = "x.toml:8:8: cases.rule: `5`; allowed is a word";
    assert_eq!(refused(&rules), expected);
    all_say(
        r#"
"16x16" | §"16 x 16" | cases.board: "16 x 16" is not allowed: must be a whole number or one word that is not a number
"16x16" | §"16" | cases.board: "16" is not allowed: must be a whole number or one word that is not a number
"16x16" | §"" | cases.board: "" is not allowed: must be a whole number or one word that is not a number
weights = [[1, -2], [3, 4]] | weights = §[[1, 2.5], [3, 4]] | options.weights: must be text, a whole number below 2^63, true, false or a list of these, not [[1, 2.5], [3, 4]]
"#,
    );
}

#[test]
fn kinds_and_ranges_are_checked() {
    all_say(
        r#"
name = "full" | name = §"../up" | name: must be 1 to 60 letters, digits, '-', '_' or '.', beginning with a letter or a digit, not "../up"
name = "full" | name = §["full"] | name: must be text in quotes, not ["full"]
title = "A full experiment" | title = §5 | title: must be text in quotes without control characters, not 5
18446744073709551615 | §-1 | seed: must be a whole number from 0 to 18446744073709551615, not -1
target = 0.1 | target = §1.0 | sampling.target: must be a number above 0 and below 1, not 1.0
target = 0.1 | target = §nan | sampling.target: must be a number above 0 and below 1, not nan
min-samples = 3 | min-samples = §"three" | sampling.min-samples: must be a whole number from 1 to 1000000, not "three"
max-samples = 50 | max-samples = §2 | sampling.max-samples: 2 is less than min-samples (3)
positions = 16 | positions = §0 | sampling.positions: must be a whole number from 1 to 1000000, or "all", not 0
min-positions = 2 | min-positions = §17 | sampling.min-positions: 17 is more than positions (16)
"5m" | §5 | budget.total: must be a time from "1ms" to "30days", such as "20s" or "5m", not 5
"5m" | §"5 parsecs" | budget.total: must be a time from "1ms" to "30days", such as "20s" or "5m", not "5 parsecs"
"5m" | §"0s" | budget.total: must be a time from "1ms" to "30days", such as "20s" or "5m", not "0s"
deadline = "1m" | deadline = §"1s" | budget.deadline: 1s is less than the cell's budget (1s 500ms)
log = true | log = §"yes" | chart.log: must be true or false, not "yes"
18446744073709551615 | §18446744073709551616 | seed: must be a whole number from 0 to 18446744073709551615, not 18446744073709551616
group = 3 | group = §9223372036854775808 | options.group: must be text, a whole number below 2^63, true, false or a list of these, not 9223372036854775808
max-samples = 50 | max-samples = §18446744073709551616 | sampling.max-samples: must be a whole number from -9223372036854775808 to 9223372036854775807, not 18446744073709551616
warmup = 0 | warmup = §9223372036854775808 | sampling.warmup: must be a whole number from -9223372036854775808 to 9223372036854775807, not 9223372036854775808
group = 3 | group = §1979-05-27 | options.group: must be text, a whole number below 2^63, true, false or a list of these, not 1979-05-27
group = 4 | group = §{} | technique.group: must be text, a whole number below 2^63, true, false or a list of these, not {}
"#,
    );
    let path = "table.published: must be the path of a .csv file under reports/published/, not";
    for wrong in ["../table-2.csv", "/etc/x.csv", "a//b.csv", "a.txt"] {
        says(
            "\"draughts/table-2.csv\"",
            &format!("§\"{wrong}\""),
            &format!("{path} \"{wrong}\""),
        );
    }
    all_say(
        r#"
[[chart]] | §[chart] | chart: must be a list, such as [1, 2] or [[tables]], not [chart]
"#,
    );
}

#[test]
fn what_contradicts_itself_is_refused() {
    all_say(
        r#"
[[cases]]⏎board = "16x16" | §[[cases]]⏎board = "8x8" | cases: board=8x8 depth=1 occurs twice
[[cases]]⏎board = "16x16" | [[cases]]⏎rule = §"a"⏎board = "16x16" | cases.rule: must be in every [[cases]], or in none
board = ["8x8", "4x4"] | board = §[] | cases.board: empty; give at least one value
["depth", "board"] | §["depth"] | order: must name every axis once: board, depth
["depth", "board"] | ["depth", §"depth"] | order: "depth" occurs twice
["depth", "board"] | §"depth" | order: must be a list of axes, or "as-written", not "depth"
label = "split-4" | label = §"split" | technique.label: "split" occurs twice; labels must be unique
[[technique]]⏎name = "split"⏎label = "split-4" | §[[technique]]⏎name = "split" | technique.label: "split" occurs twice; labels must be unique
label = "split-4" | label = §"rayon" | technique.label: "rayon" is reserved for the baseline with that name
name = "old" | name = "old"⏎opponent = §"serial" | technique.opponent: only the task match has opponents, not game
"#,
    );
}

#[test]
fn a_host_technique_cannot_play_a_device_technique_in_its_own_process() {
    let text = LEAST.replace("\"game\"", "\"match\"")
        + "[[technique]]\nname = \"split\"\n[[technique]]\nname = \"rayon\"\nopponent = \"split\"\n";
    assert_eq!(
        refused(&text),
        "x.toml:12:12: technique.opponent: rayon runs on the host, but its opponent split on a \
         device; make rayon the opponent of split"
    );
}

#[test]
fn a_match_that_nobody_plays_is_refused() {
    let text = LEAST.replace("\"game\"", "\"match\"")
        + "[[technique]]\nname = \"split\"\nopponent = \"none\"\n";
    let expected = "x.toml:8:1: technique: no technique plays; give one an opponent";
    assert_eq!(refused(&text), expected);
}

#[test]
fn what_is_missing_is_named() {
    assert_eq!(refused(""), "x.toml:1:1: name: missing");
    let named = "name = \"x\"\n";
    assert_eq!(refused(named), "x.toml:1:1: game: missing");
    let expected = "x.toml:1:1: task: missing";
    assert_eq!(refused(&format!("{named}game = \"draughts\"")), expected);
    let expected = "x.toml:1:1: name: missing";
    assert_eq!(refused(&LEAST.replace("name = \"least\"", "")), expected);
    let no_cases = "name = \"x\"\ngame = \"draughts\"\ntask = \"game\"\n";
    assert_eq!(refused(no_cases), "x.toml:1:1: cases: missing");
    let expected = "x.toml:4:9: cases: there must be at least one";
    assert_eq!(refused(&format!("{no_cases}cases = []")), expected);
    let expected = "x.toml:4:1: cases: no axis; allowed: board, depth, rule";
    assert_eq!(refused(&format!("{no_cases}[[cases]]")), expected);
    let technique = format!("{LEAST}[[technique]]\nlabel = \"a\"");
    assert_eq!(refused(&technique), "x.toml:8:1: technique.name: missing");
}

#[test]
fn what_is_no_toml_is_said_in_one_line_with_its_place() {
    let error = refused("name = \"x\"\ngame = = 5\n");
    assert!(error.starts_with("x.toml:2:8: invalid TOML: "), "{error}");
    let error = refused("name = \"x\"\nname = \"y\"\n");
    let part = "x.toml:2:1: invalid TOML: duplicate key";
    assert!(error.starts_with(part), "{error}");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.toml");
    let error = load(&path, &catalogue()).unwrap_err().to_string();
    assert!(error.contains("x.toml: cannot be read: "), "{error}");
    std::fs::write(&path, b"name = \"x\"\n# \xc3\xa4 \xff\n").unwrap();
    let error = load(&path, &catalogue()).unwrap_err().to_string();
    assert!(error.ends_with("x.toml:2:5: not text in UTF-8"), "{error}");
    std::fs::write(&path, LEAST).unwrap();
    let loaded = load(&path, &catalogue()).unwrap();
    assert_eq!(loaded, [(path, read(LEAST))]);
}

#[test]
fn refuses_control_characters_in_titles() {
    all_say(
        r#"
title = "A full experiment" | title = §"A\u001b[2J" | title: must be text in quotes without control characters, not "A\u001b[2J"
title = "Branching" | title = §"A\u001b[2J" | table.title: must be text in quotes without control characters, not "A\u001b[2J"
"#,
    );
}

#[test]
fn refuses_more_untimed_samples_than_an_answer_holds() {
    all_say(
        r#"
warmup = 0 | warmup = §1000000 | sampling.warmup: must be a whole number from 0 to 1000, not 1000000
"#,
    );
}
