//! `bench new`: a kernel or a program to begin with, and an experiment with it.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, anyhow};

use super::args::{NewArgs, NewKind};
use super::exit::{Exit, Failure};
use super::targets::plain_name;

/// A kernel to begin with.
struct Starter {
    game: &'static str,
    contract: &'static str,
    /// Cases that it answers at once.
    case: &'static str,
    text: &'static str,
}

/// A kernel for each game and contract that has one: right, slow and commented.
const KERNELS: &[Starter] = &[
    Starter {
        game: "annexation",
        contract: "playouts",
        case: "board = \"hex200\", turns = \"auto\", playouts = [1_000, 10_000]",
        text: include_str!("../../docs/kernels/annexation_playouts.cl"),
    },
    Starter {
        game: "checkers",
        contract: "playouts",
        case: "position = \"start\", playouts = [1_000, 10_000]",
        text: include_str!("../../docs/kernels/checkers_playouts.cl"),
    },
    Starter {
        game: "checkers",
        contract: "perft",
        case: "depth = [4, 5, 6]",
        text: include_str!("../../docs/kernels/checkers_perft.cl"),
    },
    Starter {
        game: "connect-four",
        contract: "playouts",
        case: "playouts = [10_000, 100_000]",
        text: include_str!("../../docs/kernels/connect_four_playouts.cl"),
    },
    Starter {
        game: "connect-four",
        contract: "perft",
        case: "depth = [4, 5, 6]",
        text: include_str!("../../docs/kernels/connect_four_perft.cl"),
    },
    Starter {
        game: "connect-four",
        contract: "subtrees",
        case: "depth = [4, 5, 6]",
        text: include_str!("../../docs/kernels/connect_four_subtrees.cl"),
    },
    Starter {
        game: "connect-four",
        contract: "evaluate",
        case: "depth = [4, 5, 6]",
        text: include_str!("../../docs/kernels/connect_four_evaluate.cl"),
    },
    Starter {
        game: "reversi",
        contract: "subtrees",
        case: "board = \"8x8\", depth = [3, 4]",
        text: include_str!("../../docs/kernels/reversi_subtrees.cl"),
    },
    Starter {
        game: "reversi",
        contract: "evaluate",
        case: "board = \"8x8\", depth = [3, 4]",
        text: include_str!("../../docs/kernels/reversi_evaluate.cl"),
    },
    Starter {
        game: "gomoku",
        contract: "subtrees",
        case: "board = \"9x9\", depth = [2, 3]",
        text: include_str!("../../docs/kernels/gomoku_subtrees.cl"),
    },
    Starter {
        game: "gomoku",
        contract: "evaluate",
        case: "board = \"9x9\", depth = [2, 3]",
        text: include_str!("../../docs/kernels/gomoku_evaluate.cl"),
    },
];

/// A program of Python's standard library alone.
const PROGRAM: &str = include_str!("../../scripts/adapters/connect_four.py");

/// Writes the file and an experiment beside it, which must not be there, and says what to do with them.
pub fn run(args: &NewArgs) -> Result<Exit, Failure> {
    let (file, text, consent) = match &args.kind {
        NewKind::Kernel {
            game,
            contract,
            file,
        } => (file, starter(game, contract)?.text, ""),
        NewKind::Program { file } => (file, PROGRAM, " --allow-commands"),
    };
    let config = file.with_extension("toml");
    for path in [file, &config] {
        if path.exists() {
            return Err(is_there(path));
        }
    }
    let experiment = experiment(&args.kind)?;
    write(file, text)?;
    write(&config, &experiment)?;
    let config = config.display();
    println!(
        "{} and {config} are written. Is it right, and how fast is it?\n\n  bench verify --config {config}{consent}\n  bench run {config}{consent}",
        file.display()
    );
    Ok(Exit::Good)
}

fn starter(game: &str, contract: &str) -> Result<&'static Starter, Failure> {
    let mut all = KERNELS.iter();
    let found = all.find(|it| (it.game, it.contract) == (game, contract));
    found.ok_or_else(|| {
        let pairs = KERNELS
            .iter()
            .map(|it| format!("{} {}", it.game, it.contract));
        let pairs = pairs.collect::<Vec<_>>().join(", ");
        Failure::usage(anyhow!(
            "{game} {contract}: no kernel of that game and contract; allowed: {pairs}"
        ))
    })
}

/// An experiment with the kernel or program, whole.
fn experiment(kind: &NewKind) -> Result<String, Failure> {
    let quoted = |path: &Path| toml::Value::from(path.display().to_string()).to_string();
    let (file, game, task, case, own) = match kind {
        NewKind::Kernel {
            game,
            contract,
            file,
        } => {
            let found = starter(game, contract)?;
            let task = match contract.as_str() {
                "playouts" | "perft" => contract.as_str(),
                _ => "search",
            };
            // What draws its own numbers says so.
            let draws = match found.text.contains("`own-random = true`") {
                true => "\nown-random = true",
                false => "",
            };
            let kernel = quoted(file);
            let own = format!("kernel = {kernel}\ncontract = \"{contract}\"{draws}");
            (file, found.game, task, found.case, own)
        }
        NewKind::Program { file } => {
            let own = format!("command = [\"python3\", {}]", quoted(file));
            (file, "connect-four", "search", "depth = [4, 5, 6]", own)
        }
    };
    let name = plain_name(&file.file_stem().unwrap_or_default().to_string_lossy());
    let axis = match task {
        "playouts" => "playouts",
        _ => "depth",
    };
    Ok(format!(
        r#"name = "{name}"
game = "{game}"   # `bench list` has the games, and the axes and options of each
task = "{task}"
cases = [{{ {case} }}]
# What is not predicted to end within it is skipped.
budget = {{ cell = "30s" }}

[[technique]]
name = "{name}"   # its label in rows and reports
# Relative paths are those of the folder where `bench` is started.
{own}

[[table]]
id = "times"
title = "Times"
quantity = "time"
rows = "{axis}"
columns = "technique"
techniques = ["serial", "{name}"]
"#
    ))
}

fn is_there(file: &Path) -> Failure {
    Failure::usage(anyhow!("{}: is there already", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let mut opened = match opened {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(is_there(file)),
        opened => opened
            .with_context(|| format!("{}: cannot be written", file.display()))
            .map_err(Failure::files)?,
    };
    opened
        .write_all(text.as_bytes())
        .with_context(|| format!("{}: cannot be written", file.display()))
        .map_err(Failure::files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::techniques::registry;

    fn parsed(kind: &NewKind) -> config::Experiment {
        let text = experiment(kind).unwrap();
        config::parse(&text, "mine.toml", &registry::catalogue())
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn every_starter_has_a_whole_experiment() {
        for Starter { game, contract, .. } in KERNELS {
            let experiment = parsed(&NewKind::Kernel {
                game: (*game).to_owned(),
                contract: (*contract).to_owned(),
                file: "my \"own\"/Mine 2.cl".into(),
            });
            let labels = experiment.techniques.iter().map(|it| it.label.as_str());
            assert!(
                labels.into_iter().any(|it| it == "mine-2"),
                "{game} {contract}"
            );
            assert_eq!(experiment.name, "mine-2");
        }
        let file = "mine.py".into();
        assert_eq!(parsed(&NewKind::Program { file }).game, "connect-four");
    }
}
