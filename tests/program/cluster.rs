//! Tests the cluster scripts: a Slurm array on a one-node cluster that the test starts, and GNU parallel.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::needed;
use super::place::{Place, ended, text};
use super::shards::{experiment, one_family, sorted};

/// Time limit for starting the cluster, and for running the array and its merge.
const PATIENCE: Duration = Duration::from_secs(300);

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scripts/cluster")
        .join(name)
}

/// Returns true if a program is installed. Otherwise, prints a message.
fn has(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        needed::skip(&format!("there is no program {program}"));
    }
    found
}

/// Returns three families in three shards, and two cases of one family in four shards, of which two are empty.
fn experiments() -> [(String, &'static str); 2] {
    [(experiment(), "3"), (one_family(), "4")]
}

/// Runs the experiment without shards into `whole`, and returns the keys of its cells.
fn whole(place: &Place) -> Vec<String> {
    let ended = place.bench("run tiny.toml --out whole");
    assert!(matches!(ended.code, Some(0 | 5)), "{}", ended.said);
    sorted(&place.path().join("whole"), "key")
}

#[test]
#[ignore = "needs GNU parallel; ./scripts/test --long runs it, each week and after a change of the shards"]
fn long_shards_by_gnu_parallel_are_the_run() {
    if !has("parallel") || super::no_device() {
        return;
    }
    for (experiment, shards) in experiments() {
        let place = Place::new(&experiment);
        let mut command = Command::new(script("parallel"));
        let output = command
            .args([shards, "job", env!("CARGO_BIN_EXE_bench"), "tiny.toml"])
            .current_dir(place.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let found = sorted(&place.path().join("job/merged"), "key");
        assert_eq!(found, whole(&place));
    }
}

/// A cluster of only this machine. It ends with the test.
struct Cluster {
    folder: tempfile::TempDir,
    daemons: Vec<Child>,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

impl Cluster {
    /// Starts the two daemons as the current user, and waits until the node is ready.
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let said = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).output().unwrap();
            text(&output.stdout).trim().to_owned()
        };
        let (user, host) = (said("id", &["-un"]), said("hostname", &["-s"]));
        let port = || {
            let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            free.local_addr().unwrap().port()
        };
        let root = folder.path().display().to_string();
        for name in ["state", "spool"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let configuration = format!(
            "ClusterName=one\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser={user}\nSlurmdUser={user}\n\
             AuthType=auth/none\nCredType=cred/none\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nMpiDefault=none\nStateSaveLocation={root}/state\n\
             SlurmdSpoolDir={root}/spool\nSlurmctldPidFile={root}/slurmctld.pid\n\
             SlurmdPidFile={root}/slurmd.pid\nSlurmctldLogFile={root}/slurmctld.log\n\
             SlurmdLogFile={root}/slurmd.log\nSlurmctldPort={}\nSlurmdPort={}\nReturnToService=2\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n\
             NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n\
             PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP\n",
            port(),
            port()
        );
        std::fs::write(folder.path().join("slurm.conf"), configuration).unwrap();
        let mut cluster = Self {
            folder,
            daemons: Vec::new(),
        };
        for arguments in [&["slurmctld", "-D"][..], &["slurmd", "-D", "-N", &host]] {
            let mut daemon = cluster.command(arguments[0], &arguments[1..]);
            let daemon = daemon.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
            cluster.daemons.push(daemon.unwrap());
        }
        cluster.wait("the node is not ready", || {
            let states = cluster.output("sinfo", &["--noheader", "--format=%t"]);
            text(&states.stdout).trim() == "idle"
        });
        cluster
    }

    fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command.args(arguments);
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        command
    }

    fn output(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program, arguments).output().unwrap()
    }

    fn wait(&self, what: &str, is_so: impl Fn() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_so() {
            let log = std::fs::read_to_string(self.folder.path().join("slurmctld.log"));
            let holds = Instant::now() < until;
            assert!(holds, "{what}\n{}", log.unwrap_or_default());
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

/// A login node may lack the device of the shards, but mistakes stop the script before it submits anything.
#[test]
fn submits_from_a_node_without_the_device() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(&experiment());
    let sbatch = place.path().join("sbatch");
    std::fs::write(&sbatch, "#!/bin/sh\necho \"$*\" >>submitted\necho 7\n").unwrap();
    std::fs::set_permissions(&sbatch, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let submit = |more: &[&str]| {
        let arguments = ["3", "job", env!("CARGO_BIN_EXE_bench"), "tiny.toml"];
        let mut command = Command::new(script("slurm"));
        command.args(arguments).args(more);
        command
            .current_dir(place.path())
            .env("PATH", format!("{}:{path}", place.path().display()))
            .env("OCL_ICD_VENDORS", "/nonexistent");
        ended(&mut command)
    };
    let gpu = ["--device", "gpu"];
    let refused = submit(&[&gpu[..], &["--case", "board=9x9"]].concat());
    refused.ends(1).says("board=9x9");
    let submitted = || std::fs::read_to_string(place.path().join("submitted"));
    assert!(submitted().is_err());
    submit(&gpu).ends(0).says("no such device");
    let lines = submitted().unwrap();
    assert_eq!(lines.matches("--device gpu").count(), 1, "{lines}");
    assert_eq!(lines.lines().count(), 2, "{lines}");
}

#[test]
#[ignore = "starts a Slurm cluster; ./scripts/test --long runs it, each week and after a change of the shards"]
fn long_shards_by_a_slurm_array_are_the_run() {
    let programs = ["slurmctld", "slurmd", "sbatch", "srun"];
    if !programs.into_iter().all(has) || super::no_device() {
        return;
    }
    let cluster = Cluster::start();
    for (experiment, shards) in experiments() {
        let place = Place::new(&experiment);
        let submit = |more: &[&str]| {
            let arguments = [shards, "job", env!("CARGO_BIN_EXE_bench"), "tiny.toml"];
            let mut command = cluster.command(script("slurm"), &[&arguments[..], more].concat());
            command
                .current_dir(place.path())
                .env("PLYBENCH_CACHE", "off");
            command.output().unwrap()
        };
        let refused = submit(&["--case", "board=9x9"]);
        assert!(!refused.status.success() && text(&refused.stderr).contains("board=9x9"));
        let submitted = submit(&[]);
        assert!(submitted.status.success(), "{}", text(&submitted.stderr));
        cluster.wait("the jobs do not end", || {
            cluster.output("squeue", &["--noheader"]).stdout.is_empty()
        });
        let job = place.path().join("job");
        let log = |name: &str| std::fs::read_to_string(job.join(name)).unwrap_or_default();
        let merged = job.join("merged");
        assert!(merged.join("report.md").is_file(), "{}", log("merge.log"));
        assert_eq!(sorted(&merged, "key"), whole(&place));
        for number in 1..=shards.parse().unwrap() {
            // An empty shard prints a message, and its task exits with code 0.
            let said = log(&format!("shard-{number}.log"));
            assert_eq!(
                said.contains("is empty"),
                shards == "4" && number > 2,
                "{said}"
            );
            assert!(!said.contains("srun: error"), "{said}");
        }
    }
}
