//! Compares an experiment in two merged shards with the same experiment in one run, except for times.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::bench;
use super::golden::{COLUMNS, Golden};
use super::golden_file::differences;

/// A search with three families of cases and a device technique, and a match with two pairs of games per shard.
const EXPERIMENTS: [(&str, &str); 2] = [
    ("search", include_str!("search.toml")),
    ("match", include_str!("match.toml")),
];
const SHARDS: [&str; 2] = ["1/2", "2/2"];
/// The files of a run. For each: the columns that identify a row, and the columns that depend on no clock or machine.
const FILES: [(&str, &str, &str); 3] = [
    (
        "measurements",
        "case technique device",
        "kind threads status samples units launches bytes_up bytes_down nodes leaves playouts plies facts",
    ),
    (
        "samples",
        "case technique device",
        "sample pass launches bytes_up bytes_down nodes leaves playouts plies",
    ),
    ("facts", "case fact", "value"),
];

type Row = BTreeMap<String, String>;

/// Adds the cells, samples and facts of a folder.
fn add_folder(golden: &mut Golden, name: &str, folder: &Path) {
    for (file, labels, columns) in FILES {
        let group = format!("{name} {file}");
        let mut columns: Vec<&str> = columns.split(' ').collect();
        // A run without shards times other pairs of games, because its first pairs are untimed samples.
        match (name, file) {
            ("match", "samples") => continue,
            ("match", "measurements") => columns.retain(|own| !["nodes", "leaves"].contains(own)),
            _ => {}
        }
        let more = match file {
            "measurements" => "reason or games",
            "samples" => "positions",
            _ => "",
        };
        golden.add(&group, COLUMNS, &[&columns[..], &[more]].concat());
        let mut reader = csv::Reader::from_path(folder.join(format!("{file}.csv"))).unwrap();
        for row in reader.deserialize().map(Result::<Row, _>::unwrap) {
            let label: Vec<&str> = labels.split(' ').map(|own| row[own].as_str()).collect();
            let label = label.join("; ");
            let more = match file {
                // A run without shards plays more games than the eight of the shards.
                "measurements" if !row["score"].is_empty() => {
                    let games = row["score"].split("; ").skip(1).take(8);
                    games.collect::<Vec<_>>().join(" ")
                }
                "samples" => row["positions_ns"]
                    .split_terminator(';')
                    .count()
                    .to_string(),
                // The reason of a measured cell describes how much its time varies.
                "measurements" if row["status"] != "ok" => row["reason"].clone(),
                _ => String::new(),
            };
            let fields: Vec<&str> = columns.iter().map(|own| row[*own].as_str()).collect();
            golden.add(&group, &label, &[&fields[..], &[&more]].concat());
        }
    }
}

#[test]
fn merged_shards_equal_the_run_without_shards() {
    let mut golden = Golden::default();
    for (name, experiment) in EXPERIMENTS {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        std::fs::write(place.join("tiny.toml"), experiment).unwrap();
        let run = |more: &[&str]| {
            let words = ["run", "tiny.toml", "--threads", "2"];
            bench(place, &[&words, more].concat())
        };
        run(&["--out", "whole"]);
        for shard in SHARDS {
            run(&["--out", "shards", "--shard", shard]);
        }
        bench(place, &["merge", "merged", "shards"]);
        let [whole, merged] = ["whole", "merged"].map(|own| {
            let mut golden = Golden::default();
            add_folder(&mut golden, name, &place.join(own));
            golden
        });
        let lines = differences(&whole.leaves(), &merged.leaves());
        let holds = lines.is_empty();
        assert!(holds, "merged shards against the whole run: {lines:#?}");
        add_folder(&mut golden, name, &place.join("merged"));

        // Compare the rows planned for the whole run with those planned for its shards.
        let planned = |more: &[&str]| -> BTreeSet<String> {
            let text = run(&[&["--dry-run"], more].concat());
            text.lines()
                .skip(1)
                .map(|line| line.trim().to_owned())
                .collect()
        };
        let shards = SHARDS.map(|shard| (shard, planned(&["--shard", shard])));
        for row in planned(&[]) {
            let own = shards.iter().filter(|(_, own)| own.contains(&row));
            let own: Vec<&str> = own.map(|(shard, _)| *shard).collect();
            assert!(!own.is_empty(), "no shard plans {row}");
            golden.add(&format!("{name} planned"), &row, &[&own.join(" ")]);
        }
    }
    golden.check("shards.json");
}
