//! Tests that a stopped match resumes at its next opening.

use std::process::{Command, Stdio};
use std::time::Instant;

use super::place::{self, Ended, Place, Row, pairs};
use crate::shards::MATCH;

/// Returns an experiment in which a player plays against itself, at a depth that takes a while.
fn experiment() -> String {
    let rayon = "[[technique]]\nname = \"rayon\"\nopponent = \"serial\"\n";
    MATCH
        .replace(rayon, "")
        .replace("depth = [1, 2]", "depth = 8")
        .replace("samples = 10", "samples = 40")
        .replace("[budget]", "warmup = 1\n\n[budget]")
}

/// Returns the rows of `serial`.
fn of_serial(mut rows: Vec<Row>) -> Vec<Row> {
    rows.retain(|row| row["technique"] == "serial");
    rows
}

#[test]
fn a_stopped_match_keeps_its_games_and_plays_only_the_rest() {
    // This match plays more pairs than the match below can reach, including its untimed pairs.
    let whole = Place::new(&experiment().replace("samples = 40", "samples = 60"));
    let run = ["run", "tiny.toml"];
    let started = Instant::now();
    let all = whole.on_host(&run);
    let lasts = started.elapsed();
    all.ends(0);
    let expected = pairs(&of_serial(whole.rows())[0]["score"]);
    assert!(expected.len() >= 60, "{}", expected.len());

    let mut place = Place::new(&experiment());
    let mut kept: Vec<(String, String)> = Vec::new();
    let (mut stops, mut before) = (0, 0);
    // Other processes may have slowed down the first match. If a match ends before its signal, retry with half the
    // delay.
    let mut part = 0.25;
    for _ in 0..10 {
        if stops == 4 {
            break;
        }
        let child = place
            .host_command(&run)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(lasts.mul_f64(part));
        let _ = Command::new("sh")
            .args(["-c", &format!("kill -INT {} 2>/dev/null", child.id())])
            .status();
        let stopped: Ended = child.wait_with_output().expect("it ends").into();
        if stopped.code != Some(130) {
            if stops > 0 {
                break;
            }
            place = Place::new(&experiment());
            (before, part) = (0, part / 2.0);
            continue;
        }
        // A match has no row until its first timed game.
        let rows = match place.file("measurements.csv").exists() {
            true => place.rows(),
            false => Vec::new(),
        };
        if !kept.is_empty() {
            let said = format!(" resumed after {before} pairs of games");
            stopped.says(&said);
        }
        before = rows.iter().map(|row| pairs(&row["score"]).len()).sum();
        let rows = of_serial(rows);
        let Some(row) = rows.last() else {
            continue;
        };
        if !row["reason"].starts_with("interrupted after ") {
            break;
        }
        // All earlier games must be kept. The following games must have the next openings.
        let games = pairs(&row["score"]);
        assert_eq!(games, expected[..games.len()]);
        let mut samples = place.csv("samples.csv");
        samples.retain(|sample| place::cell(sample) == place::cell(row));
        let last: Vec<(String, String)> = samples
            .into_iter()
            .map(|sample| (sample["sample"].clone(), sample["total_ns"].clone()))
            .collect();
        assert_eq!(
            last[..kept.len()],
            kept,
            "the times of earlier games are kept"
        );
        kept = last;
        stops += 1;
        part *= 0.6;
    }
    assert!(stops > 0 && !kept.is_empty(), "no signal stopped the match");
    place.on_host(&run).ends(0);
    let row = of_serial(place.rows()).pop().expect("its row");
    let wanted = ("40", "ok");
    assert_eq!((row["samples"].as_str(), row["status"].as_str()), wanted);
    let games = pairs(&row["score"]);
    assert_eq!(
        games,
        expected[..games.len()],
        "the games of a match that was not stopped"
    );
    // At most three pairs are untimed: up to two in the trial, and one after it.
    assert!((40..=43).contains(&games.len()), "{} pairs", games.len());
    place
        .on_host(&run)
        .says(" kept from an earlier run, 0 to measure");
}
