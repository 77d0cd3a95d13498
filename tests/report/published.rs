//! Checks the published tables of gomoku against the numbers in the paper.

use std::collections::BTreeMap;
use std::path::Path;

/// Times by board, depth and split. Some tables do not have a split.
type Times = BTreeMap<(u32, u32, u32), f64>;

fn rows(name: &str) -> Vec<BTreeMap<String, String>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("reports/published/gomoku")
        .join(name);
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

fn times(number: u32) -> Times {
    rows(&format!("table-{number}.csv"))
        .into_iter()
        .map(|row| {
            assert_eq!(row["unit"], "s");
            let (width, height) = row["board"].split_once('x').unwrap();
            assert_eq!(width, height);
            let whole = |name: &str| row.get(name).map_or(0, |text| text.parse().unwrap());
            let place = (width.parse().unwrap(), whole("depth"), whole("split"));
            (place, row["value"].parse().unwrap())
        })
        .collect()
}

// The sums must match those of the tables in the paper.
#[test]
fn the_tables_are_whole() {
    let sizes: Vec<usize> = [1, 2, 3, 4, 5, 6, 8, 9]
        .map(|number| times(number).len())
        .into();
    assert_eq!(sizes, [24, 24, 18, 19, 23, 14, 13, 11]);
    let sums = [1, 2, 3, 4, 5, 6, 8, 9].map(|number| {
        let sum: f64 = times(number).values().sum();
        format!("{sum:.5}")
    });
    let expected = [
        "2777.85709",
        "545.64030",
        "53.18400",
        "2267.83300",
        "342.05100",
        "226.79060",
        "131.17980",
        "312.23180",
    ];
    assert_eq!(sums, expected);
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
        times(number)[&(15, 2, split)]
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
