//! Makes a table of the scores and thinking times in matches.

use serde::Serialize;

use super::data::{Index, is_device};
use super::figure;
use super::format::{self, Unit};
use super::grid::{Entry, Grid, Item};
use super::known::Figure;
use super::paper::shown;
use crate::stats::share_interval;
use crate::words::{Case, MatchScore, Status};

/// Returns the player's points divided by its games, with a 95 % interval, or `None` if there are no games.
pub(crate) fn share(score: &MatchScore) -> Option<(f64, (f64, f64))> {
    let games = score.played();
    let won = score.points();
    Some((won / games as f64, share_interval(won, games)?))
}

pub(crate) fn points(score: &MatchScore) -> Entry {
    let Some((share, (low, high))) = share(score) else {
        return Entry::missing("–");
    };
    let [share, low, high] = [share, low, high].map(|own| format!("{:.1}", own * 100.0));
    Entry::number(format!("{share} %")).small(format!("[{low}–{high}]"))
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Match {
    pub case: Case,
    pub player: String,
    pub opponent: String,
    pub device: String,
    /// Median thinking times of the player and of the opponent in a pair of games, ns.
    pub times: [Option<u64>; 2],
    /// The opponent's time divided by the player's time.
    pub ratio: Figure,
    #[serde(skip)]
    pub score: MatchScore,
}

pub(crate) fn all(index: &Index<'_>) -> Vec<Match> {
    let cells = index.cells().filter_map(|(case, place, row)| {
        let row = row.filter(|row| row.status == Status::Ok)?;
        Some(Match {
            score: row.match_score()?,
            opponent: opponent(index, place.technique).to_owned(),
            player: place.technique.to_owned(),
            device: place.device.to_owned(),
            times: [row.median_ns, row.opponent_ns],
            ratio: figure::over_opponent(index, row),
            case: case.clone(),
        })
    });
    cells.collect()
}

impl Match {
    /// Formats the match as one line for a terminal.
    pub(crate) fn line(&self) -> String {
        let points = points(&self.score);
        let interval = points.small.join(" ");
        let (case, counts) = (format::case(&self.case), self.score.counts());
        let (player, opponent) = (&self.player, &self.opponent);
        format!(
            "{case}: {player} against {opponent}: {counts}: {} {interval}",
            points.main
        )
    }
}

pub(crate) fn opponent<'a>(index: &'a Index<'_>, player: &str) -> &'a str {
    let choice = index.data.experiment.choice(player);
    let opponent = choice.and_then(|choice| choice.opponent.as_deref());
    opponent.unwrap_or("–")
}

pub(crate) fn items(matches: &[Match]) -> Vec<Item> {
    const HOW: &str = "The score counts the player's wins, draws and losses. A draw is worth half a point. The points have a 95 % \
        Wilson interval, which treats games as independent although two games share each opening. The times are the median thinking times in a pair of \
        games, one with each colour. Their ratio has a 95 % interval and is above 1 if the player is faster. Both sides play the same games but not the \
        same positions. `measurements.csv` has every game.";
    const COLUMNS: &str =
        "case,player,opponent,score,points,player's time,opponent's time,opponent's ÷ player's";
    if matches.is_empty() {
        return Vec::new();
    }
    let mut grid = Grid::new(COLUMNS.split(','));
    let none = || Entry::missing("–");
    let time = |ns: u64| Entry::number(Unit::Time.show(ns as f64));
    for own in matches {
        let case = format::case(&own.case);
        let mut player = Entry::word(&own.player);
        let device = Some(own.device.clone()).filter(|own| is_device(own));
        player.small.extend(device);
        let mut entries = vec![player];
        entries.extend([own.opponent.clone(), own.score.counts()].map(Entry::word));
        entries.push(points(&own.score));
        entries.extend(own.times.map(|ns| ns.map_or_else(none, time)));
        entries.push(shown(Unit::Plain, &own.ratio));
        grid.row(Entry::word(&case), entries);
    }
    let mut items = vec![Item::Table(grid), Item::Text(HOW.to_owned())];
    items.extend(Item::few(&items));
    items
}
