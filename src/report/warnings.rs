//! What a reader should know before trusting a number.

use std::fmt;

use super::data::Index;
use super::grid::{Item, Section, section};
use super::paper::one_line;
use super::series::distinct;
use crate::results::Environment;
use crate::words::{Percent, Status, Timer};

/// What a reader should know before trusting a number: the host's warnings, sampling that ended
/// before its target, the folder's and the published tables' troubles.
pub(crate) fn warnings(index: &Index<'_>, of_report: &[String]) -> Section {
    let mut said: Vec<Said> = Vec::new();
    for (_, place, row) in index.cells() {
        let Some(row) = row else { continue };
        for warning in row.warned() {
            say(
                &mut said,
                place.technique,
                warning.percent(),
                &warning.with(PERCENT),
            );
        }
        if row.status == Status::Ok && !row.reason.is_empty() {
            let why = row.why();
            say(
                &mut said,
                place.technique,
                why.percent(),
                &why.with(PERCENT),
            );
        }
    }
    let mut lines = [of_report, &index.data.warnings].concat();
    lines.extend(weak_builds(&index.data.environment));
    for device in &index.data.environment.devices {
        if let Timer::Untrusted(why) = &device.timer {
            lines.push(format!("{}: timer: {why}", device.label));
        }
    }
    lines.extend(said.iter().map(Said::to_string));
    let item = match lines.is_empty() {
        true => Item::Text("None.".to_owned()),
        false => Item::List(lines),
    };
    section("warnings", "Warnings", [item])
}

/// A line for each build that leaves unused what its host's processor has.
fn weak_builds(environment: &Environment) -> Vec<String> {
    let invocations = environment.invocations.iter();
    let mut unused = distinct(invocations.map(|own| own.program.compiled_without.as_str()));
    unused.retain(|own| !own.is_empty());
    let line = |unused: &str| {
        format!(
            "the program was built without {unused}, which its processor has: the techniques of the host are slower than \
             they could be, and devices look better beside them"
        )
    };
    unused.into_iter().map(line).collect()
}

/// Stands in sentences for the percentage by which alone they may differ.
const PERCENT: &str = "\0";

/// Sentences of a technique's cells that differ in their percentages alone.
struct Said {
    sentence: String,
    /// The smallest and the largest percentage.
    range: Option<[Percent; 2]>,
    cells: usize,
}

/// Adds what one cell says to what others said.
fn say(said: &mut Vec<Said>, technique: &str, percent: Option<Percent>, sentence: &str) {
    let sentence = format!("{technique}: {}", one_line(sentence));
    let Some(known) = said.iter_mut().find(|known| known.sentence == sentence) else {
        return said.push(Said {
            sentence,
            range: percent.map(|one| [one, one]),
            cells: 1,
        });
    };
    known.cells += 1;
    if let (Some([low, high]), Some(one)) = (&mut known.range, percent) {
        if one.value < low.value {
            *low = one;
        } else if one.value > high.value {
            *high = one;
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = match self.range {
            Some(range) => range.map(|percent| percent.to_string()),
            None => [String::new(), String::new()],
        };
        let percent = match low == high {
            true => low,
            false => format!("{low}–{high}"),
        };
        f.write_str(&self.sentence.replace(PERCENT, &percent))?;
        match self.cells {
            1 => Ok(()),
            cells => write!(f, " ({cells} cells)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Warning;

    fn said(warnings: &[Warning]) -> Vec<String> {
        let mut said = Vec::new();
        for warning in warnings {
            say(&mut said, "a", warning.percent(), &warning.with(PERCENT));
        }
        said.iter().map(Said::to_string).collect()
    }

    #[test]
    fn percentages_become_a_range() {
        let all = [0.91, 0.89, 0.93].map(Warning::Busy);
        let busy = "busy host: other programs took";
        let rest = "% of the processor (stop them)";
        assert_eq!(said(&all), [format!("a: {busy} 89–93 {rest} (3 cells)")]);
        let like = [0.914, 0.906].map(Warning::Busy);
        assert_eq!(said(&like), [format!("a: {busy} 91 {rest} (2 cells)")]);
        assert_eq!(said(&all[..1]), [format!("a: {busy} 91 {rest}")]);
    }

    #[test]
    fn other_numbers_keep_warnings_apart() {
        let all = [Warning::Quota(1.5, 2), Warning::Quota(1.6, 2)];
        assert_eq!(said(&all).len(), 2);
    }
}
