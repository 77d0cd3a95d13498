//! Makes the landing page, and the generated parts of the repository's pages: the results and the list of runs.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;

use super::{Paper, Run, shown_papers, way_from_page};
use crate::report::chart::dots::{self, Dot, DotRow};
use crate::report::claims::Verdict as Judgement;
use crate::report::data::grouped;
use crate::report::document::dates;
use crate::report::format::Unit;
use crate::report::grid::{Chart, Document, Entry, Grid, Item, section};
use crate::report::headline::{in_words, in_words_over, times};
use crate::report::known::Known;
use crate::report::markdown;
use crate::report::page::PAGE;
use crate::report::published::AS_PUBLISHED;
use crate::report::summary::{how_to_read, rate_entry, step_entry, words_entry};
use crate::stats::Verdict;
use crate::words::{Task, counted, read_text};

const RESULTS: [&str; 2] = ["<!-- reports:begin -->", "<!-- reports:end -->"];
const LIST: [&str; 2] = ["<!-- runs:begin -->", "<!-- runs:end -->"];

/// A function that returns the path to a run.
type Way<'w> = &'w dyn Fn(&Run) -> String;

pub(super) fn landing(runs: &[Run]) -> Document {
    const LEAD: &str = "Published GPU techniques, compared with CPU programs on the same host. Every answer is checked.";
    let way = |run: &Run| run.way() + PAGE;
    let text = Item::Text(finding(runs, &way));
    let summary = [text].into_iter().chain(chart(runs).map(Item::Chart));
    let [papers, devices] = [papers(runs, &way), devices(runs, &way)].map(Item::Table);
    let legend = how_to_read(std::slice::from_ref(&papers));
    let papers = [papers, Item::Text(CLAIMS.to_owned())].into_iter();
    let devices = [Item::Text(DEVICES.to_owned()), devices];
    let sections = vec![
        section("first", "Summary", summary),
        section("papers", "The papers", papers.chain(legend)),
        section("devices", "Devices", devices),
        section("experiments", "All experiments", [list(runs, &way)]).folded(),
    ];
    Document {
        title: "Plybench: game-tree search on GPUs, measured again".to_owned(),
        lead: vec![LEAD.to_owned()],
        links: Vec::new(),
        sections,
        made_from: "Made by Plybench from the run folders of its repository.".to_owned(),
    }
}

const CLAIMS: &str = "The last column counts the paper's claims with the verdict *holds* or *holds mostly*, out of the \
    judged claims of all experiments with the game on that machine.";

const DEVICES: &str = "Each row is a device, or the CPU programs of a host, with at least half of the papers. It shows the \
    fastest technique in one case per paper. If machines share a device, the one with the most papers is shown.";

/// Makes a table with one row per paper. A row has the paper's three numbers and its claims.
fn papers(runs: &[Run], way: Way<'_>) -> Grid {
    const COLUMNS: &str = "game and case,paper,reimplementation,our best GPU against our best CPU program,\
        claims of the paper that hold";
    let mut grid = Grid::new(COLUMNS.split(','));
    for paper in shown_papers(runs) {
        let (run, ladder) = (paper.run, paper.ladder);
        let (held, all) = claims_held(runs, run);
        let [published, here] = [0, 1].map(|step| step_entry(ladder, step));
        let claims = Entry::number(format!("{held} of {all}"));
        let numbers = [published, here, words_entry(ladder), claims];
        let numbers = numbers.map(|entry| run.cell_of(entry));
        grid.row(Entry::word(paper.title()).link(way(run)), numbers);
    }
    grid.is_cards = true;
    grid
}

/// Makes a table with one row per device that ran at least half of the papers' cases, GPUs first. Each rate links to its
/// run, whose page has the driver and the dates.
fn devices(runs: &[Run], way: Way<'_>) -> Grid {
    let mut papers = shown_papers(runs);
    let shown = papers.first().map(|paper| paper.run.machine.as_str());
    let found = papers.iter().flat_map(|paper| {
        let of_runs = runs.iter();
        let of_runs = of_runs.filter(|run| run.experiment() == paper.run.experiment());
        let all = of_runs.flat_map(|run| run.analysis.ladders.iter().map(move |own| (run, own)));
        let own = all.filter(|(_, own)| own.case == paper.ladder.case);
        own.map(|(run, own)| ((&run.machine, &own.device), (run, own)))
    });
    let mut rows = grouped(found);
    rows.sort_by_key(|((machine, device), own)| {
        let machine = (shown != Some(machine.as_str()), *machine);
        (Reverse(own[0].0.kind(device)), Reverse(own.len()), machine)
    });
    let mut named = HashSet::new();
    rows.retain(|((_, device), own)| {
        2 * own.len() >= papers.len() && named.insert(own[0].0.device_name(device))
    });
    // The papers on playouts come first, because their rates are the easiest to compare.
    papers.sort_by_key(|paper| paper.run.data().experiment.task != Task::Playouts);
    let titles = papers.iter().map(Paper::title);
    let mut grid = Grid::new(std::iter::once("device".to_owned()).chain(titles));
    for ((_, device), own) in rows {
        let rates = papers.iter().map(|paper| {
            let mut own = own.iter();
            match own.find(|(run, _)| run.experiment() == paper.run.experiment()) {
                Some((run, ladder)) => {
                    let entry = rate_entry(run.data().experiment.task, ladder);
                    run.cell_of(entry).link(way(run))
                }
                None => Entry::missing("–").small("not measured"),
            }
        });
        grid.row(Entry::word(own[0].0.device_title(device)), rates);
    }
    grid.is_cards = true;
    grid
}

/// Describes the three numbers of each paper in sentences, one line per paper.
fn finding(runs: &[Run], way: Way<'_>) -> String {
    let papers = shown_papers(runs);
    let Some(first) = papers.first() else {
        return "No run of a paper's experiment has a number yet.".to_owned();
    };
    let device = first.run.device_title(&first.ladder.device);
    let head = format!("These results are from an {device}, with one case per paper.\n");
    let lines = papers.iter().map(|paper| headline(runs, paper, way));
    let lines: Vec<String> = std::iter::once(head).chain(lines).collect();
    lines.join("\n")
}

/// Describes a paper: `- **Reversi** (64x32, depth 3). The paper reports a speedup of 4.63x. Our reimplementation …`
fn headline(runs: &[Run], Paper { run, game, ladder }: &Paper<'_>, way: Way<'_>) -> String {
    let published = match ladder.known(0).map(|known| times(known.value)) {
        Some(ratio) if ladder.at_least => format!("a speedup in words, read as more than {ratio}"),
        Some(ratio) => format!("a speedup of {ratio}"),
        None => "no speedup".to_owned(),
    };
    let whose = usize::from(ladder.steps[1].baseline.ends_with(AS_PUBLISHED));
    let serial = ["our own serial program", "the reimplemented serial program"][whose];
    let few = |known: &Known| known.few.map_or("", |_| " (few passes or samples)");
    let here = match ladder.known(1) {
        Some(known) => format!("is {}{}", in_words_over(known, serial), few(known)),
        None => format!("has no measured speedup over {serial}"),
    };
    let own = run.headline(&ladder.device);
    let ours = match own.filter(|own| own.turns(&ladder.case)) {
        Some(own) => Some(own.told(&ladder.case)),
        None => ladder.known(4).map(in_words),
    };
    let ours = ours.map_or("has no speedup".to_owned(), |words| format!("is {words}"));
    let kind = run.analysis.kind_of(&ladder.device);
    let mut text = format!(
        "- **{game}** ({}). The paper reports {published}. Our reimplementation {here}. Compared with our best CPU program, our \
         best {kind} technique {ours}",
        ladder.name
    );
    // Adds our wins in other searches of the game, if our technique does not win in the paper's case.
    let verdict = ladder.known(4).and_then(|known| known.verdict);
    let others = of_game(runs, run).filter(|own| own.experiment() != run.experiment());
    for other in others.filter(|_| verdict != Some(Verdict::Faster)) {
        let is_search = matches!(other.data().experiment.task, Task::Search | Task::Game);
        let headline = other.headline(&ladder.device).filter(|_| is_search);
        let win = headline.and_then(|own| Some((own, *own.with(Verdict::Faster).first()?)));
        if let Some((headline, win)) = win {
            let (technique, name, way) = (&win.row.cell.technique, other.experiment(), way(other));
            let family = headline.told_in_full(&win.case);
            let positions = match other.data().experiment.task {
                Task::Game => format!(", {}", counted(win.row.units as usize, "position")),
                _ => String::new(),
            };
            text += &format!(". `{technique}` ([{name}]({way}){positions}) is {family}");
        }
    }
    text + "."
}

/// Returns the runs of the same game on the same machine.
fn of_game<'r>(runs: &'r [Run], run: &'r Run) -> impl Iterator<Item = &'r Run> {
    runs.iter().filter(move |other| {
        other.machine == run.machine && other.data().experiment.game == run.data().experiment.game
    })
}

/// Draws the three numbers of each paper as dots on one axis.
pub(super) fn chart(runs: &[Run]) -> Option<Chart> {
    let series = [
        "the paper",
        "the paper's program, reimplemented",
        "our best over the best CPU program",
    ];
    let papers = shown_papers(runs);
    let first = papers.first()?;
    let device = first.run.device_title(&first.ladder.device);
    let rows = papers.iter().map(|Paper { game, ladder, .. }| {
        let dots = [0, 1, 4].map(|step| {
            let known = ladder.known(step)?;
            let note = match step {
                0 if ladder.at_least => "or more",
                1 if ladder.stand_in() => "over our program",
                _ => "",
            };
            Some(Dot {
                value: known.value,
                interval: known.interval,
                note,
            })
        });
        ((*game).to_owned(), dots.to_vec())
    });
    let rows: Vec<DotRow> = rows.collect();
    let title = format!("GPU against CPU: {device}");
    let axis = "times as fast, log scale";
    let draw = |whole| dots::draw(&title, axis, &series, &rows, true, whole);
    Chart::new("ladder", &title, draw)
}

/// Counts the paper's claims that hold, and those that were judged, in this run and in the other runs of its game.
fn claims_held(runs: &[Run], run: &Run) -> (usize, usize) {
    let papers = of_game(runs, run).flat_map(|own| {
        let [_, papers] = own.analysis.claims();
        papers
    });
    let mut verdicts: Vec<Judgement> = papers.map(|one| one.finding.verdict).collect();
    verdicts.retain(|own| ![Judgement::NotMeasured, Judgement::NotJudged].contains(own));
    let is_held = |own: &&Judgement| matches!(own, Judgement::Holds | Judgement::Mostly);
    (verdicts.iter().filter(is_held).count(), verdicts.len())
}

fn list(runs: &[Run], way: Way<'_>) -> Item {
    let mut grid = Grid::new(["run", "machine", "samples", "measured", "revision"]);
    for run in runs {
        let samples = Unit::Count.show(run.data().samples.len() as f64);
        let revision = Entry::word(&run.data().environment.program.revision);
        let [machine, dates] = [run.machine.clone(), dates(run.data())].map(Entry::word);
        let rest = [machine, Entry::number(samples), dates, revision];
        grid.row(Entry::word(&run.document.title).link(way(run)), rest);
    }
    Item::Table(grid)
}

/// Returns the page with new text between its marks: the results (each paper's three numbers, and the tables of papers
/// and devices) and the list of runs. The error is one line.
pub(super) fn into(page: &Path, runs: &[Run]) -> Result<String, String> {
    let shown = page.display();
    let wrong = |problem| format!("--insert {shown}: {problem}");
    let text = read_text(page);
    let mut text = text.map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let way = |run: &Run| way_from_page(page, &run.data().folder);
    if !text.contains(LIST[0]) || text.contains(RESULTS[0]) {
        let mut items = vec![Item::Text(finding(runs, &way))];
        for mut grid in [papers(runs, &way), devices(runs, &way)] {
            // Details and marks are on the pages of the runs.
            for entry in grid.rows.iter_mut().flatten() {
                entry.small.clear();
                entry.main = entry.main.trim_end_matches(['†', '‡', '§']).to_owned();
            }
            items.push(Item::Table(grid));
        }
        text = between(&text, RESULTS, &markdown::part(&items)).map_err(wrong)?;
    }
    if text.contains(LIST[0]) {
        text = between(&text, LIST, &markdown::part(&[list(runs, &way)])).map_err(wrong)?;
    }
    Ok(text)
}

fn between(text: &str, [begin, end]: [&str; 2], block: &str) -> Result<String, String> {
    let missing = |mark: &str| format!("has no line {mark}");
    let (before, rest) = text.split_once(begin).ok_or_else(|| missing(begin))?;
    let (_, after) = rest.split_once(end).ok_or_else(|| missing(end))?;
    if after.contains(begin) || after.contains(end) {
        return Err(format!("has more than one {begin} or {end}"));
    }
    Ok(format!("{before}{begin}\n{block}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_marks_is_refused() {
        let [begin, end] = RESULTS;
        let expected = format!("has no line {begin}");
        assert_eq!(between("x", RESULTS, "y").unwrap_err(), expected);
        let found = between(&format!("{end} {begin}"), RESULTS, "y").unwrap_err();
        assert_eq!(found, format!("has no line {end}"));
        let twice = format!("{begin}{end}{begin}{end}");
        let found = between(&twice, RESULTS, "y").unwrap_err();
        assert!(found.contains("more than one"));
    }
}
