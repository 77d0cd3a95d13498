//! Tests names that a driver gives its device. A name appears in rows, files, reports and on terminals.

use super::place::{Place, TINY, ended};
use crate::needed::devices;

fn run(name: &str) -> Place {
    let place = Place::new(TINY);
    let settings = [("DEVICE_NAME", name)];
    let run = ended(place.with_layer(&mut place.command("run tiny.toml"), &settings));
    assert_eq!(run.code, Some(0), "{name:.50}: {}", run.said);
    let is_plain = |text: &str| !text.contains(|c: char| c.is_control() && c != '\n');
    assert!(is_plain(&run.said), "{}", run.said.escape_debug());
    assert!(is_plain(&place.text("report.md")));
    assert_eq!(place.rows().len(), 6);
    place
}

#[test]
fn a_device_called_as_the_host_or_as_none_is_a_device() {
    let Some(_devices) = devices() else { return };
    for name in ["host", "none"] {
        let place = run(name);
        let row = place.row("pv-split", 1);
        assert_eq!(row["device"], format!("device \"{name}\""));
        assert_eq!(place.row("serial", 1)["device"], "host");
        let table = place.csv("tables/factors.csv");
        let holds = table.iter().all(|entry| !entry["ours"].is_empty());
        assert!(holds, "{table:?}");
    }
}

#[test]
fn a_name_may_be_long_and_may_hold_what_a_terminal_obeys() {
    let Some(_devices) = devices() else { return };
    let long = "long".repeat(750);
    let row = run(&long).row("pv-split", 1);
    assert_eq!(row["device"], long[..100]);
    let row = run("\u{1b}[31mred\u{7}").row("pv-split", 1);
    assert_eq!(row["device"], "[31mred");
}

/// The name of a device or file must not end the code block around a command.
#[test]
fn a_fence_in_a_name_breaks_out_of_nothing() {
    let Some(_devices) = devices() else { return };
    let place = Place::new(TINY);
    let file = "tiny```\n<img src=x>\n```.toml";
    std::fs::rename(place.path().join("tiny.toml"), place.path().join(file)).unwrap();
    let settings = [("DEVICE_NAME", "```<img src=y>`")];
    ended(place.with_layer(&mut place.command(&["run", file]), &settings)).ends(0);
    let report = place.text("report.md");
    assert!(report.contains("img src="), "{report}");
    let mut fence: Option<String> = None;
    for line in report.lines() {
        let ticks: String = line.chars().take_while(|letter| *letter == '`').collect();
        match &fence {
            Some(open) if line.trim() == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => {
                // Every second piece between backticks is code.
                let open: Vec<&str> = line.split('`').step_by(2).collect();
                assert!(!open.concat().contains("<img"), "{line}");
            }
        }
    }
    assert_eq!(fence, None);
}
