//! Whether a run reproduces the paper's table: a word and the counts behind it.

use super::block::Block;
use super::claims::{self, Judged, Verdict};
use super::data::{HOST, RunData};
use super::ladder::Question;
use crate::config::ClaimTest;

/// Numbers that differ by no more than this factor count as reproduced.
const NEAR: f64 = 2.0;

/// What became of a paper's table.
pub(crate) struct Reproduced {
    /// What is asked: `Is Table 2 reproduced?`
    question: String,
    word: &'static str,
    /// The counts, and why there is no answer where there is none.
    reason: String,
}

impl Reproduced {
    /// Of the table that the page shows at first, named by its id, and of what claims say of others; where it has
    /// no number of the paper, of all claims. `None` where the paper says nothing that can be tested.
    pub(crate) fn of(
        data: &RunData,
        question: Option<&Question>,
        shown: Option<(&str, &Block)>,
        judged: &[Judged],
    ) -> Option<Reproduced> {
        let shown = shown.map(|(id, block)| (id, block, claims::of_block(block, NEAR)));
        let Some((id, block, first)) = shown.filter(|(.., found)| found.measured > 0) else {
            let (held, tested) = claims::reproduced(judged.iter());
            let is_decided = judged.iter().any(Judged::is_decided);
            return (!judged.is_empty()).then(|| Reproduced {
                question: "Are the paper's claims reproduced?".to_owned(),
                word: if is_decided {
                    word(held, tested)
                } else {
                    "Unknown"
                },
                reason: format!("Claims: {}.", claims::tally(judged.iter())),
            });
        };
        let near = first.held + first.leaning;
        let mut reason = format!(
            "{near} of {} numbers within a factor of {NEAR}",
            first.measured
        );
        if first.leaning > 0 {
            reason += &format!(", {} of them with an interval", first.held);
        }
        if matches!(first.verdict, Verdict::Fails | Verdict::Unclear) {
            reason += &format!("; the claim that all are: {}", first.verdict.words());
        }
        // The claims about other tables, by the same counts as their verdicts.
        let others = judged.iter().filter(|own| {
            let is_here = [HOST, "", &block.device].contains(&own.device.as_str());
            let is_near = matches!(own.claim.test, ClaimTest::Published { .. });
            is_here && is_near && own.claim.table != id && own.finding.measured > 0
        });
        let others = others.map(|own| {
            let (claim, found) = (&own.claim, &own.finding);
            let tables = data.experiment.tables.iter();
            let title = tables.clone().find(|table| table.id == claim.table);
            let name = named(title.map_or(&claim.table, |table| &table.title));
            let of = claim.technique.as_ref();
            let of = of.map_or(String::new(), |label| format!(" (`{label}`)"));
            let near = found.held + found.leaning;
            format!("{name}{of}: {near} of {}", found.measured)
        });
        let others: Vec<String> = others.collect();
        let others = match others.is_empty() {
            true => ".".to_owned(),
            false => format!(". Other tables: {}.", others.join("; ")),
        };
        let (word, reason) = match lacking(data, question) {
            Some(paper) => {
                let mut cells = block.cells.iter().flatten();
                let own = cells.find(|cell| cell.published.is_some());
                let own = own.map_or("", |cell| cell.technique.as_str());
                let why = format!("No `{paper}` in this run; `{own}`, ours: {reason}.");
                ("Unknown", why)
            }
            None => (word(near, first.measured), reason + &others),
        };
        Some(Reproduced {
            question: format!("Is {} reproduced?", named(&block.title)),
            word,
            reason,
        })
    }

    /// Question, word and counts, as text of a page.
    pub(crate) fn text(&self) -> String {
        format!("**{} {}.** {}", self.question, self.word, self.reason)
    }

    /// The same, as plain text.
    pub(crate) fn plain(&self) -> String {
        self.text().replace(['*', '`'], "")
    }
}

/// The paper's own program, where a run is older than that technique.
pub(crate) fn lacking<'q>(data: &RunData, question: Option<&'q Question>) -> Option<&'q str> {
    let technique = question?.technique.as_str();
    let is_there = data.experiment.choice(technique).is_some();
    (!technique.is_empty() && !is_there).then_some(technique)
}

/// `Table 2`, or the whole title in quotes where it has no number.
fn named(title: &str) -> String {
    match title.split_once(':') {
        Some((name, _)) if name.starts_with("Table ") || name.starts_with("Figure ") => {
            name.to_owned()
        }
        _ => format!("“{title}”"),
    }
}

fn word(held: usize, all: usize) -> &'static str {
    match (held, all) {
        (_, 0) => "Unknown",
        (held, all) if held == all => "Yes",
        (held, all) if 4 * held >= 3 * all => "Mostly",
        (0, _) => "No",
        _ => "Partly",
    }
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn one_word_says_how_much_is_reproduced() {
        for (held, all, said) in [
            (0, 0, "Unknown"),
            (0, 4, "No"),
            (1, 4, "Partly"),
            (2, 4, "Partly"),
            (3, 4, "Mostly"),
            (4, 4, "Yes"),
        ] {
            assert_eq!(word(held, all), said, "{held} of {all}");
        }
    }
}
