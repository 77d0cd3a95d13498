use super::*;
use crate::config::{Sweep, Swept};

const SWEPT: &str = r#"
name = "x"
game = "draughts"
task = "game"
cases = [{ board = "8x8", depth = [3, 6], rule = "a" }]
[[technique]]
name = "split"
SWEEP
[[technique]]
name = "deep"
[[table]]
id = "times"
quantity = "time"
rows = "depth"
columns = "technique"
techniques = ["serial", "split"]
"#;

fn with(sweep: &str) -> Result<Experiment, String> {
    let text = SWEPT.replace("SWEEP", sweep);
    parse(&text, "x.toml", &catalogue()).map_err(|error| error.to_string())
}

fn labels(experiment: &Experiment) -> Vec<&str> {
    let techniques = experiment.techniques.iter();
    techniques.map(|it| it.label.as_str()).collect()
}

fn sweep(experiment: &mut Experiment, text: &str) -> Result<Swept, String> {
    experiment.sweep(None, &[text.parse::<Sweep>()?], &catalogue())
}

#[test]
fn makes_each_value_a_technique_beside_the_defaults() {
    let swept = with("sweep.group = [2, \"board\"]").unwrap();
    let expected = "serial rayon split split-group-2 split-group-board deep";
    assert_eq!(labels(&swept).join(" "), expected);
    let shown = ["serial", "split", "split-group-2", "split-group-board"];
    assert_eq!(swept.tables[0].techniques, shown);
    let choice = swept.choice("split-group-2").unwrap();
    assert_eq!(choice.params["group"], Value::Int(2));
    let stored = to_toml(&swept);
    assert_eq!(parse(&stored, "x.toml", &catalogue()), Ok(swept));
}

#[test]
fn an_option_sweeps_every_device_technique_and_leaves_out_what_a_case_refuses() {
    let mut experiment = with("").unwrap();
    let swept = sweep(&mut experiment, "group=2,4,0").unwrap();
    let expected = ["split-group-2", "split-group-4", "deep-group-2"];
    assert_eq!(swept.added, expected);
    let left_out = [
        "split-group-0: must be 1 to 9, or \"board\"",
        "deep-group-4: group: `4`; allowed is less than the depth",
        "deep-group-0: must be 1 to 9, or \"board\"",
    ];
    assert_eq!(swept.left_out, left_out);
}

#[test]
fn refuses_sweeps_that_fit_nothing() {
    for (sweep, problem) in [
        ("sweep.grop = [1]", "has grop open"),
        ("sweep.group = [0]", "must be 1 to 9"),
        ("sweep.group = 3", "list"),
        ("group = 8\nsweep.group = [1, 2]", "has group open"),
    ] {
        let error = with(sweep).unwrap_err();
        let holds = error.starts_with("x.toml:") && error.contains(problem);
        assert!(holds, "{error}");
    }
    let error = sweep(&mut with("").unwrap(), "steps=1,2").unwrap_err();
    assert_eq!(error, "no device technique of x has steps open");
    let many = format!("group={}", vec!["1"; 201].join(","));
    let error = sweep(&mut with("").unwrap(), &many).unwrap_err();
    assert!(error.contains("at most 200"), "{error}");
    for text in ["group", "=1", "group=", "group=1,,2"] {
        assert!(text.parse::<Sweep>().is_err(), "{text}");
    }
}
