//! Board files and pictures of Annexation, by the program's own commands.

use std::path::Path;
use std::process::{Command, Output};

fn bench(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.current_dir(folder).args(arguments);
    command.output().unwrap()
}

fn out(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The one line of a refusal, with exit code 1.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", out(output));
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

const PLAYOUTS: [&str; 5] = ["playouts", "annexation", "--count", "300", "--json"];

#[test]
fn a_board_that_was_printed_is_played_as_the_board_itself() {
    let folder = tempfile::tempdir().unwrap();
    let printed = bench(
        folder.path(),
        &[
            "boards",
            "annexation",
            "--kind",
            "hex200-merged",
            "--number",
            "5",
        ],
    );
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
    let all = out(&bench(folder.path(), &["boards", "annexation"]));
    assert_eq!(all.lines().count(), 1 + 5 * 16);
    assert!(all.contains("hex1000"), "{all}");
}

#[test]
fn what_is_no_board_is_refused_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let board = |colours: &str, edges: &str, starts: &str| {
        format!("colours = [\n{colours}\n]\nedges = [\n{edges}\n]\nstarts = [{starts}]\n")
    };
    let edges = "[0, 1],\n[1, 2],";
    for (text, expected) in [
        (
            board("0,\n1,\n2,\n3", edges, "0, 2"),
            "my.toml:5: colours: cell 3 has no neighbours",
        ),
        (
            board("0, 1, 2", "[0, 1],\n[1, 7]", "0, 2"),
            "my.toml:6: edges: edge to cell 7",
        ),
        (
            board("0,\n8, 2", edges, "0, 2"),
            "my.toml:3: colours: colour 8 of cell 1",
        ),
        (
            board("0, 1, 2", edges, "2, 2"),
            "my.toml:8: starts: both players start on cell 2",
        ),
    ] {
        std::fs::write(folder.path().join("my.toml"), text).unwrap();
        let output = bench(
            folder.path(),
            &[&PLAYOUTS[..], &["--board", "my.toml"]].concat(),
        );
        let said = refused(&output);
        assert!(said.contains(expected), "{said}");
    }
    let path = board("0, 1, 2", "[0, 1],\n[1, 2]", "0, 2");
    std::fs::write(folder.path().join("my.toml"), path).unwrap();
    let both = ["--board", "my.toml", "--case", "board=hex1000"];
    let said = refused(&bench(folder.path(), &[&PLAYOUTS[..], &both].concat()));
    let expected = "--case board=hex1000: the board is given by --board my.toml";
    assert!(said.contains(expected), "{said}");
    let chosen = bench(
        folder.path(),
        &[
            "choose",
            "annexation",
            "--technique",
            "serial",
            "--effort",
            "40",
            "--board",
            "my.toml",
        ],
    );
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
    assert!(
        said.contains("checkers has no board files; allowed with annexation"),
        "{said}"
    );
}

#[test]
fn pictures_are_written_and_the_ends_of_the_games_told() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = bench(
        folder.path(),
        &[
            "picture",
            "annexation",
            "--states",
            "states.png",
            "--hexagons",
            "board.svg",
            "--texture",
            "texture.svg",
            "--steps",
            "steps.svg",
            "--table",
            "table.md",
        ],
    );
    let told = out(&drawn);
    assert_eq!(told.lines().count(), 1 + 8, "{told}");
    for line in told.lines().skip(1) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [red, blue] = [1, 2].map(|at: usize| fields[at].parse::<u32>().unwrap());
        assert!(red + blue <= 7 && red >= 1 && blue >= 1, "{line}");
        let winner = match red.cmp(&blue) {
            std::cmp::Ordering::Less => "blue",
            std::cmp::Ordering::Equal => "nobody",
            std::cmp::Ordering::Greater => "red",
        };
        assert_eq!(fields[3], winner);
    }
    let png = std::fs::read(folder.path().join("states.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let svg = std::fs::read_to_string(folder.path().join("board.svg")).unwrap();
    assert_eq!(svg.matches("<polygon").count(), 14);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    // A square a cell in each row: the colours and six places for neighbours, or the seven steps.
    assert_eq!(
        read("texture.svg").matches("stroke=\"#999\"").count(),
        7 * 7
    );
    assert_eq!(read("steps.svg").matches("stroke=\"#999\"").count(), 7 * 7);
    let table = std::fs::read_to_string(folder.path().join("table.md")).unwrap();
    assert_eq!(table.lines().count(), 2 + 8, "{table}");
    let large = bench(
        folder.path(),
        &[
            "picture",
            "annexation",
            "--kind",
            "hex200",
            "--count",
            "1024",
            "--turns",
            "300",
            "--states",
            "large.png",
        ],
    );
    let said = refused(&large);
    assert!(said.contains("--count 1024, --turns 300: "), "{said}");
    assert!(said.contains("MiB") && !folder.path().join("large.png").exists());
}
