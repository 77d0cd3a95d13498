//! Tests changes from the command line.

use super::*;
use crate::config::kinds::parse_percentage;

fn selected(text: &str, selection: Selection) -> Result<Experiment, String> {
    let part = selection.of(&read(text));
    let part = part.map_err(|error| error.to_string())?;
    assert_eq!(read(&to_toml(&part)), part);
    Ok(part)
}

fn applied(text: &str, overrides: Overrides) -> Experiment {
    let mut experiment = read(text);
    experiment.apply(&overrides).unwrap();
    // A run folder stores the experiment, so it must read back unchanged.
    assert_eq!(read(&to_toml(&experiment)), experiment);
    experiment
}

fn technique(pattern: &str) -> Selection {
    Selection {
        technique: Some(pattern.into()),
        ..Default::default()
    }
}

fn case(filters: &[&str]) -> Selection {
    Selection {
        cases: filters.iter().map(ToString::to_string).collect(),
        ..Default::default()
    }
}

#[test]
fn no_overrides_change_nothing() {
    assert_eq!(applied(FULL, Overrides::default()), read(FULL));
    let whole = selected(FULL, Selection::default());
    assert_eq!(whole.unwrap(), read(FULL));
}

#[test]
fn a_technique_filter_keeps_the_baselines() {
    let experiment = selected(FULL, technique("^split-4$")).unwrap();
    // `old` is the baseline in table-2. That table is dropped, because none of the techniques that it shows are left.
    assert_eq!(labels(&experiment), ["serial", "rayon", "split-4", "old"]);
    let ids: Vec<&str> = experiment
        .tables
        .iter()
        .map(|table| table.id.as_str())
        .collect();
    assert_eq!(ids, ["table-1", "rates"]);
    let expected = ["serial", "rayon", "split-4", "old"];
    assert_eq!(experiment.tables[1].techniques, expected);
    assert_eq!(experiment.charts[0].techniques, ["split-4", "old"]);
}

#[test]
fn a_technique_filter_keeps_opponents_to_be_played_against_alone() {
    let text = LEAST.replace("\"game\"", "\"match\"")
        + "[[technique]]\nname = \"split\"\nlabel = \"a\"\nopponent = \"b\"\n\
           [[technique]]\nname = \"split\"\nlabel = \"b\"\nopponent = \"c\"\n\
           [[technique]]\nname = \"split\"\nlabel = \"c\"\n\
           [[technique]]\nname = \"split\"\nlabel = \"d\"\n";
    let experiment = selected(&text, technique("^a$")).unwrap();
    let choices = experiment.techniques.iter();
    let measured: Vec<_> = choices.map(|it| (it.label.as_str(), it.measured)).collect();
    assert_eq!(measured, [("a", true), ("b", false)]);
}

#[test]
fn a_technique_filter_that_matches_nothing_says_what_there_is() {
    assert_eq!(
        selected(FULL, technique("spilt")).unwrap_err(),
        "--technique: \"spilt\" matches no technique of full; allowed: serial, rayon, split, \
         split-4, old; did you mean split?"
    );
    let error = selected(FULL, technique("(")).unwrap_err();
    let part = "--technique: \"(\" is not a valid regex: ";
    assert!(error.starts_with(part), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
fn of_one_axis_any_value_and_of_several_all() {
    let experiment = selected(FULL, case(&["board=8x8", "depth=1", "board=16x16"])).unwrap();
    let expected = ["board=8x8 depth=1", "board=16x16 depth=1"];
    assert_eq!(cases(&experiment), expected);
    let deep = selected(FULL, case(&["depth=2"])).unwrap();
    assert_eq!(cases(&deep), ["board=8x8 depth=2", "board=4x4 depth=2"]);
    // The table `rates` is fixed to depth 1.
    assert!(deep.tables.iter().all(|table| table.id != "rates"));
}

#[test]
fn case_filters_that_match_nothing_say_what_there_is() {
    let expected = "--case: full has no axis \"bord\"; allowed: board, depth; did you mean board?";
    assert_eq!(selected(FULL, case(&["bord=8x8"])).unwrap_err(), expected);
    assert_eq!(
        selected(FULL, case(&["board=8x9"])).unwrap_err(),
        "--case: no case of full has board=8x9; allowed: 8x8, 4x4, 16x16; did you mean 8x8?"
    );
    let expected = "--case: \"8x8\" must be AXIS=VALUE; allowed: board, depth";
    assert_eq!(selected(FULL, case(&["8x8"])).unwrap_err(), expected);
    assert_eq!(
        selected(FULL, case(&["board=16x16", "depth=2"])).unwrap_err(),
        "--case: no case of full has all of board=16x16 depth=2; run --dry-run lists the \
         cases"
    );
}

#[test]
fn the_command_line_sets_the_stop_rule() {
    let sampling = |min_samples, max_samples| {
        let overrides = Overrides {
            target: Some(0.02),
            min_samples,
            max_samples,
            passes: Some(3),
            ..Default::default()
        };
        applied(LEAST, overrides).sampling
    };
    let found = sampling(Some(6), Some(12));
    assert_eq!((found.target, found.passes), (0.02, 3));
    assert_eq!((found.min_samples, found.max_samples), (6, 12));
    // If the command line sets only one of the two limits, the other adapts.
    let found = sampling(Some(2_000), None);
    assert_eq!((found.min_samples, found.max_samples), (2_000, 2_000));
    let found = sampling(None, Some(2));
    assert_eq!((found.min_samples, found.max_samples), (2, 2));
    let overrides = Overrides {
        min_samples: Some(5),
        max_samples: Some(3),
        ..Default::default()
    };
    let error = read(LEAST).apply(&overrides).unwrap_err().to_string();
    assert_eq!(error, "--max-samples: 3 is less than --min-samples (5)");
    assert_eq!(parse_percentage("2%"), Ok(0.02));
    for text in ["0%", "100%", "2", "0.02", "two%", "-1%", "NaN%"] {
        let expected = "must be above 0% and below 100%, such as 2%";
        assert_eq!(parse_percentage(text).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn budgets_seeds_and_haste() {
    let total = parse_duration("1s").unwrap();
    let overrides = Overrides {
        seed: Some(7),
        budget: Some(total),
        quick: true,
        ..Default::default()
    };
    let experiment = applied(FULL, overrides);
    assert_eq!(experiment.seed, 7);
    assert_eq!(experiment.budget.total, total);
    assert_eq!(experiment.budget.cell, Duration::from_millis(300));
    assert_eq!(
        (
            experiment.sampling.min_samples,
            experiment.sampling.max_samples
        ),
        (3, 10)
    );
    assert_eq!(experiment.sampling.positions, Some(16));
    let quick = applied(
        LEAST,
        Overrides {
            quick: true,
            ..Default::default()
        },
    );
    assert_eq!((quick.sampling.min_samples, quick.sampling.warmup), (3, 1));
    assert_eq!(quick.budget.total, Duration::from_secs(180));
    let expected = "must be a time from \"1ms\" to \"30days\", such as \"20s\" or \"5m\"";
    assert_eq!(parse_duration("soon").unwrap_err(), expected);
}
