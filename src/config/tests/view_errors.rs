//! What a wrong table or chart is told.

use super::*;

#[test]
fn views_that_make_no_sense_are_refused() {
    says(
        "id = \"table-2\"",
        "id = §\"table-1\"",
        "table.id: \"table-1\" is there twice",
    );
    says(
        "depth = 1 }",
        "depth = §7 }",
        "table.fixed.depth: no case has this value; allowed: 2, 1; did you mean 2?",
    );
    says(
        "{ depth = 1 }",
        "{ §board = \"8x8\" }",
        "table.fixed.board: unknown key; allowed: depth",
    );
    says(
        "[[table]]\nid = \"rates\"\nquantity = \"node-rate\"\nrows = \"technique\"\ncolumns = \
         \"board\"\nfixed = { depth = 1 }",
        "§[[table]]\nid = \"rates\"\nquantity = \"node-rate\"\nrows = \"technique\"\ncolumns = \
         \"board\"",
        "table.fixed: the axis depth has several values and is neither shown nor fixed",
    );
    says(
        "columns = \"depth\"",
        "columns = §\"board\"",
        "table.columns: \"board\" is not known; allowed: depth, technique, group",
    );
    says(
        "rows = \"board\"\n\n",
        "rows = \"board\"\nbaselines = §[\"serial\"]\n\n",
        "table.baselines: fact:branching-factor has no baseline; leave the key out",
    );
    says(
        "rows = \"board\"\n\n",
        "rows = \"board\"\ntechniques = §[\"serial\"]\n\n",
        "table.techniques: fact:branching-factor has no technique; leave the key out",
    );
    says(
        "\"fact:branching-factor\"\nrows = \"board\"",
        "\"fact:branching-factor\"\nrows = §\"technique\"",
        "table.rows: \"technique\" is not known; allowed: board, depth",
    );
    says(
        "[\"split\"]",
        "[\"split\", §\"split\"]",
        "table.techniques: \"split\" is there twice",
    );
    says(
        "[\"split\"]",
        "§[]",
        "table.techniques: empty; leave the key out for the default",
    );
    says(
        "published = \"draughts/table-2.csv\"\npublished-baseline = \"old\"",
        "published-baseline = §\"old\"",
        "table.published-baseline: there are no published numbers: the key published is missing",
    );
    says(
        "\"fact:branching-factor\"",
        "§\"fact:\"",
        "table.quantity: \"fact:\" is not known; allowed: speedup, time-per-unit, mean-time-per-unit, time, \
         node-overhead, node-rate, nodes, leaf-rate, playout-rate, ply-rate, part:upload, part:queue, \
         part:kernel, part:download, part:host, transfer-share, fact:NAME, resource:NAME",
    );
}

#[test]
fn several_quantities_axes_and_parameters_must_make_sense() {
    says(
        "quantity = \"speedup\"\nrows = \"board\"\ncolumns = \"depth\"",
        "quantity = [\"speedup\", \"time\"]\nrows = \"board\"\ncolumns = §\"depth\"",
        "table.columns: each quantity has a column; leave the key out",
    );
    says(
        "quantity = \"fact:branching-factor\"",
        "quantity = §[\"time\", \"fact:branching-factor\"]",
        "table.quantity: fact:branching-factor must stand by itself",
    );
    says(
        "quantity = \"node-rate\"",
        "quantity = [\"node-rate\", §\"node-rate\"]",
        "table.quantity: is there twice",
    );
    says(
        "quantity = \"node-rate\"",
        "quantity = §[]",
        "table.quantity: empty; give one at least",
    );
    says(
        "columns = \"depth\"",
        "columns = [\"depth\", §\"board\"]",
        "table.columns: \"board\" is not known; allowed: technique, group",
    );
    says(
        "columns = \"depth\"",
        "columns = §[]",
        "table.columns: empty; give one axis at least",
    );
    says(
        "columns = \"depth\"",
        "columns = \"depth\"\nunit = §\"minutes\"",
        "table.unit: \"minutes\" is not known; allowed: s, ms, us, ns",
    );
    says(
        "[[table]]\nid = \"table-2\"\nquantity = \"speedup\"\nrows = \"board\"\ncolumns = \"depth\"",
        "§[[table]]\nid = \"table-2\"\nquantity = \"speedup\"\nrows = \"board\"\n\
         columns = [\"depth\", \"group\"]",
        "table.techniques: split does not set group, which is an axis here",
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
    assert!(
        error.ends_with("table.techniques: a and b have the same group"),
        "{error}"
    );
    let experiment = read(&text("only = { depth = 2 }"));
    let table = &experiment.tables[0];
    assert_eq!(table.rows, ["depth", "group"]);
    assert_eq!(table.published, ["x/1.csv", "x/2.csv"]);
    assert_eq!(table.unit, Some(TimeUnit::Milliseconds));
    let part = Quantity::Part(Part::Kernel);
    assert_eq!(table.quantities, [Quantity::Time, part]);
    assert_eq!(read(&to_toml(&experiment)), experiment);
}
