//! Tests experiments that are split into shards, and the folder into which shards are merged.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use super::handing_on::tampering::tamper;
use super::place::{Ended, Place, Row, TINY, assert_row, cell, copy, edit, pairs, rows};

/// Three boards with two depths each are three families. Without a device, only host techniques run.
pub fn experiment() -> String {
    let boards = TINY.replace("board = \"4x4\"", "board = [\"4x4\", \"6x6\", \"8x8\"]");
    boards
        .replace("deadline = \"20s\"", "deadline = \"60s\"")
        .replace("cell = \"2s\"", "cell = \"20s\"")
}

pub fn sorted(folder: &Path, column: &str) -> Vec<String> {
    let rows = rows(&folder.join("measurements.csv"));
    let mut all: Vec<String> = rows.iter().map(|row| row[column].clone()).collect();
    all.sort();
    all
}

/// Runs a shard into `shards`. Without a device, the exit code is 5.
fn shard(place: &Place, shard: &str) -> Ended {
    let ended = place.bench(&["run", "tiny.toml", "--out", "shards", "--shard", shard]);
    assert!(matches!(ended.code, Some(0 | 5)), "{}", ended.said);
    ended
}

#[test]
fn shards_are_merged_into_the_run_that_they_divide() {
    let place = Place::new(&experiment());
    for number in 1..=3 {
        shard(&place, &format!("{number}/3"));
    }
    let path = |name: &str| place.path().join(name);
    // The order of the shards must not affect the merged folder.
    let merged = place.bench("merge merged shards/3-of-3 shards/1-of-3 shards");
    merged.ends(0);

    let mut keys = sorted(&path("merged"), "key");
    let cells = keys.len();
    keys.dedup();
    assert_eq!(keys.len(), cells, "none twice");
    place.bench("report --check merged").ends(0);

    // Each family belongs to one shard only.
    let merged = rows(&path("merged/measurements.csv"));
    let board = |row: &Row| row["case"].split(' ').next().unwrap().to_owned();
    let boards = merged.iter().map(|row| (board(row), &row["invocation"]));
    let boards: BTreeSet<_> = boards.collect();
    assert_eq!(boards.len(), 3, "{boards:?}");

    // The report names the command for a run without shards.
    let page = std::fs::read_to_string(path("merged/report.md")).unwrap();
    assert!(page.contains("./scripts/bench run tiny.toml\n"), "{page}");
    assert!(!page.contains("--shard"), "{page}");

    // A second merge into an existing folder needs `--replace`.
    place.bench("merge merged shards").ends(1);
    place.bench("merge --replace merged shards").ends(0);
    for out in [
        "shards/1-of-3",
        "shards/1-of-3/new",
        "absent/../shards/3-of-3/a/b",
    ] {
        let into = place.bench(&format!("merge --replace {out} shards"));
        into.ends(1).says("over or into");
    }
    assert!(!path("shards/1-of-3/new").exists());
}

/// Splits the rows of a run by hand and merges them. The report must equal the run's report, byte for byte.
#[test]
fn a_run_that_is_divided_and_merged_has_the_same_report() {
    let place = Place::new(&experiment());
    // Use two invocations. With a single one, the check would report gaps in the order of the samples.
    for more in ["-c board=4x4", ""] {
        let whole = place.bench(&format!("run tiny.toml --out whole {more}"));
        assert!(matches!(whole.code, Some(0 | 5)), "{}", whole.said);
    }
    let path = |name: &str| place.path().join(name);
    for board in ["4x4", "6x6", "8x8"] {
        let part = path(&format!("parts/{board}"));
        copy(&path("whole"), &part);
        for file in ["measurements", "samples", "resources", "facts"] {
            let file = format!("{file}.csv");
            let text = std::fs::read_to_string(path("whole").join(&file)).unwrap();
            let (header, rows) = text.split_once('\n').unwrap();
            let own = rows
                .split_inclusive('\n')
                .filter(|row| row.split(',').next().unwrap().contains(board));
            let own: String = own.collect();
            std::fs::write(part.join(&file), format!("{header}\n{own}")).unwrap();
        }
    }
    let merged = place.bench("merge merged parts");
    merged.ends(0);
    let page = |folder: &str| std::fs::read_to_string(path(folder).join("report.md")).unwrap();
    assert_eq!(page("merged").replace("merged", "whole"), page("whole"));
    for table in ["cells", "ratios"] {
        let file = |folder: &str| {
            std::fs::read_to_string(path(folder).join(format!("tables/{table}.csv")))
        };
        assert_eq!(file("merged").unwrap(), file("whole").unwrap(), "{table}");
    }
}

#[test]
fn what_is_not_of_one_run_is_refused_by_name_and_nothing_is_left() {
    let place = Place::new(&experiment());
    for number in 1..=2 {
        shard(&place, &format!("{number}/3"));
    }
    let path = |name: &str| place.path().join(name);
    let merge = |second: &str| {
        let ended = place.bench(&["merge", "merged", "shards/1-of-3", second]);
        assert!(ended.code != Some(0) && !path("merged").exists() || ended.code == Some(3));
        ended
    };
    merge("shards/2-of-3")
        .ends(3)
        .says("shard 3/3 is not there");
    std::fs::remove_dir_all(path("merged")).unwrap();

    // The error names an edited row by file and line.
    copy(&path("shards/2-of-3"), &path("edited"));
    tamper(&path("edited"), "set measurements 1 median_ns 152");
    let row = &rows(&path("edited/measurements.csv"))[1];
    let name = format!("{} {}", row["case"], row["technique"]);
    let edited = merge("edited");
    edited.ends(4).says("edited/measurements.csv:3: ");
    edited.says(&name).says("152");

    // The error names different kernels or settings.
    let kernels = path("cl");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cl"), &kernels);
    edit(&kernels.join("reversi/rules.clh"), |text| {
        format!("{text}\n// another\n")
    });
    for (arguments, folder, wanted) in [
        ("2/3 --kernels cl", "kernels/2-of-3", "kernels: "),
        ("2/3 --threads 1", "threads/2-of-3", "thread count: "),
        ("2/3 --seed 7", "seed/2-of-3", "experiment.toml differs"),
        ("2/2", "number/2-of-2", "number of shards differs"),
        (
            "1/3",
            "twice/1-of-3",
            "have both measured board=4x4 depth=1 ",
        ),
    ] {
        let (out, _) = folder.split_once('/').unwrap();
        let run = format!("run tiny.toml --out {out} --shard {arguments}");
        let ended = place.bench(&run.split(' ').collect::<Vec<_>>());
        assert!(matches!(ended.code, Some(0 | 5)), "{}", ended.said);
        let refused = merge(folder);
        refused.ends(1).says(wanted).says(folder);
        assert_eq!(refused.said.trim_end().lines().count(), 1);
    }
}

/// One board with two depths is one family.
pub fn one_family() -> String {
    experiment().replace(", \"6x6\", \"8x8\"]", "]")
}

#[test]
fn more_shards_than_families_divide_the_cases_and_some_may_be_empty() {
    let place = Place::new(&one_family());
    let path = |name: &str| place.path().join(name);
    for number in 1..=4 {
        let of = format!("{number}/4");
        let dry = place.on_host(&["run", "tiny.toml", "--dry-run", "--shard", of.as_str()]);
        dry.ends(0);
        let run = "run tiny.toml --out shards -t ^serial$ --shard";
        let run: Vec<&str> = run.split(' ').chain([of.as_str()]).collect();
        let ended = place.on_host(&run);
        ended.ends(0);
        let is_empty = number > 2;
        let says = format!("tiny: shard {of} is empty: there are fewer cases than shards\n");
        assert_eq!(ended.said.contains(&says), is_empty, "{}", ended.said);
        assert_eq!(dry.out == "tiny: 0 cells\n", is_empty, "{}", dry.out);
        // A case, with its baselines, belongs to one shard.
        let cells = sorted(&path(&format!("shards/{number}-of-4")), "case");
        let depth = format!("board=4x4 depth={number}");
        let own = |cell: &String| *cell == depth;
        assert!(
            cells.iter().all(own) && cells.is_empty() == is_empty,
            "{cells:?}"
        );
    }
    place
        .on_host("run tiny.toml --out whole -t ^serial$")
        .ends(0);
    // The first list starts with an empty shard. The second lacks the empty shards, which is allowed.
    for (out, shards) in [
        ("merged", "shards/4-of-4 shards"),
        ("some", "shards/1-of-4 shards/2-of-4"),
    ] {
        place.bench(&format!("merge {out} {shards}")).ends(0);
        assert_eq!(sorted(&path(out), "key"), sorted(&path("whole"), "key"));
    }
    // Run the same shard again, then check its folder.
    let again = "run tiny.toml --out shards -t ^serial$ --shard 4/4 --strict";
    place.on_host(again).ends(0);
    place.bench("report --check shards merged").ends(0);
    place
        .bench("merge lacking shards/3-of-4 shards/1-of-4")
        .ends(3)
        .says("shard 2/4 is not there");
}

#[test]
fn families_stay_whole_if_there_are_enough() {
    let place = Place::new(&experiment());
    for wrong in ["0/3", "4/3", "1", "a/b", "1/0"] {
        let [_, said] = place.ends(1, &["run", "tiny.toml", "--dry-run", "--shard", wrong]);
        assert!(said.contains("I/N"), "{said}");
    }
    let mut command = place.command("run tiny.toml --dry-run --shard 2/3");
    let output = command.output().unwrap();
    let cells = String::from_utf8_lossy(&output.stdout).into_owned();
    let own = cells.lines().skip(1);
    let holds = own.clone().count() > 0 && own.clone().all(|line| line.contains("board=6x6"));
    assert!(holds, "{cells}");
    let holds = !place.path().join("reports").exists();
    assert!(holds, "a dry run writes nothing");
}

pub fn silent(command: &mut Command) -> &mut Command {
    command.stdout(Stdio::null()).stderr(Stdio::null())
}

#[test]
fn the_shards_of_a_suite_go_to_one_place_and_only_those_that_can_be_are_missed() {
    let place = Place::new(&experiment());
    // One experiment has two families of two cases each, and the other has three.
    let two = experiment()
        .replace("name = \"tiny\"", "name = \"two\"")
        .replace(", \"8x8\"]", "]");
    std::fs::write(place.path().join("two.toml"), two).unwrap();
    // With this filter, only one of the experiments has cases.
    for (number, more) in [("1", &["-c", "board=8x8"][..]), ("3", &[]), ("1", &[])] {
        let shard = format!("{number}/3");
        let run = "run two.toml tiny.toml --out shards -t ^serial$ --shard";
        let run: Vec<&str> = run.split(' ').chain([shard.as_str()]).collect();
        place.on_host(&[&run[..], more].concat()).ends(0);
    }
    let path = |name: &str| place.path().join(name);
    for folder in ["two/1-of-3", "two/3-of-3", "tiny/1-of-3", "tiny/3-of-3"] {
        assert!(path("shards").join(folder).is_dir(), "{folder}");
    }
    for folder in ["1-of-3", "3-of-3"] {
        assert!(!path("shards").join(folder).exists(), "{folder}");
    }

    let merged = place.bench("merge merged shards/two");
    merged.says("shard 2/3 is not there");
    merged.lacks("shard 3/3");
}

/// Plays ten pairs of games between host players that answer identically. Each pair has another opening.
pub const MATCH: &str = r#"
name = "tiny"
title = "A match"
game = "connect-four"
task = "match"

[[cases]]
depth = [1, 2]

[[technique]]
name = "serial"
opponent = "serial"

[[technique]]
name = "rayon"
opponent = "serial"

[sampling]
min-samples = 10
max-samples = 10

[budget]
cell = "60s"
total = "20m"
deadline = "60s"
"#;

fn scores(folder: &Path) -> Vec<String> {
    let ok = |row: &Row| assert_eq!(row["status"], "ok", "{}", row["reason"]);
    rows(&folder.join("measurements.csv")).iter().for_each(ok);
    sorted(folder, "score")
}

fn run_match(place: &Place, out: &str, more: &[&str]) {
    let ended = place.on_host(&[&["run", "tiny.toml", "--out", out], more].concat());
    ended.ends(0);
}

#[test]
fn a_match_is_divided_by_its_openings_and_merged_into_the_score_of_all() {
    let place = Place::new(MATCH);
    let path = |name: &str| place.path().join(name);
    for shard in ["1/3", "2/3", "3/3"] {
        run_match(&place, "shards", &["--shard", shard]);
    }
    let merged = place.bench("merge merged shards");
    merged.ends(0);
    place.bench("report --check merged shards").ends(0);

    // The merged run has the samples of all shards, each from its own invocation, and a score of all games.
    for row in rows(&path("merged/measurements.csv")) {
        assert_eq!(row["samples"], "10");
        assert_eq!(pairs(&row["score"]).len(), 10);
        let counts = row["score"].split("; ").next().unwrap();
        let counts = counts.split(", ").map(|it| it.split(' ').next().unwrap());
        assert_eq!(counts.map(|it| it.parse::<u64>().unwrap()).sum::<u64>(), 20);
        let samples = rows(&path("merged/samples.csv"));
        let own = samples.iter().filter(|sample| cell(sample) == cell(&row));
        let named = own.clone().map(|it| it["invocation"].as_str());
        let invocations: BTreeSet<&str> = named.collect();
        assert_eq!((own.count(), invocations.len()), (10, 3));
    }

    // A resumed shard keeps its rows. A shard that starts from scratch plays the same games.
    let second = path("shards/2-of-3");
    let before = std::fs::read_to_string(second.join("measurements.csv")).unwrap();
    run_match(&place, "shards", &["--shard", "2/3"]);
    let after = std::fs::read_to_string(second.join("measurements.csv")).unwrap();
    assert_eq!(before, after);
    run_match(&place, "anew", &["--shard", "2/3"]);
    assert_eq!(scores(&path("anew/2-of-3")), scores(&second));

    // If a shard is missing, the games of the others are merged.
    let some = place.bench("merge some shards/1-of-3 shards/3-of-3");
    some.ends(3);
    for row in rows(&path("some/measurements.csv")) {
        assert_eq!(pairs(&row["score"]).len(), 7);
    }
    let empty = place.on_host("run tiny.toml --out many --shard 11/11");
    empty
        .ends(0)
        .says("shard 11/11 is empty: there are fewer pairs of games than shards");
    run_match(&place, "many", &["--shard", "1/11"]);
    place
        .bench("merge ten many")
        .ends(3)
        .lacks("shard 11/11")
        .says("shard 10/11 is not there");
}

/// With a fixed depth, reversi has only one opening. The first shard plays it. The others report that none is left.
#[test]
fn a_match_of_fewer_openings_than_shards_leaves_some_without_and_plays_none_twice() {
    let reversi = MATCH
        .replace("connect-four", "reversi")
        .replace("depth = [1, 2]", "board = \"4x4\"\ndepth = 1");
    let place = Place::new(&reversi);
    let path = |name: &str| place.path().join(name);
    run_match(&place, "whole", &[]);
    run_match(&place, "shards", &["--shard", "1/2"]);
    let none = ["run", "tiny.toml", "--out", "shards", "--shard", "2/2"];
    place.on_host(&none).ends(0);
    for row in rows(&path("shards/2-of-2/measurements.csv")) {
        assert_row(&row, "unsupported", "no opening is left");
    }
    let merged = place.bench("merge merged shards");
    merged.ends(0);
    assert_eq!(scores(&path("merged")), scores(&path("whole")));
    assert_eq!(
        sorted(&path("merged"), "key"),
        sorted(&path("whole"), "key")
    );
}
