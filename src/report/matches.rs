//! Scores of matches, as a table and charts, and the thinking times.

use super::chart::DrawError;
use super::chart::dots::{self, Dot, DotRow, Scale};
use super::data::{Index, distinct, grouped, is_device};
use super::figure;
use super::format::{self, Unit};
use super::grid::{Entry, Grid, Item};
use super::known::Figure;
use super::paper::shown;
use serde::Serialize;

use crate::stats::share_interval;
use crate::words::{Case, MatchScore, Status};

/// The player's points over its games and the 95 % interval of that share; `None` without games.
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

/// A match of a player with its opponent in one case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Match {
    pub case: Case,
    pub player: String,
    pub opponent: String,
    pub device: String,
    /// The time that each side thought in a pair of games, ns: player, opponent.
    pub times: [Option<u64>; 2],
    /// The opponent's time over the player's.
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
    fn pair(&self) -> String {
        format!("{} against {}", self.player, self.opponent)
    }

    /// One line for a terminal.
    pub(crate) fn line(&self) -> String {
        let points = points(&self.score);
        let interval = points.small.join(" ");
        let (case, pair, counts) = (format::case(&self.case), self.pair(), self.score.counts());
        format!("{case}: {pair}: {counts}: {} {interval}", points.main)
    }
}

pub(crate) fn opponent<'a>(index: &'a Index<'_>, player: &str) -> &'a str {
    let choice = index.data.experiment.choice(player);
    let opponent = choice.and_then(|choice| choice.opponent.as_deref());
    opponent.unwrap_or("–")
}

/// The scores as charts and a table, and the games.
pub(crate) fn items(matches: &[Match]) -> Result<Vec<Item>, DrawError> {
    const HOW: &str = "Games won, drawn and lost by the player; its points, a draw being half of one, with \
        their 95 % interval (Wilson's; it takes the games as independent, though two of them share each \
        opening); the median time that each side thought in a pair of games, one with each colour; and the ratio of the two with its 95 % interval, above 1 where \
        the player is faster. Both play the same games, not the same positions.";
    const COLUMNS: &str =
        "case,player,opponent,score,points,player's time,opponent's time,opponent's ÷ player's";
    if matches.is_empty() {
        return Ok(Vec::new());
    }
    let mut grid = Grid::new(COLUMNS.split(','));
    let time = |ns: Option<u64>| match ns {
        Some(ns) => Entry::number(Unit::Time.show(ns as f64)),
        None => Entry::missing("–"),
    };
    let mut games = Vec::new();
    for own in matches {
        let case = format::case(&own.case);
        let mut player = Entry::word(&own.player);
        player
            .small
            .extend(Some(own.device.clone()).filter(|own| is_device(own)));
        let mut entries = vec![player];
        entries.extend([own.opponent.clone(), own.score.counts()].map(Entry::word));
        entries.push(points(&own.score));
        entries.extend(own.times.map(time));
        entries.push(shown(Unit::Plain, &own.ratio));
        grid.row(Entry::word(&case), entries);
        let of = format!("{case}, {}", own.pair());
        games.extend(own.score.lines().map(|game| format!("{of}: {game}")));
    }
    let table = [Item::Table(grid), Item::Text(HOW.to_owned())];
    let marks = Item::few(&table);
    let mut items = charts(matches)?;
    items.extend(table.into_iter().chain(marks));
    if !games.is_empty() {
        let summary = format!(
            "The games ({}), each with its final difference",
            games.len()
        );
        items.push(Item::Folded(summary, vec![Item::List(games)]));
    }
    Ok(items)
}

/// The points with their intervals: one chart per case, or per pair of players if there are fewer pairs.
fn charts(all: &[Match]) -> Result<Vec<Item>, DrawError> {
    let devices = distinct(all.iter().map(|own| own.device.as_str()));
    let cases = distinct(all.iter().map(|own| &own.case)).len();
    let by_pair = distinct(all.iter().map(Match::pair)).len() < cases;
    let dots = all.iter().filter_map(|own| {
        let (share, (low, high)) = share(&own.score)?;
        let dot = Dot {
            series: devices.iter().position(|device| *device == own.device)?,
            value: 100.0 * share,
            interval: Some((100.0 * low, 100.0 * high)),
            note: "",
        };
        let (case, pair) = (format::case(&own.case), own.pair());
        let (of, name) = if by_pair { (pair, case) } else { (case, pair) };
        Some((of, (name, dot)))
    });
    let mut items = Vec::new();
    for (number, (of, dots)) in grouped(dots).into_iter().enumerate() {
        let rows = grouped(dots).into_iter();
        let rows: Vec<DotRow> = rows.map(|(name, dots)| DotRow { name, dots }).collect();
        let title = format!("Points: {of}");
        let axis = "share of the points, %, with its 95 % interval";
        let draw = |whole| dots::draw(&title, axis, &devices, &rows, Scale::Percent, whole);
        items.extend(Item::chart(format!("score-{}", number + 1), &title, draw)?);
    }
    Ok(items)
}
