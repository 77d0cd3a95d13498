//! Tests any content of files and arguments. It must be read, or refused with a one-line message. Nothing may panic.
//!
//! The texts are real texts with a few edits: lost, doubled, swapped or replaced bytes, and values that are extreme or
//! of the wrong kind.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use plybench::config::{self, Experiment, to_toml};
use plybench::games::annexation::{Kind, read_board, write_board};
use plybench::report;
use plybench::results::RunFolder;
use plybench::techniques::{Sampler, Setup, registry};
use plybench::words::{Case, Catalogue, Fault, GameEntry, Params, Task, Value};
use proptest::prelude::*;
use proptest::sample::Index;

/// Values that a parser may not handle.
const ODD: [&str; 30] = [
    "",
    "0",
    "1",
    "-1",
    "00",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "-0.0",
    "NaN",
    "inf",
    "\"",
    "\"\"",
    "a b",
    "ä\u{2028}",
    "\0",
    "ok",
    "true",
    "[]",
    "{}",
    "[[",
    "[[]]",
    "\"0s\"",
    "\"99999999999 days\"",
    "\"\\u001b[2J\"",
    "1979-05-27",
    "99999999999",
];

/// One edit of a text. Its fields are the place, the length in bytes, and the replacement.
#[derive(Clone, Debug)]
enum Edit {
    /// Deletes a piece.
    Cut(Index, usize),
    /// Replaces a piece with another piece of the same text.
    Copy(Index, usize, Index),
    /// Replaces a byte.
    Byte(Index, u8),
    /// Replaces a word between separators with an odd word.
    Word(Index, Index),
    /// Deletes the rest of the text.
    End(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<Index>;
    prop_oneof![
        2 => (at(), 1..40_usize).prop_map(|(at, length)| Edit::Cut(at, length)),
        2 => (at(), 1..40_usize, at()).prop_map(|(at, length, to)| Edit::Copy(at, length, to)),
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        6 => (at(), at()).prop_map(|(at, odd)| Edit::Word(at, odd)),
        1 => at().prop_map(Edit::End),
    ]
}

/// Configures the number of cases. A failing case is printed, but not saved beside the sources.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec(edit(), 1..5)
}

fn edited(text: &str, edits: &[Edit]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for edit in edits {
        let length = bytes.len();
        let place = |index: &Index| if length == 0 { 0 } else { index.index(length) };
        let to = |from: usize, many: usize| (from + many).min(length);
        match edit {
            Edit::Cut(at, many) => {
                let at = place(at);
                bytes.drain(at..to(at, *many));
            }
            Edit::Copy(at, many, from) => {
                let (at, from) = (place(at), place(from));
                let piece = bytes[from..to(from, *many)].to_vec();
                bytes.splice(at..to(at, piece.len()), piece);
            }
            Edit::Byte(at, byte) => {
                let at = place(at);
                bytes.splice(at..to(at, 1), [*byte]);
            }
            Edit::Word(at, odd) => {
                let is_part = |byte: &u8| !b",=;: \n\"[]@/".contains(byte);
                let words: Vec<(usize, usize)> = (0..length)
                    .filter(|&i| is_part(&bytes[i]) && (i == 0 || !is_part(&bytes[i - 1])))
                    .map(|i| {
                        (
                            i,
                            bytes[i..].iter().take_while(|byte| is_part(byte)).count(),
                        )
                    })
                    .collect();
                if !words.is_empty() {
                    let (at, many) = words[at.index(words.len())];
                    let odd = ODD[odd.index(ODD.len())];
                    bytes.splice(at..at + many, odd.bytes());
                }
            }
            Edit::End(at) => bytes.truncate(place(at)),
        }
    }
    bytes
}

fn assert_one_line(error: &str) {
    assert_eq!(error.lines().count(), 1, "{error:?}");
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn any_board_file_is_read_or_refused(number in 0..16_u32, edits in edits()) {
        let (board, _) = Kind::ALL[0].board(number).unwrap();
        let bytes = edited(&write_board(&board), &edits);
        match read_board("my.toml", &String::from_utf8_lossy(&bytes)) {
            Err(error) => assert_one_line(&error.to_string()),
            Ok(board) => prop_assert_eq!(read_board("x", &write_board(&board)).unwrap(), board),
        }
    }
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
        let mut fixed = view.fixed.iter();
        assert!(fixed.all(|(axis, value)| cases.iter().any(|case| case.get(axis) == Some(value))));
    }
    let written = to_toml(experiment);
    let again = config::parse(&written, "again.toml", catalogue);
    assert_eq!(again.as_ref(), Ok(experiment), "{written}");
}

fn configs() -> &'static [String] {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
        let files = std::fs::read_dir(configs)
            .unwrap()
            .map(|file| file.unwrap().path());
        let files = files.filter(|file| file.extension().is_some_and(|it| it == "toml"));
        files
            .map(|file| std::fs::read_to_string(file).unwrap())
            .collect()
    })
}

proptest! {
    #![proptest_config(cases(300))]

    /// Every edited experiment must be valid or be refused with an error that names a line.
    #[test]
    fn any_experiment_is_refused_with_a_line_or_makes_sense(which in any::<Index>(), edits in edits()) {
        let bytes = edited(&configs()[which.index(configs().len())], &edits);
        let text = String::from_utf8_lossy(&bytes);
        let catalogue = registry::catalogue();
        match config::load_text(Path::new("x.toml"), None, &text, &catalogue) {
            Ok(all) => all.iter().for_each(|(_, experiment)| makes_sense(experiment, &catalogue)),
            Err(error) => {
                let error = error.to_string();
                assert_one_line(&error);
                let mut parts = error.splitn(4, ':');
                prop_assert_eq!(parts.next(), Some("x.toml"));
                for number in [parts.next(), parts.next()] {
                    prop_assert!(number.unwrap().parse::<usize>().unwrap() > 0, "{error}");
                }
            }
        }
    }
}

/// Returns the task and case for a position: the game's first suitable task, on its smallest case.
fn asked(game: &GameEntry) -> (Task, Case) {
    let takes = [Task::Search, Task::Playouts];
    let task = takes
        .into_iter()
        .find(|task| game.tasks.contains(task))
        .unwrap();
    let axes = game.axes.iter().filter(|axis| axis.belongs_to(task));
    // An axis without a default is a number of playouts. A search to the default depth would take minutes.
    let value = |name: &str, default: Option<&str>| match default {
        Some(default) if name != "depth" => Value::parse(default),
        _ => Value::Int(1),
    };
    let case = axes.map(|axis| (axis.name.to_owned(), value(axis.name, axis.default)));
    (task, Case(case.collect()))
}

/// Prepares a game's reference technique for a position.
fn at_position(game: &GameEntry, position: Option<&str>) -> Result<Box<dyn Sampler>, Fault> {
    let (task, case) = asked(game);
    let none = Params::new();
    let serial = registry::find(game.name, "serial").unwrap();
    (serial.prepare)(&Setup {
        task,
        case: &case,
        options: &none,
        params: &none,
        seed: 1,
        threads: 1,
        device: None,
        kernels: None,
        position,
        positions: None,
        opponent: None,
    })
}

/// Returns positions in every notation of the game, as people write them.
fn positions(game: &str) -> Vec<String> {
    let (board, _) = Kind::ALL[0].board(3).unwrap();
    let board = write_board(&board);
    let texts: &[&str] = match game {
        "reversi" => &[
            "f5d6c3d3c4f4",
            "f5f4g3g4",
            "---------------------------OX------XO---------------------------X",
        ],
        "gomoku" => &["h8i9g7h7j10", "a1b2"],
        "connect-four" => &["4435", "1734244325656553663777722467543452326111"],
        "checkers" => &["11-15 22-18 15x22", "B:W21,22,K30:B1,2,K5:H12", "W:W31:B1"],
        "annexation" => &["hex200/3@0715", "hex200", "hex1000/15@-7-"],
        other => panic!("{other} has no positions here"),
    };
    let own = (game == "annexation").then(|| format!("{board}@071"));
    texts
        .iter()
        .map(|text| (*text).to_owned())
        .chain(own)
        .collect()
}

fn assert_refused_in_one_line<T>(answered: Result<T, Fault>) {
    if let Err(fault) = answered {
        let holds = matches!(fault, Fault::Input(_) | Fault::Unsupported(_));
        assert!(holds, "{fault:?}");
        assert_one_line(&fault.to_string());
    }
}

#[test]
fn every_position_that_is_edited_below_is_one() {
    for game in registry::catalogue().games {
        for position in positions(game.name) {
            let ready = at_position(&game, Some(&position));
            let holds = ready.is_ok();
            assert!(holds, "{}: {position}: {:?}", game.name, ready.err());
        }
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn any_position_of_any_game_is_read_or_refused(
        which in any::<Index>(), edits in edits(), odd in any::<String>(), is_odd in 0..8
    ) {
        for game in registry::catalogue().games {
            let positions = positions(game.name);
            let position = &positions[which.index(positions.len())];
            let text = match is_odd {
                0 => odd.clone(),
                _ => String::from_utf8_lossy(&edited(position, &edits)).into_owned(),
            };
            match at_position(&game, Some(&text)) {
                Err(fault) => assert_refused_in_one_line::<()>(Err(fault)),
                // A valid position must be searchable.
                Ok(mut ready) => {
                    prop_assert!(ready.sample().is_ok(), "{}: {text:?}", game.name);
                }
            }
        }
    }

    /// Tests what another player or technique receives: a position to reply to, and a move to evaluate.
    #[test]
    fn any_move_and_any_position_of_a_match_is_answered_or_refused(
        which in any::<Index>(), edits in edits(), unit in 0..3_usize
    ) {
        for game in registry::catalogue().games {
            let positions = positions(game.name);
            let position = &positions[which.index(positions.len())];
            let text = String::from_utf8_lossy(&edited(position, &edits)).into_owned();
            let mut ready = at_position(&game, None).unwrap();
            assert_refused_in_one_line(ready.reply(&text));
            let mv: String = text.chars().take(5).collect();
            assert_refused_in_one_line(ready.value_of(unit, &mv));
        }
    }
}

/// Small finished runs of several kinds: with a match, with choices, and with published numbers.
const RUNS: [&str; 4] = [
    "nvidia-h100/annexation-strength",
    "nvidia-h100/checkers-choose",
    "nvidia-h200/connect-four",
    "nvidia-h200/reversi",
];
/// Maximum number of lines per CSV file, so that many edits can be tried.
const LINES: usize = 60;

/// Returns the files of a run and its published numbers, by path within the folder.
fn run_files(run: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("reports")
        .join(run);
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.clone(), folder.join("published")];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(at).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.starts_with(folder.join("published")) {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "csv" || e == "toml") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.dedup();
    let text = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        let is_rows = path.extension().is_some_and(|e| e == "csv");
        let most = if is_rows { LINES } else { usize::MAX };
        text.split_inclusive('\n').take(most).collect::<String>()
    };
    paths
        .iter()
        .map(|path| (path.strip_prefix(&folder).unwrap().to_owned(), text(path)))
        .collect()
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_run_folder_is_reported_or_refused(
        run in any::<Index>(),
        damage in prop::collection::vec((any::<Index>(), edits()), 1..3),
    ) {
        let mut files = run_files(RUNS[run.index(RUNS.len())]);
        let mut bytes: Vec<Vec<u8>> = files.iter().map(|(_, text)| text.clone().into_bytes()).collect();
        for (which, edits) in &damage {
            let which = which.index(files.len());
            bytes[which] = edited(&files[which].1, edits);
            files[which].1 = String::from_utf8_lossy(&bytes[which]).into_owned();
        }
        let folder = tempfile::tempdir().unwrap();
        for ((name, _), bytes) in files.iter().zip(&bytes) {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        if let Err(error) = report::make(&[folder.path().to_owned()], None, &registry::catalogue()).and_then(|made| made.write()) {
            assert_one_line(&error.to_string());
        }
        match RunFolder::create(folder.path()) {
            Err(error) => assert_one_line(&error.to_string()),
            Ok(mut taken) => {
                let kept = taken.retain(|row| !row.key.starts_with('a'));
                if let Err(error) = kept {
                    assert_one_line(&error.to_string());
                }
            }
        }
    }
}
