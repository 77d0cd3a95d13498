//! Files of tuned parameters, and experiments that use them.

use super::super::{Timing, Tried, Tuned, TunedDevice, TunedError, TunedTechnique};
use super::*;
use crate::words::Status;

/// The game's techniques, and one with two parameters.
fn catalogue() -> Catalogue {
    let mut catalogue = super::catalogue();
    catalogue.techniques.push(TechniqueEntry {
        params: &[SMALL, WEIGHTS],
        check: takes_no_shallow_case,
        ..technique("pv-split", Kind::Device, TASKS)
    });
    catalogue
}

fn device(name: &str) -> TunedDevice {
    TunedDevice {
        platform: "a \"platform\"".into(),
        name: name.into(),
        driver: "1.0".into(),
    }
}

fn found(params: &[(&str, Value)]) -> TunedTechnique {
    let params: Params = params
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.clone()))
        .collect();
    let timing = |median_ns| Timing {
        median_ns,
        low_ns: median_ns - 1,
        high_ns: median_ns + 1,
        samples: 8,
    };
    TunedTechnique {
        game: "draughts".into(),
        task: Task::Game,
        name: "pv-split".into(),
        kernel: None,
        experiment: "draughts".into(),
        case: "board=8x8 depth=2".into(),
        kernel_hash: "0123456789abcdef".into(),
        default: timing(200),
        tuned: (!params.is_empty()).then(|| timing(100)),
        tried: vec![
            Tried {
                params: params.clone(),
                status: Status::Ok,
                reason: "±9.0 %, not ±1.0 %".into(),
                timing: Some(timing(100)),
            },
            Tried {
                params: Params::new(),
                status: Status::Unsupported,
                reason: "two\nlines".into(),
                timing: None,
            },
        ],
        params,
    }
}

fn tuned(params: &[(&str, Value)]) -> Tuned {
    let mut tuned = Tuned::new(device("gpu"));
    tuned.put(found(params));
    tuned
}

/// Reads a text as a file would be.
fn read(text: &str) -> Result<Tuned, TunedError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gpu.toml");
    std::fs::write(&path, text).unwrap();
    Tuned::read(&path, &catalogue())
}

fn problem(read: Result<Tuned, TunedError>) -> String {
    match read {
        Err(TunedError::Wrong { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_reads_as_what_was_written() {
    for params in [
        &[][..],
        &[("group", Value::Int(4))],
        &[("group", Value::Text("board".into()))],
    ] {
        let tuned = tuned(params);
        let text = tuned.to_toml().unwrap();
        assert_eq!(read(&text), Ok(tuned), "{text}");
    }
    let empty = Tuned::new(device("gpu"));
    assert_eq!(read(&empty.to_toml().unwrap()), Ok(empty));
}

#[test]
fn a_technique_is_replaced_by_what_was_found_later_and_others_stay() {
    let mut both = tuned(&[("group", Value::Int(4))]);
    let mut other = found(&[]);
    other.task = Task::Match;
    both.put(other.clone());
    both.put(found(&[("group", Value::Int(2))]));
    assert_eq!(both.techniques, [found(&[("group", Value::Int(2))]), other]);
}

#[test]
fn what_is_wrong_is_told_in_one_line() {
    let good = tuned(&[("group", Value::Int(4))]).to_toml().unwrap();
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{good}");
        problem(read(&good.replace(from, to)))
    };
    assert_eq!(
        with("name = \"pv-split\"", "name = \"pv-splitt\""),
        "technique: draughts has no \"pv-splitt\"; allowed: old, serial, rayon, split, \
         counter, deep, pv-split; did you mean pv-split?"
    );
    assert!(with("game = \"draughts\"", "game = \"chess\"").contains("chess has no \"pv-split\""));
    assert_eq!(
        with("group = 4", "groop = 4"),
        "params: draughts pv-split has no \"groop\"; allowed: group, weights; did you mean group?"
    );
    assert_eq!(
        with("group = 4", "group = 99"),
        "params: draughts pv-split: must be 1 to 9, or \"board\""
    );
    assert_eq!(
        with("format = 1", "format = 2"),
        "format: 2; this program reads 1"
    );
    assert!(with("median-ns = 200", "median-ns = \"soon\"").starts_with("line "));
    assert!(with("driver = ", "diver = ").contains("diver"));
    for text in ["", "format = 1", "\u{0}", "[[technique]]", "= ="] {
        let problem = problem(read(text));
        assert!(!problem.contains('\n'), "{problem}");
    }
    assert!(matches!(
        Tuned::read(std::path::Path::new("/nonexistent/gpu.toml"), &catalogue()),
        Err(TunedError::Read { .. })
    ));
}

#[test]
fn another_device_is_refused_and_named() {
    let tuned = tuned(&[]);
    let of = |devices: &[TunedDevice]| {
        let checked = tuned.expect_device(std::path::Path::new("x.toml"), devices);
        checked.map_err(|error| error.to_string())
    };
    assert_eq!(of(&[device("gpu")]), Ok(()));
    let mut newer = device("gpu");
    newer.driver = "2.0".into();
    assert_eq!(of(&[newer]), Ok(()), "another driver is another matter");
    let own = "x.toml: is of gpu (a \"platform\") and of no other";
    let said = |rest: &str| Err(format!("{own}; {rest}"));
    assert_eq!(of(&[]), said("there is no device"));
    assert_eq!(
        of(&[device("cpu")]),
        said("this run is on cpu (a \"platform\")")
    );
    assert_eq!(
        of(&[device("gpu"), device("cpu")]),
        said("this run is on gpu (a \"platform\") and on cpu (a \"platform\")")
    );
    let mut elsewhere = device("gpu");
    elsewhere.platform = "b".into();
    assert_eq!(of(&[elsewhere]), said("this run is on gpu (b)"));
}

const EXPERIMENT: &str = r#"
name = "x"
game = "draughts"
task = "game"

[[cases]]
board = "8x8"
depth = [4, 6]

[[technique]]
name = "pv-split"
TECHNIQUE

[[technique]]
name = "pv-split"
label = "small"
group = 2

[[technique]]
name = "pv-split"
label = "large"
group = 3

[[table]]
id = "factors"
quantity = "speedup"
rows = "depth"
techniques = ["pv-split", "small"]
baselines = ["serial"]

[[table]]
id = "groups"
quantity = "time"
rows = "depth"
columns = "group"
techniques = ["small", "large"]

[[chart]]
id = "curves"
quantity = "time"
x = "depth"
series = "technique"
techniques = ["serial", "pv-split"]
"#;

fn with_tuned(technique: &str, params: &[(&str, Value)]) -> (Experiment, Vec<String>, Vec<String>) {
    let text = EXPERIMENT.replace("TECHNIQUE", technique);
    let mut experiment = parse(&text, "x.toml", &catalogue()).unwrap();
    let (added, refused) = experiment.add_tuned(&tuned(params), &catalogue());
    (experiment, added, refused)
}

#[test]
fn a_tuned_technique_stands_beside_its_defaults_everywhere() {
    let weights = Value::List(vec![Value::Int(1)]);
    let params = [("weights", weights.clone())];
    // `small` and `large` set no weights, but the table that tells them apart by group keeps them.
    let (experiment, added, refused) = with_tuned("", &params);
    assert_eq!(added, ["pv-split-tuned", "small-tuned", "large-tuned"]);
    assert!(refused.is_empty());
    let labels: Vec<&str> = experiment
        .techniques
        .iter()
        .map(|it| it.label.as_str())
        .collect();
    let expected = "serial rayon pv-split pv-split-tuned small small-tuned large large-tuned";
    assert_eq!(labels.join(" "), expected);
    let choice = experiment.choice("small-tuned").unwrap();
    assert_eq!(choice.params["group"], Value::Int(2));
    assert_eq!(choice.params["weights"], weights);
    let [factors, groups] = experiment.tables.as_slice() else {
        panic!("{:?}", experiment.tables);
    };
    assert_eq!(
        factors.techniques,
        ["pv-split", "pv-split-tuned", "small", "small-tuned"]
    );
    assert_eq!(groups.techniques, ["small", "large"]);
    let curves = &experiment.charts[0];
    assert_eq!(curves.techniques, ["serial", "pv-split", "pv-split-tuned"]);
    // A run folder's experiment is read again.
    let again = parse(&to_toml(&experiment), "experiment.toml", &catalogue()).unwrap();
    assert_eq!(again, experiment);
}

#[test]
fn what_sets_the_parameter_itself_or_has_nothing_new_stays_alone() {
    let group = |group| [("group", Value::Int(group))];
    let (experiment, added, refused) = with_tuned("group = 5\nonly = { depth = 6 }", &[]);
    assert!(added.is_empty() && refused.is_empty());
    assert_eq!(experiment.techniques.len(), 5);
    let (_, added, refused) = with_tuned("group = 1", &group(4));
    assert!(
        added.is_empty() && refused.is_empty(),
        "{added:?} {refused:?}"
    );
    let only_deep = "only = { depth = 6 }";
    let (experiment, added, _) = with_tuned(only_deep, &group(4));
    assert_eq!(added, ["pv-split-tuned"]);
    assert_eq!(experiment.choice("pv-split-tuned").unwrap().only.0.len(), 1);
}

#[test]
fn parameters_that_a_case_refuses_are_left_out_with_the_reason() {
    let (experiment, added, refused) = with_tuned("", &[("group", Value::Int(4))]);
    assert!(added.is_empty());
    assert_eq!(
        refused,
        ["pv-split-tuned is left out: group: `4`; allowed is less than the depth"]
    );
    assert!(experiment.choice("pv-split-tuned").is_none());
}
