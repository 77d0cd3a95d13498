//! How a technique works, drawn by `cargo run --example picture` from the technique itself.

use super::grid::{Chart, Item, Section, section};
use crate::config::Experiment;

const TECHNIQUE: &str = "pv-split-as-published";
const LEVELS: &str = include_str!("../../reports/pictures/reversi/two-levels.svg");
const SQUARES: &str = include_str!("../../reports/pictures/reversi/squares.svg");
const PICTURES: [(&str, &str); 2] = [("two-levels", LEVELS), ("squares", SQUARES)];

pub(super) fn show(experiment: &Experiment) -> Option<Section> {
    let mut choices = experiment.techniques.iter();
    let is_there = choices.any(|choice| choice.technique == TECHNIQUE);
    let items = PICTURES.map(|(id, svg)| {
        let title = svg.split_once("<title>");
        let title = title.and_then(|(_, rest)| rest.split_once("</title>"));
        Item::Chart(Chart {
            id: id.to_owned(),
            title: title.map_or(id, |(title, _)| title).to_owned(),
            svg: svg.to_owned(),
            narrow: String::new(),
        })
    });
    is_there.then(|| section("pictures", "How the paper's device program works", items))
}
