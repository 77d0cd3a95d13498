//! Board files of Annexation, by the program's own commands.

use std::path::Path;
use std::process::{Command, Output};

use super::place::text;

fn bench(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.current_dir(folder).args(arguments);
    command.output().unwrap()
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The one line of a refusal, with exit code 1.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", out(output));
    let said = text(&output.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

const PLAYOUTS: [&str; 5] = ["playouts", "annexation", "--count", "300", "--json"];

#[test]
fn a_board_that_was_printed_is_played_as_the_board_itself() {
    let folder = tempfile::tempdir().unwrap();
    let printed = bench(folder.path(), &["list", "annexation", "hex200-merged/5"]);
    std::fs::write(folder.path().join("my.toml"), out(&printed)).unwrap();
    let tallies = |more: &[&str]| {
        let output = bench(folder.path(), &[&PLAYOUTS, more].concat());
        let json: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
        json["tallies"].clone()
    };
    let own = tallies(&["--board", "my.toml"]);
    assert_eq!(own, tallies(&["--position", "hex200-merged/5"]));
    assert_eq!(
        own,
        tallies(&["--board", "my.toml", "--technique", "rayon-sliced"])
    );
    assert_ne!(own, tallies(&["--position", "hex200-merged/6"]));
    for (arguments, expected) in [
        (["annexation", "hex9"], "hex9: allowed is hex7, "),
        (["checkers", "hex200"], "checkers has no board files"),
    ] {
        let said = refused(&bench(folder.path(), &[&["list"], &arguments[..]].concat()));
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn what_is_no_board_is_refused_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let board = |colours: &str, edges: &str, starts: &str| {
        format!("colours = [\n{colours}\n]\nedges = [\n{edges}\n]\nstarts = [{starts}]\n")
    };
    let wrong = board("0,\n1,\n2,\n3", "[0, 1],\n[1, 2],", "0, 2");
    std::fs::write(folder.path().join("my.toml"), wrong).unwrap();
    let own = [&PLAYOUTS[..], &["--board", "my.toml"]].concat();
    let said = refused(&bench(folder.path(), &own));
    let expected = "my.toml:5: colours: cell 3 has no neighbours";
    assert!(said.contains(expected), "{said}");
    let path = board("0, 1, 2", "[0, 1],\n[1, 2]", "0, 2");
    std::fs::write(folder.path().join("my.toml"), path).unwrap();
    let both = ["--board", "my.toml", "--case", "board=hex1000"];
    let said = refused(&bench(folder.path(), &[&PLAYOUTS[..], &both].concat()));
    let expected = "--case board=hex1000: the board is given by --board my.toml";
    assert!(said.contains(expected), "{said}");
    let choose = "choose annexation --technique serial --effort 40 --board my.toml";
    let chosen = bench(folder.path(), &choose.split(' ').collect::<Vec<_>>());
    // Cell 1 is the only one to be had.
    assert!(out(&chosen).starts_with("best 1, 40 playouts"));
    let plain = ["playouts", "annexation", "--count", "9"];
    let told = out(&bench(
        folder.path(),
        &[&plain[..], &["--board", "my.toml"]].concat(),
    ));
    assert!(told.contains("lost\n") && !told.contains("plies"), "{told}");
    let missing = bench(
        folder.path(),
        &[&PLAYOUTS[..], &["--board", "none.toml"]].concat(),
    );
    assert_eq!(missing.status.code(), Some(4));
    let checkers = ["playouts", "checkers", "--count", "1", "--board", "my.toml"];
    let said = refused(&bench(folder.path(), &checkers));
    let part = "checkers has no board files; allowed with annexation";
    assert!(said.contains(part), "{said}");
}
