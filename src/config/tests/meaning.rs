//! Tests how valid files are interpreted.

use super::*;

#[test]
fn the_least_file_gets_every_default() {
    let experiment = read(LEAST);
    assert_eq!(experiment.title, "least");
    assert_eq!(experiment.paper, "");
    assert_eq!(experiment.seed, 1);
    assert_eq!(experiment.axes, ["board", "depth"]);
    assert_eq!(cases(&experiment), ["board=8x8 depth=1"]);
    assert_eq!(labels(&experiment), ["serial", "rayon"]);
    assert_eq!(experiment.sampling, Sampling::default());
    assert_eq!(experiment.budget, Budget::default());
    assert_eq!(experiment.options, Params::new());
    assert!(experiment.tables.is_empty() && experiment.charts.is_empty());
}

#[test]
fn a_full_file_means_what_it_says() {
    let experiment = read(FULL);
    assert_eq!(experiment.seed, u64::MAX);
    let expected = "Text with \"quotes\", a \\ and\na second line.";
    assert_eq!(experiment.analysis, expected);
    assert_eq!(experiment.options["group"], Value::Int(3));
    let row = |a, b| Value::List(vec![Value::Int(a), Value::Int(b)]);
    assert_eq!(
        experiment.options["weights"],
        Value::List(vec![row(1, -2), row(3, 4)])
    );
    assert_eq!(experiment.sampling.positions, Some(16));
    assert_eq!(experiment.budget.cell, Duration::from_millis(1500));
    assert_eq!(experiment.techniques[3].label, "split-4");
    assert_eq!(experiment.techniques[3].params["group"], Value::Int(4));

    let [branching, speedup, rates] = experiment.tables.as_slice() else {
        panic!("three tables")
    };
    let expected = [Quantity::Fact("branching-factor".into())];
    assert_eq!(branching.quantities, expected);
    assert_eq!(branching.fixed, Params::new());
    assert!(branching.columns.is_empty());
    assert_eq!(speedup.title, "table-2");
    assert_eq!(speedup.baselines, ["old", "serial"]);
    assert_eq!(speedup.published_baseline.as_deref(), Some("old"));
    let expected = ["serial", "rayon", "split", "split-4", "old"];
    assert_eq!(rates.techniques, expected);
    assert_eq!(rates.fixed, Params::from([("depth".into(), Value::Int(1))]));
    let figure = &experiment.charts[0];
    assert!(figure.log);
    assert_eq!(figure.baselines, ["serial", "rayon"]);
    assert_eq!(figure.techniques, ["split", "split-4", "old"]);
}

#[test]
fn baselines_come_first_and_are_added_where_they_are_left_out() {
    let expected = ["serial", "rayon", "split", "split-4", "old"];
    assert_eq!(labels(&read(FULL)), expected);
    let more = format!("{LEAST}\n[[technique]]\nname = \"serial\"\nlabel = \"serial-b\"\n");
    assert_eq!(labels(&read(&more)), ["serial", "rayon", "serial-b"]);
}

#[test]
fn values_rank_by_first_appearance_and_the_first_axis_of_the_order_changes_slowest() {
    let by_depth = [
        "board=8x8 depth=2",
        "board=4x4 depth=2",
        "board=8x8 depth=1",
        "board=4x4 depth=1",
        "board=16x16 depth=1",
    ];
    assert_eq!(cases(&read(FULL)), by_depth);
    let default = FULL.replace("order = [\"depth\", \"board\"]", "");
    assert_eq!(cases(&read(&default)), by_depth);
    let by_board = FULL.replace("[\"depth\", \"board\"]", "[\"board\", \"depth\"]");
    assert_eq!(
        cases(&read(&by_board)),
        [
            "board=8x8 depth=2",
            "board=8x8 depth=1",
            "board=4x4 depth=2",
            "board=4x4 depth=1",
            "board=16x16 depth=1",
        ]
    );
    let as_written = FULL.replace("[\"depth\", \"board\"]", "\"as-written\"");
    assert_eq!(cases(&read(&as_written)), cases(&read(&by_board)));
}

/// Returns a match with these `[[technique]]` tables.
fn of_players(players: &str) -> Experiment {
    read(&(LEAST.replace("\"game\"", "\"match\"") + players))
}

/// Returns the players with their opponents. `None` marks a technique that is only an opponent.
fn pairs(experiment: &Experiment) -> Vec<(&str, Option<&str>)> {
    let pair = |choice: &TechniqueChoice| {
        assert_eq!(choice.measured, choice.opponent.is_some());
        assert_eq!(choice.takes(&experiment.cases[0]), choice.measured);
    };
    experiment.techniques.iter().for_each(pair);
    let choices = experiment.techniques.iter();
    choices
        .map(|choice| (choice.label.as_str(), choice.opponent.as_deref()))
        .collect()
}

#[test]
fn in_a_match_everybody_plays_serial_unless_the_file_says_otherwise() {
    let experiment = of_players(
        "[[technique]]\nname = \"split\"\n[[technique]]\nname = \"split\"\nlabel = \"b\"\nopponent = \"split\"\n",
    );
    assert_eq!(
        pairs(&experiment),
        [
            ("serial", None),
            ("split", Some("serial")),
            ("b", Some("split"))
        ]
    );
}

#[test]
fn a_baseline_that_nobody_plays_against_is_in_no_match_unless_the_file_has_it() {
    let experiment = of_players(
        "[[technique]]\nname = \"split\"\nopponent = \"none\"\n[[technique]]\nname = \"split\"\nlabel = \"b\"\nopponent = \"split\"\n",
    );
    assert_eq!(pairs(&experiment), [("split", None), ("b", Some("split"))]);
    assert_eq!(read(&to_toml(&experiment)), experiment);
    let named = of_players(
        "[[technique]]\nname = \"rayon\"\nopponent = \"rayon\"\n[[technique]]\nname = \"split\"\nopponent = \"rayon\"\n",
    );
    let expected = [("rayon", Some("rayon")), ("split", Some("rayon"))];
    assert_eq!(pairs(&named), expected);
}

#[test]
fn an_axis_with_one_value_is_fixed_by_itself() {
    let text =
        format!("{LEAST}[[table]]\nid = \"t\"\nquantity = \"nodes\"\nrows = \"technique\"\n");
    let table = &read(&text).tables[0];
    let fixed: Vec<_> = table.fixed.keys().collect();
    assert_eq!(fixed, ["board", "depth"]);
}

#[test]
fn numbers_read_in_every_way_that_toml_writes_them() {
    let text = LEAST.replace("depth = 1", "depth = [0x2, 0b11, 1_0, +4]");
    let depths: Vec<_> = read(&text)
        .cases
        .iter()
        .map(|case| case.int("depth").unwrap())
        .collect();
    assert_eq!(depths, [2, 3, 10, 4]);
}

#[test]
fn budgets_follow_each_other_where_the_file_is_silent() {
    let budget = |keys: &str| read(&format!("{LEAST}[budget]\n{keys}\n")).budget;
    let short = budget("total = \"10s\"");
    assert_eq!(short.cell, Duration::from_secs(10));
    assert_eq!(short.deadline, Duration::from_secs(50));
    assert_eq!(budget("cell = \"2m\"").deadline, Duration::from_secs(270));
}

#[test]
fn what_is_written_reads_back_the_same() {
    let matched = LEAST.replace("\"game\"", "\"match\"") + "[[technique]]\nname = \"split\"\n";
    for text in [LEAST, FULL, &matched] {
        let experiment = read(text);
        let written = to_toml(&experiment);
        assert_eq!(read(&written), experiment, "{written}");
        assert_eq!(to_toml(&read(&written)), written);
    }
}

#[test]
fn cases_that_no_loop_gives_read_back_in_their_order() {
    let mut experiment = read(FULL);
    experiment.cases.reverse();
    assert_eq!(read(&to_toml(&experiment)), experiment);
}
