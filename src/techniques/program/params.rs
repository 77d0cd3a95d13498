//! What an experiment says of a program or a kernel that it brings.

use std::path::{Path, PathBuf};

use crate::opencl::{hash_of_files, own_kernel_source};
use crate::words::{Fault, ParamEntry, Params, Value, shell_line};

/// The program and its arguments.
pub const COMMAND: &str = "command";
/// The file of a kernel.
pub const KERNEL: &str = "kernel";
/// Its files beside those that the command names.
const FILES: &str = "files";
/// Whether its random games are drawn otherwise than ours.
pub const OWN_RANDOM: &str = "own-random";
/// How its rules differ from ours.
pub const RULES_DIFFER: &str = "rules-differ";
/// What the files hold, as the program of the harness found it.
pub const HASH: &str = "sha256";
/// What it says of itself.
pub const VERSION: &str = "version";

/// A flag; not set where nothing is said.
const fn flag(name: &'static str, allowed: &'static str) -> ParamEntry {
    ParamEntry {
        name,
        allowed,
        default: "false",
        check: |value| match value {
            Value::Flag(_) => Ok(()),
            _ => Err(format!("`{value}`; allowed is true or false")),
        },
    }
}

/// A text without a default.
pub const fn text(name: &'static str, allowed: &'static str) -> ParamEntry {
    ParamEntry {
        name,
        allowed,
        default: "",
        check: |value| match value {
            Value::Text(_) => Ok(()),
            _ => Err(format!("`{value}`; allowed is text")),
        },
    }
}

/// [`OWN_RANDOM`], of programs and kernels.
pub const OWN_RANDOM_PARAM: ParamEntry = flag(
    OWN_RANDOM,
    "true or false: whether its random games are drawn otherwise than ours, so that shares and mean lengths are \
     compared and not tallies",
);
/// [`RULES_DIFFER`], of programs and kernels.
pub const RULES_DIFFER_PARAM: ParamEntry = ParamEntry {
    name: RULES_DIFFER,
    allowed: "how its rules differ from ours; its answers are not compared then, and it shows a rate only",
    default: "",
    check: |value| match value.as_text() {
        Some(how) if !how.trim().is_empty() && !how.contains(char::is_control) => Ok(()),
        _ => Err(format!(
            "{RULES_DIFFER}: `{value}`; allowed is a line that says how its rules differ"
        )),
    },
};
/// [`HASH`], of programs and kernels.
pub const HASH_PARAM: ParamEntry = text(HASH, "written into run folders: a hash of its files");

/// The parameters of a program.
pub const PARAMS: &[ParamEntry] = &[
    ParamEntry {
        name: COMMAND,
        allowed: "a list of texts: the program and its arguments",
        default: "",
        check: |value| match texts(value) {
            Some(all) if !all.is_empty() => Ok(()),
            _ => Err(format!(
                "{COMMAND}: `{value}`; allowed is a list of texts, the program and its arguments"
            )),
        },
    },
    ParamEntry {
        name: FILES,
        allowed: "a list of further files on which its answers depend",
        default: "",
        check: |value| match texts(value) {
            Some(_) => Ok(()),
            None => Err(format!("{FILES}: `{value}`; allowed is a list of files")),
        },
    },
    OWN_RANDOM_PARAM,
    RULES_DIFFER_PARAM,
    flag("best-cpu", "true or false: whether it may be best CPU"),
    HASH_PARAM,
    text(
        VERSION,
        "written into run folders: what the program says of itself",
    ),
];

fn texts(value: &Value) -> Option<Vec<String>> {
    let Value::List(items) = value else {
        return None;
    };
    let texts = items.iter().map(|item| item.as_text().map(str::to_owned));
    texts.collect()
}

fn list(params: &Params, key: &str) -> Vec<String> {
    params.get(key).and_then(texts).unwrap_or_default()
}

/// The command of a program; empty where there is none.
pub fn command_of(params: &Params) -> Vec<String> {
    list(params, COMMAND)
}

/// The file of a kernel.
pub fn kernel_of(params: &Params) -> Option<&str> {
    params.get(KERNEL).and_then(Value::as_text)
}

/// Whether a flag is set.
pub fn is_set(params: &Params, key: &str) -> bool {
    params.get(key) == Some(&Value::Flag(true))
}

/// How its answers are compared, for the row's notes, where that is not the usual way.
pub fn comparison(params: &Params) -> Option<String> {
    match params.get(RULES_DIFFER) {
        Some(how) => Some(format!("rules differ: {how}")),
        None => is_set(params, OWN_RANDOM).then(|| "checked: statistics".to_owned()),
    }
}

/// The files of a program: those of the command's words that name one, and those that it lists. An interpreter that is
/// looked up by its name alone is not among them.
pub fn files_of(params: &Params) -> Vec<PathBuf> {
    let command = command_of(params);
    let words = command.iter().map(PathBuf::from);
    let mut files: Vec<PathBuf> = words.filter(|path| path.is_file()).collect();
    files.extend(list(params, FILES).iter().map(PathBuf::from));
    files
}

/// A hash of a kernel's text with all that it includes, or of a program's files, of their names and what they hold.
/// Fails with [`Fault::Input`] with the file that cannot be read.
pub fn hash_of(params: &Params, kernels: Option<&Path>) -> Result<String, Fault> {
    if let Some(file) = kernel_of(params) {
        return Ok(hash_of_text(&own_kernel_source(Path::new(file), kernels)?));
    }
    let read = |path: &PathBuf| match std::fs::read(path) {
        Ok(bytes) => Ok((path.display().to_string(), bytes)),
        Err(error) => Err(Fault::Input(format!("{}: {error}", path.display()))),
    };
    let read: Result<Vec<_>, Fault> = files_of(params).iter().map(read).collect();
    Ok(hash_of_files(&read?))
}

/// A hash of a text.
pub fn hash_of_text(text: &str) -> String {
    hash_of_files(&[(String::new(), text.as_bytes().to_vec())])
}

/// Refuses a kernel or a program whose files are not as the run noted them. Rows have the noted hash in their key.
/// Fails with [`Fault::Input`] if a file was edited or removed.
pub fn as_noted(params: &Params, kernels: Option<&Path>) -> Result<(), Fault> {
    let Some(noted) = params.get(HASH).and_then(Value::as_text) else {
        return Ok(());
    };
    if hash_of(params, kernels).is_ok_and(|found| found == noted) {
        return Ok(());
    }
    let whose = match kernel_of(params) {
        Some(file) => format!("{file}: it, or what it includes, was"),
        None => format!("`{}`: its files were", shell_line(&command_of(params))),
    };
    Err(Fault::Input(format!(
        "{whose} edited after the run began; run it again"
    )))
}
