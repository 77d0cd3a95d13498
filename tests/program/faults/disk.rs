//! Tests a disk that is full after any number of bytes.

use super::place::{Place, TINY, ended};

/// Returns `tiny.toml` without a device technique.
fn host_only() -> String {
    TINY.replace("pv-split", "rayon-shared")
}

#[test]
fn a_full_disk_is_one_clear_line_and_what_was_written_is_whole() {
    let place = Place::new(&host_only());
    let run = ["run", "tiny.toml"];
    place.on_host(&run).ends(0);
    let folder = place.run_folder();
    // File sizes differ from run to run.
    let bytes = size_of_files(&folder) * 9 / 10;

    // Disk sizes from zero, with smaller steps in the part of the run that writes rows.
    let mut disks: Vec<(u64, &str, &str)> = (0..12_000)
        .step_by(1_723)
        .map(|size| (size, "", ""))
        .collect();
    disks.extend((12_000..bytes).step_by(2_999).map(|size| (size, "", "")));
    // File sizes vary, so none of these disks may fill up in a particular file. The next disks count the bytes of one
    // file only.
    for file in ["samples.csv", "measurements.csv"] {
        let half = length(&folder.join(file)) / 2;
        disks.extend([(0, file, ""), (half, file, "")]);
    }
    for first_line in ["name = ", "# ", "<!DOCTYPE html>"] {
        disks.push((0, "", first_line));
    }
    let mut failed_at = std::collections::BTreeSet::new();
    for (size, only, text) in disks {
        std::fs::remove_dir_all(&folder).expect("it is ours");
        let disk = folder.display().to_string();
        let settings = [
            ("FAULT_DISK", disk.as_str()),
            ("FAULT_DISK_BYTES", &size.to_string()),
            ("FAULT_DISK_FILE", only),
            ("FAULT_DISK_TEXT", text),
        ];
        let full = ended(place.with_layer(&mut place.host_command(&run), &settings));
        assert_eq!(full.code, Some(4), "{size} bytes: {}", full.said);
        let errors: Vec<&str> = full
            .said
            .lines()
            .filter(|l| l.starts_with("bench: "))
            .collect();
        let [error] = errors[..] else {
            panic!("{size} bytes: {}", full.said)
        };
        let part = "reports/local/tiny/";
        assert!(error.contains(part), "{size} bytes: {error}");
        let part = ": No space left on device";
        assert!(error.contains(part), "{size} bytes: {error}");
        full.lacks("panicked");
        let file = error
            .split("reports/local/tiny/")
            .nth(1)
            .and_then(|rest| rest.split(':').next());
        failed_at.extend(file.map(str::to_owned));

        // Once a run has started, `bench report` accepts its folder.
        if folder.join("environment.toml").exists() {
            let report = place.bench("report reports/local/tiny");
            assert_eq!(report.code, Some(0), "{size} bytes: {}", report.said);
            let holds = !report.said.contains("cut off");
            assert!(holds, "{size} bytes: {}", report.said);
        }
        // If there is space again, the same command completes the run.
        let again = place.on_host(&run);
        assert_eq!(again.code, Some(0), "{size} bytes: {}", again.said);
        let rows = place.rows();
        assert_eq!(rows.len(), 6, "{size} bytes");
        let holds = rows.iter().all(|row| row["status"] == "ok");
        assert!(holds, "{size} bytes: {rows:?}");
    }
    let words = "experiment.toml samples.csv measurements.csv report.md index.html";
    for file in words.split(' ') {
        let holds = failed_at.contains(file);
        assert!(holds, "no disk failed in {file}: {failed_at:?}");
    }
}

/// If a report cannot be written, the previous report stays intact.
#[test]
fn a_full_disk_leaves_the_earlier_report() {
    let place = Place::new(&host_only());
    place.on_host("run tiny.toml").ends(0);
    let before = place.text("report.md");
    let disk = place.run_folder().display().to_string();
    let settings = [("FAULT_DISK", disk.as_str()), ("FAULT_DISK_BYTES", "1500")];
    let mut command = place.host_command("report reports/local/tiny");
    ended(place.with_layer(&mut command, &settings))
        .ends(4)
        .says("No space left on device");
    assert_eq!(place.text("report.md"), before);
}

/// Batch systems limit file sizes. The program treats the limit as a full disk, whether or not it ignores the signal.
#[test]
fn a_limit_on_the_size_of_files_is_one_line_and_leaves_a_readable_folder() {
    for ignored in ["trap '' XFSZ;", ""] {
        let place = Place::new(&host_only());
        let mut command = std::process::Command::new("sh");
        // The samples need more bytes than this limit.
        command
            .args([
                "-c",
                &format!("{ignored} ulimit -c 0; exec prlimit --fsize=3600 \"$0\" run tiny.toml"),
            ])
            .arg(env!("CARGO_BIN_EXE_bench"))
            .current_dir(place.path())
            .envs([("NO_COLOR", "1"), ("OCL_ICD_VENDORS", "/nonexistent")]);
        ended(&mut command)
            .ends(4)
            .says("samples.csv: cannot be written: File too large");
        for file in ["measurements.csv", "samples.csv"] {
            assert!(place.text(file).ends_with('\n'), "{file}");
        }
        place.ends(0, "report reports/local/tiny");
        let again = place.on_host("run tiny.toml");
        again.ends(0);
        again.lacks("cut off");
        assert!(place.rows().iter().all(|row| row["status"] == "ok"));
    }
}

/// Returns the size of a file, in bytes.
fn length(file: &std::path::Path) -> u64 {
    std::fs::metadata(file).expect("a file").len()
}

fn size_of_files(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let size = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.expect("an entry");
        let about = entry.metadata().expect("its size");
        if about.is_dir() {
            size_of_files(&entry.path())
        } else {
            about.len()
        }
    };
    entries.map(size).sum()
}
