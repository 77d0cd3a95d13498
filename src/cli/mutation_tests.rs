//! Seeded damage to the experiments of `configs/`: each is refused with its line, or makes sense.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256StarStar;

use crate::config::{self, Experiment, to_toml};
use crate::techniques::registry;
use crate::words::Catalogue;

const MUTATIONS: usize = 300;

const EXTREMES: [&str; 16] = [
    "0",
    "-1",
    "9223372036854775807",
    "18446744073709551616",
    "1e400",
    "nan",
    "-0.0",
    "true",
    "\"\"",
    "\"0s\"",
    "\"99999999999 days\"",
    "\"\\u001b[2J\"",
    "[]",
    "[[]]",
    "{}",
    "1979-05-27",
];

/// One damaged text. Lines stand for keys and headers, as the files are written.
fn damaged(text: &str, random: &mut Xoshiro256StarStar) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.random_range(1..=3) {
        let with_key = |line: &usize| lines[*line].contains(" = ");
        let keys: Vec<usize> = (0..lines.len()).filter(with_key).collect();
        if keys.is_empty() {
            break;
        }
        let any = random.random_range(0..lines.len());
        let [one, other] = [0; 2].map(|_| keys[random.random_range(0..keys.len())]);
        let parts = [one, other].map(|line| {
            let (key, value) = lines[line].split_once(" = ").unwrap();
            (key.to_owned(), value.to_owned())
        });
        let [(key, value), (_, other_value)] = parts;
        match random.random_range(0..8) {
            0 => drop(lines.remove(any)),
            1 => lines.insert(any, lines[any].clone()),
            2 => {
                let mut letters: Vec<char> = key.chars().collect();
                let at = random.random_range(0..letters.len());
                match random.random() {
                    true => letters[at] = 'x',
                    false => drop(letters.remove(at)),
                }
                lines[one] = format!("{} = {value}", letters.into_iter().collect::<String>());
            }
            3 => {
                let extreme = EXTREMES[random.random_range(0..EXTREMES.len())];
                lines[one] = format!("{key} = {extreme}");
            }
            4 => lines[one] = format!("{key} = {other_value}"),
            5 => lines.truncate(any),
            6 => {
                let is_digit = |c: char| c.is_ascii_digit();
                let long = ["0", "-7", "99999999999"][random.random_range(0..3)];
                lines[one] = format!("{key} = {}", value.replace(is_digit, long));
            }
            _ => lines[any] = lines[any].chars().rev().collect(),
        }
    }
    lines.join("\n")
}

fn makes_sense(experiment: &Experiment, catalogue: &Catalogue) {
    let (cases, choices) = (&experiment.cases, &experiment.techniques);
    assert!(!cases.is_empty());
    assert_eq!(cases.iter().collect::<HashSet<_>>().len(), cases.len());
    let labels: HashSet<&str> = choices.iter().map(|it| it.label.as_str()).collect();
    assert_eq!(labels.len(), choices.len());
    assert!(choices.iter().any(|choice| choice.measured));
    for choice in choices.iter().filter(|choice| choice.measured) {
        assert!(cases.iter().any(|case| choice.takes(case)), "{choice:?}");
        let mut opponent = choice.opponent.iter();
        assert!(opponent.all(|label| labels.contains(label.as_str())));
    }
    let sampling = &experiment.sampling;
    assert!((1..=sampling.max_samples).contains(&sampling.min_samples));
    assert!(sampling.target > 0.0 && sampling.target < 1.0 && sampling.passes > 0);
    let positions = sampling.positions.unwrap_or(usize::MAX);
    assert!((1..=positions).contains(&sampling.min_positions));
    let budget = &experiment.budget;
    let month = Duration::from_secs(30 * 24 * 3600);
    for time in [budget.cell, budget.total] {
        assert!(time > Duration::ZERO && time <= month, "{budget:?}");
    }
    assert!(budget.deadline >= budget.cell);
    for view in experiment.views() {
        let shown = view.techniques.iter().chain(&view.baselines);
        assert!(
            shown
                .into_iter()
                .all(|label| labels.contains(label.as_str()))
        );
        let mut fixed = view.fixed.0.iter();
        assert!(fixed.all(|(axis, value)| cases.iter().any(|case| case.get(axis) == Some(value))));
    }
    let written = to_toml(experiment);
    let again = config::parse(&written, "again.toml", catalogue);
    assert_eq!(again.as_ref(), Ok(experiment), "{written}");
}

#[test]
fn damaged_experiments_are_refused_with_a_line_or_make_sense() {
    let catalogue = registry::catalogue();
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let files = std::fs::read_dir(configs).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|it| it == "toml"));
    files.sort();
    let texts: Vec<String> = files
        .iter()
        .map(|it| std::fs::read_to_string(it).unwrap())
        .collect();
    let mut random = Xoshiro256StarStar::seed_from_u64(42);
    let mut refused = 0;
    for number in 0..MUTATIONS {
        let text = damaged(&texts[number % texts.len()], &mut random);
        match config::load_text(Path::new("x.toml"), None, &text, &catalogue) {
            Ok(all) => {
                for (_, experiment) in &all {
                    makes_sense(experiment, &catalogue);
                }
            }
            Err(error) => {
                let error = error.to_string();
                assert_eq!(error.lines().count(), 1, "{error}");
                let mut parts = error.splitn(4, ':');
                assert_eq!(parts.next(), Some("x.toml"), "{error}");
                for number in [parts.next(), parts.next()] {
                    assert!(number.unwrap().parse::<usize>().unwrap() > 0, "{error}");
                }
                refused += 1;
            }
        }
    }
    assert!((MUTATIONS / 3..MUTATIONS).contains(&refused), "{refused}");
}
