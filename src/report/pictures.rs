//! How a technique works, as `bench picture` draws it from the technique itself.

use super::grid::{Item, Section, section};
use crate::config::Experiment;

/// What they are of, and their ids and drawings.
const TECHNIQUE: &str = "pv-split-as-published";
const LEVELS: &str = include_str!("../../reports/pictures/reversi/two-levels.svg");
const SQUARES: &str = include_str!("../../reports/pictures/reversi/squares.svg");
const PICTURES: [(&str, &str); 2] = [("two-levels", LEVELS), ("squares", SQUARES)];

/// Those of an experiment's technique; `None` where it is not measured.
pub(super) fn show(experiment: &Experiment) -> Option<Section> {
    let mut choices = experiment.techniques.iter();
    let is_there = choices.any(|choice| choice.technique == TECHNIQUE);
    let items = PICTURES.map(|(id, svg)| {
        let title = svg.split_once("<title>");
        let title = title.and_then(|(_, rest)| rest.split_once("</title>"));
        Item::chart(id, title.map_or(id, |(title, _)| title), svg.to_owned())
    });
    is_there.then(|| section("pictures", "How the paper's device program works", items))
}
