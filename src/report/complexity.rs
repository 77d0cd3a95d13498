//! Complexity of games: numbers from a game's folder in `reports/published/`, drawn beside the paper.

use serde::{Deserialize, Serialize};

use super::chart::DrawError;
use super::chart::dots::{self, Dot, DotRow, Scale};
use super::data::RunData;
use super::grid::{Entry, Grid, Item, Section, section};
use super::published;
use super::series::distinct;

/// The file in a game's folder.
pub fn file_of(game: &str) -> String {
    format!("{game}/complexity.csv")
}

/// A number of the paper, as a power of ten.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Estimate {
    game: String,
    measure: String,
    log10: f64,
    source: String,
    note: String,
}

/// The estimates of a game's folder; none without the file. Faults of the file go to `warnings`.
pub(super) fn estimates(data: &RunData, warnings: &mut Vec<String>) -> Vec<Estimate> {
    let name = file_of(&data.experiment.game);
    let estimates = published::read(&data.folder, &name, warnings, |text, _| parse(text));
    estimates.unwrap_or_default()
}

fn parse(text: &str) -> Result<Vec<Estimate>, String> {
    let mut reader = published::reader(text);
    let rows: Result<Vec<Estimate>, _> = reader.deserialize().collect();
    let rows = rows.map_err(|error| error.to_string())?;
    let odd = |row: &&Estimate| !(row.log10.is_finite() && row.log10 >= 0.0);
    match rows.iter().find(odd) {
        Some(Estimate { game, log10, .. }) => Err(format!(
            "log10 of {game}: `{log10}`; allowed is a number from 0 on"
        )),
        None => Ok(rows),
    }
}

/// The section; `None` without estimates.
pub(super) fn section_of(estimates: &[Estimate]) -> Result<Option<Section>, DrawError> {
    const TITLE: &str = "How complex the games are";
    if estimates.is_empty() {
        return Ok(None);
    }
    let measures = distinct(estimates.iter().map(|own| own.measure.as_str()));
    let games = distinct(estimates.iter().map(|own| own.game.as_str()));
    let number = |game: &str, measure: &str| {
        let mut all = estimates.iter();
        all.find(|own| own.game == game && own.measure == measure)
    };
    let rows = games.iter().map(|game| {
        let dot = |(series, measure): (usize, &&str)| {
            Some(Dot {
                series,
                value: number(game, measure)?.log10,
                interval: None,
                note: "",
            })
        };
        let (name, dots) = ((*game).to_owned(), measures.iter().enumerate());
        let dots = dots.filter_map(dot).collect();
        DotRow { name, dots }
    });
    let rows: Vec<DotRow> = rows.collect();
    let axis = "power of ten, an estimate";
    let draw = |whole| dots::draw(TITLE, axis, &measures, &rows, Scale::Powers, whole);
    let chart = Item::chart("complexity", TITLE, draw)?;
    let mut grid = Grid::new(["game"].into_iter().chain(measures.iter().copied()));
    for game in games {
        let entry = |measure: &&str| match number(game, measure) {
            Some(own) => {
                let entry = Entry::number(format!("10^{}", own.log10)).small(&own.source);
                match own.note.as_str() {
                    "" => entry,
                    note => entry.small(note),
                }
            }
            None => Entry::default(),
        };
        grid.row(Entry::word(game), measures.iter().map(entry));
    }
    let items = chart.into_iter().chain([Item::Table(grid)]);
    Ok(Some(section("complexity", TITLE, items)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Figure 3\ngame,measure,log10,source,note\nsmall,positions,3,A,\nsmall,leaves,5,A,\n\
                        large,positions,172,B,odd\n";

    #[test]
    fn what_is_no_power_is_refused() {
        let wrong = parse(&TEXT.replace("172", "-1")).err();
        let wrong = wrong.unwrap();
        assert_eq!(wrong, "log10 of large: `-1`; allowed is a number from 0 on");
        assert!(parse(&TEXT.replace("172", "many")).is_err());
    }
}
