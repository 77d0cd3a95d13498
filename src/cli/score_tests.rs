//! Checks the numbers on the card by recomputing them from a committed run's `samples.csv`.

use std::collections::BTreeMap;
use std::path::Path;

use super::{CaseScore, DeviceRate, WIDTHS, bar, columns, is_of_device, row};
use crate::report::RunData;
use crate::techniques::registry;
use crate::words::Status;

/// Sample times of a case in nanoseconds, by invocation and pass, for each technique and device.
type Samples = BTreeMap<(String, String), BTreeMap<(String, u64), Vec<u64>>>;

/// Returns the folder of a committed run with a GPU, several invocations and ties.
fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/nvidia-h200/gomoku")
}

fn samples_of(case: &str) -> Samples {
    let file = std::fs::File::open(folder().join("samples.csv.gz")).unwrap();
    let mut reader = csv::Reader::from_reader(flate2::read::GzDecoder::new(file));
    let head = reader.headers().unwrap().clone();
    let mut all = Samples::new();
    for record in reader.records() {
        let record = record.unwrap();
        let field = |name: &str| {
            let at = head.iter().position(|own| own == name).unwrap();
            record[at].to_owned()
        };
        let names = ["case", "technique", "device", "invocation"];
        let [own_case, technique, device, invocation] = names.map(field);
        if own_case == case {
            let passes = all.entry((technique, device)).or_default();
            let pass = (invocation, field("pass").parse().unwrap());
            let times = passes.entry(pass).or_default();
            times.push(field("total_ns").parse().unwrap());
        }
    }
    all
}

fn median(mut times: Vec<u64>) -> f64 {
    times.sort_unstable();
    let (low, high) = (times[(times.len() - 1) / 2], times[times.len() / 2]);
    // Round down to whole nanoseconds.
    ((low + high) / 2) as f64
}

fn near(shown: f64, ours: f64, within: f64) -> bool {
    (shown / ours - 1.0).abs() < within
}

#[test]
fn the_cards_numbers_are_those_of_the_samples() {
    let catalogue = registry::catalogue();
    let whole = RunData::read(&folder(), &catalogue).unwrap();
    // Make up the published rates of a device that is half as fast.
    let answered = whole.measurements.iter().filter(is_of_device);
    let answered = answered.filter(|row| row.status == Status::Ok);
    let rates = answered.filter_map(|row| {
        Some(DeviceRate {
            machine: "other-machine".to_owned(),
            experiment: row.experiment.clone(),
            case: row.cell.case.clone(),
            device: row.cell.device.clone(),
            units: row.units,
            median_ns: row.median_ns? * 2,
        })
    });
    let mut published: Vec<DeviceRate> = rates.collect();
    published.sort_by_key(|it| it.median_ns);
    let (mut ratios, mut ties) = (0, 0);
    for case in whole.experiment.cases.clone() {
        let mut data = whole.clone();
        data.experiment.cases = vec![case.clone()];
        let case = case.to_string();
        data.measurements.retain(|row| row.cell.case == case);
        let score = CaseScore::new(&data, &published);
        let card = score.json;
        let Some(fastest) = card["fastest"].as_object() else {
            continue;
        };
        let samples = samples_of(&case);
        let of =
            |technique: &str, device: &str| &samples[&(technique.to_owned(), device.to_owned())];
        let all = |passes: &BTreeMap<(String, u64), Vec<u64>>| -> Vec<u64> {
            passes.values().flatten().copied().collect()
        };
        let [technique, device] = ["technique", "device"].map(|key| fastest[key].as_str().unwrap());
        let own = of(technique, device);
        // No other technique on this device is faster.
        let is_ok = |name: &str, device: &str| {
            let mut rows = data.measurements.iter();
            rows.any(|row| {
                (row.cell.technique.as_str(), row.cell.device.as_str()) == (name, device)
                    && row.status == Status::Ok
            })
        };
        let median_ns = median(all(own));
        for ((name, place), passes) in &samples {
            if place == device && is_ok(name, place) {
                assert!(median(all(passes)) >= median_ns, "{case}: {name}");
            }
        }
        let units = fastest["units"].as_f64().unwrap();
        let rate = units * 1e9 / median_ns;
        let shown = fastest["rate"].as_f64().unwrap();
        assert!(near(shown, rate, 1e-6), "{case}: {shown}, {rate}");
        let count = fastest["samples"].as_u64().unwrap();
        assert_eq!(count, all(own).len() as u64, "{case}");
        let percent = &card["published"][0]["percent"];
        let holds = near(percent.as_f64().unwrap(), 200.0, 1e-9);
        assert!(holds, "{case}: {percent}");
        let over = &card["over_best_cpu"];
        if let (Some(ratio), true) = (over["ratio"].as_f64(), over["low"].is_f64()) {
            let base = of(over["technique"].as_str().unwrap(), "host");
            let both = own.iter().filter_map(|(pass, times)| {
                Some((median(base.get(pass)?.clone()) / median(times.clone())).ln())
            });
            let logs: Vec<f64> = both.collect();
            let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
            assert!(near(ratio, mean, 1e-6), "{case}: {ratio}, {mean}");
            let words = &score.cells.unwrap()[2];
            let is_tie = over["low"].as_f64() <= Some(1.0) && over["high"].as_f64() >= Some(1.0);
            assert_eq!(words == "as fast", is_tie, "{case}: {words}");
            ties += usize::from(is_tie);
            ratios += 1;
        }
    }
    assert!(ratios > ties && ties > 0, "{ratios} ratios, {ties} ties");
}

#[test]
fn a_line_fits_80_columns() {
    let long = "a".repeat(60);
    let line = columns([&long, &long, &long, &bar(30.0)]);
    assert!(line.chars().count() <= 80, "{line}");
    let line = columns(["a", "b", "c", "d"]);
    assert_eq!(line.find('b'), Some(WIDTHS[0] + 2));
    let full = columns([&long, &long, &long, &bar(0.9)]);
    assert!(full.ends_with("█████████  90.0 %"), "{full}");
}

#[test]
fn a_bar_shows_eighths_and_never_more_than_its_width() {
    for (share, shown) in [
        (0.0, "           0 %"),
        (0.05, "▌          5.00 %"),
        (0.5, "█████      50.0 %"),
        (3.0, "██████████ 300 %"),
    ] {
        assert_eq!(bar(share), shown);
    }
}

#[test]
fn a_row_has_the_device_the_host_the_version_and_the_rates() {
    let data = RunData::read(&folder(), &registry::catalogue()).unwrap();
    let line = row(&[CaseScore::new(&data, &[])]);
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [device, driver, host, date, version, rate] = cells[..] else {
        panic!("{line}");
    };
    let own = &data.environment.invocations[0];
    assert_eq!(device, own.devices[0].label);
    assert!(driver.ends_with(&own.devices[0].driver), "{driver}");
    assert_eq!(
        host,
        format!("{}, {} threads", own.host.cpu, own.host.threads)
    );
    assert!(own.utc.starts_with(date) && date.len() == 10, "{date}");
    assert!(version.contains(&own.program.revision), "{version}");
    assert!(rate.ends_with(" searches/s"), "{rate}");
}
