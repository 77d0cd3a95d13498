//! A paper's claims in a run's report.

use std::path::Path;

use plybench::report::{RunData, write_from};
use plybench::words::Status;

use crate::fixture::*;

/// A claim with all keys but those about its quantity.
fn about(id: &str, rest: &str) -> String {
    format!(
        "\n[[claim]]\nid = \"{id}\"\nexperiment = \"reversi\"\ntext = \"About {id}.\"\n\
         source = \"Table 2\"\n{rest}\n"
    )
}

/// A claim about the speed-up over serial.
fn speedup(id: &str, test: &str) -> String {
    let what = "table = \"table-2\"\nquantity = \"speedup\"\ntechnique = \"pv-split\"\n\
        baseline = \"serial\"";
    about(id, &format!("{what}\n{test}"))
}

fn claimed(folder: &Path, claims: &[String]) -> RunData {
    let data = eventful(folder);
    put(&data, claims);
    data
}

fn put(data: &RunData, claims: &[String]) {
    crate::fixture::claim(&data.folder, &claims.concat());
}

/// Verdict, held, measured and all of a claim.
fn verdict(data: &RunData, id: &str) -> [String; 4] {
    write_from(data, &data.folder).unwrap();
    let table = Csv::read(data.folder.join("tables/claims.csv"));
    let row = table.row(&[("id", id)]);
    ["verdict", "held", "measured", "all"].map(|column| row[column].clone())
}

#[test]
fn claims_are_judged_by_the_rows_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let data = claimed(
        folder.path(),
        &[
            speedup(
                "small",
                "cases = { board = \"8x8\" }\ntest = \"below\"\nvalue = 1.0",
            ),
            speedup(
                "large",
                "cases = { board = \"16x16\" }\ntest = \"above\"\nvalue = 1",
            ),
            speedup("grows", "test = \"rises\"\nalong = \"board\""),
            speedup("deep", "cases = { depth = 3 }\ntest = \"above\"\nvalue = 1"),
            // Ours are 0.25, 2 and 4, the paper's 0.25, 0.5 and 2.
            speedup("as-printed", "test = \"published\"\nwithin = 3"),
            about(
                "transfers",
                "table = \"table-2\"\nquantity = \"transfer-share\"\ntechnique = \"pv-split\"\n\
                 test = \"above\"\nvalue = 0.16",
            ),
            about(
                "facts",
                "table = \"table-1\"\nquantity = \"fact:branching-factor\"\ntest = \"about\"\n\
                 value = 10\nwithin = 2",
            ),
        ],
    );
    let found = |id: &str| verdict(&data, id);
    assert_eq!(found("small"), ["fails", "1", "2", "3"]);
    assert_eq!(found("large"), ["holds", "1", "1", "2"]);
    assert_eq!(found("grows"), ["holds", "1", "1", "3"]);
    assert_eq!(found("deep"), ["not measured", "0", "0", "1"]);
    assert_eq!(found("as-printed"), ["fails", "2", "3", "3"]);
    // They are 15 % of every sample's time.
    assert_eq!(found("transfers"), ["fails", "0", "3", "5"]);
    assert_eq!(found("facts"), ["holds", "2", "2", "2"]);
    let table = Csv::read(folder.path().join("tables/claims.csv"));
    let row = |id: &str| table.row(&[("id", id)]);
    assert!(row("small")["worst"].starts_with("8x8, depth 2: 2.00"));
    assert_eq!(row("small")["device"], DEVICE);
    assert_eq!(row("facts")["device"], "host");
    let expected = "8x8, depth 3: skipped: budget 60 s, predicted 310 s";
    assert_eq!(row("deep")["reason"], expected);
    let worst = &row("as-printed")["worst"];
    assert!(worst.ends_with("paper 0.500, ×4.00"), "{worst}");
}

#[test]
fn what_the_run_does_not_have_is_not_measured() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = claimed(
        folder.path(),
        &[
            speedup("other", "test = \"above\"\nvalue = 1").replace("pv-split", "newer"),
            speedup("axis", "test = \"rises\"\nalong = \"width\""),
            speedup("elsewhere", "test = \"above\"\nvalue = 1").replace("\"reversi\"", "\"chess\""),
        ],
    );
    data.measurements.retain(|row| row.status == Status::Ok);
    write_from(&data, &data.folder).unwrap();
    let table = Csv::read(folder.path().join("tables/claims.csv"));
    assert_eq!(table.len(), 2, "claims of other experiments are no news");
    let reason = |id: &str| table.row(&[("id", id)])["reason"].clone();
    let expected = "this run's experiment has no technique newer";
    assert_eq!(reason("other"), expected);
    assert_eq!(reason("axis"), "this run's experiment has no axis width");
}

#[test]
fn a_wrong_claim_is_a_warning_and_the_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let data = claimed(
        folder.path(),
        &[
            speedup("wrong", "test = \"abve\"\nvalue = 1"),
            speedup("right", "test = \"above\"\nvalue = 1"),
        ],
    );
    let paths = write_from(&data, folder.path()).unwrap();
    let [warning] = &paths.warnings[..] else {
        panic!("{:?}", paths.warnings);
    };
    let part = "published/reversi/claims.toml:12:8: claim wrong.test: \"abve\"";
    assert!(warning.starts_with(part), "{warning}");
    assert_eq!(Csv::read(folder.path().join("tables/claims.csv")).len(), 1);
}
