//! The first screen of a run's report: question, answer, three numbers, and what limits the run.

use super::analysis::Analysis;
use super::block::Block;
use super::claims::{self, Judged, Verdict};
use super::data::{HOST, is_device};
use super::grid::{Entry, Grid, Item, Section, Tone, section};
use super::headline::{Headline, in_words, rate_text};
use super::known::STAND_IN;
use super::ladder::Ladder;
use super::matches::{self, Match};
use super::names;
use super::naming;
use super::number::Unit;
use super::paper::{comparison, shown};
use super::positions::PLIES;
use super::sections::weak_builds;
use super::series::grouped;
use crate::config::{ClaimTest, Quantity};
use crate::words::{Case, MatchScore, Task, Warning, counted};

pub(crate) const ID: &str = "first";
pub(crate) const RESULTS: &str = "results";
pub(crate) const DIFFERENCE: &str = "difference";
pub(crate) const CLAIMS: &str = "claims";
pub(crate) const QUESTIONS: &str = "questions";

pub(crate) fn how_to_read(items: &[Item]) -> Item {
    const COLOURS: &str = "Green: faster, the whole interval above 1 (bold in Markdown). Orange: slower. Bold black: no difference \
        shown. Grey: marked. Point at a number for its 95 % interval and its baseline. An interval covers the timing, not \
        the choice of positions. A ratio is the geometric mean over the passes, so the medians shown need not divide to it.";
    let colours = Item::Text(COLOURS.to_owned());
    let items = Item::few(items).into_iter().chain([colours]);
    Item::Folded(
        "What the colours and marks mean".to_owned(),
        items.collect(),
    )
}

const NOTHING: &str = "Nothing was measured yet.";

impl Analysis {
    /// The headline of the first device with a measured cell.
    pub(crate) fn headline(&self) -> Option<&Headline> {
        let mut rows = self.data.measurements.iter();
        let measured = rows.any(|row| is_device(&row.cell.device));
        let first = self.headlines.first();
        first.filter(|own| measured && is_device(&own.device))
    }

    /// The answer in one or two sentences.
    pub(crate) fn answer(&self) -> String {
        if self.data.experiment.task == Task::Match {
            return of_matches(&self.matches);
        }
        let Some(headline) = self.headline() else {
            let has_rows = self.headlines.iter().any(|own| !own.cases.is_empty());
            let none = "No device was measured in this run. `tables/cells.csv` has the times of the CPU programs.";
            return if has_rows { none } else { NOTHING }.to_owned();
        };
        let device = &headline.device;
        let ladder = self.ladder_on(device);
        // For random games the question is the rate.
        let rate = ladder.filter(|_| self.data.experiment.task == Task::Playouts);
        let rate = rate.map_or(String::new(), |own| {
            format!(
                "{} ({}). ",
                rate_text(self.data.experiment.task, &own.rate),
                own.name
            )
        });
        let kind = self.kind_of(device);
        let counts = headline.counts();
        let family = ladder.map_or(String::new(), |own| self.family(headline, &own.case));
        let family = if family.is_empty() {
            family
        } else {
            format!(" {family}.")
        };
        format!("{device}: {rate}Our best {kind} technique is {counts}.{family}")
    }

    /// `GPU` or `OpenCL`: a processor is an OpenCL device too.
    pub(crate) fn kind_of(&self, device: &str) -> &'static str {
        let is_gpu = self
            .record(device)
            .is_some_and(|record| record.kind == "gpu");
        if is_gpu { "GPU" } else { "OpenCL" }
    }

    /// The last axis, along which cases form families: the depth. The plies of positions belong to a case.
    pub(crate) fn last_axis(&self) -> &str {
        let mut axes = self.data.experiment.axes.iter().rev();
        axes.find(|axis| *axis != PLIES).map_or("", String::as_str)
    }

    /// The cases around one, in words: `15x15: 3.6x slower at depth 2, 1.21x faster at depth 4`.
    pub(crate) fn family(&self, headline: &Headline, case: &Case) -> String {
        let axis = self.last_axis();
        let told = headline.told(case, axis);
        match case.without(axis).without(PLIES) {
            common if common.0.is_empty() || told.is_empty() => told,
            common => format!("{}: {told}", names::case(&common)),
        }
    }
}

/// The summary of a run's page.
pub(crate) fn summary(analysis: &Analysis, reproduced: Option<String>) -> Section {
    let answer = analysis.answer();
    let cpus = analysis
        .devices
        .iter()
        .filter(|device| analysis.is_cpu(device));
    let banner = cpus.map(|device| {
        Item::Text(format!(
            "**{device} is a CPU.** It shares the processor with the CPU programs, so this run does not judge the \
             paper's claims about GPUs."
        ))
    });
    let mut items: Vec<Item> = banner.collect();
    items.push(Item::Text(match &analysis.question {
        Some(own) => format!("**{}** {answer}", own.question),
        None => answer,
    }));
    let ladders = analysis.ladders.iter();
    let ladder = ladders.clone().find(|own| is_device(&own.device));
    items.extend(ladder.map(|own| Item::Table(strip(analysis.data.experiment.task, own))));
    items.extend(reproduced.map(Item::Text));
    items.extend(limits(analysis).into_iter().map(Item::Text));
    items.extend(ladder.map(|_| how_to_read(&items)));
    section(ID, "Summary", items)
}

/// What limits the run, a sentence each.
fn limits(analysis: &Analysis) -> Vec<String> {
    let mut lines = Vec::new();
    let rows = || analysis.cells.iter().filter_map(|cell| cell.row.as_ref());
    let taken = |share: fn(&Warning) -> Option<f64>| {
        let warned = rows().filter_map(|row| row.warned().iter().find_map(share));
        let mut shares: Vec<f64> = warned.map(|share| 100.0 * share).collect();
        shares.sort_by(f64::total_cmp);
        let [least, most] = [shares.first()?, shares.last()?].map(|share| format!("{share:.0}"));
        let range = if least == most {
            most
        } else {
            format!("{least} to {most}")
        };
        Some((range, counted(shares.len(), "cell")))
    };
    let busy = taken(|warning| match warning {
        Warning::Busy(share) => Some(*share),
        _ => None,
    });
    lines.extend(busy.map(|(range, cells)| {
        format!("**Busy host:** other programs took {range} % of the processor during {cells}.")
    }));
    let stolen = taken(|warning| match warning {
        Warning::Stolen(share) => Some(*share),
        _ => None,
    });
    lines.extend(stolen.map(|(range, cells)| {
        format!("**Shared host:** the hypervisor took {range} % of the processor during {cells}.")
    }));
    lines.extend(positions(analysis));
    lines.extend(weak_builds(&analysis.data.environment));
    lines
}

/// How many positions stand behind the numbers of a table with the paper's, if not all rest on equally many.
fn positions(analysis: &Analysis) -> Option<String> {
    let device = analysis.devices.first().map_or("", String::as_str);
    let tables = analysis.views.iter().filter(|view| !view.is_chart);
    let blocks = tables.filter_map(|view| view.block(device, analysis.question.as_ref()));
    let block = blocks
        .filter(|block| block.printed() > 0)
        .max_by_key(|block| block.printed())?;
    let cells = block.cells.iter().flatten();
    let counts: Vec<u64> = cells.filter_map(|cell| cell.positions).collect();
    let (least, most) = (counts.iter().min()?, counts.iter().max()?);
    let one = counts.iter().filter(|count| *count == least).count();
    (least < most).then(|| {
        let all = counts.len();
        let least = counted(*least as usize, "position");
        format!(
            "**Positions:** {one} of {all} numbers of {} rest on {least}, the others on up to {most}. An interval \
             covers the timing only.",
            named(&block.title)
        )
    })
}

/// The three numbers of a paper, in its case: the paper's, its program's here, and ours.
pub(crate) fn strip(task: Task, ladder: &Ladder) -> Grid {
    let mut grid = Grid::new([
        "case",
        "the paper",
        "its program here",
        "our best against the best CPU program",
        "rate or time",
    ]);
    let numbers = [0, 1].map(|step| step_entry(ladder, step));
    let rate = rate_entry(task, ladder);
    let entries = numbers.into_iter().chain([words_entry(ladder), rate]);
    grid.row(Entry::word(&ladder.name), entries);
    grid.is_cards = true;
    grid
}

/// The ratio of a step, as `4.63x`.
pub(crate) fn step_entry(ladder: &Ladder, at: usize) -> Entry {
    let step = &ladder.steps[at];
    let known = match &step.figure {
        Ok(known) => known,
        Err(_) => return shown(Unit::Plain, &step.figure),
    };
    let mut entry = comparison(Unit::Plain, known);
    if at == 0 {
        let prefix = if ladder.at_least { "> " } else { "" };
        return Entry::number(format!("{prefix}{}x", entry.main));
    }
    entry.main =
        format!("{}x", Unit::Plain.show(known.value)) + known.few.map_or("", |few| few.mark());
    if at == 1 && ladder.stand_in().is_some() {
        entry.main += STAND_IN;
    }
    let case = ladder.case.to_string();
    let speedup = naming::column_name(&Quantity::Speedup);
    entry.of([
        &case,
        &step.technique,
        &ladder.device,
        &speedup,
        &step.baseline,
    ])
}

/// The last step in words: `2.92x slower`.
pub(crate) fn words_entry(ladder: &Ladder) -> Entry {
    let entry = step_entry(ladder, 4);
    match ladder.known(4) {
        Some(known) => Entry {
            main: in_words(known) + known.few.map_or("", |few| few.mark()),
            ..entry.small(&ladder.technique)
        },
        None => entry,
    }
}

/// The rate or time of a ladder's technique.
pub(crate) fn rate_entry(task: Task, ladder: &Ladder) -> Entry {
    let (quantity, known) = &ladder.rate;
    let mut entry = comparison(naming::unit(quantity, None), known);
    entry.main = rate_text(task, &ladder.rate);
    let (case, quantity) = (ladder.case.to_string(), naming::column_name(quantity));
    let parts = [&case, &ladder.technique, &ladder.device, &quantity, ""];
    entry.small(&ladder.technique).of(parts)
}

/// Why our ratio differs from the paper's: the factor of each step in the paper's case.
pub(crate) fn difference(ladder: &Ladder) -> Option<Section> {
    let paper = ladder.known(0)?.value;
    let here = ladder.known(1)?.value;
    let times = |value: f64| format!("{}x", Unit::Plain.show(value));
    let kind = |factor: f64| match factor >= 1.0 {
        true => format!("{} faster", times(factor)),
        false => format!("{} slower", times(1.0 / factor)),
    };
    let more = if ladder.at_least { "more than " } else { "" };
    let mut text = format!(
        "In {}, the paper's ratio is {more}{}. Its programs give {} here, {} times as much: device, driver, serial \
         processor and positions differ.",
        ladder.name,
        times(paper),
        times(here),
        Unit::Plain.show(here / paper),
    );
    let [_, published, ours, one_core, whole] = &ladder.steps;
    let value = |step: usize| ladder.known(step).map(|known| known.value);
    if let Some(over_serial) = value(2) {
        let (technique, theirs) = (&ours.technique, &published.technique);
        text += &format!(
            " Our `{technique}` is {} than `{theirs}`.",
            kind(over_serial / here)
        );
        if let Some(over_core) = value(3) {
            let (best, serial) = (&one_core.baseline, &published.baseline);
            let factor = kind(over_serial / over_core);
            text +=
                &format!(" The best program of one core, `{best}`, is {factor} than `{serial}`.");
        }
    }
    if let Some((over_core, over_all)) = value(3).zip(value(4))
        && over_core / over_all > 1.01
    {
        let (all, one) = (&whole.baseline, &one_core.baseline);
        text += &format!(
            " All cores (`{all}`) are {} than one (`{one}`).",
            kind(over_core / over_all)
        );
    }
    if let Some(known) = ladder.known(4) {
        text += &format!(
            " So our best technique is {} than the best CPU program.",
            in_words(known)
        );
    }
    Some(section(DIFFERENCE, "Why ours differs", [Item::Text(text)]))
}

/// The last match of every player with a score, devices first.
fn players(matches: &[Match]) -> Vec<&Match> {
    let players = grouped(matches.iter().map(|own| ((&own.player, &own.device), own)));
    let last = players
        .into_iter()
        .filter_map(|(_, own)| own.into_iter().last());
    let mut players: Vec<&Match> = last.collect();
    players.sort_by_key(|own| !is_device(&own.device));
    players
}

fn of_matches(matches: &[Match]) -> String {
    let players = players(matches);
    let Some(first) = players.first() else {
        return NOTHING.to_owned();
    };
    let own = players.iter().filter(|own| own.device == first.device);
    let share = |player: &Match| matches::share(&player.score).map_or(0.0, |(share, _)| share);
    let best = own.max_by(|a, b| share(a).total_cmp(&share(b)));
    let best = best.unwrap_or(first);
    // At equal depth, times differ; by the clock, both think equally long.
    let has_depth = best.case.get("depth").is_some();
    let ratio = best.ratio.as_ref().ok().filter(|_| has_depth);
    let thinks = ratio.map_or(String::new(), |known| {
        let ratio = comparison(Unit::Plain, known).main;
        format!(" {} thinks {ratio} times as long.", best.opponent)
    });
    let points = matches::points(&best.score);
    format!(
        "{} on {} scores {} {} against {} ({} games, {}).{thinks}",
        best.player,
        claims::place(&best.device),
        points.main,
        points.small.join(" "),
        best.opponent,
        best.score.played(),
        names::case(&best.case)
    )
}

pub(crate) fn table_of_players(matches: &[Match]) -> Grid {
    let mut grid = Grid::new(["player", "points", "on", "against", "games", "case"]);
    for player in players(matches) {
        let games = Entry::number(player.score.played().to_string());
        let places = [claims::place(&player.device), &player.opponent].map(Entry::word);
        let entries = [of_points(&player.score)].into_iter().chain(places);
        let case = Entry::word(names::case(&player.case));
        grid.row(Entry::word(&player.player), entries.chain([games, case]));
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

/// Whether the paper's table `id` is reproduced, with counts; `None` without a measured number of the paper.
pub(crate) fn reproduced(analysis: &Analysis, (id, block): (&str, &Block)) -> Option<String> {
    let found = claims::of_block(block, NEAR);
    // A single number is no table.
    if found.measured == 0 || found.all == 1 {
        return None;
    }
    let title = named(&block.title);
    if analysis.is_cpu(&block.device) {
        return Some(format!(
            "**Is {title} reproduced? Not judged: the device is a CPU.**"
        ));
    }
    let (near, all) = (found.held + found.leaning, found.measured);
    let mut reason = format!("{near} of {all} numbers within a factor of {NEAR}");
    if found.leaning > 0 {
        reason += &format!(", {} of these {near} with an interval", found.held);
    }
    if found.all > all {
        reason += &format!("; {} not measured", found.all - all);
    }
    if matches!(found.verdict, Verdict::Fails | Verdict::Unclear) {
        reason += &format!("; the claim that all are: {}", found.verdict.words());
    }
    if let Some(paper) = lacking(analysis) {
        let mut cells = block.cells.iter().flatten();
        let cell = cells.find(|cell| cell.published.is_some())?;
        let ours = &cell.technique;
        let why = format!("This run has no `{paper}`. Our `{ours}`: {reason}.");
        return Some(format!("**Is {title} reproduced? Unknown.** {why}"));
    }
    let word = word_of(near, all, found.all);
    let others = of_others(analysis, id, &block.device);
    Some(format!(
        "**Is {title} reproduced? {word}.** {reason}{others}"
    ))
}

/// The claims about other tables of a device, with their verdicts' counts: the rest of a sentence.
fn of_others(analysis: &Analysis, id: &str, device: &str) -> String {
    let others = analysis.claims.iter().filter(|own| {
        let is_here = [HOST, "", device].contains(&own.device.as_str());
        let is_near = matches!(own.claim.test, ClaimTest::Published { .. });
        is_here && is_near && own.claim.table != id && own.finding.measured > 0
    });
    let others = others.map(|Judged { claim, finding, .. }| {
        let mut tables = analysis.data.experiment.tables.iter();
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
pub(crate) fn lacking(analysis: &Analysis) -> Option<&str> {
    let technique = analysis.question.as_ref()?.technique.as_str();
    let is_there = analysis.data.experiment.choice(technique).is_some();
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
