//! Board files of Annexation, by the program's own commands.

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

#[test]
fn what_is_no_board_is_refused_by_its_line() {
    let path = "colours = [\n0, 1, 2\n]\nedges = [\n[0, 1],\n[1, 2]\n]\nstarts = [0, 2]\n";
    let place = Place::new("");
    let choose = ["choose", "annexation", "--effort", "40", "--position", path];
    let [chosen, _] = place.ends(0, &choose);
    // Cell 1 is the only one to be had.
    assert!(chosen.contains("best 1, 40 playouts"), "{chosen}");
    let plain = ["playouts", "annexation", "--count", "9"];
    let [told, _] = place.ends(0, &[&plain[..], &["--position", path]].concat());
    assert!(told.contains("lost\n") && !told.contains("plies"), "{told}");
    let wrong = path.replace("0, 1, 2\n", "0,\n1,\n2,\n3\n");
    let [_, said] = place.ends(1, &[&PLAYOUTS[..], &["--position", &wrong]].concat());
    let expected = "5: colours: cell 3 has no neighbours";
    assert!(said.contains(expected), "{said}");
}
