//! How a technique works, drawn by `cargo run --example picture` from the technique itself.

use super::grid::{Chart, Item, Section, section};
use crate::config::Experiment;

const TECHNIQUE: &str = "pv-split-as-published";
macro_rules! picture {
    ($id:literal) => {
        (
            $id,
            include_str!(concat!("../../reports/pictures/reversi/", $id, ".svg")),
            include_str!(concat!(
                "../../reports/pictures/reversi/",
                $id,
                "-narrow.svg"
            )),
        )
    };
}
/// Each for a screen and for a phone.
const PICTURES: [(&str, &str, &str); 2] = [picture!("two-levels"), picture!("squares")];

pub(super) fn show(experiment: &Experiment) -> Option<Section> {
    let mut choices = experiment.techniques.iter();
    let is_there = choices.any(|choice| choice.technique == TECHNIQUE);
    let items = PICTURES.map(|(id, svg, narrow)| {
        let title = svg.split_once("<title>");
        let title = title.and_then(|(_, rest)| rest.split_once("</title>"));
        Item::Chart(Chart {
            id: id.to_owned(),
            title: title.map_or(id, |(title, _)| title).to_owned(),
            svg: svg.to_owned(),
            narrow: narrow.to_owned(),
        })
    });
    is_there.then(|| section("pictures", "How the paper's device program works", items))
}
