use super::{Host, Program};

/// Something in which two runs differ, so that their rows cannot stand in one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name: `build`.
    pub name: &'static str,
    /// Its value in either run.
    pub values: [String; 2],
}

/// What differs between two runs: programs and hosts.
pub fn differences(programs: [&Program; 2], hosts: [&Host; 2]) -> Vec<Difference> {
    let program = |text: fn(&Program) -> String| programs.map(text);
    let host = |text: fn(&Host) -> String| hosts.map(text);
    differing([
        ("program", program(|it| it.source_hash.clone())),
        ("set of kernels", program(|it| it.kernel_hash.clone())),
        (
            "build",
            program(|it| format!("{} for {}", it.profile, it.compiled_for)),
        ),
        (
            "host",
            host(|it| format!("{} ({} processors)", it.cpu, it.logical_cpus)),
        ),
        (
            "operating system",
            host(|it| format!("{} ({})", it.os, it.kernel)),
        ),
        (
            "size of memory",
            host(|it| format!("{} GiB", it.memory_gib())),
        ),
        ("thread count", host(|it| it.threads.to_string())),
    ])
}

/// The properties whose values differ.
pub fn differing(
    properties: impl IntoIterator<Item = (&'static str, [String; 2])>,
) -> Vec<Difference> {
    let differing = properties
        .into_iter()
        .filter(|(_, values)| values[0] != values[1]);
    differing
        .map(|(name, values)| Difference { name, values })
        .collect()
}
