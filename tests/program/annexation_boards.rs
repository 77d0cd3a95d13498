//! Board files of Annexation, by the program's own commands.

use super::place::{Place, edit};

const PLAYOUTS: [&str; 5] = ["playouts", "annexation", "--count", "300", "--json"];

#[test]
fn a_board_that_was_printed_is_played_as_the_board_itself() {
    let place = Place::new("");
    let [printed, _] = place.ends(0, &["list", "annexation", "hex200-merged/5"]);
    std::fs::write(place.path().join("my.toml"), printed).unwrap();
    let tallies = |more: &[&str]| {
        let [out, _] = place.ends(0, &[&PLAYOUTS, more].concat());
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        json["tallies"].clone()
    };
    let own = tallies(&["--board", "my.toml"]);
    assert_eq!(own, tallies(&["--position", "hex200-merged/5"]));
    let sliced = tallies(&["--board", "my.toml", "--technique", "rayon-sliced"]);
    assert_eq!(own, sliced);
    assert_ne!(own, tallies(&["--position", "hex200-merged/6"]));
}

#[test]
fn what_is_no_board_is_refused_by_its_line() {
    let path = "colours = [\n0, 1, 2\n]\nedges = [\n[0, 1],\n[1, 2]\n]\nstarts = [0, 2]\n";
    let place = Place::new("");
    let file = place.path().join("my.toml");
    std::fs::write(&file, path).unwrap();
    for (more, expected) in [
        (
            "annexation --board my.toml --case board=hex1000",
            "--case board=hex1000: the board is given by --board my.toml",
        ),
        (
            "checkers --board my.toml",
            "checkers has no board files; allowed with annexation",
        ),
    ] {
        let arguments = format!("playouts {more} --count 1");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let [_, said] = place.ends(1, &arguments);
        let holds = said.contains(expected) && said.lines().count() == 1;
        assert!(holds, "{said}");
    }
    let choose = "choose annexation --technique serial --effort 40 --board my.toml";
    let [chosen, _] = place.ends(0, &choose.split(' ').collect::<Vec<_>>());
    // Cell 1 is the only one to be had.
    assert!(chosen.starts_with("best 1, 40 playouts"));
    let plain = ["playouts", "annexation", "--count", "9"];
    let [told, _] = place.ends(0, &[&plain[..], &["--board", "my.toml"]].concat());
    assert!(told.contains("lost\n") && !told.contains("plies"), "{told}");
    edit(&file, |text| text.replace("0, 1, 2\n", "0,\n1,\n2,\n3\n"));
    let [_, said] = place.ends(1, &[&PLAYOUTS[..], &["--board", "my.toml"]].concat());
    let expected = "my.toml:5: colours: cell 3 has no neighbours";
    assert!(said.contains(expected), "{said}");
}
