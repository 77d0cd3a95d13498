//! The winner of each experiment on each device.

use super::parts::{Column, Part, Parts, of_column};
use super::unlike::letter;
use crate::config::BASELINES;
use crate::report::command;
use crate::report::data::Place;
use crate::report::first::{ID, Player, of_points, players};
use crate::report::grid::{Entry, Grid, Link, Tone};
use crate::report::headline::{Best, families, of_device};
use crate::report::matches;
use crate::report::number::Unit;
use crate::report::paper::shortened;
use crate::report::ratios::{BEST_CPU, Ratio};
use crate::stats::Verdict;
use crate::words::Case;

/// A reason longer than this is cut short in a cell; the CSV has it whole.
const REASON: usize = 72;

/// What stands for an experiment on a device.
pub(super) enum Winner<'p> {
    /// The fastest device technique of a case.
    Fastest {
        best: &'p Best,
        /// Whether the case is that of the experiment's whole row.
        is_common: bool,
    },
    /// The player with the most points against a baseline or, where none plays one, against anybody; in
    /// the last case that it has played.
    Strongest(Player<'p>),
    /// The run has the experiment and no answer.
    Nobody,
}

/// An experiment's line: its runs, and the winner of each column.
pub(super) struct Line<'p, 'a> {
    pub experiment: &'a str,
    pub parts: Vec<&'p Part<'a>>,
    /// The case that most columns can be compared in; `None` for matches, and where there is none.
    pub case: Option<Case>,
    /// By column; `None` where no run has the experiment there.
    pub winners: Vec<Option<(&'p Part<'a>, Winner<'p>)>>,
}

/// All lines.
pub(super) fn lines<'p, 'a>(parts: &'p Parts<'a>) -> Vec<Line<'p, 'a>> {
    let experiments = parts.experiments().into_iter();
    experiments
        .map(|(experiment, own)| {
            let case = common(&own, &parts.columns);
            let winner = |column: &Column| {
                let part = of_column(&own, column)?;
                Some((part, winner(part, column, case.as_ref())))
            };
            Line {
                winners: parts.columns.iter().map(winner).collect(),
                experiment,
                parts: own,
                case,
            }
        })
        .collect()
}

/// The cases of some runs, family by family, each once.
pub(super) fn cases<'a>(parts: &[&Part<'a>]) -> Vec<&'a Case> {
    let mut cases: Vec<&Case> = Vec::new();
    for part in parts {
        for case in families(&part.data().experiment)
            .into_iter()
            .flat_map(|(_, own)| own)
        {
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
    }
    cases
}

/// The case that stands for an experiment: one in which most of the columns that can be compared at all
/// are; of those one that most GPUs can be compared in, with the most work.
fn common(parts: &[&Part<'_>], columns: &[Column]) -> Option<Case> {
    struct Rank {
        comparisons: usize,
        of_gpus: usize,
        work: u64,
    }
    let rank = |case: &Case| {
        let text = case.to_string();
        let mut rank = Rank {
            comparisons: 0,
            of_gpus: 0,
            work: 0,
        };
        for column in columns {
            let part = of_column(parts, column);
            let Some(best) = part.and_then(|part| part.best(&column.device, &text)) else {
                continue;
            };
            rank.comparisons += best.comparisons();
            rank.of_gpus += if column.is_gpu() {
                best.comparisons()
            } else {
                0
            };
            rank.work = rank.work.max(best.work().unwrap_or(0));
        }
        rank
    };
    let ranks: Vec<(&Case, Rank)> = cases(parts)
        .into_iter()
        .map(|case| (case, rank(case)))
        .collect();
    let most = ranks.iter().map(|(_, rank)| rank.comparisons).max()?;
    let common = ranks.iter().filter(|(_, rank)| 2 * rank.comparisons > most);
    let best = common.max_by_key(|(_, rank)| (rank.of_gpus, rank.work));
    best.map(|(case, _)| (*case).clone())
}

fn winner<'p>(part: &'p Part<'_>, column: &Column, case: Option<&Case>) -> Winner<'p> {
    if part.is_match() {
        let own = players(&part.index).into_iter();
        let share =
            |player: &Player<'_>| matches::share(&player.score).map_or(0.0, |(share, _)| share);
        let is_known = |player: &Player<'_>| BASELINES.contains(&player.opponent);
        let strongest = own
            .filter(|player| player.device == column.device)
            .max_by(|a, b| (is_known(a).cmp(&is_known(b))).then(share(a).total_cmp(&share(b))));
        return strongest.map_or(Winner::Nobody, Winner::Strongest);
    }
    let device = column.device.as_str();
    let common = case.and_then(|case| part.best(device, &case.to_string()));
    match common.filter(|best| best.comparisons() > 0) {
        Some(best) => Winner::Fastest {
            best,
            is_common: true,
        },
        None => match of_device(&part.report.headlines, device) {
            Some(best) => Winner::Fastest {
                best,
                is_common: false,
            },
            None => Winner::Nobody,
        },
    }
}

/// The lines as a table. `commands`: with the command of each cell, and links into this report.
pub(super) fn grid(parts: &Parts<'_>, lines: &[Line<'_, '_>], commands: bool) -> Grid {
    let titles = parts.columns.iter().map(Column::title);
    let mut grid = Grid::new(std::iter::once("experiment".to_owned()).chain(titles));
    for line in lines {
        let mut heading = Entry::word(line.experiment);
        if let Some(case) = &line.case {
            heading = heading.small(case.to_string());
        }
        if commands {
            heading = heading.link(Link::Section(section_of(line.experiment)));
        }
        let mut row = vec![heading];
        for (column, winner) in parts.columns.iter().zip(&line.winners) {
            row.push(match winner {
                None => Entry::word("·").tone(Tone::Missing),
                Some((part, winner)) => entry(line, part, column, winner, commands),
            });
        }
        grid.rows.push(row);
    }
    grid
}

/// The section of an experiment in the whole report.
pub(super) fn section_of(experiment: &str) -> String {
    format!("experiment-{experiment}")
}

fn entry(
    line: &Line<'_, '_>,
    part: &Part<'_>,
    column: &Column,
    winner: &Winner<'_>,
    commands: bool,
) -> Entry {
    let (mut entry, label, case) = match winner {
        Winner::Nobody => return Entry::missing("no answer").link(part.link(Some(ID))),
        Winner::Strongest(player) => {
            let points = of_points(&player.score);
            let mut entry = Entry::word(player.label).tone(points.tone);
            let interval = points.small.join(" ");
            entry = entry.small(format!("{} {interval}", points.main));
            let games = player.score.played();
            entry = entry.small(format!("against {}, {games} games", player.opponent));
            entry = entry.small(player.case.to_string());
            (entry, player.label, player.case)
        }
        Winner::Fastest { best, is_common } => {
            let mut entry = Entry::word(&best.technique).tone(tone(best));
            entry.small.extend(best.ratios.iter().map(over));
            if !is_common {
                entry = entry.small(format!("at {}", best.case));
            }
            entry.small.extend(best.positions_text());
            (entry, best.technique.as_str(), &best.case)
        }
    };
    // The letter says something only where what differs is listed.
    if commands && line.parts.iter().any(|other| other.group != part.group) {
        entry = entry.small(format!("set apart: {}", letter(part.group)));
    }
    entry = entry.link(part.link(Some(ID)));
    if commands {
        let also = match winner {
            Winner::Fastest { best, .. } => best.baselines(),
            _ => Vec::new(),
        };
        entry = entry.command(command_of(part, case, (label, &also), column));
    }
    entry
}

/// The command that measures a cell again, and the techniques of the host that it is compared with.
pub(super) fn command_of(
    part: &Part<'_>,
    case: &Case,
    (technique, also): (&str, &[&str]),
    column: &Column,
) -> String {
    let place = Place {
        technique,
        device: &column.device,
    };
    command::of_cell(&part.index, case, &place, also)
}

/// In the colour of the ratio over best CPU; without a colour where nobody knows that.
fn tone(best: &Best) -> Tone {
    let Some(ratio) = best.over(BEST_CPU) else {
        return Tone::Plain;
    };
    match ratio
        .result
        .as_ref()
        .map(|known| (known.verdict, known.few.is_some()))
    {
        Ok((_, true)) => Tone::Few,
        Ok((Some(Verdict::Faster), _)) => Tone::Faster,
        Ok((Some(Verdict::Slower), _)) => Tone::Slower,
        Ok(_) => Tone::Tie,
        Err(_) => Tone::Missing,
    }
}

/// A ratio with its interval in a line: `over best CPU, rayon on 16 threads ×9.45 (9.26–9.69)`.
fn over(ratio: &Ratio) -> String {
    let title = ratio.title();
    match &ratio.result {
        Ok(known) => {
            let mut text = format!("{title} ×{}", Unit::Plain.show(known.value));
            if let Some((low, high)) = known.interval {
                text += &format!(" ({})", Unit::Plain.show_interval(low, high));
            }
            if known.verdict == Some(Verdict::Tie) {
                text += ", a tie";
            }
            if let Some(samples) = known.few.clone() {
                text += &format!(", {samples}");
            }
            text
        }
        Err(missing) => format!("{title}: {}", shortened(&missing.text(), REASON)),
    }
}
