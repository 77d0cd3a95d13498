//! Defines the parameters of user-supplied programs and kernels.

use std::path::{Path, PathBuf};

use crate::opencl::{hash_of_files, own_kernel_source};
use crate::techniques::prelude::*;
use crate::words::shell_line;

/// Name of the parameter with the program and its arguments.
pub const COMMAND: &str = "command";
/// Name of the parameter with the kernel file.
pub const KERNEL: &str = "kernel";
/// Name of the flag for random games that are drawn differently from ours.
pub const OWN_RANDOM: &str = "own-random";
/// Name of the parameter that describes how the rules differ from ours.
pub const RULES_DIFFER: &str = "rules-differ";

choices! {
    /// The parameter [`OWN_RANDOM`], for programs and kernels.
    pub RANDOM, read_random -> bool: OWN_RANDOM, {"true" => true, "false" => false}, "false",
        "true or false: whether it draws random games differently from ours, so that shares and mean lengths are \
         compared instead of tallies";
    BEST_CPU, read_best_cpu -> bool: "best-cpu", {"true" => true, "false" => false}, "false",
        "true or false: whether it may count as the best CPU technique";
}

/// The parameter [`RULES_DIFFER`], for programs and kernels.
pub const RULES: ParamEntry = ParamEntry {
    check: |value| {
        let is_line = |text: &str| !text.trim().is_empty() && !text.contains(char::is_control);
        let line = value.as_text().filter(|text| is_line(text));
        line.map(drop).ok_or_else(|| RULES.refused(value))
    },
    ..text(
        RULES_DIFFER,
        "a line on how its rules differ from ours; its answers are then not compared, and only its rate is shown",
    )
};
const COMMANDS: ParamEntry = ParamEntry {
    check: |value| {
        let command = texts(value).filter(|all| !all.is_empty());
        command.map(drop).ok_or_else(|| COMMANDS.refused(value))
    },
    ..text(COMMAND, "a list of texts: the program and its arguments")
};
const FILES: ParamEntry = ParamEntry {
    check: |value| texts(value).map(drop).ok_or_else(|| FILES.refused(value)),
    ..text(
        "files",
        "a list of further files on which its answers depend",
    )
};
/// The hash of the files of a program or a kernel.
pub const HASH: ParamEntry = text("sha256", "a hash of its files, recorded in run folders");
/// The name and version that a program reports.
pub const VERSION: ParamEntry = text(
    "version",
    "the name and version that the program reports, recorded in run folders",
);

/// The parameters of a program.
pub const PARAMS: &[ParamEntry] = &[COMMANDS, FILES, RANDOM, RULES, BEST_CPU, HASH, VERSION];

/// Creates a text parameter without a default.
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

/// Returns the command of a program, or an empty list for other techniques.
pub fn command_of(params: &Params) -> Vec<String> {
    list(params, COMMAND)
}

/// Returns the file of a user-supplied kernel, or `None` for other techniques.
pub fn kernel_of(params: &Params) -> Option<&str> {
    params.get(KERNEL).and_then(Value::as_text)
}

/// Returns whether a flag is set.
pub fn is_set(params: &Params, key: &str) -> bool {
    params.get(key) == Some(&Value::Flag(true))
}

/// Describes for the row's notes how answers are compared. Returns `None` if they are compared as usual.
pub fn comparison(params: &Params) -> Option<String> {
    match params.get(RULES_DIFFER) {
        Some(how) => Some(format!("rules differ: {how}")),
        None => is_set(params, OWN_RANDOM).then(|| "checked: statistics".to_owned()),
    }
}

/// Returns the files of a program: each word of its command that names a file, and the files in the parameter `files`.
pub fn files_of(params: &Params) -> Vec<PathBuf> {
    let words = command_of(params).into_iter().map(PathBuf::from);
    let listed = list(params, FILES.name).into_iter().map(PathBuf::from);
    words.filter(|path| path.is_file()).chain(listed).collect()
}

/// Hashes a kernel's text with its included files, or the names and contents of a program's files.
pub fn hash_of(params: &Params, kernels: Option<&Path>) -> Result<String, Fault> {
    if let Some(file) = kernel_of(params) {
        return Ok(hash_of_text(&own_kernel_source(Path::new(file), kernels)?));
    }
    let mut files = Vec::new();
    for path in files_of(params) {
        let (path, bytes) = (path.display(), std::fs::read(&path));
        let bytes = bytes.map_err(|error| Fault::Input(format!("{path}: {error}")))?;
        files.push((path.to_string(), bytes));
    }
    Ok(hash_of_files(&files))
}

/// Hashes a text.
pub fn hash_of_text(text: &str) -> String {
    hash_of_files(&[(String::new(), text.as_bytes().to_vec())])
}

/// Refuses a kernel or program whose files do not match the hash in the run's notes. Row keys contain this hash.
pub fn as_noted(params: &Params, kernels: Option<&Path>) -> Result<(), Fault> {
    let noted = params.get(HASH.name).and_then(Value::as_text);
    if noted.is_none_or(|noted| hash_of(params, kernels).is_ok_and(|found| found == noted)) {
        return Ok(());
    }
    let whose = match kernel_of(params) {
        Some(file) => format!("{file}: it, or what it includes, was"),
        None => format!("`{}`: its files were", shell_line(&command_of(params))),
    };
    let why = format!("{whose} edited after the run began; run it again");
    Err(Fault::Input(why))
}
