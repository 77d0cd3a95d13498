//! Edits run folders of every task. The check must name the row of each edit, unless the edit changes nothing in a
//! report or a comparison.

use std::fs;
use std::path::{Path, PathBuf};

use plybench::report::compare::{Comparison, Options};
use plybench::report::{RunData, make};
use plybench::techniques::registry;
use plybench::words::Catalogue;

use super::tampering::seal;
use crate::place::Place;

const ROWS: &str = "measurements.csv";
const SAMPLES: &str = "samples.csv";
const FACTS: &str = "facts.csv";

/// Each task, with its cases and with one or two host techniques besides `serial`.
const TASKS: &str = "\
search | depth = [3, 4] | serial-minimax
game | stage = 'first', depth = [3, 4] | serial-minimax
playouts | playouts = [500, 1000] | rayon
choose | effort = [100, 200] | mcts-serial mcts-batched-serial
match | depth = [2, 3] | serial-minimax random
perft | depth = [3, 4] | serial-minimax";

/// Measures a folder for each task.
fn measured() -> impl Iterator<Item = (&'static str, Place)> {
    TASKS.lines().map(|row| {
        let [task, cases, techniques] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let techniques = techniques
            .split(' ')
            .map(|name| format!("[[technique]]\nname = \"{name}\"\n"));
        let place = Place::new(&format!(
            "name = \"edited\"\ntitle = \"Edited\"\ngame = \"connect-four\"\ntask = \"{task}\"\n\
             cases = [{{ {cases} }}]\n{}\
             [sampling]\nmin-samples = 3\nmax-samples = 5\npasses = 3\n\
             [budget]\ncell = \"2s\"\ntotal = \"20m\"\ndeadline = \"20s\"\n",
            techniques.collect::<String>()
        ));
        place.on_host("run tiny.toml --out run").ends(0);
        (task, place)
    })
}

#[derive(Clone)]
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(file: &Path) -> Table {
        let mut reader = csv::Reader::from_path(file).unwrap();
        let texts = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = texts(reader.headers().unwrap());
        let rows = reader.records().map(|record| texts(&record.unwrap()));
        Table {
            header,
            rows: rows.collect(),
        }
    }

    fn write(&self, file: &Path) {
        let mut writer = csv::Writer::from_path(file).unwrap();
        writer.write_record(&self.header).unwrap();
        for row in &self.rows {
            writer.write_record(row).unwrap();
        }
        writer.flush().unwrap();
    }
}

struct Edit {
    name: String,
    file: &'static str,
    table: Table,
}

/// Lists edits of a table: a changed value in each column, and swapped, deleted, duplicated and moved rows.
fn edits(file: &'static str, table: &Table) -> Vec<Edit> {
    let mut all = Vec::new();
    let mut add = |name: String, change: &dyn Fn(&mut Vec<Vec<String>>)| {
        let mut edited = table.clone();
        change(&mut edited.rows);
        if edited.rows != table.rows {
            let (name, table) = (format!("{file}: {name}"), edited);
            all.push(Edit { name, file, table });
        }
    };
    let rows = table.rows.len();
    for (at, column) in table.header.iter().enumerate() {
        let number = (at * 7 + 1) % rows;
        for (what, value) in changed(column, &table.rows[number][at]) {
            add(format!("{column} of row {number} {what}"), &|rows| {
                rows[number][at].clone_from(&value);
            });
        }
    }
    let half = rows / 2;
    add("two rows swapped".into(), &|rows| rows.swap(0, 1));
    add("first and middle swapped".into(), &|all| all.swap(0, half));
    add("the first row deleted".into(), &|rows| drop(rows.remove(0)));
    add("the middle row deleted".into(), &|rows| {
        drop(rows.remove(half))
    });
    add("the first row twice".into(), &|rows| {
        rows.insert(1, rows[0].clone())
    });
    add("the last row twice".into(), &|rows| {
        rows.push(rows[rows.len() - 1].clone())
    });
    add("the first row at the end".into(), &|rows| {
        let first = rows.remove(0);
        rows.push(first);
    });
    all
}

fn changed(column: &str, value: &str) -> Vec<(&'static str, String)> {
    if column == "status" {
        return vec![("skipped", "skipped".into()), ("crashed", "crashed".into())];
    }
    let mut values = match value.parse::<f64>() {
        Ok(number) if value.parse::<u64>().is_err() => {
            vec![("negative", (-1.0 - number).to_string())]
        }
        Ok(_) => {
            let number: u64 = value.parse().unwrap();
            vec![("more", (number + 1).to_string())]
        }
        Err(_) if value.is_empty() => vec![("filled", "7".to_owned())],
        Err(_) => vec![("longer", format!("{value}x"))],
    };
    if !value.is_empty() {
        values.push(("emptied", String::new()));
    }
    values
}

struct Folder<'a> {
    path: PathBuf,
    catalogue: &'a Catalogue,
    before: RunData,
}

impl Folder<'_> {
    /// Returns `Ok(true)` if the check names the edit, and `Ok(false)` if the edit has no effect. Otherwise, returns
    /// the problem.
    fn outcome(&self) -> Result<bool, String> {
        let data = match RunData::read(&self.path, self.catalogue) {
            // The folder cannot be read. The error must name the file and the line.
            Err(error) => {
                let error = error.to_string();
                let named = [ROWS, SAMPLES, FACTS]
                    .iter()
                    .any(|file| error.contains(file));
                return if named { Ok(true) } else { Err(error) };
            }
            Ok(data) => data,
        };
        if !data.findings.is_empty() {
            let named = data.findings.iter().all(|finding| {
                let is_of_row = data
                    .measurements
                    .iter()
                    .any(|row| finding.what.contains(&row.cell.case));
                is_of_row && finding.file.starts_with(&self.path) || finding.line.is_some()
            });
            return named
                .then_some(true)
                .ok_or_else(|| format!("{:?}", data.findings));
        }
        let made = make(std::slice::from_ref(&self.path), None, self.catalogue);
        if let Some(difference) = made.unwrap().first_difference() {
            return Err(difference.to_string());
        }
        let compared = |data: &RunData| {
            Comparison::new(&self.before, data, Options::default())
                .unwrap()
                .json()
                .to_string()
        };
        match compared(&data) == compared(&self.before) {
            true => Ok(false),
            false => Err("the comparison is another one".into()),
        }
    }
}

/// Applies every edit to a measured folder. Returns the number of edits, and the edits that are not noticed.
fn apply(place: &Place, sealed_again: bool) -> (usize, Vec<String>) {
    let catalogue = registry::catalogue();
    let path = place.path().join("run");
    let before = RunData::read(&path, &catalogue).unwrap();
    assert_eq!(before.findings, [], "nothing is edited yet");
    let folders = [path.clone()];
    make(&folders, None, &catalogue).unwrap().write().unwrap();
    let folder = Folder {
        path: path.clone(),
        catalogue: &catalogue,
        before,
    };
    let rows = fs::read(path.join(ROWS)).unwrap();
    let (mut count, mut passed) = (0, Vec::new());
    for file in [ROWS, SAMPLES, FACTS] {
        if !path.join(file).exists() {
            continue;
        }
        let table = Table::read(&path.join(file));
        if table.rows.len() < 2 {
            continue;
        }
        let as_written = fs::read(path.join(file)).unwrap();
        for edit in edits(file, &table) {
            edit.table.write(&path.join(edit.file));
            if sealed_again {
                seal(&path);
            }
            count += 1;
            if let Err(what) = folder.outcome() {
                passed.push(format!("{}: {what}", edit.name));
            }
        }
        fs::write(path.join(file), as_written).unwrap();
        fs::write(path.join(ROWS), &rows).unwrap();
    }
    (count, passed)
}

/// If the rows are sealed again after an edit, only edits of values that nothing else confirms may go unnoticed.
#[test]
fn names_each_edit_of_a_folder_of_every_task_or_it_changes_nothing() {
    const ALONE: &str = "at_ns low_ns high_ns build_ns setup_ns predicted_ns timer notes facts";
    let mut wrong = Vec::new();
    for (task, place) in measured() {
        let (count, passed) = apply(&place, false);
        assert!(count >= 64, "{task}: {count} edits");
        wrong.extend(passed.into_iter().map(|what| format!("{task}: {what}")));
        let (_, passed) = apply(&place, true);
        let stands_alone = |what: &String| {
            let edit = what.split(": ").nth(1).unwrap_or_default();
            let column = edit.split(' ').next().unwrap_or_default();
            // These counters vary between samples, so nothing confirms the value in a sample.
            let varies = [("match", "nodes"), ("playouts", "playouts")].contains(&(task, column));
            ALONE.split(' ').any(|it| it == column) || varies && what.starts_with("samples.csv: ")
        };
        let rest = passed.into_iter().filter(|it| !stands_alone(it));
        wrong.extend(rest.map(|what| format!("{task}, sealed again: {what}")));
        if task == "match" {
            refuses_scores_that_the_games_do_not_have(&place);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Edits the score of a match and seals its row again. Every command must exit with code 4 and print the expected
/// message.
fn refuses_scores_that_the_games_do_not_have(place: &Place) {
    let folder = place.path().join("run");
    let table = Table::read(&folder.join(ROWS));
    let mut header = table.header.iter();
    let at = header.position(|name| name == "score").unwrap();
    let score = table.rows[0][at].clone();
    let (counts, games) = score.split_once("; ").unwrap();
    let first = games.split("; ").next().unwrap();
    let (start, last) = first.split_at(first.len() - 1);
    let other = if last == "1" { "2" } else { "1" };
    let (difference, moves) = first.split_once(' ').unwrap();
    let flipped = if difference == "+1" { "-1" } else { "+1" };
    let counted = |counts: &str| format!("{counts}; {games}");
    let with = |game: &str| score.replacen(first, game, 1);
    let (not_its, game) = ("its games are", "score: game 1");
    for (edited, expected) in [
        (counted("500 won, 0 drawn, 0 lost"), not_its),
        (
            counted("18446744073709551616 won, 0 drawn, 0 lost"),
            "not a count of games",
        ),
        (
            counted("18446744073709551615 won, 1 drawn, 1 lost"),
            not_its,
        ),
        (counts.to_owned(), not_its),
        (with(&format!("{flipped} {moves}")), ""),
        (with(&format!("{start}{other}")), game),
        (with(&format!("{first}8")), game),
        (with(start), "score: game 1: it ends before its end"),
    ] {
        let mut edited_table = table.clone();
        edited_table.rows[0][at] = edited;
        edited_table.write(&folder.join(ROWS));
        seal(&folder);
        for line in ["report run", "compare run run"] {
            let row = "run/measurements.csv:2: depth=2 ";
            let ended = place.on_host(line);
            ended.ends(4).says(row).says(expected).lacks("panicked");
        }
    }
}
