//! The first screen of a run's report: question, answer, and the state of the paper's table and claims.

use super::block::Block;
use super::claims::{self, Judged, Verdict};
use super::data::{HOST, Index, RunData, is_device};
use super::figure;
use super::grid::{Entry, Grid, Item, Section, Tone, section};
use super::headline::headlines;
use super::ladder::{self, Ladder, Question};
use super::matches::{self, Match};
use super::names;
use super::number::Unit;
use super::paper::comparison;
use super::series::grouped;
use crate::config::ClaimTest;
use crate::words::{MatchScore, Task};

pub(crate) const ID: &str = "first";
pub(crate) const RESULTS: &str = "results";
pub(crate) const CLAIMS: &str = "claims";

pub(crate) fn how_to_read(items: &[Item]) -> Item {
    const COLOURS: &str = "Green: faster, the whole interval above 1 (bold in Markdown). Orange: slower. Bold black: no difference \
        shown. Grey: marked. Point at a number for its 95 % interval and its baseline. A ratio is the geometric mean over the \
        passes, so the medians shown need not divide to it.";
    let colours = Item::Text(COLOURS.to_owned());
    let items = Item::few(items).into_iter().chain([colours]);
    Item::Folded(
        "What the colours and marks mean".to_owned(),
        items.collect(),
    )
}

const NOTHING: &str = "Nothing was measured yet.";

/// The answer, and the cases where the first device is faster than the host's programs.
pub(crate) fn said(index: &Index<'_>, ladders: &[Ladder]) -> (String, Vec<String>) {
    if index.data.experiment.task == Task::Match {
        return (of_matches(index), Vec::new());
    }
    let mut rows = index.data.measurements.iter();
    let is_measured = rows.any(|row| is_device(&row.cell.device));
    let device = index.devices.first().filter(|_| is_measured);
    let bests = headlines(index, device.copied().unwrap_or(HOST));
    match device {
        _ if bests.is_empty() => (NOTHING.to_owned(), Vec::new()),
        None => {
            let none = "No device was measured in this run. \
                `tables/cells.csv` has what the programs of the processor did.";
            (none.to_owned(), Vec::new())
        }
        Some(device) => {
            // For random games the question is the rate.
            let is_rate = index.data.experiment.task == Task::Playouts;
            let mut ladders = ladders.iter().filter(|own| own.device == **device);
            let rate = ladders.find(|_| is_rate).map_or(String::new(), |own| {
                format!("{} ({}). ", own.rate.main, own.name)
            });
            let said = ladder::sentences(index, &bests).join(" ");
            let answer = format!("{device}: {rate}{said}");
            (answer, ladder::wins(index, &bests))
        }
    }
}

pub(crate) fn first(
    question: Option<&Question>,
    reproduced: Option<&Reproduced>,
    answer: &str,
    ladders: &[Ladder],
    weak_builds: Vec<String>,
) -> Section {
    let said = Item::Text(match question {
        Some(own) => format!("**{}** {answer}", own.question),
        None => answer.to_owned(),
    });
    let reproduced = reproduced.map(|own| Item::Text(own.text.clone()));
    let of_device = ladders.iter().find(|ladder| is_device(&ladder.device));
    let items = reproduced.into_iter().chain([said]);
    let mut items: Vec<Item> = items.chain(of_device.map(ladder::item)).collect();
    items.extend(of_device.map(|_| how_to_read(&items)));
    items.extend(weak_builds.into_iter().map(Item::Text));
    section(ID, "Summary", items)
}

/// The last match of every player with a score, devices first.
fn players<'a>(index: &'a Index<'a>) -> Vec<Match<'a>> {
    let all = matches::all(index).map(|own| ((own.player, own.device), own));
    let players = grouped(all).into_iter();
    let mut players: Vec<_> = players
        .filter_map(|(_, own)| own.into_iter().last())
        .collect();
    players.sort_by_key(|own| !is_device(own.device));
    players
}

fn of_matches(index: &Index<'_>) -> String {
    let players = players(index);
    let Some(first) = players.first() else {
        return NOTHING.to_owned();
    };
    let own = players.iter().filter(|own| own.device == first.device);
    let share = |player: &Match<'_>| matches::share(&player.score).map_or(0.0, |(share, _)| share);
    let best = own.max_by(|a, b| share(a).total_cmp(&share(b)));
    let best = best.unwrap_or(first);
    // At equal depth, times differ; by the clock, both think equally long.
    let has_depth = best.case.get("depth").is_some();
    let ratio = figure::over_opponent(index, best.row).ok();
    let thinks = ratio.filter(|_| has_depth).map_or(String::new(), |known| {
        let ratio = comparison(Unit::Plain, &known).main;
        format!(" {} thinks {ratio} times as long.", best.opponent)
    });
    let points = matches::points(&best.score);
    format!(
        "{} on {} scores {} {} against {} ({} games, {}).{thinks}",
        best.player,
        claims::place(best.device),
        points.main,
        points.small.join(" "),
        best.opponent,
        best.score.played(),
        names::case(best.case)
    )
}

pub(crate) fn table_of_players(index: &Index<'_>) -> Grid {
    let mut grid = Grid::new(["player", "points", "on", "against", "games", "case"]);
    for player in players(index) {
        let games = Entry::number(player.score.played().to_string());
        let places = [claims::place(player.device), player.opponent].map(Entry::word);
        let entries = [of_points(&player.score)].into_iter().chain(places);
        let case = Entry::word(names::case(player.case));
        grid.row(Entry::word(player.player), entries.chain([games, case]));
    }
    grid
}

fn of_points(score: &MatchScore) -> Entry {
    let entry = matches::points(score);
    match matches::share(score) {
        Some((_, (low, _))) if low > 0.5 => entry.tone(Tone::Faster),
        Some((_, (_, high))) if high < 0.5 => entry.tone(Tone::Slower),
        Some(_) => entry.tone(Tone::Tie),
        None => entry,
    }
}

/// Numbers within this factor count as reproduced.
const NEAR: f64 = 2.0;

pub(crate) struct Reproduced {
    /// Question, word and counts, as text of a page.
    pub text: String,
    /// Word and counts of a table, as plain text; empty for claims.
    pub short: String,
}

impl Reproduced {
    /// For the table `id` and the claims about others, or for all claims; `None` if nothing can be tested.
    pub(crate) fn of(
        data: &RunData,
        question: Option<&Question>,
        shown: Option<(&str, &Block)>,
        judged: &[Judged],
    ) -> Option<Reproduced> {
        let shown = shown.map(|(id, block)| (id, block, claims::of_block(block, NEAR)));
        let Some((id, block, first)) = shown.filter(|(.., found)| found.measured > 0) else {
            let (held, tested) = claims::reproduced(judged.iter());
            let mut verdicts = judged.iter().map(|own| own.finding.verdict);
            let is_open = |it| matches!(it, Verdict::Unclear | Verdict::NotMeasured);
            let word = match verdicts.all(is_open) {
                true => "Unknown",
                false => word(held, tested),
            };
            let tally = claims::tally(judged.iter());
            return (!judged.is_empty()).then(|| Reproduced {
                text: format!("**Are the paper's claims reproduced? {word}.** Claims: {tally}."),
                short: String::new(),
            });
        };
        let near = first.held + first.leaning;
        let all = first.measured;
        let counted = format!("{near} of {all} numbers within a factor of {NEAR}");
        let rest = match first.all - all {
            0 => String::new(),
            rest => format!("; {rest} not measured"),
        };
        let mut reason = counted.clone();
        if first.leaning > 0 {
            reason += &format!(", {} of these {near} with an interval", first.held);
        }
        reason += &rest;
        if matches!(first.verdict, Verdict::Fails | Verdict::Unclear) {
            reason += &format!("; the claim that all are: {}", first.verdict.words());
        }
        let others = of_others(data, id, &block.device, judged);
        let (word, reason) = match lacking(data, question) {
            Some(paper) => {
                let mut cells = block.cells.iter().flatten();
                let own = cells.find(|cell| cell.published.is_some());
                let own = own.map_or("", |cell| cell.technique.as_str());
                let why = format!("This run has no `{paper}`. Our `{own}`: {reason}.");
                ("Unknown", why)
            }
            None => (word_of(near, all, first.all), reason + &others),
        };
        let question = format!("Is {} reproduced? {word}.", named(&block.title));
        Some(Reproduced {
            short: format!("{question} {counted}{rest}{others} ").replace('`', ""),
            text: format!("**{question}** {reason}"),
        })
    }
}

/// The claims about other tables of a device, with their verdicts' counts: the rest of a sentence.
fn of_others(data: &RunData, id: &str, device: &str, judged: &[Judged]) -> String {
    let others = judged.iter().filter(|own| {
        let is_here = [HOST, "", device].contains(&own.device.as_str());
        let is_near = matches!(own.claim.test, ClaimTest::Published { .. });
        is_here && is_near && own.claim.table != id && own.finding.measured > 0
    });
    let others = others.map(|Judged { claim, finding, .. }| {
        let mut tables = data.experiment.tables.iter();
        let table = tables.find(|table| table.id == claim.table);
        let name = named(table.map_or(&claim.table, |table| &table.title));
        let of = claim.technique.as_ref();
        let of = of.map_or(String::new(), |label| format!(" (`{label}`)"));
        let near = finding.held + finding.leaning;
        format!("{name}{of}: {near} of {}", finding.measured)
    });
    match others.collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => ".".to_owned(),
        others => format!(". Other tables: {others}."),
    }
}

/// The paper's program, if a run is older than that technique.
pub(crate) fn lacking<'q>(data: &RunData, question: Option<&'q Question>) -> Option<&'q str> {
    let technique = question?.technique.as_str();
    let is_there = data.experiment.choice(technique).is_some();
    (!technique.is_empty() && !is_there).then_some(technique)
}

/// `Table 2`, or the quoted title if it has no number.
fn named(title: &str) -> String {
    match title.split_once(':') {
        Some((name, _)) if name.starts_with("Table ") || name.starts_with("Figure ") => {
            name.to_owned()
        }
        _ => format!("“{title}”"),
    }
}

/// The word for a table with `measured` of `all` numbers: never yes before all are measured, and empty below half.
fn word_of(held: usize, measured: usize, all: usize) -> &'static str {
    match word(held, measured) {
        _ if 2 * measured < all => "Unknown",
        "Yes" if measured < all => "Mostly",
        word => word,
    }
}

fn word(held: usize, all: usize) -> &'static str {
    match (held, all) {
        (_, 0) => "Unknown",
        (held, all) if held == all => "Yes",
        (held, all) if 4 * held >= 3 * all => "Mostly",
        (0, _) => "No",
        _ => "Partly",
    }
}

#[cfg(test)]
mod tests {
    use super::{word, word_of};

    #[test]
    fn one_word_says_how_much_is_reproduced() {
        for (held, all, said) in [
            (0, 0, "Unknown"),
            (0, 4, "No"),
            (1, 4, "Partly"),
            (2, 4, "Partly"),
            (3, 4, "Mostly"),
            (4, 4, "Yes"),
        ] {
            assert_eq!(word(held, all), said, "{held} of {all}");
            assert_eq!(word_of(held, all, all), said, "{held} of {all}");
        }
        assert_eq!(word_of(1, 1, 36), "Unknown");
        assert_eq!(word_of(20, 20, 36), "Mostly");
        assert_eq!(word_of(10, 20, 36), "Partly");
    }
}
