use super::*;

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

/// Applies a sweep option. Returns the labels that it adds, and the combinations that it leaves out.
fn sweep(experiment: &mut Experiment, text: &str) -> Result<[Vec<String>; 2], String> {
    let sweep = Lists::from([parse_sweep(text)?]);
    let all = experiment.sweep(&sweep, &catalogue())?;
    let (added, left_out) = all.into_iter().map(|it| (it.added, it.left_out)).unzip();
    Ok([added, left_out].map(|lists: Vec<_>| lists.concat()))
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
fn several_parameters_make_the_product() {
    let swept = with("sweep = { group = [2, 3], items = [1, 4] }").unwrap();
    let expected = "serial rayon split split-group-2-items-1 split-group-2-items-4 split-group-3-items-1 \
        split-group-3-items-4 deep";
    assert_eq!(labels(&swept).join(" "), expected);
}

#[test]
fn a_swept_parameter_may_be_an_axis() {
    let view = |table: &str| {
        let text = SWEPT.replace("SWEEP", "label = \"s\"\nsweep.group = [2, 3]");
        let (text, _) = text.split_once("[[table]]").unwrap();
        read(&format!("{text}[[table]]\nid = \"t\"\n{table}")).tables[0].clone()
    };
    // A technique without a value of the parameter is not in any row.
    let by_value =
        view("quantity = \"time\"\nrows = \"group\"\ncolumns = \"depth\"\ntechniques = \"s\"");
    assert_eq!(by_value.techniques, ["s-group-2", "s-group-3"]);
    let compared = "quantity = \"speedup\"\nrows = \"depth\"\nbaselines = \"s\"\n";
    let compared = view(&format!("{compared}techniques = [\"s-group-3\", \"deep\"]"));
    assert_eq!(
        (compared.baselines, compared.techniques),
        (
            vec!["s".to_owned()],
            vec!["s-group-3".to_owned(), "deep".to_owned()]
        )
    );
    let all = view("quantity = \"time\"\nrows = \"depth\"\ncolumns = \"technique\"");
    assert_eq!(
        all.techniques.join(" "),
        "serial rayon s s-group-2 s-group-3 deep"
    );
}

#[test]
fn opponents_of_a_swept_technique_play_the_defaults() {
    let text = SWEPT
        .replace("SWEEP", "sweep.group = [2]")
        .replace("\"game\"", "\"match\"");
    let (text, _) = text.split_once("[[technique]]\nname = \"deep\"").unwrap();
    let text =
        format!("{text}[[technique]]\nname = \"split\"\nlabel = \"other\"\nopponent = \"split\"");
    let swept = read(&text);
    let opponents = swept.techniques.iter().map(|it| it.opponent.as_deref());
    assert_eq!(
        opponents.collect::<Vec<_>>(),
        [None, Some("serial"), Some("serial"), Some("split")]
    );
}

#[test]
fn an_option_sweeps_every_technique_and_leaves_out_what_a_case_refuses() {
    let mut experiment = with("").unwrap();
    let [added, left_out] = sweep(&mut experiment, "group=2,4,0,2").unwrap();
    assert_eq!(added, ["split-group-2", "split-group-4", "deep-group-2"]);
    let refused = [
        "split-group-0: must be 1 to 9, or \"board\"",
        "deep-group-4: group: `4`; allowed is less than the depth",
        "deep-group-0: must be 1 to 9, or \"board\"",
    ];
    assert_eq!(left_out, refused);
    let shown = ["serial", "split", "split-group-2", "split-group-4"];
    assert_eq!(experiment.tables[0].techniques, shown);
    // A technique that already sets the parameter keeps its value.
    let [added, _] = sweep(&mut with("group = 3").unwrap(), "group=2").unwrap();
    assert_eq!(added, ["deep-group-2"]);
}

#[test]
fn refuses_wrong_sweeps_at_their_place() {
    each_row(
        r#"
sweep.§grop = [1] | technique.sweep.grop: unknown key; allowed: group, items; did you mean group?
sweep.group = [1, §0] | technique.sweep.group: 0 is not allowed: must be 1 to 9, or "board"
sweep.group = [1, 2, §1] | technique.sweep.group: "1" occurs twice
sweep.group = §[] | technique.sweep.group: empty; give at least one value
sweep.group = §3 | technique.sweep.group: must be a list, not 3
group = 8⏎sweep.group = §[1, 2] | technique.sweep.group: set twice; remove one of the keys
sweep = §{} | technique.sweep: must list a parameter of a measured technique
name = "deep"⏎label = "d"⏎§sweep.group = [2, 4] | technique.sweep: d-group-4: group: `4`; allowed is less than the depth
"#,
        |[sweep, expected]| {
            let text = SWEPT
                .replace("SWEEP", sweep)
                .replace("name = \"split\"\nname", "name");
            let before = &text[..text.find('§').expect("a mark")];
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|it| *it != '\n').count() + 1;
            let error = refused(&text.replace('§', ""));
            assert_eq!(error, format!("x.toml:{line}:{column}: {expected}"));
        },
    );
    let many: Vec<String> = (0..201).map(|it| it.to_string()).collect();
    let many = format!("group={}", many.join(","));
    for (option, expected) in [
        (
            "steps=1,2",
            "no technique of x can vary steps; allowed: group, items",
        ),
        ("group=0", "split-group-0: must be 1 to 9, or \"board\""),
        (&many, "201 combinations; at most 200 are allowed"),
    ] {
        assert_eq!(
            sweep(&mut with("").unwrap(), option),
            Err(expected.to_owned())
        );
    }
    for text in ["group", "=1", "group=", "group=1,,2"] {
        assert!(parse_sweep(text).is_err(), "{text}");
    }
}
