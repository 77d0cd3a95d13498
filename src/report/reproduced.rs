//! Whether a run reproduces the paper's table: a word and the counts behind it.

use super::block::{Block, BlockCell};
use super::claims::{self, Judged};
use super::data::RunData;
use super::ladder::Question;

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
    /// Of the table that the page shows at first or, where it has no number of the paper, of its claims; `None`
    /// where the paper says nothing that can be tested.
    pub(crate) fn of(
        data: &RunData,
        question: Option<&Question>,
        shown: Option<&Block>,
        judged: &[Judged],
    ) -> Option<Reproduced> {
        let Some(block) = shown.filter(|block| block.printed() > 0) else {
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
        let cells = || block.cells.iter().flatten();
        let ratios: Vec<f64> = cells().filter_map(BlockCell::ratio).collect();
        let is_near = |ratio: &&f64| (1.0 / NEAR..=NEAR).contains(*ratio);
        let (near, all) = (ratios.iter().filter(is_near).count(), ratios.len());
        let counted = format!("{near} of {all} numbers within a factor of {NEAR}");
        let table = match block.title.split_once(':') {
            Some((name, _)) if name.starts_with("Table ") || name.starts_with("Figure ") => name,
            _ => "the paper's table",
        };
        let (word, reason) = match lacking(data, question) {
            Some(paper) => {
                let own = cells().find(|cell| cell.published.is_some());
                let own = own.map_or("", |cell| cell.technique.as_str());
                (
                    "Unknown",
                    format!("No `{paper}` in this run; `{own}`, ours: {counted}."),
                )
            }
            None => (word(near, all), format!("{counted}.")),
        };
        Some(Reproduced {
            question: format!("Is {table} reproduced?"),
            word,
            reason,
        })
    }

    /// Question, word and counts, as text of a page.
    pub(crate) fn text(&self) -> String {
        format!("**{} {}.** {}", self.question, self.word, self.reason)
    }

    /// Question and word.
    pub(crate) fn short(&self) -> String {
        format!("{} {}.", self.question, self.word)
    }
}

/// The paper's own program, where a run is older than that technique.
pub(crate) fn lacking<'q>(data: &RunData, question: Option<&'q Question>) -> Option<&'q str> {
    let technique = question?.technique.as_str();
    let is_there = data.experiment.choice(technique).is_some();
    (!technique.is_empty() && !is_there).then_some(technique)
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
