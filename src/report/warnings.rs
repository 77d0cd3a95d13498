//! What a reader should know before trusting a number.

use std::fmt;

use super::data::Index;
use super::grid::{Item, Section};
use super::paper::one_line;
use super::sections::section;
use crate::results::Environment;
use crate::words::Status;

/// What a reader should know before trusting a number: the host's warnings, sampling that ended
/// before its target, the folder's and the published tables' troubles.
pub(crate) fn warnings(index: &Index<'_>, of_report: &[String]) -> Section {
    let mut said: Vec<Said> = Vec::new();
    let mut say = |line: String| match said.iter_mut().find(|known| known.is_like(&line)) {
        Some(known) => known.add(&line),
        None => said.push(Said::new(&line)),
    };
    for (_, place, row) in index.cells() {
        let Some(row) = row else { continue };
        for warning in row
            .warnings
            .split("; ")
            .filter(|warning| !warning.is_empty())
        {
            say(format!("{}: {}", place.technique, one_line(warning)));
        }
        if row.status == Status::Ok && !row.reason.is_empty() {
            say(format!("{}: {}", place.technique, one_line(&row.reason)));
        }
    }
    let mut lines: Vec<String> = of_report
        .iter()
        .chain(&index.data.warnings)
        .cloned()
        .collect();
    lines.extend(weak_builds(&index.data.environment));
    for device in &index.data.environment.devices {
        if device.timer != "trusted" && !device.timer.is_empty() {
            lines.push(format!("{}: timer: {}", device.label, device.timer));
        }
    }
    lines.extend(said.iter().map(Said::to_string));
    let item = match lines.is_empty() {
        true => Item::Text("None.".to_owned()),
        false => Item::List(lines),
    };
    section("warnings", "Warnings", vec![item])
}

/// A line for each build that leaves unused what its host's processor has.
fn weak_builds(environment: &Environment) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for invocation in &environment.invocations {
        let unused = &invocation.program.compiled_without;
        let line = format!(
            "the program was built without {unused}, which its processor has: the techniques of the host are slower than \
             they could be, and devices look better beside them"
        );
        if !unused.is_empty() && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Warnings that differ in their percentages alone.
struct Said {
    /// What stands before, between and after the percentages.
    texts: Vec<String>,
    /// The smallest and the largest of each percentage.
    ranges: Vec<[Percentage; 2]>,
    cells: usize,
}

/// A number before ` %`, as it was written.
#[derive(Clone)]
struct Percentage {
    text: String,
    value: f64,
}

impl Said {
    fn new(line: &str) -> Self {
        let (texts, percentages) = parts(line);
        let ranges = percentages.into_iter().map(|one| [one.clone(), one]);
        Said {
            texts,
            ranges: ranges.collect(),
            cells: 1,
        }
    }

    fn is_like(&self, line: &str) -> bool {
        parts(line).0 == self.texts
    }

    fn add(&mut self, line: &str) {
        self.cells += 1;
        for ([low, high], one) in self.ranges.iter_mut().zip(parts(line).1) {
            if one.value < low.value {
                *low = one;
            } else if one.value > high.value {
                *high = one;
            }
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, text) in self.texts.iter().enumerate() {
            f.write_str(text)?;
            match self.ranges.get(at) {
                Some([low, high]) if low.text == high.text => f.write_str(&low.text)?,
                Some([low, high]) => write!(f, "{}–{}", low.text, high.text)?,
                None => {}
            }
        }
        match self.cells {
            1 => Ok(()),
            cells => write!(f, " ({cells} cells)"),
        }
    }
}

/// A line cut at its percentages: one text more than there are percentages.
fn parts(line: &str) -> (Vec<String>, Vec<Percentage>) {
    const SIGN: &str = " %";
    let (mut texts, mut percentages) = (Vec::new(), Vec::new());
    let mut pieces = line.split(SIGN);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for next in pieces {
        let before = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = text[before.len()..].to_owned();
        if let Ok(value) = number.parse() {
            texts.push(before.to_owned());
            percentages.push(Percentage {
                text: number,
                value,
            });
            text.clear();
        }
        text += SIGN;
        text += next;
    }
    texts.push(text);
    (texts, percentages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lines: &[&str]) -> String {
        let mut said = Said::new(lines[0]);
        for line in &lines[1..] {
            assert!(said.is_like(line), "{line}");
            said.add(line);
        }
        said.to_string()
    }

    #[test]
    fn percentages_become_a_range() {
        let lines = [
            "took 91 % of it (a)",
            "took 89 % of it (a)",
            "took 93 % of it (a)",
        ];
        assert_eq!(said(&lines), "took 89–93 % of it (a) (3 cells)");
        assert_eq!(said(&lines[..1]), lines[0]);
        let two = ["x 9 % of 5.5 %", "x 10 % of 5.5 %"];
        assert_eq!(said(&two), "x 9–10 % of 5.5 % (2 cells)");
    }

    #[test]
    fn other_numbers_keep_warnings_apart() {
        let said = Said::new("quota 1.5 of 2, 3 %");
        assert!(said.is_like("quota 1.5 of 2, 4 %"));
        assert!(!said.is_like("quota 1.6 of 2, 3 %"));
        assert!(!said.is_like("quota 1.5 of 2"));
    }

    #[test]
    fn a_sign_without_a_number_is_text() {
        for line in ["a % b", " %", "", "1.2.3 % 4 %", "7 %"] {
            assert_eq!(Said::new(line).to_string(), line);
        }
    }
}
