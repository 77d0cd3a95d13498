//! Makes the first screen of a run's report: the question, the answer, three numbers, and the limitations of the run.

use super::analysis::Analysis;
use super::block::Block;
use super::claims;
use super::data::{grouped, is_device};
use super::format::{self, Unit};
use super::grid::{Entry, Grid, Item, Section, section};
use super::headline::{in_words, rate_text, times};
use super::known::{Few, STAND_IN, plain};
use super::ladder::Ladder;
use super::matches::{self, Match};
use super::paper::{comparison, shown};
use super::sections::weak_build;
use crate::config::Quantity;
use crate::stats::Verdict;
use crate::words::{Task, Warning, counted};

/// Explains the marks in some items, the colours, and the hover texts.
pub(crate) fn how_to_read(items: &[Item]) -> Vec<Item> {
    const COLOURS: &str = "Green (bold in Markdown) means faster: the whole interval is above 1. Orange means slower. Bold black means \
        that the interval contains 1. Grey numbers have a mark. Hover over a number for its 95 % interval and its baseline. For `2x slower`, it \
        is the interval of the slowdown. An interval covers the timing, not the choice of positions. A ratio is the geometric mean over the passes, so it may differ from the ratio of the medians shown.";
    let colours = vec![Item::Text(COLOURS.to_owned())];
    let folded = Item::Folded("What the colours mean".to_owned(), colours);
    Item::few(items).into_iter().chain([folded]).collect()
}

impl Analysis {
    fn answer(&self) -> String {
        if self.data.experiment.task == Task::Match {
            return of_matches(&self.matches);
        }
        // The first device, if any device was measured.
        let mut rows = self.data.measurements.iter();
        let is_measured = rows.any(|row| is_device(&row.cell.device));
        let first = self.headlines.first();
        let Some(headline) = first.filter(|own| is_measured && is_device(&own.device)) else {
            return "No device was measured. `tables/cells.csv` has the CPU programs.".to_owned();
        };
        let device = &headline.device;
        let ladder = self.ladders.iter().find(|own| own.device == *device);
        let (kind, counts) = (self.kind_of(device), headline.counts());
        let text = format!("{device}: Our best {kind} technique is {counts}.");
        match ladder.map_or(String::new(), |own| headline.told_in_full(&own.case)) {
            none if none.is_empty() => text,
            family => format!("{text} It is {family}."),
        }
    }

    /// Returns `GPU` or `OpenCL`, because a CPU can be an OpenCL device, too.
    pub(crate) fn kind_of(&self, device: &str) -> &'static str {
        match self.data.record(device) {
            Some(record) if record.kind == "gpu" => "GPU",
            _ => "OpenCL",
        }
    }
}

/// Makes the first screen. `shown` is the block whose table follows.
pub(crate) fn summary(analysis: &Analysis, shown: Option<&Block>) -> Section {
    const COLUMNS: &str =
        "case,paper,reimplementation,our best against the best CPU program,rate or time";
    let is_cpu = |device: &&String| analysis.data.is_cpu(device);
    let banner = analysis.devices.iter().filter(is_cpu).map(|device| {
        format!(
            "**{device} is a CPU.** It shares the processor with the CPU programs, so this run does not judge the \
             paper's claims about GPUs."
        )
    });
    let question = analysis.question.as_ref();
    let question = question.map(|own| format!("**{}** ", own.question));
    let answer = question.unwrap_or_default() + &analysis.answer();
    let mut items: Vec<Item> = banner.chain([answer]).map(Item::Text).collect();
    let mut ladders = analysis.ladders.iter();
    let ladder = ladders.find(|own| is_device(&own.device));
    // Three ratios in the paper's case: the paper's, its reimplemented program's, and ours.
    items.extend(ladder.map(|own| {
        let mut grid = Grid::new(COLUMNS.split(','));
        let [published, here] = [0, 1].map(|step| step_entry(own, step));
        let rate = rate_entry(analysis.data.experiment.task, own);
        let numbers = [published, here, words_entry(own), rate];
        grid.row(Entry::word(&own.name), numbers);
        grid.is_cards = true;
        Item::Table(grid)
    }));
    let reproduced = shown.and_then(|block| reproduced(analysis, block));
    let lines = reproduced.into_iter().chain(limits(analysis));
    items.extend(lines.map(Item::Text));
    if ladder.is_some() {
        items.extend(how_to_read(&items));
    }
    section("first", "Summary", items)
}

fn limits(analysis: &Analysis) -> Vec<String> {
    let share = |warning: &Warning| match warning {
        Warning::Busy(share) | Warning::Stolen(share) => Some(100.0 * share),
        _ => None,
    };
    let rows = analysis.cells.iter().filter_map(|cell| cell.row.as_ref());
    let shares = rows.filter_map(|row| row.warned().iter().find_map(share));
    let mut shares: Vec<f64> = shares.collect();
    shares.sort_by(f64::total_cmp);
    let mut lines = Vec::new();
    if let Some((least, most)) = shares.first().zip(shares.last()) {
        let mut ends = [least, most].map(|share| format!("{share:.0}")).to_vec();
        ends.dedup();
        let (range, cells) = (ends.join(" to "), counted(shares.len(), "cell"));
        let who = "other programs or the hypervisor";
        lines.push(format!(
            "**Busy host:** {who} took {range} % of the processor during {cells}."
        ));
    }
    lines.extend(positions(analysis));
    lines.extend(weak_build(&analysis.data.environment));
    lines
}

/// Describes the numbers of positions behind a table with the paper's numbers, if they differ.
fn positions(analysis: &Analysis) -> Option<String> {
    let blocks = analysis.tables().filter_map(|view| analysis.block(view));
    let block = blocks.max_by_key(|block| block.printed());
    let block = block.filter(|block| block.printed() > 0)?;
    let cells = block.cells.iter().flatten();
    let counts: Vec<u64> = cells.filter_map(|cell| cell.positions).collect();
    let (least, most) = (counts.iter().min()?, counts.iter().max()?);
    let few = counts.iter().filter(|count| *count == least).count();
    (least < most).then(|| {
        let (all, table) = (counts.len(), named(&block.title));
        let least = counted(*least as usize, "position");
        format!(
            "**Positions:** {few} of {all} numbers in {table} are based on {least}, the others on up to {most}. An interval \
             covers only the timing."
        )
    })
}

pub(crate) fn step_entry(ladder: &Ladder, at: usize) -> Entry {
    let step = &ladder.steps[at];
    let mut entry = shown(Unit::Plain, &step.figure);
    let Ok(known) = &step.figure else {
        return entry;
    };
    entry.main = times(known.value) + known.few.map_or("", Few::mark);
    match at {
        0 if ladder.at_least => entry.main.insert_str(0, "> "),
        1 if ladder.stand_in() => entry.main += STAND_IN,
        _ => {}
    }
    let labels = [&step.technique, &ladder.device, &step.baseline];
    match at {
        0 => entry,
        _ => entry.of(&ladder.case, &Quantity::Speedup, labels),
    }
}

/// Describes the ladder's last step: `2.92x slower`.
pub(crate) fn words_entry(ladder: &Ladder) -> Entry {
    let mut entry = step_entry(ladder, 4);
    if let Some(known) = ladder.known(4) {
        entry.main = in_words(known) + known.few.map_or("", Few::mark);
        // Inverts the interval to match the word `slower`.
        if let (Some((low, high)), Some(Verdict::Slower)) = (known.interval, known.verdict) {
            entry.small[0] = Unit::Plain.show_interval(1.0 / high, 1.0 / low);
        }
        entry.small.push(ladder.steps[4].technique.clone());
    }
    entry
}

pub(crate) fn rate_entry(task: Task, ladder: &Ladder) -> Entry {
    let (quantity, known) = &ladder.rate;
    let none = String::new();
    let technique = &ladder.steps[4].technique;
    let labels = [technique, &ladder.device, &none];
    let entry = comparison(format::unit(quantity, None), known).small(technique);
    Entry {
        main: rate_text(task, &ladder.rate),
        ..entry.of(&ladder.case, quantity, labels)
    }
}

/// Explains why our ratio differs from the paper's, with the factor of each step in the paper's case.
pub(crate) fn difference(ladder: &Ladder, theirs: &str) -> Option<Section> {
    let value = |step: usize| ladder.known(step).map(|known| known.value);
    let (paper, here) = (value(0)?, value(1)?);
    let [_, published, ours, one_core, whole] = &ladder.steps;
    let more = if ladder.at_least { "more than " } else { "" };
    let programs = match ladder.stand_in() {
        true => "Its program, reimplemented, against our serial program reaches",
        false => "Its programs, reimplemented, reach",
    };
    let mut text = format!(
        "In {}, the paper's ratio is {more}{}{theirs}. {programs} {}, which is {} times the paper's ratio. Device, driver, CPU and \
         positions differ, and no run separates their effects.",
        ladder.name,
        times(paper),
        times(here),
        Unit::Plain.show(here / paper),
    );
    let mut say = |who: &str, factor: f64, other: &str| {
        let factor = in_words(&plain(factor));
        text += &format!(" {who} is {factor} than `{other}`.");
    };
    if let Some(over_serial) = value(2) {
        let who = format!("Our `{}`", ours.technique);
        say(&who, over_serial / here, &published.technique);
        if let Some(over_core) = value(3).filter(|_| one_core.baseline != published.baseline) {
            let who = format!("The best single-core program, `{}`,", one_core.baseline);
            say(&who, over_serial / over_core, &published.baseline);
        }
    }
    if let Some((over_core, over_all)) = value(3).zip(value(4))
        && over_core / over_all > 1.01
    {
        let who = format!("The best multi-core program, `{}`,", whole.baseline);
        say(&who, over_core / over_all, &one_core.baseline);
    }
    text += " A factor between two programs is a quotient of these ratios and has no interval of its own.";
    let items = [Item::Text(text)];
    Some(section("difference", "Why our ratio differs", items))
}

/// Describes the last match of the best player, preferably a player on a device.
fn of_matches(matches: &[Match]) -> String {
    let on_device = matches.iter().find(|own| is_device(&own.device));
    let Some(first) = on_device.or(matches.first()) else {
        return "No match was measured yet.".to_owned();
    };
    let here = matches.iter().filter(|own| own.device == first.device);
    let players = grouped(here.map(|own| (&own.player, own))).into_iter();
    let last = players.filter_map(|(_, mut own)| own.pop());
    let share = |player: &Match| matches::share(&player.score).map_or(0.0, |(share, _)| share);
    let best = last.max_by(|a, b| share(a).total_cmp(&share(b)));
    let own = best.unwrap_or(first);
    let verb = match matches::share(&own.score) {
        Some((_, (low, _))) if low > 0.5 => "beats",
        Some((_, (_, high))) if high < 0.5 => "loses to",
        _ => "does not differ significantly from",
    };
    let points = matches::points(&own.score);
    let (share, interval) = (points.main, points.small.join(" "));
    let place = match is_device(&own.device) {
        true => &own.device,
        false => "processor",
    };
    let (player, opponent) = (&own.player, &own.opponent);
    let (games, case) = (own.score.played(), format::case(&own.case));
    format!(
        "`{player}` on {place} {verb} `{opponent}`: {share} of the points {interval} in {games} games ({case})."
    )
}

/// Numbers within this factor count as reproduced.
const NEAR: f64 = 2.0;

/// States whether a table of the paper is reproduced, with counts, or `None` if none of its numbers was measured.
fn reproduced(analysis: &Analysis, block: &Block) -> Option<String> {
    let found = claims::of_block(block, NEAR);
    // A single number is not a table. A CPU says nothing about a GPU's table.
    if found.measured == 0 || found.all == 1 || analysis.data.is_cpu(&block.device) {
        return None;
    }
    let title = named(&block.title);
    let (near, all) = (found.held + found.leaning, found.measured);
    let word = word_of(near, all, found.all);
    let mut text = format!(
        "**Is {title} reproduced? {word}.** {near} of {all} measured numbers lie within a factor of {NEAR}"
    );
    if found.all > all {
        text += &format!("; {} were not measured", found.all - all);
    }
    Some(text + ".")
}

/// Returns `Table 2`, or the title in quotes if it has no number.
fn named(title: &str) -> String {
    match title.split_once(':') {
        Some((name, _)) if name.starts_with("Table ") || name.starts_with("Figure ") => {
            name.to_owned()
        }
        _ => format!("“{title}”"),
    }
}

/// Returns a table's answer. It is `Yes` only if all numbers were measured, and `Unknown` if fewer than half were.
fn word_of(held: usize, measured: usize, all: usize) -> &'static str {
    match () {
        () if measured == 0 || 2 * measured < all => "Unknown",
        () if held == measured && measured == all => "Yes",
        () if 4 * held >= 3 * measured => "Mostly",
        () if held == 0 => "No",
        () if 2 * held >= measured => "Partly",
        () => "Mostly not",
    }
}

#[cfg(test)]
mod tests {
    use super::word_of;

    #[test]
    fn one_word_says_how_much_is_reproduced() {
        for (held, all, said) in [
            (0, 0, "Unknown"),
            (0, 4, "No"),
            (1, 4, "Mostly not"),
            (2, 4, "Partly"),
            (3, 4, "Mostly"),
            (4, 4, "Yes"),
        ] {
            assert_eq!(word_of(held, all, all), said, "{held} of {all}");
        }
        assert_eq!(word_of(1, 1, 36), "Unknown");
        assert_eq!(word_of(20, 20, 36), "Mostly");
        assert_eq!(word_of(10, 20, 36), "Partly");
    }
}
