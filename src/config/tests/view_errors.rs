//! Tests error messages for invalid tables and charts.

use super::*;

#[test]
fn views_that_make_no_sense_are_refused() {
    all_say(
        r#"
id = "table-2" | id = §"table-1" | table.id: "table-1" occurs twice
depth = 1 } | depth = §7 } | table.fixed.depth: no case has this value; allowed: 2, 1; did you mean 2?
{ depth = 1 } | { §board = "8x8" } | table.fixed.board: unknown key; allowed: depth
[[table]]⏎id = "rates"⏎quantity = "node-rate"⏎rows = "technique"⏎columns = "board"⏎fixed = { depth = 1 } | §[[table]]⏎id = "rates"⏎quantity = "node-rate"⏎rows = "technique"⏎columns = "board" | table.fixed: the axis depth has several values and is neither shown nor fixed
columns = "depth" | columns = §"board" | table.columns: "board" is not known; allowed: depth, technique, group
rows = "board"⏎⏎ | rows = "board"⏎baselines = §["serial"]⏎⏎ | table.baselines: its quantity has no baseline; remove the key
rows = "board"⏎⏎ | rows = "board"⏎techniques = §["serial"]⏎⏎ | table.techniques: a fact has no technique; remove the key
"fact:branching-factor"⏎rows = "board" | "fact:branching-factor"⏎rows = §"technique" | table.rows: "technique" is not known; allowed: board, depth
["split"] | ["split", §"split"] | table.techniques: "split" occurs twice
"fact:branching-factor" | §"fact:" | table.quantity: "fact:" is not known; allowed: speedup, time-per-unit, mean-time-per-unit, time, node-overhead, node-rate, nodes, leaf-rate, playout-rate, ply-rate, part:upload, part:queue, part:kernel, part:download, part:host, transfer-share, fact:NAME, resource:NAME
"#,
    );
}

#[test]
fn several_quantities_axes_and_parameters_must_make_sense() {
    all_say(
        r#"
quantity = "speedup"⏎rows = "board"⏎columns = "depth" | quantity = ["speedup", "time"]⏎rows = "board"⏎columns = §"depth" | table.columns: each quantity has a column; remove the key
quantity = "fact:branching-factor" | quantity = §["time", "fact:branching-factor"] | table.quantity: a fact must be the only quantity
quantity = "node-rate" | quantity = ["node-rate", §"node-rate"] | table.quantity: "node-rate" occurs twice
quantity = "node-rate" | quantity = §[] | table.quantity: give at least one
columns = "depth" | columns = ["depth", §"board"] | table.columns: "board" is not known; allowed: technique, group
x = "board" | x = §["board", "depth"] | chart.x: a chart has only one
columns = "depth" | columns = "depth"⏎unit = §"minutes" | table.unit: "minutes" is not known; allowed: s, ms, us, ns
columns = "depth"⏎techniques = ["split"] | columns = ["depth", "group"]⏎techniques = §["split"] | table.techniques: split does not set group, which is an axis here
"#,
    );
}

#[test]
fn a_parameter_names_one_technique_in_each_case() {
    let text = |only: &str| {
        format!(
            "name = \"x\"\ngame = \"draughts\"\ntask = \"game\"\n\
             [[cases]]\nboard = \"8x8\"\ndepth = [1, 2]\n\
             [[technique]]\nname = \"split\"\nlabel = \"a\"\ngroup = 4\n\
             only = {{ depth = 1 }}\n\
             [[technique]]\nname = \"split\"\nlabel = \"b\"\ngroup = 4\n{only}\n\
             [[table]]\nid = \"t\"\nquantity = [\"time\", \"part:kernel\"]\n\
             rows = [\"depth\", \"group\"]\nunit = \"ms\"\ntechniques = [\"a\", \"b\"]\n\
             published = [\"x/1.csv\", \"x/2.csv\"]\n"
        )
    };
    let error = refused(&text(""));
    let wanted = "table.techniques: a and b have the same group";
    assert!(error.ends_with(wanted), "{error}");
    let experiment = read(&text("only = { depth = 2 }"));
    let table = &experiment.tables[0];
    assert_eq!(table.rows, ["depth", "group"]);
    assert_eq!(table.published, ["x/1.csv", "x/2.csv"]);
    assert_eq!(table.unit, Some(TimeUnit::Milliseconds));
    let part = Quantity::Part(Part::Kernel);
    assert_eq!(table.quantities, [Quantity::Time, part]);
    assert_eq!(read(&to_toml(&experiment)), experiment);
}
