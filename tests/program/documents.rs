//! Tests the commands in the documents.

use std::path::Path;
use std::process::Command;

/// Returns the lines in a document's code blocks that start the program.
fn commands(page: &str) -> Vec<String> {
    let listings = page.split("```").skip(1).step_by(2);
    let lines = listings
        .flat_map(str::lines)
        .map(|line| line.trim_start_matches("$ "));
    let starts = |line: &&str| line.starts_with("./scripts/bench ") || line.starts_with("bench ");
    lines.filter(starts).map(str::to_owned).collect()
}

/// With --help, the program only checks the names and values of the options before it and exits.
#[test]
fn understands_every_command_that_the_documents_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![
        root.join("README.md"),
        root.join("CONTRIBUTING.md"),
        root.join("reports/README.md"),
    ];
    for folder in ["docs", "docs/papers"] {
        let files = std::fs::read_dir(root.join(folder)).unwrap();
        let files = files.map(|file| file.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|it| it == "md")));
    }
    let mut count = 0;
    for page in pages {
        for line in commands(&std::fs::read_to_string(&page).unwrap()) {
            let (_, words) = line.split_once(' ').unwrap();
            let mut parts = words.split(" #").flat_map(|it| it.split([';', '|', '>']));
            let own = parts.next().unwrap();
            let script = format!(
                "'{}' {} --help",
                env!("CARGO_BIN_EXE_bench"),
                own.trim_end_matches(['\\', '&', ' '])
            );
            let output = Command::new("sh")
                .args(["-c", &script])
                .current_dir(root)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success(),
                "{}: {line}\n{said}",
                page.display()
            );
            count += 1;
        }
    }
    assert!(count >= 20, "{count} commands");
}
