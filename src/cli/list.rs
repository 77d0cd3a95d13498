//! `bench list`: lists experiments, games and techniques.

use std::fmt::Write as _;
use std::path::Path;

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
        let text = board_file(game, board).map_err(Failure::usage)?;
        print!("{text}");
        return Ok(Exit::Good);
    }
    let mut catalogue = registry::catalogue();
    if let Some(game) = &args.game {
        catalogue.games.retain(|entry| entry.name == game);
        catalogue.techniques.retain(|entry| entry.game == game);
    }
    let experiments = experiments(&args.configs, &catalogue);
    if args.json {
        let listed = Listed {
            experiments,
            catalogue,
        };
        print_json(&listed)?;
    } else {
        print!("{}", text(&experiments, &catalogue));
    }
    Ok(Exit::Good)
}

/// A board as a file, from its kind and, after a slash, its number.
fn board_file(game: &str, board: &str) -> anyhow::Result<String> {
    if game != "annexation" {
        anyhow::bail!("{board}: {game} has no board files; allowed with annexation");
    }
    let (kind, number) = board.split_once('/').unwrap_or((board, "0"));
    let (kind, number) = (Kind::parse(kind), number.parse());
    let (Some(kind), Ok(number)) = (kind, number) else {
        let kinds = Kind::ALL.map(Kind::name).join(", ");
        anyhow::bail!(
            "{board}: allowed is {kinds}, each with a number after a slash, for example hex200/5"
        );
    };
    let (board, _) = kind.board(number).map_err(anyhow::Error::msg)?;
    Ok(write_board(&board))
}

fn experiments(folder: &Path, catalogue: &Catalogue) -> Vec<ListedExperiment> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            let mut listed = ListedExperiment {
                file: path.display().to_string(),
                ..ListedExperiment::default()
            };
            match config::load(path, catalogue) {
                Ok(experiments) => {
                    listed.cases = experiments.iter().map(|(_, it)| it.cases.len()).sum();
                    listed.title = format!("{} experiments", experiments.len());
                    let all = experiments.iter().map(|(_, it)| it.name.clone());
                    listed.experiments = all.collect();
                    if let [(_, one)] = &experiments[..] {
                        listed.title.clone_from(&one.title);
                        listed.game = Some(one.game.clone());
                        listed.task = Some(one.task);
                        listed.experiments.clear();
                    }
                }
                Err(error) => listed.error = Some(error.to_string()),
            }
            listed
        })
        .collect()
}

fn text(experiments: &[ListedExperiment], catalogue: &Catalogue) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "Experiments");
    if experiments.is_empty() {
        let _ = writeln!(out, "  none here; give their folder with --configs DIR");
    }
    let widest = experiments.iter().map(|e| e.file.len()).max().unwrap_or(0);
    for experiment in experiments {
        let _ = match &experiment.error {
            Some(error) => writeln!(out, "  {:widest$}  broken: {error}", experiment.file),
            None => {
                let what = match experiment.task {
                    Some(task) => task.to_string(),
                    None => experiment.experiments.join(", "),
                };
                writeln!(
                    out,
                    "  {:widest$}  {} ({what}, {} cases)",
                    experiment.file, experiment.title, experiment.cases
                )
            }
        };
    }
    for game in &catalogue.games {
        let _ = writeln!(out, "\n{}: {}", game.name, game.summary);
        for axis in game.axes {
            let _ = writeln!(out, "  axis {}: {}", axis.name, axis.allowed);
        }
        for option in game.options {
            let _ = writeln!(out, "  option {}", described(option));
        }
        let widest = catalogue
            .of_game(game.name)
            .map(|t| t.name.len())
            .max()
            .unwrap_or(0);
        for technique in catalogue.of_game(game.name) {
            let _ = writeln!(
                out,
                "  {:widest$}  {:7}  {}",
                technique.name,
                technique.kind.word(),
                technique.summary
            );
            let indent = " ".repeat(widest + 13);
            let tasks: Vec<_> = technique.tasks.iter().map(|task| task.word()).collect();
            let _ = writeln!(
                out,
                "{indent}tasks: {}; source: {}; compared with {}",
                tasks.join(", "),
                technique.paper,
                technique.like
            );
            if technique.kind == words::Kind::Device && !technique.needs.is_empty() {
                let _ = writeln!(out, "{indent}needs: {}", technique.needs);
            }
            for param in technique.params {
                let _ = writeln!(out, "{indent}parameter {}", described(param));
            }
        }
    }
    out
}

fn described(param: &ParamEntry) -> String {
    format!(
        "{}: {} [default: {}]",
        param.name, param.allowed, param.default
    )
}
