//! Formats numbers for readers. Everything before this travels unformatted.

use crate::config::TimeUnit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A plain number or a ratio: `0.136`, `23.6`.
    Plain,
    /// Nanoseconds, scaled: `12.3 ms`.
    Time,
    /// Nanoseconds, in one unit: `0.0123 s`.
    TimeIn(TimeUnit),
    /// Per second, scaled: `17.3 M/s`.
    Rate,
    /// Integers: `1,234,567`.
    Count,
    /// A share of a whole: `12.3 %`.
    Percent,
}

impl Unit {
    /// The number with its unit, to three significant digits (counts in full).
    pub(crate) fn show(self, value: f64) -> String {
        self.shown(&[value])
    }

    /// An interval with one unit: `12.1–12.6 ms`.
    pub(crate) fn show_interval(self, low: f64, high: f64) -> String {
        self.shown(&[low, high])
    }

    /// Numbers in the unit that suits the last one.
    fn shown(self, values: &[f64]) -> String {
        let (true, Some(last)) = (values.iter().all(|own| own.is_finite()), values.last()) else {
            return "–".to_owned();
        };
        let (scale, suffix) = self.scale(*last);
        let number = |value: &f64| match self {
            Unit::Count => grouped(value.round()),
            Unit::Percent => format!("{:.1}", value * 100.0),
            _ => significant(value / scale),
        };
        values.iter().map(number).collect::<Vec<_>>().join("–") + &suffix
    }

    /// A short name of a place on an axis: `10`, `2 M`, `1 ms`.
    pub(crate) fn tick(self, value: f64) -> String {
        if value == 0.0 {
            return "0".to_owned();
        }
        let (scale, suffix) = match self {
            Unit::Count => by_thousands(value, &["", " k", " M", " G"]),
            _ => self.scale(value),
        };
        trimmed(&significant(value / scale)) + &suffix
    }

    /// The scale of a number, and its name.
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

/// The scale of a number, and its name among the names of 1, 10^3, 10^6 …
fn by_thousands(value: f64, names: &[&str]) -> (f64, String) {
    // Rounding comes first: 999.9 ns is 1.00 µs, not 1000 ns.
    let size = rounded(value.abs());
    let steps = [1e3, 1e6, 1e9, 1e12].into_iter().take(names.len() - 1);
    let place = steps.filter(|from| size >= *from).count();
    (1e3_f64.powi(place as i32), names[place].to_owned())
}

/// `12.3 %`; a positive share that rounds to zero is `<0.1 %`.
pub(crate) fn percent(share: f64) -> String {
    match share > 0.0 && share < 0.0005 {
        true => "<0.1 %".to_owned(),
        false => Unit::Percent.show(share),
    }
}

/// Bytes in binary units: `2.0 GiB`.
pub(crate) fn bytes(count: u64) -> String {
    let size = count as f64;
    for (unit, name) in [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if count >= unit {
            return format!("{:.1} {name}", size / unit as f64);
        }
    }
    format!("{count} B")
}

/// Three significant digits, without an exponent if readable: `0.136`, `2,360`.
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

/// Rounded first, so that 9.996 counts as 10.0 for digits and unit.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = if value < 0.0 { "-" } else { "" }.to_owned();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn trimmed(text: &str) -> String {
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reports of the committed runs have thousands; here are the edges of rounding.
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
        ] {
            assert_eq!(unit.show(value), text);
        }
        assert_eq!(Unit::Time.show_interval(990e3, 1.2e6), "0.990–1.20 ms");
        let seconds = Unit::TimeIn(TimeUnit::Seconds);
        assert_eq!(seconds.show_interval(990e3, 1.2e6), "0.000990–0.00120 s");
        assert_eq!(Unit::Plain.show_interval(1.0, f64::INFINITY), "–");
        assert_eq!([0.0001, 0.0].map(percent), ["<0.1 %", "0.0 %"]);
    }
}
