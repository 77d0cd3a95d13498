//! Checks that everybody can build the program that made a run.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::committed::Checker;
use crate::check::Finding;
use crate::report::RunData;
use crate::results::Program;

/// Checks `environment.toml`.
pub fn check(checker: &Checker<'_>, data: &RunData) -> Vec<Finding> {
    let file = data.folder.join("environment.toml");
    let mut findings = Vec::new();
    let mut ids = HashSet::new();
    let mut twice = Vec::new();
    for invocation in &data.environment.invocations {
        let (id, program) = (&invocation.id, &invocation.program);
        if !ids.insert(id) {
            twice.push(id);
        }
        let what = match invocation.is_intact() {
            true => of_program(checker, program),
            false => {
                Some("was changed after it was written: its id is not that of its entry".into())
            }
        };
        findings.extend(what.map(|what| Finding::of(&file, format!("invocation {id}: {what}"))));
    }
    let twice = twice.into_iter().min();
    findings.extend(twice.map(|id| Finding::of(&file, format!("invocation {id} is there twice"))));
    findings
}

fn of_program(checker: &Checker<'_>, program: &Program) -> Option<String> {
    let (own, committed) = (checker.program, checker.committed);
    let revision = program.revision.as_str();
    let sources = match revision == own.revision {
        true => Some((own.source_hash.clone(), PathBuf::from("this program"))),
        false => committed.sources.get(revision).cloned(),
    };
    if let Some((sources, place)) = sources {
        let (hash, place) = (&program.source_hash, place.display());
        return (sources != *hash).then(|| {
            format!("revision {revision} has the source hash {hash}, and {sources} in {place}")
        });
    }
    let joined = committed.joined(program).map(|it| it.into.as_str());
    let mut names = std::iter::once(revision).chain(joined);
    (!names.any(is_in_history)).then(|| {
        format!(
            "revision {revision} is not known: neither this program's, nor of a committed run, nor in the \
             git history"
        )
    })
}

/// True if a revision is in the git history. Only hexadecimal digits reach git.
fn is_in_history(revision: &str) -> bool {
    let is_plain =
        (7..=40).contains(&revision.len()) && revision.chars().all(|c| c.is_ascii_hexdigit());
    let mut git = Command::new("git");
    git.args(["merge-base", "--is-ancestor", revision, "HEAD"]);
    git.stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    is_plain && git.status().is_ok_and(|status| status.success())
}
