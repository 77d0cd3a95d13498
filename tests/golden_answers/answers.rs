//! Converts answers to JSON fields.

use plybench::words::{Answer, Counters};
use serde_json::{Value, json};

use super::file::Fields;

fn fields(value: Value) -> Fields {
    serde_json::from_value(value).unwrap()
}

fn words<T>(all: &[T], word: impl Fn(&T) -> String) -> String {
    all.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn list<T: ToString>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(T::to_string).collect();
    all.join(",")
}

fn name(best: Option<&String>) -> String {
    best.map_or("-", String::as_str).to_owned()
}

/// Replaces the best moves in `found` with the word `right` if each move is among the correct moves for its position.
pub fn any_of(best: &Fields, mut found: Fields) -> Fields {
    let right = |(own, best): (&str, &str)| best.split(',').any(|it| it == own);
    let (own, best) = (
        found["best"].as_str().unwrap(),
        best["best"].as_str().unwrap(),
    );
    if own.split(' ').zip(best.split(' ')).all(right) {
        found.insert("best".to_owned(), "right".into());
    }
    found
}

pub fn in_words(answer: &Answer, counters: &Counters) -> Fields {
    let mut all = match answer {
        Answer::Searched(found) => fields(json!({
            "values": words(found, |it| it.value.to_string()),
            "best": words(found, |it| name(it.best.as_ref())),
            "by_move": words(found, |it| list(&it.by_move)),
        })),
        // The leaf counter must hold the number of sequences.
        Answer::Leaves(sequences) => {
            assert_eq!(*sequences, counters.leaves);
            Fields::new()
        }
        Answer::Tallies(tallies) => {
            let moves: Vec<_> = tallies.iter().flat_map(|it| &it.by_first_move).collect();
            fields(json!({
                "tally": words(tallies, |it| list(&[it.wins, it.draws, it.losses, it.plies])),
                "by_first_move": words(&moves, |it| list(&[it.0, it.1, it.2])),
            }))
        }
        Answer::Chosen(chosen) => fields(json!({
            "best": words(chosen, |it| name(it.best.as_ref())),
            "visits": words(chosen, |it| list(&it.visits)),
            "tree": words(chosen, |it| list(&[it.tree_nodes, it.tree_depth])),
        })),
        Answer::Match(score) => fields(json!({
            "score": score.counts(),
            "games": words(&score.games, |(end, moves)| format!("{end:+}:{}", moves.replace(' ', "_"))),
        })),
    };
    // Not every technique reports move values.
    all.retain(|_, value| value.as_str().is_none_or(|text| !text.trim().is_empty()));
    let Counters {
        nodes,
        leaves,
        playouts,
        plies,
    } = *counters;
    let counts = [
        ("nodes", nodes),
        ("leaves", leaves),
        ("playouts", playouts),
        ("plies", plies),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    all.extend(counts.map(|(name, count)| (name.to_owned(), json!(count))));
    all
}
