//! The published tables of gomoku: which numbers are marked, and that the marks are right.

use std::collections::BTreeMap;
use std::path::Path;

/// Time and note of a cell, by board, depth and, where there is one, split.
type Times = BTreeMap<(u32, u32, u32), (f64, String)>;

fn rows(name: &str) -> Vec<BTreeMap<String, String>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("reports/published/gomoku")
        .join(name);
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// A table of times in seconds.
fn times(number: u32) -> Times {
    rows(&format!("table-{number}.csv"))
        .into_iter()
        .map(|row| {
            assert_eq!(row["unit"], "s");
            let (width, height) = row["board"].split_once('x').unwrap();
            assert_eq!(width, height);
            let whole = |name: &str| row.get(name).map_or(0, |text| text.parse().unwrap());
            let place = (width.parse().unwrap(), whole("depth"), whole("split"));
            let note = row.get("note").cloned().unwrap_or_default();
            (place, (row["value"].parse().unwrap(), note))
        })
        .collect()
}

/// Every marked cell has a note with this text, and no other has.
fn marked(times: &Times, text: &str, is_odd: impl Fn((u32, u32), f64) -> bool) {
    for ((board, depth, _), (time, note)) in times {
        let expected = is_odd((*board, *depth), *time);
        assert_eq!(note.contains(text), expected, "{board}, {depth}: {note}");
    }
}

// The sums are those of the tables in the text of the paper.
#[test]
fn the_tables_are_whole() {
    let sizes: Vec<usize> = [1, 2, 3, 4, 5, 6, 8, 9]
        .map(|number| times(number).len())
        .into();
    assert_eq!(sizes, [24, 24, 18, 19, 23, 14, 13, 11]);
    let sums = [1, 2, 3, 4, 5, 6, 8, 9].map(|number| {
        let sum: f64 = times(number).values().map(|(time, _)| time).sum();
        format!("{sum:.5}")
    });
    assert_eq!(
        sums,
        [
            "2777.85709",
            "545.64030",
            "53.18400",
            "2267.83300",
            "342.05100",
            "226.79060",
            "131.17980",
            "312.23180"
        ]
    );
}

#[test]
fn a_deeper_search_in_less_time_is_marked() {
    let all = [1, 2, 3, 5, 6].map(times);
    let mut found = Vec::new();
    for table in &all {
        marked(table, "less than depth 3", |(board, depth), time| {
            let shallower = table.get(&(board, depth.wrapping_sub(1), 0));
            shallower.is_some_and(|(before, _)| time < *before)
        });
        found.extend(
            table
                .values()
                .filter(|(_, note)| note.contains("less than depth")),
        );
    }
    assert_eq!(found.len(), 3);
}

#[test]
fn prose_that_its_tables_contradict_is_marked() {
    let (serial, threads, naive, pvs) = (times(1), times(2), times(3), times(5));
    let over = |base: &Times, (board, depth): (u32, u32), time: f64| {
        base.get(&(board, depth, 0)).map(|(base, _)| base / time)
    };
    marked(&threads, "slower than the serial", |at, time| {
        let granted = at.0 < 12 && at.1 < 2;
        !granted && over(&serial, at, time).is_some_and(|ratio| ratio < 1.0)
    });
    marked(&pvs, "section 7.5", |at, time| {
        at.1 <= 2 && over(&naive, at, time).is_some_and(|ratio| ratio < 10.0)
    });
    let peak = over(&serial, (12, 4), pvs[&(12, 4, 0)].0).unwrap();
    assert_eq!(format!("{peak:.0}"), "95");
    marked(&pvs, "calls 95 times the peak", |at, time| {
        over(&serial, at, time).is_some_and(|ratio| ratio > peak)
    });
}

#[test]
fn games_that_do_not_fit_their_moves_are_marked() {
    for (games, moves, expected) in [(times(8), times(5), 10), (times(9), times(6), 3)] {
        let of_moves = |(board, depth): (u32, u32), time: f64| time / moves[&(board, depth, 0)].0;
        // Eight searches on a board that fills up, in units of the first.
        let fewest = |(board, depth): (u32, u32)| {
            let sequences =
                |free: u32| (0..depth).map(|ply| f64::from(free - ply)).product::<f64>();
            let free = board * board - 1;
            (0..8).map(|ply| sequences(free - ply)).sum::<f64>() / sequences(free)
        };
        marked(&games, "it has 8 at least", |at, time| {
            of_moves(at, time) < fewest(at)
        });
        marked(&games, "the board has room", |at, time| {
            of_moves(at, time) > f64::from(at.0 * at.0 - 1)
        });
        let notes = games.values().filter(|(_, note)| !note.is_empty());
        assert_eq!(notes.count(), expected);
        for (at, (time, note)) in games.iter().filter(|(_, (_, note))| !note.is_empty()) {
            let ratio = of_moves((at.0, at.1), *time);
            let shown = match ratio < 10.0 {
                true => format!("{ratio:.1} single"),
                false => format!("{ratio:.0} single"),
            };
            assert!(note.contains(&shown), "{note}: {ratio}");
        }
    }
}

#[test]
fn table_7_follows_from_the_others() {
    let tables = ["serial-as-published", "rayon-as-published", "naive"];
    let tables = tables
        .into_iter()
        .chain(["sequential-parallel", "pvs", "dynamic"]);
    let time = |name: &str| {
        let number = tables.clone().position(|own| own == name).unwrap() as u32 + 1;
        let split = u32::from(number == 4);
        times(number)[&(15, 2, split)].0
    };
    let rows = rows("table-7.csv");
    assert_eq!(rows.len(), 6 + 5);
    for row in rows {
        let value: f64 = row["value"].parse().unwrap();
        let own = time(&row["technique"]);
        match row["quantity"].as_str() {
            "time" => assert_eq!(value, own),
            _ => assert!(
                (time("serial-as-published") / own - value).abs() < 0.0051,
                "{row:?}"
            ),
        }
    }
}
