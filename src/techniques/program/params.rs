//! What an experiment says of a program or a kernel that it brings.

use std::path::{Path, PathBuf};

use crate::opencl::hash_of_files;
use crate::words::{Fault, ParamEntry, Params, Value, shell_line};

/// The program and its arguments.
pub const COMMAND: &str = "command";
/// The file of a kernel.
pub const KERNEL: &str = "kernel";
/// What a kernel takes and gives.
pub const CONTRACT: &str = "contract";
/// Its files beside those that the command names.
pub const FILES: &str = "files";
/// Whether its random games are drawn otherwise than ours.
pub const OWN_RANDOM: &str = "own-random";
/// How its rules differ from ours.
pub const RULES_DIFFER: &str = "rules-differ";
/// Whether it may be best CPU or best one core.
pub const BEST_CPU: &str = "best-cpu";
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

/// The parameters that programs and kernels share.
pub const OWN_RANDOM_PARAM: ParamEntry = flag(
    OWN_RANDOM,
    "true or false: whether its random games are drawn otherwise than ours, so that shares and mean lengths are \
     compared and not tallies",
);
/// Why its answers are not compared at all.
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
/// Written by the harness.
pub const HASH_PARAM: ParamEntry = ParamEntry {
    name: HASH,
    allowed: "written into run folders: a hash of its files",
    default: "",
    check: text,
};

/// The parameters of a program.
pub const PARAMS: &[ParamEntry] = &[
    ParamEntry {
        name: COMMAND,
        allowed: "a list of texts: the program and its arguments",
        default: "",
        check: |value| {
            texts(value).filter(|all| !all.is_empty()).map(drop).ok_or_else(|| {
            format!("{COMMAND}: `{value}`; allowed is a list of texts, the program and its arguments")
        })
        },
    },
    ParamEntry {
        name: FILES,
        allowed: "a list of further files on which its answers depend",
        default: "",
        check: |value| {
            let wrong = || format!("{FILES}: `{value}`; allowed is a list of files");
            texts(value).map(drop).ok_or_else(wrong)
        },
    },
    OWN_RANDOM_PARAM,
    RULES_DIFFER_PARAM,
    flag(BEST_CPU, "true or false: whether it may be best CPU"),
    HASH_PARAM,
    ParamEntry {
        name: VERSION,
        allowed: "written into run folders: what the program says of itself",
        default: "",
        check: text,
    },
];

fn text(value: &Value) -> Result<(), String> {
    value
        .as_text()
        .map(drop)
        .ok_or_else(|| format!("`{value}`; allowed is text"))
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::List(items) => {
            let texts = items.iter().map(|item| item.as_text().map(str::to_owned));
            texts.collect()
        }
        _ => None,
    }
}

fn list(params: &Params, key: &str) -> Vec<String> {
    params.get(key).and_then(texts).unwrap_or_default()
}

/// The command of a program; empty where there is none.
pub fn command_of(params: &Params) -> Vec<String> {
    list(params, COMMAND)
}

/// Whether a flag is set.
pub fn is_set(params: &Params, key: &str) -> bool {
    params.get(key) == Some(&Value::Flag(true))
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

/// A hash of files, of their names and what they hold. Fails with [`Fault::Input`] with the file that cannot be read.
pub fn hash_of(files: &[impl AsRef<Path>]) -> Result<String, Fault> {
    let read = |path: &Path| match std::fs::read(path) {
        Ok(bytes) => Ok((path.display().to_string(), bytes)),
        Err(error) => Err(Fault::Input(format!("{}: {error}", path.display()))),
    };
    let read: Result<Vec<_>, Fault> = files.iter().map(|path| read(path.as_ref())).collect();
    Ok(hash_of_files(&read?))
}

/// Refuses a program whose files are not as the run noted them. Rows have the noted hash in their key. Fails with
/// [`Fault::Input`] if a file was edited or removed.
pub fn as_noted(params: &Params) -> Result<(), Fault> {
    let Some(noted) = params.get(HASH).and_then(Value::as_text) else {
        return Ok(());
    };
    match hash_of(&files_of(params)) {
        Ok(found) if found == noted => Ok(()),
        _ => Err(Fault::Input(format!(
            "`{}`: its files were edited after the run began; run it again",
            shell_line(&command_of(params))
        ))),
    }
}

/// The same of a text.
pub fn hash_of_text(text: &str) -> String {
    hash_of_files(&[(String::new(), text.as_bytes().to_vec())])
}
