//! Tests a host with a coarse clock, which advances in 10 ms steps.

use super::place::{Place, TINY, ended};

/// The step of an old system's timer: 10 ms.
const STEP_NS: u64 = 10_000_000;

#[test]
fn a_clock_of_long_steps_is_warned_of_and_no_time_of_zero_is_ok() {
    // The first depth takes less than a step. The second takes many steps with one thread.
    let experiment = TINY
        .replace("pv-split", "rayon-shared")
        .replace("\"4x4\"", "\"8x8\"")
        .replace("[1, 2]", "[1, 8]");
    let place = Place::new(&experiment);
    let settings = [("CLOCK_STEP_NS", STEP_NS.to_string())];
    let settings = settings.each_ref().map(|(name, ns)| (*name, ns.as_str()));
    let mut command = place.host_command("run tiny.toml");
    let run = ended(place.with_layer(&mut command, &settings));
    run.ends(0);

    let warning = "coarse clock: steps of 10 ms (times below 1 s are not exact to 1 %)";
    assert_eq!(run.said.matches(warning).count(), 1, "{}", run.said);
    let rows = place.rows();
    assert_eq!(rows.len(), 6);
    let ok = |row: &super::place::Row| row["status"] == "ok";
    for row in &rows {
        assert!(row["warnings"].contains(warning), "{row:?}");
        if ok(row) {
            let ns = |column: &str| row[column].parse::<u64>().expect("a time");
            assert!(ns("min_ns") >= STEP_NS && ns("median_ns") > 0, "{row:?}");
        } else {
            assert_eq!(row["status"], "skipped");
            let expected = "the clock's step of 10 ms is too coarse for it: a sample measured 0 ns";
            assert_eq!(row["reason"], expected);
            assert_eq!(row["median_ns"], "");
        }
        let is_deep = row["case"].ends_with("depth=8");
        let holds = row["technique"] != "serial" || ok(row) == is_deep;
        assert!(holds, "{row:?}");
    }
    let samples = place.csv("samples.csv");
    assert!(samples.iter().all(|row| row["total_ns"] != "0"));

    // With the machine's own clock, there is no warning, and the skipped cells are measured.
    let run = place.on_host("run tiny.toml --case depth=1");
    run.ends(0);
    run.lacks("coarse");
    for row in place
        .rows()
        .iter()
        .filter(|row| row["case"].ends_with("depth=1"))
    {
        assert!(ok(row) && !row["warnings"].contains("coarse"), "{row:?}");
    }
}
