//! Scores of matches, as a table and charts, and the thinking times.

use super::chart::dots::{self, Dot, DotRow, Scale};
use super::chart::{DrawError, WIDTH};
use super::data::{Index, is_device};
use super::figure;
use super::grid::{Entry, Grid, Item, Section, section};
use super::names;
use super::number::Unit;
use super::paper::shown;
use super::series::{distinct, grouped};
use crate::results::MeasurementRow;
use crate::stats::share_interval;
use crate::words::{Case, MatchScore, Status};

/// The player's points over its games and the 95 % interval of that share; `None` without games.
pub(crate) fn share(score: &MatchScore) -> Option<(f64, (f64, f64))> {
    let games = score.played();
    let won = score.points();
    Some((won / games as f64, share_interval(won, games)?))
}

pub(crate) fn points(score: &MatchScore) -> Entry {
    match share(score) {
        None => Entry::missing("–"),
        Some((share, (low, high))) => {
            let [share, low, high] = [share, low, high].map(|own| format!("{:.1}", own * 100.0));
            Entry::number(format!("{share} %")).small(format!("[{low}–{high}]"))
        }
    }
}

pub(crate) struct Match<'a> {
    pub case: &'a Case,
    pub player: &'a str,
    pub opponent: &'a str,
    pub device: &'a str,
    pub row: &'a MeasurementRow,
    pub score: MatchScore,
}

pub(crate) fn all<'a>(index: &'a Index<'a>) -> impl Iterator<Item = Match<'a>> {
    index.cells().filter_map(|(case, place, row)| {
        let row = row.filter(|row| row.status == Status::Ok)?;
        Some(Match {
            score: row.match_score()?,
            opponent: opponent(index, place.technique),
            player: place.technique,
            device: place.device,
            case,
            row,
        })
    })
}

pub(crate) fn lines(index: &Index<'_>) -> Vec<String> {
    let line = |own: Match<'_>| {
        let (points, counts) = (points(&own.score), own.score.counts());
        let (points, interval) = (points.main, points.small.join(" "));
        let players = format!("{} against {}", own.player, own.opponent);
        format!("{}: {players}: {counts}: {points} {interval}", own.case)
    };
    all(index).map(line).collect()
}

pub(crate) fn opponent<'a>(index: &'a Index<'_>, player: &str) -> &'a str {
    let choice = index.data.experiment.choice(player);
    let opponent = choice.and_then(|choice| choice.opponent.as_deref());
    opponent.unwrap_or("–")
}

pub(crate) fn matches(index: &Index<'_>) -> Result<Option<Section>, DrawError> {
    const HOW: &str = "Games won, drawn and lost by the player; its points, a draw being half of one, with \
        their 95 % interval (Wilson's; it takes the games as independent, though two of them share each \
        opening); the median time that each side thought in a pair of games, one with each colour; and the ratio of the two with its 95 % interval, above 1 where \
        the player is faster. Both play the same games, not the same positions.";
    let mut grid = Grid::new([
        "case",
        "player",
        "opponent",
        "score",
        "points",
        "player's time",
        "opponent's time",
        "opponent's ÷ player's",
    ]);
    let time = |ns: Option<u64>| match ns {
        Some(ns) => Entry::number(Unit::Time.show(ns as f64)),
        None => Entry::missing("–"),
    };
    let mut games = Vec::new();
    for own in all(index) {
        let (case, row) = (names::case(own.case), own.row);
        let mut player = Entry::word(own.player);
        let device = Some(own.device).filter(|device| is_device(device));
        player.small.extend(device.map(str::to_owned));
        let ratio = figure::over_opponent(index, row);
        grid.row(
            Entry::word(&case),
            [
                player,
                Entry::word(own.opponent),
                Entry::word(own.score.counts()),
                points(&own.score),
                time(row.median_ns),
                time(row.opponent_ns),
                shown(Unit::Plain, &ratio),
            ],
        );
        let of = format!("{case}, {} against {}", own.player, own.opponent);
        games.extend(own.score.lines().map(|game| format!("{of}: {game}")));
    }
    if grid.rows.is_empty() {
        return Ok(None);
    }
    let table = [Item::Table(grid), Item::Text(HOW.to_owned())];
    let marks = Item::few(&table);
    let mut items = charts(index)?;
    items.extend(table.into_iter().chain(marks));
    if !games.is_empty() {
        let count = games.len();
        let summary = format!("The games ({count}), each with its final difference");
        items.push(Item::Folded(summary, vec![Item::List(games)]));
    }
    Ok(Some(section("matches", "Matches", items)))
}

/// The points with their intervals: one chart per case, or per pair of players if there are fewer pairs.
fn charts(index: &Index<'_>) -> Result<Vec<Item>, DrawError> {
    let all: Vec<Match<'_>> = all(index).collect();
    let devices = distinct(all.iter().map(|own| own.device));
    let pair = |own: &Match<'_>| format!("{} against {}", own.player, own.opponent);
    let cases = distinct(all.iter().map(|own| own.case)).len();
    let by_pair = distinct(all.iter().map(pair)).len() < cases;
    let dots = all.iter().filter_map(|own| {
        let (share, (low, high)) = share(&own.score)?;
        let dot = Dot {
            series: devices.iter().position(|device| *device == own.device)?,
            value: 100.0 * share,
            interval: Some((100.0 * low, 100.0 * high)),
            note: "",
        };
        let (case, pair) = (names::case(own.case), pair(own));
        Some(match by_pair {
            true => (pair, (case, dot)),
            false => (case, (pair, dot)),
        })
    });
    let mut items = Vec::new();
    for (number, (of, dots)) in grouped(dots).into_iter().enumerate() {
        let rows = grouped(dots).into_iter();
        let rows: Vec<DotRow> = rows.map(|(name, dots)| DotRow { name, dots }).collect();
        let title = format!("Points: {of}");
        let axis = "share of the points, %, with its 95 % interval";
        let svg = dots::draw(&title, axis, &devices, &rows, Scale::Percent, WIDTH)?;
        let id = format!("score-{}", number + 1);
        items.extend(svg.map(|svg| Item::chart(id, title, svg)));
    }
    Ok(items)
}
