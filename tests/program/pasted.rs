//! Tests positions as people paste them. The program must understand a text as its source meant it, or refuse it and
//! name the place of the error.

use plybench::techniques::registry;
use plybench::words::{Case, Params};

use super::place::Place;

/// The games, each with a case.
const GAMES: [(&str, &str); 5] = [
    ("reversi", "board=8x8 depth=1"),
    ("gomoku", "board=15x15 depth=1"),
    ("connect-four", "depth=1"),
    ("checkers", "rules=any-80 depth=1"),
    ("annexation", "board=hex200 playouts=1"),
];

fn table(game: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/pasted");
    let file = format!("{folder}/{}.tsv", game.replace('-', "_"));
    std::fs::read_to_string(file).unwrap()
}

/// Returns a text's format and its position in the game's notation, or the place of the error.
fn understood(game: &str, case: &str, text: &str) -> String {
    let catalogue = registry::catalogue();
    let game = catalogue.game(game).unwrap();
    let case = Case::parse(case).unwrap();
    match (game.understand)(&case, &Params::new(), Some(text)) {
        Ok(found) => format!("{}\t{}", found.form, found.position.unwrap()),
        Err(error) => {
            assert!(!error.contains('\n'), "{error}");
            let (place, _) = error
                .strip_prefix("position:")
                .unwrap()
                .split_once([',', ':'])
                .unwrap();
            match place.strip_prefix(" character ") {
                Some(character) => format!("refused at {character}"),
                None => format!("refused at line {place}"),
            }
        }
    }
}

/// Unescapes `\n`, `\r`, `\t` and `\\` in a field of a table.
fn unescaped(field: &str) -> String {
    let mut text = String::new();
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next().unwrap() {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            },
            letter => letter,
        });
    }
    text
}

/// Tests a game with every line of its table.
fn check((game, case): &(&str, &str)) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (number, line) in (1..).zip(table(game).lines()) {
        let Some((text, expected)) = line.split_once('\t') else {
            assert!(line.starts_with("# "), "line {number}: {line}");
            continue;
        };
        count += 1;
        let found = understood(game, case, &unescaped(text));
        let expected: Vec<String> = expected.split('\t').map(unescaped).collect();
        if found != expected.join("\t") {
            wrong.push(format!(
                "line {number}: {text}\n  {found:?}\n  {expected:?}"
            ));
        }
    }
    assert!(count >= 60, "{count} positions of {game}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn understands_or_refuses_pasted_positions() {
    GAMES.iter().for_each(check);
}

fn asked(position: &str) -> Vec<&str> {
    let words = ["search", "connect-four", "--depth=1", "--technique=serial"];
    [&words[..], &["--position", position]].concat()
}

#[test]
fn prints_the_form_of_a_pasted_position() {
    let place = Place::new("");
    let scored = place.bench(&asked("13712 3"));
    let part = "position read as moves-and-score: 13712\n";
    assert!(scored.ends(0).out.starts_with(part), "{}", scored.out);
    let json = [&asked("13712 3")[..], &["--json"]].concat();
    place.bench(&json).prints(r#""form": "moves-and-score""#);
    // A position in the plain notation needs no explanation.
    let plain = place.bench(&asked("13712"));
    assert!(plain.out.starts_with("value "), "{}", plain.out);
}

#[test]
fn prints_where_perft_of_gomoku_starts() {
    let place = Place::new("");
    let perft = ["perft", "gomoku", "--depth", "1"];
    let first = place.bench(&perft);
    first.prints("--position empty").prints("224 leaves");
    for empty in ["empty", ""] {
        let found = place.bench(&[&perft[..], &["--position", empty]].concat());
        assert!(found.out.starts_with("225 leaves"), "{}", found.out);
    }
}

/// Damages each text of the tables by omitting, doubling or swapping characters.
#[test]
fn refuses_damaged_texts_at_a_place_or_reads_back_what_it_understood() {
    for (game, case) in GAMES {
        let table = table(game);
        let texts = table.lines().filter_map(|line| line.split_once('\t'));
        let short = texts
            .map(|(text, _)| unescaped(text))
            .filter(|text| text.len() < 90);
        for text in short {
            let letters: Vec<char> = text.chars().collect();
            for place in 0..letters.len() {
                let (before, after) = letters.split_at(place);
                let (letter, rest) = (after[0], &after[1..]);
                let mut exchanged = rest.to_vec();
                exchanged.insert(rest.len().min(1), letter);
                for after in [rest, &[&[letter], after].concat(), &exchanged] {
                    let damaged: String = before.iter().chain(after).collect();
                    let found = understood(game, case, &damaged);
                    match found.split_once('\t') {
                        Some((_, position)) => {
                            let again = understood(game, case, position);
                            let part = format!("\t{position}");
                            assert!(again.ends_with(&part), "{damaged}: {again}");
                        }
                        None => {
                            let place = found.rsplit(' ').next().unwrap().parse::<usize>().unwrap();
                            let holds = (1..=damaged.chars().count() + 1).contains(&place);
                            assert!(holds, "{damaged}: {found}");
                        }
                    }
                }
            }
        }
    }
}
