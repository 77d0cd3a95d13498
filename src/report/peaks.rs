//! What devices can do at best, as a table on the terminal.

use super::number::Unit;
use super::paper::one_line;
use super::terminal::aligned;
use crate::results::PeakRow;
use crate::words::Status;

/// The unit in which a reader sees a row's numbers.
fn unit_of(row: &PeakRow) -> Unit {
    match row.unit.as_str() {
        "op/s" => Unit::Operations,
        "B/s" => Unit::Bandwidth,
        "ns" => Unit::Time,
        _ => Unit::Plain,
    }
}

/// One device's peaks: a line each, with the median, its 95 % interval, and how it was launched. What
/// has no number says why.
pub fn peaks_text(rows: &[PeakRow]) -> String {
    let head = ["quantity", "median", "95 % interval", "launch"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for row in rows {
        let unit = unit_of(row);
        let (value, interval) = match (row.status, row.value) {
            (Status::Ok, Some(value)) => (
                unit.show(value),
                row.low
                    .zip(row.high)
                    .map_or_else(String::new, |(low, high)| unit.show_interval(low, high)),
            ),
            _ => (row.status.word().to_owned(), String::new()),
        };
        let launch = match row.status {
            Status::Ok => format!("{}; {} samples, {}", row.launch, row.samples, row.method),
            _ => one_line(&row.reason),
        };
        lines.push(vec![row.quantity.clone(), value, interval, launch]);
    }
    aligned(lines, &[1, 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_unit_and_failures_their_reason() {
        let row = |quantity: &str, unit: &str, status, value: Option<f64>| PeakRow {
            host: String::new(),
            platform: String::new(),
            device: String::new(),
            name: String::new(),
            driver: String::new(),
            quantity: quantity.into(),
            unit: unit.into(),
            status,
            reason: if value.is_none() {
                "lost\nit".into()
            } else {
                String::new()
            },
            value,
            low: value.map(|value| value * 0.99),
            high: value,
            samples: 15,
            sample_ns: Some(1),
            launch: "groups of 64".into(),
            method: "device events".into(),
        };
        let text = peaks_text(&[
            row("add", "op/s", Status::Ok, Some(16.7e12)),
            row("upload", "B/s", Status::Ok, Some(25e9)),
            row("launch", "ns", Status::Ok, Some(4_200.0)),
            row("shift", "op/s", Status::Crashed, None),
        ]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[1].starts_with("add       16.7 T op/s  16.5–16.7 T op/s  groups of 64; 15"),
            "{text}"
        );
        assert!(lines[2].contains(" 25.0 GB/s    24.8–25.0 GB/s "), "{text}");
        assert!(lines[3].contains(" 4.20 µs "), "{text}");
        assert!(
            lines[4].contains(" crashed ") && lines[4].ends_with(" lost it"),
            "{text}"
        );
    }
}
