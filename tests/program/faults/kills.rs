//! Sends SIGKILL at random moments to the program, to a worker, or to the whole process group.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::place::{Ended, Place, TINY, cell, ended};
use crate::no_device;

const KILLS: usize = 50;
const SEED: u64 = 0x9111;

/// Time limit for the processes of a killed run to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// The processes that a signal is sent to.
#[derive(Clone, Copy, Debug)]
enum Victim {
    Program,
    Group,
    Worker,
}

/// Returns the processes that have this text in their environment, with id and command line.
fn marked(mark: &str) -> Vec<(u32, String)> {
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    let with_id = processes.filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        let command = std::fs::read(entry.path().join("cmdline")).ok()?;
        let is_marked = environment
            .windows(mark.len())
            .any(|part| part == mark.as_bytes());
        // If the process is a zombie, both are empty.
        is_marked.then(|| (id, String::from_utf8_lossy(&command).replace('\0', " ")))
    });
    with_id.collect()
}

fn kill(target: &str) {
    let killed = Command::new("sh")
        .args(["-c", &format!("kill -KILL -- {target} 2>/dev/null")])
        .status();
    assert!(killed.is_ok());
}

fn answered(place: &Place) -> BTreeSet<[String; 3]> {
    if !place.file("measurements.csv").exists() {
        return BTreeSet::new();
    }
    let rows = place.rows();
    let right = rows.iter().filter(|row| row["status"] == "ok");
    right.map(cell).collect()
}

/// Prepares `bench run` with an empty pocl cache, so that the driver compiles everything again.
fn start(place: &Place, mark: &str, compiled: &Path) -> Command {
    let mut command = place.command("run tiny.toml");
    command
        .env("PLYBENCH_TEST_MARK", mark)
        .env("POCL_CACHE_DIR", compiled)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0);
    command
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of resume or of the workers"]
fn long_fifty_kills_lose_no_cell_and_leave_no_process() {
    let mut experiment = TINY
        .replace("[1, 2]", "[1, 2, 3]")
        .replace("passes = 1", "passes = 3");
    if no_device() {
        experiment = experiment.replace("pv-split", "rayon-shared");
    }
    let compiled = tempfile::tempdir().expect("a temporary folder");
    let mark = format!("kills-{}", std::process::id());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    println!("{KILLS} kills from seed {SEED:#x}");
    let mut place = Place::new(&experiment);
    let started = Instant::now();
    let first: Ended = ended(&mut start(&place, &mark, &compiled.path().join("first")));
    first.ends(0);
    let (lasts, cells) = (started.elapsed(), answered(&place));
    assert_eq!(cells.len(), 9);
    place = Place::new(&experiment);
    let (mut kills, mut rounds) = (0, 0);
    while kills < KILLS {
        let before = answered(&place);
        let victim = [Victim::Program, Victim::Group, Victim::Worker][random.random_range(0..3)];
        let after = random.random_range(Duration::ZERO..lasts);
        let when = format!("kill {kills}: {victim:?} after {after:?}");
        let mut command = start(&place, &mark, &compiled.path().join(kills.to_string()));
        let mut child = command.spawn().expect("the program starts");
        std::thread::sleep(after);
        let is_over = child.try_wait().is_ok_and(|ended| ended.is_some());
        let workers = marked(&mark).into_iter();
        let mut workers = workers.filter(|(_, command)| command.contains(" worker"));
        let target = match victim {
            Victim::Program => Some(child.id().to_string()),
            Victim::Group => Some(format!("-{}", child.id())),
            Victim::Worker => workers.next().map(|(id, _)| id.to_string()),
        };
        if let Some(target) = target.filter(|_| !is_over) {
            kill(&target);
            kills += 1;
        }
        let ended: Ended = child.wait_with_output().expect("it ends").into();
        assert!(!ended.said.contains("panicked"), "{when}: {}", ended.said);
        let since = Instant::now();
        while !marked(&mark).is_empty() {
            assert!(since.elapsed() < PATIENCE, "{when}: {:?}", marked(&mark));
            std::thread::sleep(Duration::from_millis(20));
        }
        let answers = answered(&place);
        let lost: Vec<_> = before.difference(&answers).collect();
        assert!(lost.is_empty(), "{when}: lost {lost:?}");
        if ended.code == Some(0) {
            assert_eq!(answers, cells, "{when}");
            rounds += u32::from(is_over);
            place = Place::new(&experiment);
        }
    }
    // A killed worker costs its cell. The next run retries it.
    let last: Ended = ended(&mut start(&place, &mark, &compiled.path().join("last")));
    last.ends(0);
    last.lacks("waits for");
    assert_eq!(answered(&place), cells, "after {kills} kills");
    place.ends(0, "report --check reports/local/tiny");
    println!("{rounds} more runs ended before their kill");
}
