//! Takes the names of the user and of the host, and paths, out of what a run says of itself.

use std::collections::BTreeSet;
use std::path::Path;

use crate::results::{Invocation, Run};
use crate::words::{Reason, shell_line, shell_words};

/// Names that are words of many texts, or of every machine, are left alone.
const COMMON: [&str; 8] = [
    "root",
    "user",
    "home",
    "host",
    "bench",
    "admin",
    "localhost",
    "ubuntu",
];
/// So are shorter ones: they would be found in anything.
const SHORTEST: usize = 3;

/// What is taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets {
    /// Folders, with what stands in their place; the longest first.
    folders: Vec<(String, &'static str)>,
    /// Names, with what stands in their place.
    names: Vec<(String, &'static str)>,
}

impl Secrets {
    /// Those of this user on this machine.
    pub fn of_here() -> Secrets {
        let variable = |name: &str| std::env::var(name).ok();
        let home = variable("HOME").or_else(|| variable("USERPROFILE"));
        let here = std::env::current_dir().ok();
        let user = ["USER", "LOGNAME", "USERNAME"]
            .into_iter()
            .filter_map(variable);
        let of_home = home.as_deref().and_then(|home| Path::new(home).file_name());
        let users = user.chain(of_home.map(|name| name.to_string_lossy().into_owned()));
        Secrets::new(
            [
                (here.map(|path| path.to_string_lossy().into_owned()), "."),
                (home, "~"),
            ],
            users.collect(),
            sysinfo::System::host_name().ok(),
        )
    }

    fn new(
        folders: [(Option<String>, &'static str); 2],
        users: Vec<String>,
        host: Option<String>,
    ) -> Secrets {
        let folders = folders
            .into_iter()
            .filter_map(|(folder, short)| Some((folder?, short)));
        let mut folders: Vec<_> = folders.filter(|(folder, _)| folder.len() > 1).collect();
        folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        let users = users.into_iter().map(|name| (name, "user"));
        let mut names: Vec<_> = users.chain(host.map(|name| (name, "host"))).collect();
        names.retain(|(name, _)| name.len() >= SHORTEST && !COMMON.contains(&name.as_str()));
        names.sort();
        names.dedup();
        Secrets { folders, names }
    }

    /// A text without them.
    pub fn scrub(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        for (folder, short) in &self.folders {
            clean = clean.replace(folder.as_str(), short);
        }
        for (name, short) in &self.names {
            clean = replace_word(&clean, name, short);
        }
        // Homes of other users, as of the one who built a driver.
        while let Some(home) = crate::cli::validate::home_in(&clean).map(str::to_owned) {
            let file = home.rsplit(['/', '\\']).next().unwrap_or_default();
            clean = clean.replace(&home, &format!("~/…/{file}"));
        }
        clean
    }

    /// A command line without them: of an absolute path its last part is left.
    fn scrub_command(&self, command: &str) -> String {
        let mut words = shell_words(command);
        words.iter_mut().for_each(|word| self.scrub_word(word));
        shell_line(&words)
    }

    fn scrub_word(&self, word: &mut String) {
        *word = self.scrub(word);
        let path = Path::new(&word);
        if let Some(name) = path.file_name().filter(|_| path.is_absolute()) {
            *word = name.to_string_lossy().into_owned();
        }
    }

    /// Names of this user and host that a text still has.
    pub fn left_in(&self, text: &str) -> Vec<&str> {
        let names = self.names.iter().map(|(name, _)| name.as_str());
        names
            .filter(|name| replace_word(text, name, "") != text)
            .collect()
    }

    /// A run without them, its nodes numbered. Labels, cases and names of devices stay: keys are made from them.
    pub fn scrub_run(&self, run: &mut Run) {
        let invocations = run.environment.invocations.iter();
        let nodes: BTreeSet<&str> = invocations.filter_map(|it| it.node.as_deref()).collect();
        let number = |node: &String| {
            let place = nodes.iter().position(|it| it == node).unwrap_or_default();
            format!("node-{}", place + 1)
        };
        let invocations = run.environment.invocations.iter().map(|invocation| {
            let mut given = invocation.given.clone();
            if let Some(given) = &mut given {
                let options = given.options.iter_mut().flatten();
                let words = given.arguments.iter_mut().chain(options);
                words.for_each(|word| self.scrub_word(word));
            }
            let new = Invocation {
                command: self.scrub_command(&invocation.command),
                given,
                config: self.scrub_command(&invocation.config),
                node: invocation.node.as_ref().map(number),
                ..invocation.clone()
            };
            (invocation.id.clone(), new.with_id())
        });
        let invocations: Vec<(String, Invocation)> = invocations.collect();
        let renamed = |id: &mut String| {
            if let Some((_, new)) = invocations.iter().find(|(old, _)| old == id) {
                id.clone_from(&new.id);
            }
        };
        for sample in &mut run.samples {
            renamed(&mut sample.invocation);
        }
        for row in &mut run.measurements {
            renamed(&mut row.invocation);
            row.notes = self.scrub(&row.notes);
            // The sentences of other reasons have numbers alone, and are compared with their codes.
            if matches!(row.why(), Reason::Told(_) | Reason::NoReference(_)) {
                row.reason = self.scrub(&row.reason);
            }
        }
        for report in &mut run.verified {
            for technique in &mut report.techniques {
                technique.reason = self.scrub(&technique.reason);
                technique.command = self.scrub_command(&technique.command);
            }
        }
        let new = invocations.into_iter().map(|(_, new)| new);
        run.environment.invocations = new.collect();
    }
}

/// Replaces a name where it stands as a word.
fn replace_word(text: &str, name: &str, by: &str) -> String {
    let mut clean = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
        let before = rest[..at].chars().next_back().or(clean.chars().next_back());
        let after = rest[at + name.len()..].chars().next();
        let is_word = !before.is_some_and(is_of_word) && !after.is_some_and(is_of_word);
        clean.push_str(&rest[..at]);
        clean.push_str(if is_word { by } else { name });
        rest = &rest[at + name.len()..];
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        let folders = [
            (Some("/home/ada/plybench".to_owned()), "."),
            (Some("/home/ada".to_owned()), "~"),
        ];
        Secrets::new(
            folders,
            vec!["ada".into(), "root".into(), "ab".into()],
            Some("enigma".into()),
        )
    }

    #[test]
    fn paths_and_names_go_and_words_that_have_them_stay() {
        let secrets = secrets();
        for (text, clean) in [
            ("/home/ada/plybench/cl/x.cl:3", "./cl/x.cl:3"),
            ("/home/ada/kernels", "~/kernels"),
            (
                "ada@enigma: adapter of adamant",
                "user@host: adapter of adamant",
            ),
            (
                "built by /home/eve/driver/src/a.c:12",
                "built by ~/…/a.c:12",
            ),
            ("root and ab", "root and ab"),
            ("board=8x8", "board=8x8"),
        ] {
            assert_eq!(secrets.scrub(text), clean);
            assert_eq!(secrets.scrub(clean), clean, "twice is once");
        }
        assert_eq!(secrets.left_in("adamant ada"), ["ada"]);
    }

    #[test]
    fn of_absolute_paths_in_commands_the_last_part_is_left() {
        let command = "bench run /data/x/reversi.toml --out '/home/ada/my runs' --device NVIDIA";
        let clean = "bench run reversi.toml --out '~/my runs' --device NVIDIA";
        assert_eq!(secrets().scrub_command(command), clean);
    }
}
