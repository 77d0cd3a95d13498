//! `bench list`: lists experiments, games and techniques.

use anyhow::bail;
use serde_json::{Value, json};

use super::args::ListArgs;
use super::built_in;
use super::exit::{Exit, Failure, print_json};
use super::terminal::list;
use crate::config::ConfigError;
use crate::games::annexation::{Kind, write_board};
use crate::techniques::registry;
use crate::words::{Catalogue, GameEntry, ParamEntry, TechniqueEntry};

pub fn run(args: &ListArgs) -> Result<Exit, Failure> {
    if let (Some(game), Some(board)) = (&args.name, &args.board) {
        print!("{}", board_file(game, board)?);
        return Ok(Exit::Good);
    }
    let mut catalogue = registry::catalogue();
    let name = args.name.as_deref().unwrap_or_default();
    let is_game = catalogue.game(name).is_some();
    if !name.is_empty() {
        let is_named = |it: &TechniqueEntry| [it.game, it.name].contains(&name);
        catalogue.techniques.retain(is_named);
        let has_some = |game: &str| catalogue.techniques.iter().any(|it| it.game == game);
        catalogue.games.retain(|game| has_some(game.name));
        if catalogue.games.is_empty() {
            usage!("{name}: no game and no technique; `bench list` shows the games");
        }
    }
    if args.json {
        let experiments = built_in::names().into_iter().map(experiments);
        print_json(&json!({
            "experiments": experiments.collect::<Result<Vec<_>, _>>()?, "games": catalogue.games,
            "techniques": catalogue.techniques, "brought": catalogue.brought,
        }))?;
    } else if name.is_empty() {
        summarise(&catalogue);
    } else {
        catalogue.games.iter().filter(|_| is_game).for_each(game);
        for technique in &catalogue.techniques {
            show(technique, !is_game);
        }
    }
    Ok(Exit::Good)
}

/// Returns the board file for `KIND` or `KIND/NUMBER`.
fn board_file(game: &str, board: &str) -> anyhow::Result<String> {
    if game != "annexation" {
        bail!("{board}: {game} has no board files; allowed with annexation");
    }
    let (kind, number) = board.split_once('/').unwrap_or((board, "0"));
    let (Some(kind), Ok(number)) = (Kind::parse(kind), number.parse()) else {
        let kinds = Kind::ALL.map(Kind::word).join(", ");
        bail!(
            "{board}: allowed is {kinds}, each with a number after a slash, for example hex200/5"
        );
    };
    let (board, _) = kind.board(number).map_err(anyhow::Error::msg)?;
    Ok(write_board(&board))
}

fn experiments(file: String) -> Result<Value, ConfigError> {
    let all = built_in::experiments(&file, &registry::catalogue())?;
    let cases: usize = all.iter().map(|(_, it)| it.cases.len()).sum();
    let names: Vec<&str> = all.iter().map(|(_, it)| it.name.as_str()).collect();
    Ok(match &all[..] {
        [(_, one)] => json!({
            "file": file, "title": one.title, "game": one.game, "task": one.task, "cases": cases, "experiments": [],
        }),
        _ => json!({
            "file": file, "title": format!("{} experiments", names.len()), "game": null, "task": null,
            "cases": cases, "experiments": names,
        }),
    })
}

fn summarise(catalogue: &Catalogue) {
    println!("Games (`bench list GAME` shows axes, options and techniques):");
    for game in &catalogue.games {
        println!("  {:13} {}", game.name, game.summary);
    }
    println!("Experiments (`bench run NAME`):");
    println!("  {}", built_in::names().join("  "));
}

fn game(game: &GameEntry) {
    println!("{}: {}", game.name, game.summary);
    for axis in game.axes {
        println!("  axis {}: {}", axis.name, axis.allowed);
    }
    for option in game.options {
        println!("  option {}", described(option));
    }
}

fn show(technique: &TechniqueEntry, in_full: bool) {
    let (game, name, kind) = (technique.game, technique.name, technique.kind.word());
    if !in_full {
        println!("  {name:28} {kind:7}  {}", technique.summary);
        return;
    }
    println!("{game} {name} ({kind}): {}", technique.summary);
    let tasks = list(technique.tasks.iter().map(|task| task.word()));
    let (paper, like) = (technique.paper, technique.like);
    println!("  tasks: {tasks}; source: {paper}; compared with {like}");
    if !technique.needs.is_empty() {
        println!("  needs: {}", technique.needs);
    }
    for param in technique.params {
        println!("  parameter {}", described(param));
    }
}

fn described(it: &ParamEntry) -> String {
    format!("{}: {} [default: {}]", it.name, it.allowed, it.default)
}
