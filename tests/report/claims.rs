//! Tests a paper's claims in the report of a run.

use std::path::Path;

use plybench::report::RunData;
use plybench::words::Status;

use crate::fixture::*;

fn speedup(id: &str, test: &str) -> String {
    format!(
        "\n[[claim]]\nid = \"{id}\"\nexperiment = \"reversi\"\ntext = \"About {id}.\"\n\
         source = \"Table 2\"\ntable = \"table-2\"\nquantity = \"speedup\"\n\
         technique = \"pv-split\"\nbaseline = \"serial\"\n{test}\n"
    )
}

fn claimed(folder: &Path, claims: &[String]) -> RunData {
    let data = eventful(folder);
    claim(&data.folder, &claims.concat());
    data
}

#[test]
fn what_the_run_does_not_have_is_not_measured() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = claimed(
        folder.path(),
        &[
            speedup("other", "test = { above = 1 }").replace("pv-split", "newer"),
            speedup("axis", "test = { rises = \"width\" }"),
            speedup("elsewhere", "test = { above = 1 }").replace("\"reversi\"", "\"chess\""),
        ],
    );
    data.measurements.retain(|row| row.status == Status::Ok);
    let table = tables(&data, "claims");
    assert_eq!(table.len(), 2, "only claims of this experiment");
    for id in ["other", "axis"] {
        assert_eq!(table.row(&[("id", id)])["verdict"], "not measured");
    }
    let expected = "the claim covers no case in this run's experiment";
    assert_eq!(table.row(&[("id", "other")])["reason"], expected);
}

#[test]
fn a_wrong_claim_is_a_warning_and_the_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let data = claimed(
        folder.path(),
        &[
            speedup("wrong", "test = { abve = 1 }"),
            speedup("right", "test = { above = 1 }"),
        ],
    );
    let made = write(&data, folder.path()).unwrap();
    let [warning] = &made.warnings[..] else {
        panic!("{:?}", made.warnings);
    };
    let part = "published/reversi/claims.toml:12:10: claim wrong.test: \"abve\"";
    assert!(warning.starts_with(part), "{warning}");
    assert_eq!(Csv::read(folder.path().join("tables/claims.csv")).len(), 1);
}

#[test]
fn a_trend_of_facts_follows_the_experiment_and_not_the_order_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let rises = "\n[[claim]]\nid = \"rises\"\nexperiment = \"reversi\"\ntext = \"It rises.\"\n\
         source = \"Table 1\"\ntable = \"table-1\"\nquantity = \"fact:branching-factor\"\n\
         test = { rises = \"board\" }\n";
    let mut data = claimed(folder.path(), &[rises.to_owned()]);
    for _ in 0..2 {
        let table = tables(&data, "claims");
        assert_eq!(table.row(&[("id", "rises")])["verdict"], "holds");
        data.facts.reverse();
    }
}
