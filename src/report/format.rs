//! Formats numbers, quantities, cases and lists as text. All earlier stages keep them unformatted.

use indicatif::HumanFloatCount;

use crate::config::{Part, Quantity, TimeUnit};
use crate::words::{Case, Value, resource};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A plain number or a ratio: `0.136`, `23.6`.
    Plain,
    /// Nanoseconds, in a suitable unit: `12.3 ms`.
    Time,
    /// Nanoseconds, in one unit: `0.0123 s`.
    TimeIn(TimeUnit),
    /// A rate per second, in a suitable unit: `17.3 M/s`.
    Rate,
    /// Integers: `1,234,567`.
    Count,
    /// A share of a whole: `12.3 %`, or `<0.1 %` if a positive share rounds to zero.
    Percent,
}

impl Unit {
    /// Formats a number with its unit, to three significant digits. Counts are shown in full.
    pub(crate) fn show(self, value: f64) -> String {
        self.shown(&[value])
    }

    /// Formats an interval with one unit: `12.1–12.6 ms`.
    pub(crate) fn show_interval(self, low: f64, high: f64) -> String {
        self.shown(&[low, high])
    }

    /// Formats numbers in the unit that suits the last one.
    fn shown(self, values: &[f64]) -> String {
        let (true, Some(last)) = (values.iter().all(|own| own.is_finite()), values.last()) else {
            return "–".to_owned();
        };
        let (scale, suffix) = self.scale(*last);
        let number = |value: &f64| match self {
            Unit::Count => grouped(value.round()),
            Unit::Percent if *value > 0.0 && *value < 0.0005 => "<0.1".to_owned(),
            Unit::Percent => format!("{:.1}", value * 100.0),
            _ => significant(value / scale),
        };
        values.iter().map(number).collect::<Vec<_>>().join("–") + &suffix
    }

    /// Formats the label of a tick: `10`, `2 M`, `1 ms`.
    pub(crate) fn tick(self, value: f64) -> String {
        if value == 0.0 {
            return "0".to_owned();
        }
        let (scale, suffix) = match self {
            Unit::Count => by_thousands(value, &["", " k", " M", " G"]),
            _ => self.scale(value),
        };
        let text = significant(value / scale);
        match text.contains('.') && !text.contains('e') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned() + &suffix,
            false => text + &suffix,
        }
    }

    /// Returns the factor by which a number is divided, and the name of the resulting unit.
    fn scale(self, value: f64) -> (f64, String) {
        match self {
            Unit::Time => by_thousands(value, &[" ns", " µs", " ms", " s"]),
            Unit::TimeIn(unit) => (10f64.powi(unit.exponent()), format!(" {}", unit.sign())),
            Unit::Rate => by_thousands(value, &[" /s", " k/s", " M/s", " G/s", " T/s"]),
            Unit::Percent => (1.0, " %".to_owned()),
            Unit::Plain | Unit::Count => (1.0, String::new()),
        }
    }
}

/// Chooses a power of 1000 for a number, and the power's name from `names` (for 1, 10^3, 10^6 …).
fn by_thousands(value: f64, names: &[&str]) -> (f64, String) {
    // Rounds first, because 999.9 ns is 1.00 µs, not 1000 ns.
    let size = rounded(value.abs());
    let steps = [1e3, 1e6, 1e9, 1e12].into_iter().take(names.len() - 1);
    let place = steps.filter(|from| size >= *from).count();
    (1e3_f64.powi(place as i32), names[place].to_owned())
}

/// Formats three significant digits, without an exponent if the result stays readable: `0.136`, `2,360`.
pub(crate) fn significant(value: f64) -> String {
    let value = rounded(value);
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-6..1e15).contains(&size) {
        format!("{value:.2e}")
    } else if size >= 100.0 {
        grouped(value)
    } else {
        let decimals = 2 - size.log10().floor() as i32;
        format!("{value:.*}", decimals.max(0) as usize)
    }
}

/// Rounds to three significant digits, so that digits and unit are chosen for 10.0 instead of 9.996.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn grouped(value: f64) -> String {
    format!("{:.0}", HumanFloatCount(value))
}

/// Returns a quantity's unit. `of_times` overrides the unit for times.
pub(crate) fn unit(quantity: &Quantity, of_times: Option<TimeUnit>) -> Unit {
    use Quantity::*;
    match quantity {
        Speedup | NodeOverhead | TransferShare | Fact(_) => Unit::Plain,
        NodeRate | LeafRate | PlayoutRate | PlyRate => Unit::Rate,
        Score => Unit::Percent,
        Nodes => Unit::Count,
        Resource(name) if !name.ends_with("-ns") => Unit::Count,
        Time | TimePerUnit | MeanTimePerUnit | Part(_) | Resource(_) => {
            of_times.map_or(Unit::Time, Unit::TimeIn)
        }
    }
}

/// Returns a quantity's column name in a CSV, and its name for readers.
fn names(quantity: &Quantity) -> (String, String) {
    let (column, title) = match quantity {
        Quantity::Speedup => ("speedup", "speedup"),
        Quantity::NodeOverhead => ("node_overhead", "nodes"),
        Quantity::TimePerUnit => ("time_per_unit_ns", "time per position or playout"),
        Quantity::MeanTimePerUnit => ("mean_time_per_unit_ns", "mean time per position or playout"),
        Quantity::Time => ("time_ns", "time of the whole task"),
        Quantity::NodeRate => ("nodes_per_s", "nodes per second"),
        Quantity::Nodes => ("nodes", "nodes"),
        Quantity::Score => ("score", "score"),
        Quantity::LeafRate => ("leaves_per_s", "leaves per second"),
        Quantity::PlayoutRate => ("playouts_per_s", "playouts per second"),
        Quantity::PlyRate => ("plies_per_s", "playout plies per second"),
        Quantity::Part(Part::Host) => ("host_ns", "host's own work"),
        Quantity::Part(part) => return (format!("{part}_ns"), part.to_string()),
        Quantity::TransferShare => ("transfer_share", "share of transfers"),
        Quantity::Fact(name) | Quantity::Resource(name) => {
            return (name.replace('-', "_"), title_of(name));
        }
    };
    (column.to_owned(), title.to_owned())
}

/// Names a fact or a resource for readers.
fn title_of(name: &str) -> String {
    let title = match name {
        resource::LOCAL => "local memory per work-group, bytes",
        resource::PRIVATE => "private memory per work-item, bytes",
        resource::GLOBAL => "buffers, bytes",
        resource::GROUP => "work-items per work-group",
        resource::GROUP_LIMIT => "largest work-group, as the driver reports it",
        resource::GROUP_MULTIPLE => "preferred multiple of the work-group size",
        resource::ROUND_TRIP => "round trip of an empty kernel",
        resource::ROWS => "largest number of playouts per launch",
        resource::TREE_DEPTH => "depth of the tree, plies",
        _ => return name.replace('-', " "),
    };
    title.to_owned()
}

pub(crate) fn column_name(quantity: &Quantity) -> String {
    names(quantity).0
}

/// Names a quantity for readers: `speedup over serial`.
pub(crate) fn title(quantity: &Quantity, baseline: Option<&str>) -> String {
    let (_, title) = names(quantity);
    match baseline.filter(|_| quantity.needs_baseline()) {
        Some(baseline) => format!("{title} over {baseline}"),
        None => title,
    }
}

const POSITION: usize = 14;

/// The axis that selects the positions of a case by ply.
pub(crate) const PLIES: &str = "plies";

/// Names a case for readers: `8x8, depth 10`. A case without axes is named `every case`.
pub(crate) fn case(case: &Case) -> String {
    let axes = case.0.iter();
    let named = axes.filter_map(|(axis, value)| of_axis(axis, value));
    match named.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "every case".to_owned(),
        named => named,
    }
}

/// Names a value, with its axis if the value alone would be unclear. `None` for the default value.
fn of_axis(axis: &str, value: &Value) -> Option<String> {
    let shown = value.to_string();
    let plural = |count: i64| if count == 1 { "" } else { "s" };
    let playouts = |count| format!("{} playout{}", grouped(count as f64), plural(count));
    Some(match (axis, value) {
        ("board", _) => shown,
        ("position", _) if shown == "start" => "from the start".to_owned(),
        ("position", _) if shown.chars().count() > POSITION => {
            let start: String = shown.chars().take(POSITION).collect();
            format!("position {}…", start.trim_end_matches([':', ',']))
        }
        ("turns", _) if shown == "auto" => return None,
        ("turns", _) => format!("{shown} turns"),
        ("stage", _) => format!("{shown} move"),
        ("playouts", Value::Int(count)) => playouts(*count),
        ("effort", Value::Int(count)) => format!("{} per move", playouts(*count)),
        ("effort", _) => match shown.split_once("ms") {
            Some((count, "")) => format!("{count} ms per move"),
            _ => format!("{} s per move", shown.trim_end_matches('s')),
        },
        _ => format!("{} {shown}", axis.replace('-', " ")),
    })
}

/// Joins names: `a, b and c`, or `a, x; b, y and c` if a name has a comma. Names beyond `most` are only counted.
pub(crate) fn list(names: &[String], most: usize) -> String {
    let is_cut = names.len() > most + 1;
    let more = format!("{} more", names.len().saturating_sub(most));
    let kept = if is_cut { &names[..most] } else { names };
    let mut shown: Vec<&str> = kept.iter().map(String::as_str).collect();
    shown.extend(is_cut.then_some(more.as_str()));
    let has_comma = names.iter().any(|name| name.contains(','));
    let between = if has_comma { "; " } else { ", " };
    match shown.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} and {last}", before.join(between)),
    }
}

pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= most {
        return line;
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Replaces each run of white space by one space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reports of the committed runs cover thousands of numbers. These are edge cases of rounding.
    #[test]
    fn numbers_have_three_digits_and_the_unit_of_their_rounded_size() {
        for (unit, value, text) in [
            (Unit::Plain, 9.996, "10.0"),
            (Unit::Plain, 99.96, "100"),
            (Unit::Plain, 0.09996, "0.100"),
            (Unit::Plain, 0.000_012_34, "0.0000123"),
            (Unit::Plain, -4.2, "-4.20"),
            (Unit::Plain, 0.0, "0"),
            (Unit::Time, 999.4, "999 ns"),
            (Unit::Time, 999.9, "1.00 µs"),
            (Unit::Time, f64::NAN, "–"),
            (Unit::TimeIn(TimeUnit::Seconds), 12_345_678.0, "0.0123 s"),
            (Unit::TimeIn(TimeUnit::Microseconds), 1e6, "1,000 µs"),
            (Unit::Rate, 0.5, "0.500 /s"),
            (Unit::Rate, 999.7, "1.00 k/s"),
            (Unit::Percent, 0.0001, "<0.1 %"),
        ] {
            assert_eq!(unit.show(value), text);
        }
        assert_eq!(Unit::Time.show_interval(990e3, 1.2e6), "0.990–1.20 ms");
        let seconds = Unit::TimeIn(TimeUnit::Seconds);
        assert_eq!(seconds.show_interval(990e3, 1.2e6), "0.000990–0.00120 s");
        assert_eq!(Unit::Plain.show_interval(1.0, f64::INFINITY), "–");
    }

    #[test]
    fn long_lists_are_cut() {
        let names =
            |count: usize| -> Vec<String> { (1..=count).map(|at| at.to_string()).collect() };
        assert_eq!(list(&names(1), 3), "1");
        assert_eq!(list(&names(3), 3), "1, 2 and 3");
        assert_eq!(list(&names(4), 3), "1, 2, 3 and 4");
        assert_eq!(list(&names(6), 3), "1, 2, 3 and 3 more");
        assert_eq!(list(&[], 3), "");
        let of_two = ["a, 1", "a, 2", "b"].map(str::to_owned);
        assert_eq!(list(&of_two, 3), "a, 1; a, 2 and b");
    }
}
