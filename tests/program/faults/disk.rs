//! A disk that fills up, at whatever byte.

use super::place::{Place, TINY, ended};

/// `tiny.toml` without a device.
fn host_only() -> String {
    TINY.replace("pv-split", "rayon-shared")
}

#[test]
fn a_full_disk_is_one_clear_line_and_what_was_written_is_whole() {
    let place = Place::new(&host_only());
    let run = ["run", "tiny.toml"];
    let whole = ended(&mut place.host_command(&run));
    assert_eq!(whole.code, Some(0), "{}", whole.said);
    let folder = place.run_folder();
    let bytes = size_of_files(&folder);

    // From the first byte on, closer where the rows are written than where the report is.
    let mut sizes: Vec<u64> = (0..12_000).step_by(919).collect();
    sizes.extend((12_000..bytes).step_by(1_499));
    // How long the files are differs from run to run: sizes for certain within the rows.
    let first =
        ["lock", "experiment.toml", "environment.toml"].map(|file| length(&folder.join(file)));
    let (first, rows) = (
        first.iter().sum::<u64>(),
        length(&folder.join("samples.csv")),
    );
    sizes.extend([first + rows / 4, first + rows / 2, first + rows * 3 / 4]);
    let mut failed_at = std::collections::BTreeSet::new();
    for size in sizes {
        std::fs::remove_dir_all(&folder).expect("it is ours");
        let disk = folder.display().to_string();
        let settings = [
            ("FAULT_DISK", disk.as_str()),
            ("FAULT_DISK_BYTES", &size.to_string()),
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
        assert!(
            error.contains("reports/local/tiny/"),
            "{size} bytes: {error}"
        );
        assert!(
            error.contains(": No space left on device"),
            "{size} bytes: {error}"
        );
        assert!(!full.said.contains("panicked"), "{}", full.said);
        let file = error
            .split("reports/local/tiny/")
            .nth(1)
            .and_then(|rest| rest.split(':').next());
        failed_at.extend(file.map(str::to_owned));

        // Once a run has begun, its folder is a report's.
        if folder.join("environment.toml").exists() {
            let report = place.bench(&["report", "reports/local/tiny"]);
            assert_eq!(report.code, Some(0), "{size} bytes: {}", report.said);
            assert!(
                !report.said.contains("cut off"),
                "{size} bytes: {}",
                report.said
            );
        }
        // With room again, the same command does the rest.
        let again = ended(&mut place.host_command(&run));
        assert_eq!(again.code, Some(0), "{size} bytes: {}", again.said);
        let rows = place.rows();
        assert_eq!(rows.len(), 6, "{size} bytes");
        assert!(
            rows.iter().all(|row| row["status"] == "ok"),
            "{size} bytes: {rows:?}"
        );
    }
    for file in [
        "lock",
        "experiment.toml",
        "samples.csv",
        "measurements.csv",
        "report.md",
        "index.html",
    ] {
        assert!(
            failed_at.contains(file),
            "{file} was never the one: {failed_at:?}"
        );
    }
}

/// A report that cannot be written leaves the earlier one whole.
#[test]
fn a_full_disk_leaves_the_earlier_report() {
    let place = Place::new(&host_only());
    let first = ended(&mut place.host_command(&["run", "tiny.toml"]));
    assert_eq!(first.code, Some(0), "{}", first.said);
    let before = place.text("report.md");
    let disk = place.run_folder().display().to_string();
    let settings = [("FAULT_DISK", disk.as_str()), ("FAULT_DISK_BYTES", "1500")];
    let mut command = place.host_command(&["report", "reports/local/tiny"]);
    let full = ended(place.with_layer(&mut command, &settings));
    assert_eq!(full.code, Some(4), "{}", full.said);
    assert!(
        full.said.contains("No space left on device"),
        "{}",
        full.said
    );
    assert_eq!(place.text("report.md"), before);
}

/// A limit on the size of files, which batch systems set, is a full disk to who ignores its signal, and
/// ends who does not in the middle of a line.
#[test]
fn a_limit_on_the_size_of_files_leaves_a_readable_folder() {
    for (ignored, code) in [("trap '' XFSZ;", Some(4)), ("", None)] {
        let place = Place::new(&host_only());
        let mut command = std::process::Command::new("sh");
        // In blocks of 512 or 1024 bytes, as the shell likes: less than the samples take.
        command
            .args([
                "-c",
                &format!("{ignored} ulimit -c 0; ulimit -f 3; exec \"$0\" run tiny.toml"),
            ])
            .arg(env!("CARGO_BIN_EXE_bench"))
            .current_dir(place.path())
            .envs([("NO_COLOR", "1"), ("OCL_ICD_VENDORS", "/nonexistent")]);
        let limited = ended(&mut command);
        assert_eq!(limited.code, code, "{}", limited.said);
        assert_eq!(
            limited
                .said
                .contains("samples.csv: cannot be written: File too large"),
            code.is_some(),
            "{}",
            limited.said
        );
        // Who is ended there leaves what fitted, hardly ever whole lines; who is told takes it back.
        let is_whole = place.text("samples.csv").ends_with('\n');
        assert!(is_whole || code.is_none());
        let report = place.bench(&["report", "reports/local/tiny"]);
        assert_eq!(report.code, Some(0), "{}", report.said);
        let again = ended(&mut place.host_command(&["run", "tiny.toml"]));
        assert_eq!(again.code, Some(0), "{}", again.said);
        let cut_off = "samples.csv: the last line was cut off and is dropped";
        assert_eq!(again.said.contains(cut_off), !is_whole, "{}", again.said);
        assert!(place.rows().iter().all(|row| row["status"] == "ok"));
    }
}

/// Bytes of the files of a folder and of those in it.
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
