//! Checks that everybody can build the program that made a run.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::committed::Committed;
use crate::check::Finding;
use crate::report::RunData;
use crate::results::{Invocation, Program};

/// Checks `environment.toml`. `reachable` is the git revision with known history; `strict`: no changed sources.
pub fn check(
    data: &RunData,
    own: &Program,
    committed: &Committed,
    reachable: &str,
    strict: bool,
) -> Vec<Finding> {
    let file = data.folder.join("environment.toml");
    let mut findings = Vec::new();
    for invocation in &data.environment.invocations {
        let id = &invocation.id;
        let mut say = |what: String| {
            findings.push(Finding::of(&file, format!("invocation {id}: {what}")));
        };
        if !invocation.is_intact() {
            say("was changed after it was written: its id is not that of its entry".to_owned());
            continue;
        }
        if let Some(what) = of_program(invocation, own, committed, reachable, strict) {
            say(what);
        }
    }
    let mut ids: Vec<&str> = data
        .environment
        .invocations
        .iter()
        .map(|it| it.id.as_str())
        .collect();
    ids.sort_unstable();
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1]);
    findings.extend(
        twice.map(|pair| Finding::of(&file, format!("invocation {} is there twice", pair[0]))),
    );
    findings
}

fn of_program(
    invocation: &Invocation,
    own: &Program,
    committed: &Committed,
    reachable: &str,
    strict: bool,
) -> Option<String> {
    let program = &invocation.program;
    let revision = program.revision.as_str();
    if strict && revision.ends_with("-dirty") {
        return Some(format!(
            "revision {revision}: of changed sources; measure with a committed revision"
        ));
    }
    let sources = match revision == own.revision {
        true => Some((own.source_hash.clone(), PathBuf::from("this program"))),
        false => committed.sources_of(revision).cloned(),
    };
    match sources {
        Some((sources, place)) if sources != program.source_hash => Some(format!(
            "revision {revision} has the source hash {}, and {sources} in {}",
            program.source_hash,
            place.display()
        )),
        Some(_) => None,
        None if is_in_history(revision, reachable) => None,
        None if committed
            .joined(program)
            .is_some_and(|it| is_in_history(&it.into, reachable)) =>
        {
            None
        }
        None => Some(format!(
            "revision {revision} is not known: neither this program's, nor of a committed run, nor in the \
             history of {reachable}"
        )),
    }
}

/// True if a revision is in the history of another. Only hexadecimal digits reach git.
fn is_in_history(revision: &str, reachable: &str) -> bool {
    let is_plain = (7..=40).contains(&revision.len())
        && revision.chars().all(|c| c.is_ascii_hexdigit())
        && !reachable.starts_with('-');
    is_plain && {
        let git = Command::new("git")
            .args(["merge-base", "--is-ancestor", revision, reachable])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        git.is_ok_and(|status| status.success())
    }
}
