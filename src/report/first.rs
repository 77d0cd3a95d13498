//! The first screen of a run's report: the question, its answer, the paper's table beside ours, the figure, and
//! what became of the paper's claims.

use super::claims;
use super::data::{HOST, Index, is_device};
use super::grid::{Entry, Grid, Item, Section, Tone, section};
use super::headline::headlines;
use super::ladder::{self, Ladder, Question};
use super::matches::{self, Match};
use super::names;
use super::reproduced::Reproduced;
use crate::words::{MatchScore, Task};

/// The section's id.
pub(crate) const ID: &str = "first";
/// That of the paper's table beside ours.
pub(crate) const RESULTS: &str = "results";
/// That of the paper's claims.
pub(crate) const CLAIMS: &str = "claims";

const NOTHING: &str = "Nothing was measured yet.";

/// What a run says, in a sentence or a few: of its first device.
pub(crate) fn answer(index: &Index<'_>) -> String {
    if index.data.experiment.task == Task::Match {
        return of_matches(index);
    }
    let mut rows = index.data.measurements.iter();
    let first = index.devices().first();
    let first = first.filter(|_| rows.any(|row| is_device(&row.device)));
    let Some(device) = first else {
        let host = headlines(index, HOST);
        return match host.is_empty() {
            true => NOTHING,
            false => {
                "No device was measured in this run. \
                 `tables/cells.csv` has what the programs of the processor did."
            }
        }
        .to_owned();
    };
    match headlines(index, device) {
        none if none.is_empty() => NOTHING.to_owned(),
        bests => format!("{device}: {}", ladder::sentences(&bests).join(" ")),
    }
}

/// The first section: the question, the answer, and the ladder where a case stands for the experiment.
pub(crate) fn first(
    question: Option<&Question>,
    reproduced: Option<&Reproduced>,
    answer: &str,
    ladders: &[Ladder],
) -> Section {
    let said = Item::Text(match question {
        Some(own) => format!("**{}** {answer}", own.question),
        None => answer.to_owned(),
    });
    let reproduced = reproduced.map(|own| Item::Text(own.text()));
    // One device at a time: the first.
    let of_device = ladders.iter().find(|ladder| is_device(&ladder.device));
    let items = reproduced.into_iter().chain([said]);
    section(ID, "Summary", items.chain(of_device.map(ladder::item)))
}

/// The last match of every player with a score, those on devices first.
fn players<'a>(index: &'a Index<'a>) -> Vec<Match<'a>> {
    let mut players: Vec<Match<'a>> = Vec::new();
    for own in matches::all(index) {
        let is_same =
            |known: &&mut Match<'_>| (known.player, known.device) == (own.player, own.device);
        match players.iter_mut().find(is_same) {
            Some(known) => *known = own,
            None => players.push(own),
        }
    }
    players.sort_by_key(|own| !is_device(own.device));
    players
}

/// The device's strongest player, in a sentence.
fn of_matches(index: &Index<'_>) -> String {
    let players = players(index);
    let Some(first) = players.first() else {
        return NOTHING.to_owned();
    };
    let own = players
        .iter()
        .filter(|player| player.device == first.device);
    let share = |player: &Match<'_>| matches::share(&player.score).map_or(0.0, |(share, _)| share);
    let best = own.max_by(|a, b| share(a).total_cmp(&share(b)));
    let best = best.unwrap_or(first);
    format!(
        "{} on {} scores {} against {} ({} games, {}).",
        best.player,
        claims::place(best.device),
        matches::points(&best.score).main,
        best.opponent,
        best.score.played(),
        names::case(best.case)
    )
}

/// Every player with its points, a line each.
pub(crate) fn table_of_players(index: &Index<'_>) -> Grid {
    let mut grid = Grid::new(["player", "points", "on", "against", "games", "case"]);
    for player in players(index) {
        grid.row(
            Entry::word(player.player),
            [
                of_points(&player.score),
                Entry::word(claims::place(player.device)),
                Entry::word(player.opponent),
                Entry::number(player.score.played().to_string()),
                Entry::word(names::case(player.case)),
            ],
        );
    }
    grid
}

/// Points in the colour of who is stronger.
fn of_points(score: &MatchScore) -> Entry {
    let entry = matches::points(score);
    match matches::share(score) {
        Some((_, (low, _))) if low > 0.5 => entry.tone(Tone::Faster),
        Some((_, (_, high))) if high < 0.5 => entry.tone(Tone::Slower),
        Some(_) => entry.tone(Tone::Tie),
        None => entry,
    }
}
