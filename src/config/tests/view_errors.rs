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
        "table.quantity: \"fact:\" is not known; allowed: speedup, time-per-unit, time, \
         node-overhead, node-rate, nodes, leaf-rate, playout-rate, part:upload, part:queue, \
         part:kernel, part:download, part:host, fact:NAME",
    );
}
