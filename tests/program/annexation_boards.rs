//! Tests the commands that read and write Annexation's board files.

use super::place::Place;

const PLAYOUTS: [&str; 5] = ["playouts", "annexation", "--count", "300", "--json"];

#[test]
fn a_board_that_was_printed_is_played_as_the_board_itself() {
    let place = Place::new("");
    let [printed, _] = place.ends(0, "list annexation hex200-merged/5");
    let tallies = |more: &[&str]| {
        let [out, _] = place.ends(0, &[&PLAYOUTS, more].concat());
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        json["tallies"].clone()
    };
    let own = tallies(&["--position", &printed]);
    assert_eq!(own, tallies(&["--position", "hex200-merged/5"]));
    let sliced = tallies(&["--position", &printed, "--technique", "rayon-sliced"]);
    assert_eq!(own, sliced);
    assert_ne!(own, tallies(&["--position", "hex200-merged/6"]));
}
