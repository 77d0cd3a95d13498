//! `bench new`: writes a starter kernel or program, and an experiment that uses it.

use std::path::Path;

use anyhow::Context;

use super::args::NewKind;
use super::exit::{Exit, Failure};
use super::targets::plain_name;
use crate::results::{check_output, write_new};
use crate::words::program_name;

struct Starter {
    game: &'static str,
    /// Empty if the starter is a program.
    contract: &'static str,
    /// Cases that the starter answers without changes.
    case: &'static str,
    text: &'static str,
}

/// A [`Starter`] with the text of a file in docs/kernels.
macro_rules! starter {
    ($game:literal, $contract:literal, $file:literal, $case:expr) => {
        Starter {
            game: $game,
            contract: $contract,
            case: $case,
            text: include_str!(concat!("../../docs/kernels/", $file, ".cl")),
        }
    };
}

const DEPTHS: &str = "depth = [4, 5, 6]";
const ON_HEX200: &str = "board = \"hex200\", turns = \"auto\", playouts = [1_000, 10_000]";
const FROM_START: &str = "position = \"start\", playouts = [1_000, 10_000]";
const GAMES: &str = "playouts = [10_000, 100_000]";
const ON_8X8: &str = "board = \"8x8\", depth = [3, 4]";
const ON_9X9: &str = "board = \"9x9\", depth = [2, 3]";

/// One commented kernel per game and contract.
static KERNELS: [Starter; 11] = [
    starter!("annexation", "playouts", "annexation_playouts", ON_HEX200),
    starter!("checkers", "playouts", "checkers_playouts", FROM_START),
    starter!("checkers", "perft", "checkers_perft", DEPTHS),
    starter!("connect-four", "playouts", "connect_four_playouts", GAMES),
    starter!("connect-four", "perft", "connect_four_perft", DEPTHS),
    starter!("connect-four", "subtrees", "connect_four_subtrees", DEPTHS),
    starter!("connect-four", "evaluate", "connect_four_evaluate", DEPTHS),
    starter!("reversi", "subtrees", "reversi_subtrees", ON_8X8),
    starter!("reversi", "evaluate", "reversi_evaluate", ON_8X8),
    starter!("gomoku", "subtrees", "gomoku_subtrees", ON_9X9),
    starter!("gomoku", "evaluate", "gomoku_evaluate", ON_9X9),
];

static PROGRAM: Starter = Starter {
    game: "connect-four",
    contract: "",
    case: DEPTHS,
    text: include_str!("../../scripts/adapters/connect_four.py"),
};

/// Writes the file and its experiment, neither of which may exist, and prints the next steps.
pub fn run(kind: &NewKind) -> Result<Exit, Failure> {
    let (file, starter, consent) = match kind {
        NewKind::Kernel {
            game,
            contract,
            file,
        } => (file, starter(game, contract)?, ""),
        NewKind::Program { file } => (file, &PROGRAM, " --allow-commands"),
    };
    let config = file.with_extension("toml");
    let paths = [file, &config];
    if let Some(path) = paths.into_iter().find(|path| path.exists()) {
        usage!("{}: already exists", path.display());
    }
    paths.into_iter().try_for_each(|path| check_output(path))?;
    write_new(file, starter.text.as_bytes())?;
    if let Err(error) = write_new(&config, experiment(file, starter).as_bytes()) {
        // A file without its experiment would block the next attempt.
        let _ = std::fs::remove_file(file);
        return Err(Failure::files(error));
    }
    let (file, config, bench) = (file.display(), config.display(), program_name());
    println!(
        "{file} and {config} are written. Is it right, and how fast is it?\n\n  {bench} verify --config {config}{consent}\n  {bench} run {config}{consent}"
    );
    Ok(Exit::Good)
}

fn starter(game: &str, contract: &str) -> anyhow::Result<&'static Starter> {
    let mut all = KERNELS.iter();
    let found = all.find(|it| (it.game, it.contract) == (game, contract));
    found.with_context(|| {
        let pair = |it: &Starter| format!("{} {}", it.game, it.contract);
        let pairs = KERNELS.each_ref().map(pair).join(", ");
        format!("{game} {contract}: no kernel of that game and contract; allowed: {pairs}")
    })
}

fn experiment(file: &Path, starter: &Starter) -> String {
    let (game, contract, case) = (starter.game, starter.contract, starter.case);
    let quoted = toml::Value::from(file.display().to_string());
    // A kernel that draws its own random numbers must declare it.
    let draws = starter.text.contains("`own-random = true`");
    let draws = if draws { "\nown-random = true" } else { "" };
    let own = match contract {
        "" => format!("command = [\"python3\", {quoted}]"),
        _ => format!("kernel = {quoted}\ncontract = \"{contract}\"{draws}"),
    };
    let (task, axis) = match contract {
        "playouts" => ("playouts", "playouts"),
        "perft" => ("perft", "depth"),
        _ => ("search", "depth"),
    };
    let name = plain_name(&file.file_stem().unwrap_or_default().to_string_lossy());
    format!(
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
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::techniques::registry;

    fn parsed(file: &str, starter: &Starter) -> config::Experiment {
        let text = experiment(Path::new(file), starter);
        config::parse(&text, "mine.toml", &registry::catalogue())
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn every_starter_has_a_whole_experiment() {
        for starter in &KERNELS {
            let experiment = parsed("my \"own\"/Mine 2.cl", starter);
            let labels = experiment.techniques.iter().map(|it| it.label.as_str());
            let holds = labels.into_iter().any(|it| it == "mine-2");
            assert!(holds, "{} {}", starter.game, starter.contract);
            assert_eq!(experiment.name, "mine-2");
        }
        assert_eq!(parsed("mine.py", &PROGRAM).game, "connect-four");
    }
}
