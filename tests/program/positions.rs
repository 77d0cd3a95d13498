//! Tests the times of single positions in the samples.

use std::collections::HashMap;

use super::place::Place;

const EXPERIMENT: &str = r#"
name = "tiny"
title = "Positions"
game = "connect-four"
task = "game"

[options]
line-depth = 4

[[cases]]
stage = "average"
depth = [10]
plies = [0, 3, 6]

[[technique]]
name = "serial-table"
[[technique]]
name = "rayon-table"
[[technique]]
name = "rayon-table"
label = "together"
batch = "on"

[sampling]
passes = 3
min-samples = 3
max-samples = 6

[budget]
cell = "5s"
total = "20m"
deadline = "10s"
"#;

/// In at least one sample, the positions must take more time than the overhead, such as waking threads. In other
/// samples, the overhead may be larger, because threads wake late on a busy machine.
#[test]
fn searches_one_after_another_have_a_time_each() {
    let place = Place::new(EXPERIMENT);
    place.on_host("run tiny.toml").ends(0);
    let mut samples: HashMap<String, u64> = HashMap::new();
    let mut shares: HashMap<String, f64> = HashMap::new();
    for row in place.csv("samples.csv") {
        let technique = &row["technique"];
        let times = &row["positions_ns"];
        *samples.entry(technique.clone()).or_default() += 1;
        if technique == "together" {
            assert_eq!(times, "");
            continue;
        }
        let times: Vec<u64> = times.split(';').map(|ns| ns.parse().unwrap()).collect();
        assert_eq!(times.len(), 3, "{technique}");
        assert!(times.iter().all(|ns| *ns > 0), "{technique}: {times:?}");
        let (sum, whole): (u64, u64) = (times.iter().sum(), row["total_ns"].parse().unwrap());
        assert!(sum <= whole, "{technique}: {sum} of {whole}");
        let share = shares.entry(technique.clone()).or_default();
        *share = share.max(sum as f64 / whole as f64);
    }
    assert!(shares.values().all(|share| *share > 0.5), "{shares:?}");
    assert_eq!(samples.len(), 5, "{samples:?}");
}
