//! Parses rows without codes and commands without recorded options, from English and shell lines in old wording.

use super::Given;
use crate::words::{Extent, Limit, Reason, Warning, shell_words};

/// The arguments and options of a command line, in all forms: `--case x`, `--case=x`, `-c x`, `-c=x`, `-cx`.
pub(super) fn given(line: &str) -> Given {
    let mut given = Given::default();
    let mut words = shell_words(line).into_iter().skip(1);
    while let Some(word) = words.next() {
        let (name, value) = match word.strip_prefix("--") {
            Some(long) => long
                .split_once('=')
                .map_or((long, None), |(name, value)| (name, Some(value))),
            None => match short(&word) {
                Some((name, "")) => (name, None),
                Some((name, value)) => (name, Some(value.strip_prefix('=').unwrap_or(value))),
                None => {
                    given.arguments.push(word);
                    continue;
                }
            },
        };
        let following = match (name, value) {
            (_, Some(_)) => 0,
            (flag, _) if FLAGS.contains(&flag) => 0,
            ("programs", _) => 2,
            _ => 1,
        };
        let option = [Some(name), value].into_iter().flatten().map(str::to_owned);
        let option = option.chain(words.by_ref().take(following));
        given.options.push(option.collect());
    }
    given
}

/// Options without a value.
const FLAGS: [&str; 8] = [
    "all",
    "allow-commands",
    "fresh",
    "json",
    "keep-best",
    "no-cache",
    "quick",
    "strict",
];

/// An option's long name by its letter, and the rest of its word.
fn short(word: &str) -> Option<(&'static str, &str)> {
    let names = [
        ("-b", "budget"),
        ("-c", "case"),
        ("-d", "device"),
        ("-o", "out"),
        ("-t", "technique"),
    ];
    let mut names = names.into_iter();
    names.find_map(|(short, long)| Some((long, word.strip_prefix(short)?)))
}

pub(super) fn reason(text: &str) -> Reason {
    known_reason(text).unwrap_or_else(|| Reason::Told(text.to_owned()))
}

fn known_reason(text: &str) -> Option<Reason> {
    if text.is_empty() {
        return Some(Reason::Met);
    }
    if let Some(rest) = text.strip_prefix("interrupted after ") {
        return extent(rest).map(Reason::Interrupted);
    }
    if let Some(rest) = text.strip_prefix("the run's whole budget ended after ") {
        return extent(rest).map(Reason::RunBudgetEnded);
    }
    if let Some(rest) = text.strip_prefix("budget ") {
        let (budget, predicted) = rest.split_once(", predicted ")?;
        let ns = |time: &str| Some((number(time.strip_suffix(" s")?)? * 1e9) as u64);
        return Some(Reason::OverBudget {
            budget_ns: ns(budget)?,
            predicted_ns: ns(predicted)?,
        });
    }
    wide(text)
}

/// `±9.0 %, not ±2.0 %, after the most samples allowed`
fn wide(text: &str) -> Option<Reason> {
    let (reached, rest) = text.split_once(", not ±")?;
    let (target, limit) = rest.split_once(" %, ")?;
    let half_width = match reached {
        "no interval" => None,
        reached => Some(number(between(reached, "±", " %")?)? / 100.0),
    };
    let limit = match limit {
        "after the most samples allowed" => Limit::Samples,
        "when its share of the time ended" => Limit::Share,
        passes => Limit::Passes(between(passes, "after ", " passes")?.parse().ok()?),
    };
    let wide = Reason::Wide {
        half_width,
        target: number(target)? / 100.0,
        limit,
    };
    // Reports print it from the code.
    Some(wide).filter(|wide| wide.to_string() == text)
}

/// `4 samples`, `3 of 5 passes`
fn extent(text: &str) -> Option<Extent> {
    if let Some(samples) = text.strip_suffix(" samples") {
        return samples.parse().ok().map(Extent::Samples);
    }
    let (taken, all) = text.strip_suffix(" passes")?.split_once(" of ")?;
    Some(Extent::Passes(taken.parse().ok()?, all.parse().ok()?))
}

pub(super) fn warnings(text: &str) -> Vec<Warning> {
    let each = text.split("; ").filter(|one| !one.is_empty());
    each.map(|one| {
        let known = known_warning(one).filter(|known| known.to_string() == one);
        known.unwrap_or_else(|| Warning::Older(one.to_owned()))
    })
    .collect()
}

fn known_warning(text: &str) -> Option<Warning> {
    let (what, rest) = text.split_once(" took ")?;
    let (percent, _) = rest.split_once(" % of the processor ")?;
    let share = number(percent)? / 100.0;
    match what {
        "busy host: other programs" => Some(Warning::Busy(share)),
        "stolen time: the hypervisor" => Some(Warning::Stolen(share)),
        _ => None,
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    text.strip_prefix(before)?.strip_suffix(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_may_be_given_in_five_ways() {
        let found = given(
            "bench run x.toml --case a=1 --case=b=2 -c c=3 -c=d=4 -ce=5 --cases f=6 --quick -o 'my folder' y.toml",
        );
        assert_eq!(found.arguments, ["run", "x.toml", "y.toml"]);
        let values = |name| found.values(name).collect::<Vec<_>>();
        assert_eq!(values("case"), ["a=1", "b=2", "c=3", "d=4", "e=5"]);
        assert_eq!(values("out"), ["my folder"]);
        let words = found.words(|name| name != "case" && name != "cases");
        let typed = ["run", "x.toml", "y.toml", "--quick", "--out", "my folder"];
        assert_eq!(words, typed);
        let both = given("bench compare --programs a b x.toml --all");
        assert_eq!(both.arguments, ["compare", "x.toml"]);
        let expected = ["--programs", "a", "b", "--all"];
        assert_eq!(both.option_words(|_| true), expected);
    }

    #[test]
    fn what_the_program_asks_of_rows_is_read_from_their_sentences() {
        let wide = |half_width, limit| Reason::Wide {
            half_width,
            target: 0.02,
            limit,
        };
        for known in [
            Reason::Met,
            Reason::Interrupted(Extent::Samples(4)),
            Reason::Interrupted(Extent::Passes(3, 5)),
            Reason::RunBudgetEnded(Extent::Samples(4)),
            Reason::RunBudgetEnded(Extent::Passes(3, 5)),
            wide(Some(0.0625), Limit::Samples),
            wide(None, Limit::Share),
            wide(Some(0.055), Limit::Passes(5)),
            Reason::OverBudget {
                budget_ns: 9_900_000_000,
                predicted_ns: 26_000_000_000,
            },
        ] {
            let text = known.to_string();
            let read = reason(&text);
            assert_eq!(read.to_string(), text);
            let kind = std::mem::discriminant::<Reason>;
            assert_eq!(kind(&read), kind(&known), "{text}");
        }
        for text in [
            "only 2 samples when its budget ended",
            "the run's whole budget ended: no answer within 3s, its worker was killed",
            "interrupted",
            "budget of the driver",
            "±x %, not ±2.0 %, after the most samples allowed",
        ] {
            assert_eq!(reason(text), Reason::Told(text.to_owned()));
        }
    }

    #[test]
    fn warnings_are_read_from_their_sentences() {
        let quota = Warning::Quota(1.5, 4).to_string();
        let all = [
            Warning::Busy(0.12),
            Warning::Stolen(0.03),
            Warning::Older(quota),
        ];
        let texts = all.each_ref().map(Warning::to_string);
        assert_eq!(warnings(&texts.join("; ")), all);
        assert_eq!(warnings(""), []);
    }
}
