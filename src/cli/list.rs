//! `bench list`: lists experiments, games and techniques.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::args::ListArgs;
use super::exit::{Exit, Failure, print_json};
use crate::config;
use crate::games::annexation::{Kind, write_board};
use crate::techniques::registry;
use crate::words::{self, Catalogue, ParamEntry, Task};

#[derive(Serialize)]
struct Listed {
    experiments: Vec<ListedExperiment>,
    #[serde(flatten)]
    catalogue: Catalogue,
}

#[derive(Default, Serialize)]
struct ListedExperiment {
    file: String,
    title: String,
    game: Option<String>,
    task: Option<Task>,
    cases: usize,
    experiments: Vec<String>,
    error: Option<String>,
}

pub fn run(args: &ListArgs) -> Result<Exit, Failure> {
    if let (Some(game), Some(board)) = (&args.game, &args.board) {
        print!("{}", board_file(game, board)?);
        return Ok(Exit::Good);
    }
    let mut catalogue = registry::catalogue();
    if let Some(game) = &args.game {
        catalogue.games.retain(|entry| entry.name == game);
        catalogue.techniques.retain(|entry| entry.game == game);
    }
    let experiments = experiments(&args.configs, &catalogue);
    if args.json {
        print_json(&Listed {
            experiments,
            catalogue,
        })?;
    } else {
        print(&experiments, &catalogue);
    }
    Ok(Exit::Good)
}

/// A board as a file, from its kind and, after a slash, its number.
fn board_file(game: &str, board: &str) -> anyhow::Result<String> {
    if game != "annexation" {
        anyhow::bail!("{board}: {game} has no board files; allowed with annexation");
    }
    let (kind, number) = board.split_once('/').unwrap_or((board, "0"));
    let (Some(kind), Ok(number)) = (Kind::parse(kind), number.parse()) else {
        let kinds = Kind::ALL.map(Kind::name).join(", ");
        anyhow::bail!(
            "{board}: allowed is {kinds}, each with a number after a slash, for example hex200/5"
        );
    };
    let (board, _) = kind.board(number).map_err(anyhow::Error::msg)?;
    Ok(write_board(&board))
}

fn experiments(folder: &Path, catalogue: &Catalogue) -> Vec<ListedExperiment> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = files.map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let mut files: Vec<_> = files.collect();
    files.sort();
    let listed = |path: &PathBuf| {
        let mut listed = ListedExperiment {
            file: path.display().to_string(),
            ..ListedExperiment::default()
        };
        match config::load(path, catalogue).as_deref() {
            Ok([(_, one)]) => {
                listed.cases = one.cases.len();
                listed.title.clone_from(&one.title);
                listed.game = Some(one.game.clone());
                listed.task = Some(one.task);
            }
            Ok(all) => {
                listed.cases = all.iter().map(|(_, it)| it.cases.len()).sum();
                listed.title = format!("{} experiments", all.len());
                listed.experiments = all.iter().map(|(_, it)| it.name.clone()).collect();
            }
            Err(error) => listed.error = Some(error.to_string()),
        }
        listed
    };
    files.iter().map(listed).collect()
}

fn print(experiments: &[ListedExperiment], catalogue: &Catalogue) {
    println!("Experiments");
    if experiments.is_empty() {
        println!("  none here; give their folder with --configs DIR");
    }
    let widest = experiments.iter().map(|e| e.file.len()).max().unwrap_or(0);
    for it in experiments {
        print!("  {:widest$}  ", it.file);
        match (&it.error, it.task) {
            (Some(error), _) => println!("broken: {error}"),
            (None, Some(task)) => println!("{} ({task}, {} cases)", it.title, it.cases),
            (None, None) => {
                let names = it.experiments.join(", ");
                println!("{} ({names}, {} cases)", it.title, it.cases);
            }
        }
    }
    for game in &catalogue.games {
        println!("\n{}: {}", game.name, game.summary);
        for axis in game.axes {
            println!("  axis {}: {}", axis.name, axis.allowed);
        }
        for option in game.options {
            println!("  option {}", described(option));
        }
        let names = catalogue.of_game(game.name).map(|it| it.name.len());
        let widest = names.max().unwrap_or(0);
        for technique in catalogue.of_game(game.name) {
            let (name, kind) = (technique.name, technique.kind.word());
            println!("  {name:widest$}  {kind:7}  {}", technique.summary);
            let indent = " ".repeat(widest + 13);
            let tasks: Vec<_> = technique.tasks.iter().map(|task| task.word()).collect();
            let (tasks, paper, like) = (tasks.join(", "), technique.paper, technique.like);
            println!("{indent}tasks: {tasks}; source: {paper}; compared with {like}");
            if technique.kind == words::Kind::Device && !technique.needs.is_empty() {
                println!("{indent}needs: {}", technique.needs);
            }
            for param in technique.params {
                println!("{indent}parameter {}", described(param));
            }
        }
    }
}

fn described(param: &ParamEntry) -> String {
    let ParamEntry {
        name,
        allowed,
        default,
        ..
    } = param;
    format!("{name}: {allowed} [default: {default}]")
}
