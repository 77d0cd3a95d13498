//! Which runs of an experiment are alike, and what differs between those that are not.

use crate::config::{Experiment, TechniqueChoice};
use crate::report::data::RunData;
use crate::results::{Environment, Host, Program};
use crate::words::{Params, Value};

/// How many names are listed where many differ.
const LISTED: usize = 3;

/// The letter of a group: a, b, c.
pub(super) fn letter(group: usize) -> char {
    char::from(b'a' + (group % 26) as u8)
}

/// What differs between two runs of an experiment in what was measured, by which build and on what, a phrase
/// each. What differs in
/// how long it may take, how many samples are taken or what is shown is none of it.
pub(super) fn differences(one: &RunData, other: &RunData) -> Vec<String> {
    let mut found = Vec::new();
    let program = |data: &RunData| {
        let program = &data.environment.program;
        (program.source_hash.clone(), program.kernel_hash.clone())
    };
    if program(one) != program(other) {
        let named = |data: &RunData| {
            let program = &data.environment.program;
            let (version, revision) = (&program.version, &program.revision);
            let (sources, kernels) = (&program.source_hash, &program.kernel_hash);
            format!("{version} ({revision}, sources {sources}, kernels {kernels})")
        };
        found.push(format!("program {}, not {}", named(other), named(one)));
    }
    found.extend(of_environments(&one.environment, &other.environment));
    let (one, other) = (&one.experiment, &other.experiment);
    if one.task != other.task {
        found.push(format!("task {}, not {}", other.task, one.task));
    }
    if one.seed != other.seed {
        found.push(format!("seed {}, not {}", other.seed, one.seed));
    }
    let positions = |of: &Experiment| {
        let most = of
            .sampling
            .positions
            .map_or("all".to_owned(), |most| most.to_string());
        format!("{} to {most}", of.sampling.min_positions)
    };
    if positions(one) != positions(other) {
        let (one, other) = (positions(one), positions(other));
        found.push(format!("positions {other}, not {one}"));
    }
    found.extend(of_params("option", &one.options, &other.options));
    let cases = |of: &Experiment| of.cases.iter().map(ToString::to_string).collect::<Vec<_>>();
    found.extend(of_lists("case", &cases(one), &cases(other)));
    let labels = |of: &Experiment| {
        let choices = of.techniques.iter();
        choices
            .map(|choice| choice.label.clone())
            .collect::<Vec<_>>()
    };
    found.extend(of_lists("technique", &labels(one), &labels(other)));
    for choice in &one.techniques {
        if let Some(own) = other.choice(&choice.label) {
            found.extend(of_choices(choice, own));
        }
    }
    found
}

/// The values that a folder's invocations have of something, each once; in format 1 that of its last one.
fn values(of: &Environment, value: impl Fn(&Program, &Host) -> String) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let invocations = of.invocations.iter().map(|it| (&it.program, &it.host));
    let last = of.invocations.is_empty().then_some((&of.program, &of.host));
    for (program, host) in invocations.chain(last) {
        let value = value(program, host);
        if !value.is_empty() && !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// What differs in the builds and in the machines, their processors' names apart. Format 1 does not say the
/// profile, and what one side does not say is no difference.
fn of_environments(one: &Environment, other: &Environment) -> Vec<String> {
    type Value = fn(&Program, &Host) -> String;
    let named: [(&str, Value); 4] = [
        ("profile", |program, _| program.profile.clone()),
        ("operating system", |_, host| host.os.clone()),
        ("kernel", |_, host| host.kernel.clone()),
        ("memory", |_, host| format!("{} GiB", host.memory_gib())),
    ];
    let features = |of| -> Vec<String> {
        let lists = values(of, |program, _| program.compiled_for.clone());
        let each = lists.iter().flat_map(|list| list.split(','));
        each.map(|name| name.trim().to_owned()).collect()
    };
    let mut found = of_lists("processor feature", &features(one), &features(other));
    for (what, value) in named {
        let (one, other) = (
            values(one, value).join(" and "),
            values(other, value).join(" and "),
        );
        if !one.is_empty() && !other.is_empty() && one != other {
            found.push(format!("{what} {other}, not {one}"));
        }
    }
    found
}

fn of_choices(one: &TechniqueChoice, other: &TechniqueChoice) -> Vec<String> {
    let label = &one.label;
    let mut found = of_params(&format!("{label}'s"), &one.params, &other.params);
    let mut say = |what: &str, one: String, other: String| {
        if one != other {
            found.push(format!("{label}'s {what} {other}, not {one}"));
        }
    };
    say("technique", one.technique.clone(), other.technique.clone());
    let opponent = |of: &TechniqueChoice| of.opponent.clone().unwrap_or_else(|| "none".to_owned());
    say("opponent", opponent(one), opponent(other));
    let only = |of: &TechniqueChoice| match of.only.0.is_empty() {
        true => "all cases".to_owned(),
        false => of.only.to_string(),
    };
    say("cases", only(one), only(other));
    let measured = |of: &TechniqueChoice| of.measured.to_string();
    say("being measured", measured(one), measured(other));
    found
}

fn of_params(what: &str, one: &Params, other: &Params) -> Vec<String> {
    let shown = |value: Option<&Value>| value.map_or("its default".to_owned(), Value::to_string);
    let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
    names.sort();
    names.dedup();
    let differs = |name: &&&String| one.get(**name) != other.get(**name);
    let say = |name: &String| {
        let (one, other) = (shown(one.get(name)), shown(other.get(name)));
        format!("{what} {name} {other}, not {one}")
    };
    names.iter().filter(differs).map(|name| say(name)).collect()
}

/// What only one of two lists has.
fn of_lists(what: &str, one: &[String], other: &[String]) -> Vec<String> {
    let only = |own: &[String], others: &[String], verb: &str| {
        let names: Vec<&str> = own
            .iter()
            .filter(|name| !others.contains(name))
            .map(String::as_str)
            .collect();
        let more = match names.len() {
            0 => return None,
            count if count > LISTED => format!(" and {} more", count - LISTED),
            _ => String::new(),
        };
        let plural = if names.len() == 1 { "" } else { "s" };
        let listed = names[..names.len().min(LISTED)].join(", ");
        Some(format!("{verb} the {what}{plural} {listed}{more}"))
    };
    let has = only(other, one, "has");
    has.into_iter().chain(only(one, other, "lacks")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn lists_differ_by_what_one_has_alone() {
        let (one, other) = (names(&["a", "b"]), names(&["b", "c"]));
        assert_eq!(
            of_lists("case", &one, &other),
            ["has the case c", "lacks the case a"]
        );
        assert!(of_lists("case", &one, &one).is_empty());
        let many = names(&["b", "c", "d", "e", "f"]);
        assert_eq!(
            of_lists("case", &one, &many),
            ["has the cases c, d, e and 1 more", "lacks the case a"]
        );
    }

    #[test]
    fn parameters_differ_by_name() {
        let params = |pairs: &[(&str, i64)]| -> Params {
            let pairs = pairs.iter();
            pairs
                .map(|(name, value)| ((*name).to_owned(), Value::Int(*value)))
                .collect()
        };
        let (one, other) = (params(&[("group", 32), ("x", 1)]), params(&[("group", 64)]));
        assert_eq!(
            of_params("option", &one, &other),
            ["option group 64, not 32", "option x its default, not 1"]
        );
        assert!(of_params("option", &one, &one).is_empty());
    }
}
