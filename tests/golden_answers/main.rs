//! Freezes the answers of every technique, so that no change alters an answer unnoticed.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod answers;
mod ask;
mod file;

#[path = "../golden/mod.rs"]
mod golden;
#[path = "../needed/mod.rs"]
mod needed;

use plybench::words::{Counts, Task};

use ask::{Ask, techniques};
use file::{Entries, Fields};
use needed::{device_with, opened};

/// Sends the requests for these tasks to every technique. Compares the answers with a file.
fn hold(file: &str, tasks: &[Task]) {
    let Some((_turn, device)) = opened(|| device_with(false)) else {
        return;
    };
    let chooses = tasks == [Task::Choose] || tasks == [Task::Match];
    let mut all = Entries::new();
    for ask in Ask::all().filter(|ask| tasks.contains(&ask.task)) {
        let searches = matches!(ask.task, Task::Search | Task::Game);
        let best = searches.then(|| ask.best_moves(&device));
        for technique in techniques(ask.game, ask.task) {
            // If a technique's counters vary, its choices and games differ between samples, but its playouts do not.
            let varies = technique.entry.counts_in(ask.task) == Counts::Vary;
            if varies && chooses {
                continue;
            }
            let key = ask.key(technique.entry.name);
            let right = best.as_ref().filter(|_| varies);
            let known = all.insert(key.clone(), ask.answer(technique, &device, right));
            assert!(known.is_none(), "{key}: asked twice");
        }
        if let Some(best) = best {
            all.insert(ask.key("best-moves"), best);
        }
    }
    // Most techniques refuse either a depth or iterations. If a technique wrongly refuses both, its key is missing.
    if chooses {
        all.retain(|_, fields: &mut Fields| !fields.contains_key("status"));
    }
    file::hold(file, &all);
}

#[test]
fn keeps_values_best_moves_and_counters() {
    hold("searches.json", &[Task::Search, Task::Game]);
}

#[test]
fn keeps_perft() {
    hold("perft.json", &[Task::Perft]);
}

#[test]
fn keeps_tallies_of_random_games() {
    hold("playouts.json", &[Task::Playouts]);
}

#[test]
fn keeps_choices_and_visits() {
    hold("choices.json", &[Task::Choose]);
}

#[test]
fn keeps_games_and_scores_of_matches() {
    hold("matches.json", &[Task::Match]);
}
