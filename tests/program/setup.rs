//! Tests `scripts/setup.sh` while another process holds apt's locks, as unattended upgrades do after a boot. Also tests
//! `.ci/run` without a device.
//!
//! Replacements for `apt-get`, `sleep` and `id` record their calls. The tests therefore need no root and install
//! nothing. They simulate a wait of ten minutes within a second.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// The errors of apt 2.6 if another process holds the lock of the packages or of the package lists.
const FRONTEND: &str = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process \
                        4321 (unattended-upgr)";
const LISTS: &str =
    "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 17 (apt-get)";

/// Each call of `apt-get` removes the next line from `answers`, prints it and fails. If the line is empty or missing,
/// the call succeeds.
const APT_GET: &str = r#"
echo "$@" >>"$PLACE/calls"
error=$(head -n 1 "$PLACE/answers")
[ -e "$PLACE/for-ever" ] || sed -i 1d "$PLACE/answers"
[ -z "$error" ] || { echo "$error" >&2; exit 100; }
"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// Creates the replacement programs. `answers` has the errors of successive `apt-get` calls.
    fn new(answers: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = Self { folder };
        place.program("apt-get", APT_GET);
        place.program("apt-cache", "[ ! -e \"$PLACE/no-lists\" ]");
        place.program("sleep", "echo \"$1\" >>\"$PLACE/slept\"");
        place.program("id", "echo 0");
        let lines: String = answers.iter().map(|line| format!("{line}\n")).collect();
        place.file("answers", &lines);
        place
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).expect("a file");
    }

    fn program(&self, name: &str, lines: &str) {
        self.file(name, &format!("#!/bin/sh\n{lines}\n"));
        let rights = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path().join(name), rights).expect("its rights");
    }

    /// Sources `setup.sh` and then runs lines of bash. Returns whether they succeeded, and their stderr.
    fn bash(&self, lines: &str) -> (bool, String) {
        let script = format!(
            "set -euo pipefail\nsource '{}/scripts/setup.sh'\n{lines}",
            env!("CARGO_MANIFEST_DIR")
        );
        let path = std::env::var("PATH").expect("a PATH");
        let output = Command::new("bash")
            .args(["-c", &script])
            .env("PLACE", self.path())
            .env("PATH", format!("{}:{path}", self.path().display()))
            .output()
            .expect("bash starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), said)
    }

    /// Returns the subcommands with which apt-get was called.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.path().join("calls")).unwrap_or_default();
        let verbs = calls.lines().map(|call| {
            let mut words = call.split_whitespace();
            let verb = words.find(|word| ["install", "update"].contains(word));
            verb.unwrap_or_else(|| panic!("what is {call}?")).to_owned()
        });
        verbs.collect()
    }

    fn slept(&self) -> u64 {
        let slept = fs::read_to_string(self.path().join("slept")).unwrap_or_default();
        let seconds = slept.lines().map(|line| line.parse::<u64>());
        seconds.sum::<Result<u64, _>>().expect("whole seconds")
    }
}

#[test]
fn a_lock_of_another_process_is_waited_for_aloud() {
    let place = Place::new(&[FRONTEND, FRONTEND]);
    let (installed, said) = place.bash("apt_install 'a test' hello");
    assert!(installed, "{said}");
    assert_eq!(
        (place.calls(), place.slept()),
        (vec!["install".to_owned(); 3], 30)
    );
    let waits: Vec<&str> = said.lines().filter(|l| l.contains("waiting")).collect();
    let who = "/var/lib/dpkg/lock-frontend is held by process 4321 (unattended-upgr)";
    assert!(waits[0].contains(who), "{said}");
    for (wait, rest) in waits.iter().zip(["10 min 0 s", "9 min 45 s"]) {
        assert!(wait.ends_with(&format!("at most {rest} more")), "{said}");
    }
    assert_eq!(waits.len(), 2, "{said}");
}

#[test]
fn ten_minutes_are_the_end_of_it_and_who_has_the_lock_is_said() {
    let place = Place::new(&[FRONTEND]);
    place.file("for-ever", "");
    let (installed, said) = place.bash("apt_install 'a test' hello");
    // The script must not update the lists, because newer lists would not help.
    assert!(!installed, "{said}");
    assert_eq!(
        (place.calls(), place.slept()),
        (vec!["install".to_owned(); 41], 600)
    );
    let mut last = said.lines().rev();
    let holds = last
        .next()
        .is_some_and(|line| line.contains("run this again"));
    assert!(holds, "{said}");
    let why = last.next().unwrap_or_default();
    for part in [
        "cannot install hello (a test)",
        "process 4321 (unattended-upgr), also after 10 minutes",
    ] {
        assert!(why.contains(part), "{said}");
    }
    // The script must not wait again for the next packages.
    let (_, said) = place.bash("lock_patience=15; apt_install 1 a || apt_install 2 b");
    assert_eq!(said.matches("waiting for it").count(), 1, "{said}");
    assert_eq!(place.slept(), 615);
}

/// The script also waits for the lock of the package lists. A normal user installs with sudo, which must not ask for a
/// password.
#[test]
fn the_lists_and_a_user_wait_as_well() {
    let place = Place::new(&[LISTS, "", FRONTEND]);
    place.file("no-lists", "");
    place.program("id", "echo 1000");
    place.program("sudo", "[ \"$1\" = -n ] || exit 1\nshift\nexec \"$@\"");
    let (installed, said) = place.bash("apt_install 'a test' hello </dev/null");
    assert!(installed, "{said}");
    assert_eq!(place.calls(), ["update", "update", "install", "install"]);
    assert_eq!(place.slept(), 30);
    let who = "/var/lib/apt/lists/lock is held by process 17 (apt-get)";
    assert!(said.contains(who), "{said}");
}

#[test]
fn what_else_goes_wrong_is_not_waited_for() {
    let nothing = "E: Unable to locate package hello";
    let forbidden = "E: Could not get lock /x - open (13: Permission denied)";
    for error in [nothing, forbidden] {
        let place = Place::new(&[error]);
        place.file("for-ever", "");
        let (installed, said) = place.bash("apt_install 'a test' hello");
        assert!(!installed && said.contains(error), "{said}");
        assert_eq!(place.slept(), 0);
        assert_eq!(place.calls(), ["install", "update"]);
    }
}

/// apt before 1.9.11 does not name the process that holds a lock, but the system does.
#[test]
fn the_holder_is_found_where_an_old_apt_does_not_name_it() {
    let lock = tempfile::NamedTempFile::new().expect("a file");
    lock.as_file().lock().expect("the lock is free");
    let path = lock.path().display();
    let old = format!("E: Could not get lock {path} - open (11: Resource temporarily unavailable)");
    let place = Place::new(&[&old, "E: Could not get lock /nowhere/lock - open (11: x)"]);
    let (installed, said) = place.bash("apt_install 'a test' hello");
    assert!(installed, "{said}");
    let who = format!("{path} is held by process {} (", std::process::id());
    for part in [who.as_str(), "/nowhere/lock is held by another process; "] {
        assert!(said.contains(part), "{said}");
    }
}

/// This takes only seconds, because the check precedes all builds.
#[test]
fn ci_ends_where_there_is_no_device_and_says_so() {
    let output = Command::new("timeout")
        .args(["300", "bash", ".ci/run"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let part = "an OpenCL device is missing: most tests run kernels";
    assert!(said.contains(part), "{said}");
}
