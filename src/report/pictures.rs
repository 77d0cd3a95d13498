//! How a technique works, as `bench picture` draws it from the technique itself.

use super::grid::{Item, Section, section};
use crate::config::Experiment;

macro_rules! picture {
    ($file:literal) => {
        include_str!(concat!("../../reports/pictures/", $file))
    };
}

/// The technique that each is of, its id, and its drawing.
const PICTURES: [(&str, &str, &str); 2] = [
    (
        "pv-split-as-published",
        "two-levels",
        picture!("reversi/two-levels.svg"),
    ),
    (
        "pv-split-as-published",
        "squares",
        picture!("reversi/squares.svg"),
    ),
];

/// Those of an experiment's techniques; `None` where there are none.
pub(super) fn show(experiment: &Experiment) -> Option<Section> {
    let is_of = |label: &str| {
        let mut choices = experiment.techniques.iter();
        choices.any(|choice| choice.technique == label)
    };
    let own = PICTURES.iter().filter(|(technique, ..)| is_of(technique));
    let items = own.map(|(_, id, svg)| {
        let title = svg
            .split_once("<title>")
            .and_then(|(_, rest)| rest.split_once("</title>"));
        Item::chart(
            *id,
            title.map_or(*id, |(title, _)| title),
            (*svg).to_owned(),
        )
    });
    let items: Vec<Item> = items.collect();
    (!items.is_empty()).then(|| section("pictures", "How the paper's device program works", items))
}
