//! Tests foreign files and links in a run folder. The program must not remove or follow them, or hang on them.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::Command;

use super::place::{Place, TINY, ended};
use crate::no_device;

/// Makes a run without a device, because its files are the same on every machine.
fn measured() -> Place {
    let place = Place::new(TINY);
    run(&place).ends(5);
    place
}

fn run(place: &Place) -> super::place::Ended {
    place.on_host("run tiny.toml --quick")
}

fn report(place: &Place) -> super::place::Ended {
    place.bench("report reports/local/tiny")
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[test]
fn links_in_a_run_folder_are_not_followed() {
    let place = measured();
    let elsewhere = place.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    for name in ["samples.csv", "lock", "tables"] {
        let path = place.file(name);
        let aside = place.path().join("aside");
        std::fs::rename(&path, &aside).unwrap();
        let target = match aside.is_dir() {
            true => elsewhere.clone(),
            false => elsewhere.join("file"),
        };
        if !aside.is_dir() {
            std::fs::copy(&aside, &target).unwrap();
        }
        symlink(&target, &path).unwrap();
        let before = std::fs::read(&target).ok();
        for ended in [run(&place), report(&place)] {
            if name == "tables" {
                assert_eq!(ended.code, Some(4), "{name}: {}", ended.said);
            }
            if ended.code == Some(4) {
                ended.says(&format!("{name}: cannot be written: a symbolic link"));
            }
        }
        assert_eq!(run(&place).code, Some(4), "{name}");
        assert_eq!(std::fs::read(&target).ok(), before, "{name}");
        let found = elsewhere.read_dir().unwrap().count();
        assert_eq!(found, usize::from(name != "tables"));
        std::fs::remove_file(&path).unwrap();
        std::fs::rename(&aside, &path).unwrap();
        let _ = std::fs::remove_file(elsewhere.join("file"));
    }
}

/// With published numbers and a failed build, a run also creates folders for these numbers and for compiler logs.
#[test]
fn links_in_the_place_of_published_numbers_and_of_logs_are_not_followed() {
    let place = Place::new(&format!("{TINY}published = \"paper.csv\"\n"));
    let numbers = place.path().join("reports/published");
    std::fs::create_dir_all(&numbers).unwrap();
    write(&numbers.join("paper.csv"), "board,depth,value\n4x4,1,2.0\n");
    run(&place).ends(5);
    assert!(place.file("published/paper.csv").is_file());
    let elsewhere = place.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::remove_dir_all(place.file("published")).unwrap();
    symlink(&elsewhere, place.file("published")).unwrap();
    run(&place)
        .ends(4)
        .says("published: cannot be written: a symbolic link");
    std::fs::remove_file(place.file("published")).unwrap();
    if !no_device() {
        let kernels = place.path().join("cl");
        std::fs::create_dir_all(kernels.join("reversi")).unwrap();
        let wrong: String = (0..20).map(|line| format!("#error {line}\n")).collect();
        write(&kernels.join("reversi/pv_split.cl"), &wrong);
        symlink(&elsewhere, place.file("logs")).unwrap();
        let [_, said] = place.ends(4, "run tiny.toml --quick --kernels cl");
        let why = "logs: cannot be written: a symbolic link";
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(elsewhere.read_dir().unwrap().count(), 0);
}

/// A file gets its final name only when its content is on the disk.
#[test]
fn a_file_is_on_the_disk_before_it_has_its_name() {
    let place = Place::new(TINY);
    let list = place.path().join("synced").display().to_string();
    let mut command = place.host_command("run tiny.toml --quick");
    ended(place.with_layer(&mut command, &[("SYNCED", &list)])).ends(5);
    let synced = std::fs::read_to_string(list).unwrap_or_default();
    let synced: Vec<&str> = synced.lines().collect();
    for name in "environment.toml experiment.toml report.md tables/factors.csv".split(' ') {
        let inode = place.file(name).metadata().unwrap().ino().to_string();
        assert!(synced.contains(&inode.as_str()), "{name}");
    }
}

/// Runs the program, and kills it after two minutes.
fn in_time(place: &Place, line: &str) -> super::place::Ended {
    let mut timeout = Command::new("timeout");
    timeout
        .args(["120", env!("CARGO_BIN_EXE_bench")])
        .args(line.split(' '));
    ended(timeout.current_dir(place.path()))
}

#[test]
fn a_pipe_in_a_files_place_is_refused_and_not_waited_for() {
    let place = measured();
    let pipe = |path: &Path| {
        let _ = std::fs::remove_file(path);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    pipe(&place.path().join("pipe.toml"));
    let what = "not a file but a pipe, a socket or a device";
    for arguments in ["run pipe.toml", "run --dry-run pipe.toml"] {
        let refused = in_time(&place, arguments);
        refused.says(what);
        assert!(matches!(refused.code, Some(1 | 4)), "{}", refused.said);
    }
    for name in ["samples.csv", "experiment.toml"] {
        let kept = std::fs::read(place.file(name)).unwrap();
        pipe(&place.file(name));
        in_time(&place, "report reports/local/tiny")
            .ends(4)
            .says(what);
        std::fs::remove_file(place.file(name)).unwrap();
        std::fs::write(place.file(name), kept).unwrap();
    }
    // The program reads the pipe of a shell's process substitution.
    let program = env!("CARGO_BIN_EXE_bench");
    let checked = Command::new("bash")
        .args(["-c", &format!("{program} run --dry-run <(cat tiny.toml)")])
        .current_dir(place.path())
        .output();
    assert!(checked.unwrap().status.success());
}
