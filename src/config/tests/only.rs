//! Tests techniques that are measured only on some cases.

use super::*;

/// Returns an experiment with depths 1 to 3. Its technique has a group of 1, which forbids depth 1.
fn deep(only: &str) -> String {
    format!(
        "name = \"only\"\ngame = \"draughts\"\ntask = \"game\"\n\
         [[cases]]\nboard = [\"4x4\", \"8x8\"]\ndepth = [1, 2, 3]\n\
         [[technique]]\nname = \"deep\"\ngroup = 1\n{only}\n\
         [[table]]\nid = \"time\"\nquantity = \"time\"\nrows = \"board\"\ncolumns = \"depth\"\n\
         techniques = [\"deep\"]\n"
    )
}

#[test]
fn a_technique_takes_the_cases_that_it_is_restricted_to() {
    let experiment = read(&deep("only = { depth = [2, 3], board = \"8x8\" }"));
    let taken: Vec<String> = experiment
        .cases
        .iter()
        .filter(|case| experiment.techniques[2].takes(case))
        .map(ToString::to_string)
        .collect();
    assert_eq!(taken, ["board=8x8 depth=2", "board=8x8 depth=3"]);
    let mut cases = experiment.cases.iter();
    assert!(cases.all(|case| experiment.techniques[0].takes(case)));
    let again = parse(&to_toml(&experiment), "x.toml", &catalogue()).unwrap();
    assert_eq!(again, experiment);
}

#[test]
fn parameters_and_a_case_that_do_not_go_together_are_refused() {
    assert_eq!(
        refused(&deep("")),
        "x.toml:7:1: technique: group: `1`; allowed is less than the depth, in the case board=4x4 \
         depth=1; `only` restricts a technique to some cases"
    );
}

#[test]
fn a_restriction_names_axes_and_values_that_are_there() {
    assert!(refused(&deep("only = { dept = 2 }")).contains("technique.only.dept: unknown key"));
    let holds = refused(&deep("only = { depth = [2, 4] }"))
        .ends_with("4 is not allowed: no case of this experiment has this depth");
    assert!(holds, "{}", refused(&deep("only = { depth = [2, 4] }")));
    let text = deep("only = { depth = 1, board = \"4x4\" }");
    let text = text.replace("[1, 2, 3]", "1") + "[[cases]]\nboard = \"8x8\"\ndepth = 2\n";
    let none = text.replace("{ depth = 1,", "{ depth = 2,");
    let expected = "technique.only: no case of this experiment has all of these values";
    assert!(refused(&none).ends_with(expected), "{}", refused(&none));
    let baseline = LEAST.to_owned() + "[[technique]]\nname = \"serial\"\nonly = { depth = 1 }\n";
    assert!(refused(&baseline).ends_with("serial is a baseline and must run in every case"));
}

#[test]
fn a_filter_leaves_a_restriction_that_can_be_read_back() {
    let whole = read(&deep("only = { depth = [2, 3] }"));
    let filtered = |filters: &[&str]| {
        let selection = Selection {
            cases: filters.iter().map(|it| (*it).to_owned()).collect(),
            ..Selection::default()
        };
        let experiment = selection.of(&whole).unwrap();
        let again = parse(&to_toml(&experiment), "x.toml", &catalogue()).unwrap();
        assert_eq!(again, experiment);
        experiment
    };
    let expected = ["serial", "rayon", "deep"];
    assert_eq!(labels(&filtered(&["depth=1", "depth=3"])), expected);
    let without = filtered(&["depth=1"]);
    assert_eq!(labels(&without), ["serial", "rayon"]);
    assert!(without.tables.is_empty());
}
