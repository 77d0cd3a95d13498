//! The first screen of a run's report: what won, by how much, and what became of the paper's claims.

use super::claims::{self, Judged};
use super::data::{Index, is_device};
use super::grid::{Entry, Grid, Item, Link, Section, Tone};
use super::headline::{Best, Headline, of_device, spread};
use super::matches;
use super::number::Unit;
use super::paper::{few_samples, over};
use super::ratios::{ROLES, Ratio};
use super::sections::section;
use crate::config::Claim;
use crate::words::{Case, MatchScore, Task};

/// The section's id.
pub(crate) const ID: &str = "first";

/// The first screen. `link` knows the section that shows a claim's table.
pub(crate) fn first(
    index: &Index<'_>,
    headlines: &[Headline],
    judged: &[Judged],
    link: impl Fn(&Claim) -> Option<Link>,
) -> Section {
    let mut items = match index.data.experiment.task {
        Task::Match => of_matches(index),
        _ => of_devices(headlines),
    };
    items.extend(claims::section_items(judged, link));
    // At the end, because it is long.
    let few = |item: &Item| matches!(item, Item::Table(grid) if grid.has_few());
    if items.iter().any(few) {
        items.push(few_samples());
    }
    section(ID, "At a glance", items)
}

/// One line a device; in a run without one, the host's.
fn of_devices(headlines: &[Headline]) -> Vec<Item> {
    const HOW: &str = "One line a device: its fastest technique, in the case with the most work that can be \
        compared, and how many times as fast it is as the best of the same host, measured in the same invocation (medians, \
        95 % intervals; below 1 it is slower). Best one core and best CPU are the fastest techniques of the host \
        that answer the same question, with one thread and with any number; their names stand there. The \
        smaller range is that of all families of cases, which stand under Headline.";
    let mut devices: Vec<&str> = Vec::new();
    for line in headlines {
        if !devices.contains(&line.device.as_str()) {
            devices.push(&line.device);
        }
    }
    if devices.is_empty() {
        return vec![Item::Text("Nothing was measured yet.".to_owned())];
    }
    let roles = ROLES.map(|role| format!("over {role}"));
    let mut grid = Grid::new(
        ["device", "fastest technique"]
            .map(str::to_owned)
            .into_iter()
            .chain(roles),
    );
    grid.head.push("case".to_owned());
    for device in devices {
        let heading = Entry::word(claims::place(device));
        let Some(best) = of_device(headlines, device) else {
            let empty = [(); 3].map(|()| Entry::missing("—"));
            let mut row = vec![heading, Entry::word("no answer").tone(Tone::Missing)];
            row.extend(empty);
            grid.rows.push(row);
            continue;
        };
        let mut row = vec![heading, technique(headlines, device, best)];
        row.extend(best.ratios.iter().map(|own| ratio(headlines, device, own)));
        row.push(case(best));
        grid.rows.push(row);
    }
    vec![Item::Table(grid), Item::Text(HOW.to_owned())]
}

/// The case, and on how many positions of it the ratios rest.
fn case(best: &Best) -> Entry {
    let mut entry = Entry::word(best.case.to_string());
    entry.small.extend(best.positions_text());
    entry
}

/// The winner, and in how many families it is the fastest.
fn technique(headlines: &[Headline], device: &str, best: &Best) -> Entry {
    let own = || headlines.iter().filter(|line| line.device == device);
    let bests = own().filter_map(|line| line.best.as_ref());
    let wins = bests
        .filter(|other| other.technique == best.technique)
        .count();
    let all = own().count();
    let entry = Entry::word(&best.technique);
    match all {
        1 => entry,
        _ => entry.small(format!("the fastest in {wins} of {all} families")),
    }
}

/// A ratio with its interval, and the range of that ratio over all families.
fn ratio(headlines: &[Headline], device: &str, ratio: &Ratio) -> Entry {
    let entry = over(&ratio.result);
    let spread = spread(headlines, device, &ratio.over);
    match (spread.range, spread.compared()) {
        (Some((low, high)), families) if families > 1 => entry.small(format!(
            "{} in {families} families",
            Unit::Plain.show_interval(low, high)
        )),
        _ => entry,
    }
}

/// One player of a match, in the last case that it has a score in.
pub(crate) struct Player<'a> {
    pub label: &'a str,
    pub device: &'a str,
    pub opponent: &'a str,
    pub case: &'a Case,
    pub score: MatchScore,
}

/// Every player with a score, those on devices first.
pub(crate) fn players<'a>(index: &'a Index<'a>) -> Vec<Player<'a>> {
    let mut players: Vec<Player<'a>> = Vec::new();
    for (case, place, row) in index.cells() {
        let Some((_, score)) = row.and_then(matches::played) else {
            continue;
        };
        let player = Player {
            label: place.technique,
            device: place.device,
            opponent: matches::opponent(index, place.technique),
            case,
            score,
        };
        let is_same =
            |known: &&mut Player<'_>| (known.label, known.device) == (player.label, player.device);
        match players.iter_mut().find(is_same) {
            Some(known) => *known = player,
            None => players.push(player),
        }
    }
    players.sort_by_key(|player| !is_device(player.device));
    players
}

fn of_matches(index: &Index<'_>) -> Vec<Item> {
    const HOW: &str = "One line a player, in the last case that it has played: its points, a draw being half \
        of one, with their 95 % interval. Above 50 % it is the stronger one.";
    let players = players(index);
    if players.is_empty() {
        return vec![Item::Text("Nothing was measured yet.".to_owned())];
    }
    let mut grid = Grid::new(["player", "on", "against", "points", "score", "case"]);
    for player in players {
        grid.rows.push(vec![
            Entry::word(player.label),
            Entry::word(claims::place(player.device)),
            Entry::word(player.opponent),
            of_points(&player.score),
            Entry::word(player.score.counts()),
            Entry::word(player.case.to_string()),
        ]);
    }
    vec![Item::Table(grid), Item::Text(HOW.to_owned())]
}

/// Points in the colour of who is stronger.
pub(crate) fn of_points(score: &MatchScore) -> Entry {
    let entry = matches::points(score);
    match matches::share(score) {
        Some((_, (low, _))) if low > 0.5 => entry.tone(Tone::Faster),
        Some((_, (_, high))) if high < 0.5 => entry.tone(Tone::Slower),
        Some(_) => entry.tone(Tone::Tie),
        None => entry,
    }
}
