//! `bench new`: writes a starter kernel or program, and an experiment that uses it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use include_dir::{Dir, include_dir};

use super::args::NewKind;
use super::exit::{Exit, Failure};
use super::targets::plain_name;
use crate::results::{check_output, write_new};
use crate::words::program_name;

/// One commented kernel per game and contract, for example `connect_four_perft.cl`.
static KERNELS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/docs/kernels");
const PROGRAM: &str = include_str!("../../scripts/adapters/connect_four.py");

/// Writes the starter file and its experiment, and prints the next steps. Fails if either file exists.
pub fn run(kind: &NewKind) -> Result<Exit, Failure> {
    let (file, game, contract, text, consent) = match kind {
        NewKind::Program { file } => (file, "connect-four", "", PROGRAM, " --allow-commands"),
        NewKind::Kernel {
            game,
            contract,
            file,
        } => {
            let text = kernel(game, contract)?;
            (file, game.as_str(), contract.as_str(), text, "")
        }
    };
    let config = file.with_extension("toml");
    let paths = [file, &config];
    if let Some(path) = paths.into_iter().find(|path| path.exists()) {
        usage!("{}: already exists", path.display());
    }
    paths.into_iter().try_for_each(|path| check_output(path))?;
    write_new(file, text.as_bytes())?;
    if let Err(error) = write_new(&config, experiment(file, game, contract, text).as_bytes()) {
        // Removes the starter file, because the next attempt would fail if it existed.
        let _ = std::fs::remove_file(file);
        return Err(Failure::files(error));
    }
    let (file, config, bench) = (file.display(), config.display(), program_name());
    println!(
        "{file} and {config} are written. Is it right, and how fast is it?\n\n  {bench} verify --config {config}{consent}\n  {bench} run {config}{consent}"
    );
    Ok(Exit::Good)
}

/// Maps each game and contract, such as `connect-four perft`, to its kernel.
fn kernels() -> BTreeMap<String, &'static str> {
    let kernels = KERNELS.files().filter_map(|file| {
        let (game, contract) = file.path().file_stem()?.to_str()?.rsplit_once('_')?;
        let name = format!("{} {contract}", game.replace('_', "-"));
        Some((name, file.contents_utf8()?))
    });
    kernels.collect()
}

fn kernel(game: &str, contract: &str) -> anyhow::Result<&'static str> {
    let (all, name) = (kernels(), format!("{game} {contract}"));
    let found = all.get(&name).copied();
    found.with_context(|| {
        let names = all.into_keys().collect::<Vec<_>>().join(", ");
        format!("{name}: no kernel of that game and contract; allowed: {names}")
    })
}

/// Returns cases, as TOML, that the unmodified starter can answer.
fn cases(game: &str, contract: &str) -> &'static str {
    match (game, contract) {
        ("annexation", _) => "board = \"hex200\", turns = \"auto\", playouts = [1_000, 10_000]",
        ("checkers", "playouts") => "position = \"start\", playouts = [1_000, 10_000]",
        ("connect-four", "playouts") => "playouts = [10_000, 100_000]",
        ("reversi", _) => "board = \"8x8\", depth = [3, 4]",
        ("gomoku", _) => "board = \"9x9\", depth = [2, 3]",
        _ => "depth = [4, 5, 6]",
    }
}

/// Returns the text of the experiment. `contract` is empty if the starter is a program.
fn experiment(file: &Path, game: &str, contract: &str, text: &str) -> String {
    let cases = cases(game, contract);
    let quoted = toml::Value::from(file.display().to_string());
    // If the kernel generates its own random numbers, the experiment must declare it.
    let draws = text.contains("`own-random = true`");
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
cases = [{{ {cases} }}]
# Cells that are predicted to exceed this budget are skipped.
budget = {{ cell = "30s" }}

[[technique]]
name = "{name}"   # its label in rows and reports
# Relative paths start at the folder in which `bench` runs.
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

    fn parsed(file: &str, game: &str, contract: &str, text: &str) -> config::Experiment {
        let text = experiment(Path::new(file), game, contract, text);
        config::parse(&text, "mine.toml", &registry::catalogue())
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn every_starter_has_a_whole_experiment() {
        let kernels = kernels();
        assert_eq!(kernels.len(), 11);
        for (name, text) in &kernels {
            let (game, contract) = name.split_once(' ').unwrap();
            let experiment = parsed("my \"own\"/Mine 2.cl", game, contract, text);
            let labels = experiment.techniques.iter().map(|it| it.label.as_str());
            let holds = labels.into_iter().any(|it| it == "mine-2");
            assert!(holds, "{name}");
            assert_eq!(experiment.name, "mine-2");
        }
        let program = parsed("mine.py", "connect-four", "", PROGRAM);
        assert_eq!(program.game, "connect-four");
    }
}
