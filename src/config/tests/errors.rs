//! What a wrong file is told.

use super::*;

const VIEW: &str =
    "id, title, quantity, fixed, techniques, baselines, published, published-baseline, analysis";

#[test]
fn unknown_keys_are_refused_at_every_level() {
    says(
        "seed",
        "§sed",
        "sed: unknown key; allowed: name, title, paper, game, task, analysis, seed, order, options, \
         cases, technique, techniques, sampling, budget, table, chart; did you mean seed?",
    );
    says(
        "weights",
        "§weight",
        "options.weight: unknown key; allowed: group, weights; did you mean weights?",
    );
    says(
        "board = \"16x16\"",
        "§bord = \"16x16\"",
        "cases.bord: unknown key; allowed: board, depth, rule; did you mean board?",
    );
    says(
        "group = 4",
        "§gruop = 4",
        "technique.gruop: unknown key; allowed: name, label, opponent, only, group; \
         did you mean group?",
    );
    says(
        "warmup",
        "§warm-up",
        "sampling.warm-up: unknown key; allowed: min-samples, max-samples, target, warmup, \
         passes, positions, min-positions; did you mean warmup?",
    );
    says(
        "total",
        "§totla",
        "budget.totla: unknown key; allowed: cell, total, deadline; did you mean total?",
    );
    says(
        "columns = \"depth\"",
        "§cols = \"depth\"",
        &format!("table.cols: unknown key; allowed: {VIEW}, rows, columns, unit"),
    );
    says(
        "log = true",
        "§logs = true",
        &format!("chart.logs: unknown key; allowed: {VIEW}, x, series, log; did you mean log?"),
    );
    says(
        "depth = 1 }",
        "§dept = 1 }",
        "table.fixed.dept: unknown key; allowed: depth; did you mean depth?",
    );
    says(
        "seed",
        "§\"a\\nb\"",
        "a\\nb: unknown key; allowed: name, title, paper, game, task, analysis, seed, order, \
         options, cases, technique, techniques, sampling, budget, table, chart",
    );
}

#[test]
fn names_are_checked_and_the_nearest_is_named() {
    says(
        "\"draughts\"",
        "§\"draught\"",
        "game: \"draught\" is not known; allowed: draughts; did you mean draughts?",
    );
    says(
        "\"game\"",
        "§\"gme\"",
        "task: \"gme\" is not known; allowed: game, match, perft; did you mean game?",
    );
    says(
        "\"old\"\n\n[samp",
        "§\"odl\"\n\n[samp",
        "technique.name: \"odl\" is not known; allowed: old, serial, rayon, split, counter, deep; did \
         you mean old?",
    );
    says(
        "\"old\"\n\n[samp",
        "§\"counter\"\n\n[samp",
        "technique.name: counter does not do the task game; allowed: old, serial, rayon, split, deep",
    );
    says(
        "\"speedup\"",
        "§\"speed-up\"",
        "table.quantity: \"speed-up\" is not known; allowed: speedup, time-per-unit, mean-time-per-unit, time, \
         node-overhead, node-rate, nodes, leaf-rate, playout-rate, ply-rate, part:upload, part:queue, \
         part:kernel, part:download, part:host, transfer-share, fact:NAME, resource:NAME; did you mean speedup?",
    );
    says(
        "[\"split\"]",
        "[§\"splat\"]",
        "table.techniques: \"splat\" is not known; allowed: serial, rayon, split, split-4, old; did \
         you mean split?",
    );
    says(
        "[\"depth\", \"board\"]",
        "[\"depth\", §\"rule\"]",
        "order: \"rule\" is not known; allowed: board, depth",
    );
    says(
        "rows = \"technique\"",
        "rows = §\"techniques\"",
        "table.rows: \"techniques\" is not known; allowed: board, depth, technique, group; did you mean \
         technique?",
    );
    says(
        "baseline = \"old\"",
        "baseline = §\"rayon\"",
        "table.published-baseline: \"rayon\" is not known; allowed: old, serial",
    );
}

#[test]
fn values_are_checked_by_the_catalogue() {
    says(
        "group = 3",
        "group = §30",
        "options.group: 30 will not do: must be 1 to 9, or \"board\"",
    );
    says(
        "group = 4",
        "group = §\"bored\"",
        "technique.group: \"bored\" will not do: must be 1 to 9, or \"board\"",
    );
    says(
        "[2, 1]",
        "[2, §13]",
        "cases.depth: 13 will not do: must be 1 to 12",
    );
    says(
        "[[cases]]\nboard = \"16x16\"",
        "§[[cases]]\nboard = \"9x9\"",
        "cases: board=9x9 depth=1 will not do: board 9x9 is odd",
    );
    // This check names its key and its value itself.
    let rules = format!("{LEAST}rule = 5");
    assert_eq!(
        refused(&rules),
        "x.toml:8:8: cases.rule: `5`; allowed is a word"
    );
    let word = "will not do: must be a whole number or one word that is not a number";
    says(
        "\"16x16\"",
        "§\"16 x 16\"",
        &format!("cases.board: \"16 x 16\" {word}"),
    );
    says(
        "\"16x16\"",
        "§\"16\"",
        &format!("cases.board: \"16\" {word}"),
    );
    says("\"16x16\"", "§\"\"", &format!("cases.board: \"\" {word}"));
    says(
        "weights = [[1, -2], [3, 4]]",
        "weights = [[1, §2.5], [3, 4]]",
        "options.weights: must be text, a whole number, true, false or a list of these, not 2.5",
    );
}

#[test]
fn kinds_and_ranges_are_checked() {
    says(
        "name = \"full\"",
        "name = §\"../up\"",
        "name: must be 1 to 60 letters, digits, '-', '_' or '.', the first a letter or a digit, not \
         \"../up\"",
    );
    says(
        "title = \"A full experiment\"",
        "title = §5",
        "title: must be text in quotes, not 5",
    );
    says(
        "18446744073709551615",
        "§-1",
        "seed: must be a whole number from 0 to 18446744073709551615, not -1",
    );
    let share = "sampling.target: must be a number more than 0 and less than 1, not";
    says("target = 0.1", "target = §1.0", &format!("{share} 1.0"));
    says("target = 0.1", "target = §nan", &format!("{share} nan"));
    says(
        "min-samples = 3",
        "min-samples = §\"three\"",
        "sampling.min-samples: must be a whole number from 1 to 1000000, not \"three\"",
    );
    says(
        "max-samples = 50",
        "max-samples = §2",
        "sampling.max-samples: 2 is fewer than min-samples, 3",
    );
    says(
        "positions = 16",
        "positions = §0",
        "sampling.positions: must be a whole number from 1 to 1000000, or \"all\", not 0",
    );
    says(
        "min-positions = 2",
        "min-positions = §17",
        "sampling.min-positions: 17 is more than positions, 16",
    );
    let time =
        "budget.total: must be a time from \"1ms\" to \"30days\", such as \"20s\" or \"5m\", not";
    says("\"5m\"", "§5", &format!("{time} 5"));
    says("\"5m\"", "§\"5 parsecs\"", &format!("{time} \"5 parsecs\""));
    says("\"5m\"", "§\"0s\"", &format!("{time} \"0s\""));
    says(
        "deadline = \"1m\"",
        "deadline = §\"1s\"",
        "budget.deadline: 1s is less than the budget of a cell, 1s 500ms",
    );
    says(
        "log = true",
        "log = §\"yes\"",
        "chart.log: must be true or false, not \"yes\"",
    );
    let path = "table.published: must be the path of a .csv file under reports/published/, not";
    for wrong in ["../table-2.csv", "/etc/x.csv", "a//b.csv", "a.txt"] {
        says(
            "\"draughts/table-2.csv\"",
            &format!("§\"{wrong}\""),
            &format!("{path} \"{wrong}\""),
        );
    }
    says(
        "[[chart]]",
        "§[chart]",
        "chart: must be a list of tables, [[chart]], not a table",
    );
}

#[test]
fn what_contradicts_itself_is_refused() {
    says(
        "[[cases]]\nboard = \"16x16\"",
        "§[[cases]]\nboard = \"8x8\"",
        "cases: board=8x8 depth=1 is there twice",
    );
    says(
        "[[cases]]\nboard = \"16x16\"",
        "§[[cases]]\nrule = \"a\"\nboard = \"16x16\"",
        "cases.rule: must be in every [[cases]], or in none",
    );
    says(
        "board = [\"8x8\", \"4x4\"]",
        "board = §[]",
        "cases.board: empty; give one value at least",
    );
    let once = "order: must name every axis once: board, depth";
    says("[\"depth\", \"board\"]", "§[\"depth\"]", once);
    says("[\"depth\", \"board\"]", "§[\"depth\", \"depth\"]", once);
    says(
        "[\"depth\", \"board\"]",
        "§\"depth\"",
        "order: must be a list of axes, or \"as-written\", not \"depth\"",
    );
    says(
        "label = \"split-4\"",
        "label = §\"split\"",
        "technique.label: \"split\" is there twice; give each its own label",
    );
    says(
        "\"split\"\nlabel = \"split-4\"",
        "§\"split\"",
        "technique.name: \"split\" is there twice; give each its own label",
    );
    says(
        "label = \"split-4\"",
        "label = §\"rayon\"",
        "technique.label: \"rayon\" is the label of the baseline of that name",
    );
    says(
        "name = \"old\"",
        "name = \"old\"\nopponent = §\"serial\"",
        "technique.opponent: only the task match has opponents, not game",
    );
}

#[test]
fn a_host_technique_cannot_play_a_device_technique_in_its_own_process() {
    let text = LEAST.replace("\"game\"", "\"match\"")
        + "[[technique]]\nname = \"split\"\n[[technique]]\nname = \"rayon\"\nopponent = \"split\"\n";
    assert_eq!(
        refused(&text),
        "x.toml:12:12: technique.opponent: rayon runs on the host and its opponent split on a \
         device; let split have rayon as its opponent"
    );
}

#[test]
fn a_match_that_nobody_plays_is_refused() {
    let text = LEAST.replace("\"game\"", "\"match\"")
        + "[[technique]]\nname = \"split\"\nopponent = \"none\"\n";
    assert_eq!(
        refused(&text),
        "x.toml:10:12: technique.opponent: no technique plays; give one an opponent"
    );
}

#[test]
fn what_is_missing_is_named() {
    assert_eq!(refused(""), "x.toml:1:1: game: missing");
    assert_eq!(refused("game = \"draughts\""), "x.toml:1:1: task: missing");
    assert_eq!(
        refused(&LEAST.replace("name = \"least\"", "")),
        "x.toml:1:1: name: missing"
    );
    let no_cases = "name = \"x\"\ngame = \"draughts\"\ntask = \"game\"\n";
    assert_eq!(refused(no_cases), "x.toml:1:1: cases: missing");
    assert_eq!(
        refused(&format!("{no_cases}cases = []")),
        "x.toml:4:9: cases: there must be one at least"
    );
    assert_eq!(
        refused(&format!("{no_cases}[[cases]]")),
        "x.toml:4:1: cases: no axis; allowed: board, depth, rule"
    );
    let technique = format!("{LEAST}[[technique]]\nlabel = \"a\"");
    assert_eq!(refused(&technique), "x.toml:8:1: technique.name: missing");
}

#[test]
fn what_is_no_toml_is_said_in_one_line_with_its_place() {
    let error = refused("name = \"x\"\ngame = = 5\n");
    assert!(error.starts_with("x.toml:2:8: not TOML: "), "{error}");
    let error = refused("name = \"x\"\nname = \"y\"\n");
    assert!(
        error.starts_with("x.toml:2:1: not TOML: duplicate key"),
        "{error}"
    );
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
