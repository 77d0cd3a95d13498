//! Removes user names, host names and paths from the records of a run.

use std::path::Path;

use super::{MeasurementRow, Selection};
use crate::words::{Reason, without_homes};

/// Names that are not removed, because they are common words or exist on every machine.
const COMMON: &str = "root user home host bench admin localhost ubuntu";
/// Minimum length of a name that is removed. Shorter names would match parts of any text.
const SHORTEST: usize = 3;

/// The names and paths to remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets {
    /// Folders and their replacements, longest folder first.
    folders: Vec<(String, &'static str)>,
    /// Names and their replacements.
    names: Vec<(String, &'static str)>,
}

impl Secrets {
    /// Returns the names and paths of this user on this machine.
    pub fn of_here() -> Secrets {
        let variable = |name: &str| std::env::var(name).ok();
        let home = variable("HOME").or_else(|| variable("USERPROFILE"));
        let here = std::env::current_dir().ok();
        let here = here.map(|path| path.to_string_lossy().into_owned());
        let of_home = home.as_deref().and_then(|home| Path::new(home).file_name());
        let of_home = of_home.map(|name| name.to_string_lossy().into_owned());
        let users = ["USER", "LOGNAME", "USERNAME"]
            .into_iter()
            .filter_map(variable);
        let users = users.chain(of_home).collect();
        let host = sysinfo::System::host_name().ok();
        Secrets::new([(here, "."), (home, "~")], users, host)
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
        let is_common = |name: &str| COMMON.split(' ').any(|common| common == name);
        names.retain(|(name, _)| name.len() >= SHORTEST && !is_common(name));
        names.sort();
        names.dedup();
        Secrets { folders, names }
    }

    /// Removes the secrets from a text.
    pub fn scrub(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        for (folder, short) in &self.folders {
            clean = clean.replace(folder.as_str(), short);
        }
        for (name, short) in &self.names {
            clean = replace_word(&clean, name, short);
        }
        // Also shorten the home folders of other users, for example of the user who built a driver.
        without_homes(&clean, "~/…/")
    }

    /// Removes the secrets from a word. If it is an absolute path, only the last part remains.
    pub fn scrub_word(&self, word: &mut String) {
        *word = self.scrub(word);
        let path = Path::new(&word);
        if let Some(name) = path.file_name().filter(|_| path.is_absolute()) {
            *word = name.to_string_lossy().into_owned();
        }
    }

    /// Removes the secrets from a selection's options.
    pub fn scrub_selection(&self, mut selection: Selection) -> Selection {
        let options = selection.options.iter_mut();
        let values = options.flat_map(|option| option.iter_mut().skip(1));
        values.for_each(|word| self.scrub_word(word));
        selection
    }

    /// Removes the secrets from a row's texts that come from drivers, compilers and programs.
    pub fn scrub_row(&self, row: &mut MeasurementRow) {
        row.notes = self.scrub(&row.notes);
        // In all other reasons, only numbers vary. Their texts must still match their codes.
        if matches!(row.why(), Reason::Told(_) | Reason::NoReference(_)) {
            row.reason = self.scrub(&row.reason);
        }
    }
}

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
    }

    #[test]
    fn of_absolute_paths_the_last_part_is_left() {
        for (word, clean) in [
            ("/data/x/reversi.toml", "reversi.toml"),
            ("/home/ada/my runs", "~/my runs"),
            ("--device", "--device"),
        ] {
            let mut word = word.to_owned();
            secrets().scrub_word(&mut word);
            assert_eq!(word, clean);
        }
    }
}
