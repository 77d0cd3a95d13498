//! Makes the sections that every report has: missing cells, warnings, environment and commands.

use serde::{Deserialize, Serialize};

use super::analysis::Analysis;
use super::chart::dots::{self, Dot, DotRow};
use super::data::{HOST, RunData, distinct, grouped, is_device};
use super::format::{self, one_line};
use super::grid::{Chart, Entry, Grid, Item, Section, Tone, section};
use super::known::Missing;
use super::published;
use crate::results::{DeviceRecord, Environment, Invocation};
use crate::words::{Status, Timer, Warning, shell_line};

pub(crate) fn missing_cells(analysis: &Analysis) -> Section {
    let cells = analysis.planned().filter_map(|cell| {
        let reason = match &cell.row {
            Some(row) if row.status == Status::Ok => return None,
            Some(row) => Missing::of_row(row),
            None => Missing::NOT_MEASURED,
        };
        let fault = cell.row.as_ref().is_some_and(|row| is_fault(row.status));
        let place = (cell.technique.as_str(), cell.device.as_str());
        Some(((place, reason, fault), format::case(&cell.case)))
    });
    let mut groups = grouped(cells);
    // Faults come first. Within a status, the groups keep the order of the run.
    groups.sort_by_key(|((_, reason, fault), _)| (!*fault, reason.gap));
    let mut grid = Grid::new(["status", "technique", "device", "cases", "why"]);
    for (((technique, device), reason, fault), cases) in &groups {
        let tone = if *fault { Tone::Bad } else { Tone::Missing };
        let is_known = *device == HOST || is_device(device);
        let device = if is_known { device } else { "–" };
        let (cases, why) = (cases.join("; "), one_line(&reason.reason));
        let rest = [technique, device, &cases, &why].map(Entry::word);
        grid.row(Entry::word(reason.gap).tone(tone), rest);
    }
    let total: usize = groups.iter().map(|(_, cases)| cases.len()).sum();
    let text = match total {
        0 => "Every cell of the run has an answer.".to_owned(),
        _ => format!("{total} cells have no number."),
    };
    let table = (total > 0).then_some(Item::Table(grid));
    let items = [Item::Text(text)].into_iter().chain(table);
    section("missing", "Cells without a number", items)
}

/// Removes the numbers from a reason, so that similar cells share a line.
pub(super) fn kind_of(reason: &str) -> String {
    reason.replace(|letter: char| letter.is_ascii_digit() || letter == '.', "")
}

pub(super) fn is_fault(status: Status) -> bool {
    !matches!(
        status,
        Status::Ok | Status::Skipped | Status::Unsupported | Status::Memory
    )
}

/// Lists warnings about the host, cells whose sampling ended early, and faults in the folder or in the paper's files.
pub(crate) fn warnings(analysis: &Analysis) -> Section {
    const NODES: &str = "Nodes differ in their processors, clocks and other load, so compare only rows from the same node. \
        `environment.toml` has the node of each row's invocation.";
    let mut said = Vec::new();
    for cell in analysis.planned() {
        let Some(row) = &cell.row else { continue };
        let unmet = Some(row.why().to_string());
        let unmet = unmet.filter(|it| row.status == Status::Ok && !it.is_empty());
        // The summary already says how busy the host was.
        let mut warned = row.warned();
        warned.retain(|it| !matches!(it, Warning::Busy(_) | Warning::Stolen(_)));
        let warned = warned.into_iter().map(|it| it.to_string());
        let sentence = |it: String| {
            let it = one_line(&it);
            ((&cell.technique, kind_of(&it)), it)
        };
        said.extend(warned.chain(unmet).map(sentence));
    }
    let data = &analysis.data;
    let mut lines = [&analysis.warnings[..], &data.warnings].concat();
    lines.extend(data.findings.iter().map(|own| own.within().to_string()));
    let untrusted = |device: &DeviceRecord| match &device.timer {
        Timer::Untrusted(why) => Some(format!("{}: timer: {why}", device.label)),
        _ => None,
    };
    lines.extend(data.environment.devices.iter().filter_map(untrusted));
    let mut invocations = data.environment.invocations.iter();
    let has_nodes = invocations.any(|it| it.node.is_some());
    lines.extend(has_nodes.then(|| NODES.to_owned()));
    for ((technique, _), own) in grouped(said) {
        lines.push(match own.len() {
            1 => format!("{technique}: {}", own[0]),
            cells => format!("{technique}: {cells} cells, for example {}", own[0]),
        });
    }
    let item = match lines.is_empty() {
        true => Item::Text("None.".to_owned()),
        false => Item::List(lines),
    };
    section("warnings", "Warnings", [item])
}

/// Warns about a build that leaves features of its host's processor unused.
pub(crate) fn weak_build(environment: &Environment) -> Option<String> {
    let unused = environment.program.compiled_without.split(',');
    let count = unused.filter(|own| !own.is_empty()).count();
    (count > 0).then(|| {
        format!(
            "**Warning:** this build leaves {count} instruction sets of the processor unused (see `environment.toml`), so its CPU \
             programs may be too slow."
        )
    })
}

pub(crate) fn reproduce(data: &RunData) -> Section {
    let revision = match data.environment.program.revision.as_str() {
        "" | "unknown" => String::new(),
        revision => format!(", at revision `{revision}`"),
    };
    let text = format!("The commands of the run{revision}:");
    let cell = "To repeat a cell and its baselines, add `--technique` and `--case`. `tables/cells.csv` has an id for each cell.";
    let cell = Item::Text(cell.to_owned());
    let items = [Item::Text(text), Item::Commands(commands(data)), cell];
    section("reproduce", "Reproduce", items)
}

/// Returns the distinct commands of a folder's invocations, without the output folder, or `run FILE` if there are none.
fn commands(data: &RunData) -> Vec<String> {
    let mut invocations = data.environment.invocations.clone();
    if invocations.is_empty() {
        invocations.push(Invocation::default());
    }
    let shards = distinct(invocations.iter().map(|it| it.selection.shard));
    let lines = invocations.iter().map(|own| {
        let file = match own.config.as_str() {
            "" => format!("configs/{}.toml", data.experiment.name),
            file => public(file),
        };
        // The path of the program in a checkout. Recorded commands contain only its name.
        let mut words = vec!["./scripts/bench".to_owned(), "run".to_owned(), file];
        words.extend(own.selection.words());
        let shard = own.selection.shard.filter(|_| shards.len() == 1);
        let shard = shard.map(|it| ["--shard".to_owned(), it.to_string()]);
        words.extend(shard.into_iter().flatten());
        shell_line(&words)
    });
    distinct(lines)
}

/// Removes hidden folders from the beginning of an experiment's path.
fn public(file: &str) -> String {
    let parts = file.split('/').skip_while(|part| part.starts_with('.'));
    parts.collect::<Vec<_>>().join("/")
}

/// Returns the path of a game's file with complexities, relative to `reports/published/`.
pub fn complexity_file(game: &str) -> String {
    format!("{game}/complexity.csv")
}

/// An estimate from the paper, as a power of ten.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Estimate {
    game: String,
    measure: String,
    log10: f64,
    source: String,
}

/// Reads the estimates for a game, or none if there is no file. Adds faults in the file to `warnings`.
pub(crate) fn estimates(data: &RunData, warnings: &mut Vec<String>) -> Vec<Estimate> {
    let name = complexity_file(&data.experiment.game);
    let estimates = published::read(&data.folder, &name, warnings, |text, _| {
        let rows: Result<_, csv::Error> = published::reader(text).deserialize().collect();
        rows.map_err(|error| error.to_string())
    });
    estimates.unwrap_or_default()
}

/// Draws the estimated complexities of the games. Returns `None` if there are no estimates.
pub(crate) fn complexity(analysis: &Analysis) -> Option<Section> {
    const TITLE: &str = "How complex the games are";
    let estimates = &analysis.complexity;
    if estimates.is_empty() {
        return None;
    }
    let measures = distinct(estimates.iter().map(|own| own.measure.as_str()));
    let games = grouped(estimates.iter().map(|own| (own.game.clone(), own)));
    let rows = games.into_iter().map(|(game, own)| {
        let dot = |measure: &&str| {
            let own = own.iter().find(|own| own.measure == *measure)?;
            Some(Dot {
                value: own.log10,
                ..Dot::default()
            })
        };
        (game, measures.iter().map(dot).collect())
    });
    let rows: Vec<DotRow> = rows.collect();
    let axis = "power of ten, an estimate";
    let draw = |whole| dots::draw(TITLE, axis, &measures, &rows, false, whole);
    let chart = Chart::new("complexity", TITLE, draw).map(Item::Chart);
    let sources = distinct(estimates.iter().map(|own| own.source.as_str())).join("; ");
    let file = complexity_file(&analysis.data.experiment.game);
    let text = format!("The estimates are from {sources}. `published/{file}` has each number.");
    let items = chart.into_iter().chain([Item::Text(text)]);
    Some(section("complexity", TITLE, items))
}
