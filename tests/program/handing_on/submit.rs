//! `bench submit` and `bench score`.

use std::fs;

use super::{bench, kept, measured, run, said};

#[test]
fn a_submission_has_neither_the_users_paths_nor_names_and_is_valid() {
    let place = run();
    let folder = kept();
    let output = place
        .host_command(&[
            "submit",
            folder.to_str().unwrap(),
            "--machine",
            "a-card",
            "--out",
            "community",
        ])
        .env("HOME", place.path())
        .env("USER", "ada-of-the-test")
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        listed.contains("samples.csv") && listed.contains("command  bench run tiny.toml"),
        "{listed}"
    );
    let target = place.path().join("community/a-card/small");
    let mut names: Vec<String> = fs::read_dir(&target)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [
        "environment.toml",
        "experiment.toml",
        "facts.csv",
        "measurements.csv",
        "resources.csv",
        "samples.csv",
    ];
    assert_eq!(names, expected);
    let secret = place.path().to_str().unwrap();
    for name in names {
        let text = fs::read_to_string(target.join(&name)).unwrap();
        assert!(
            !text.contains(secret) && !text.contains("ada-of-the-test"),
            "{name}"
        );
    }
    // The command named the folder by its whole path.
    assert!(
        fs::read_to_string(kept().join("environment.toml"))
            .unwrap()
            .contains(secret)
    );
    assert_eq!(measured(&target), measured(&kept()));
    // A program of changed sources may not be sent in; all else is valid.
    let revision = plybench::results::read_environment(&target)
        .unwrap()
        .program
        .revision;
    match revision.ends_with("-dirty") {
        true => assert!(
            said(&output).contains("of changed sources"),
            "{}",
            said(&output)
        ),
        false => assert!(output.status.success(), "{}", said(&output)),
    }
    let again = bench(&["submit", folder.to_str().unwrap(), "--machine", "../x"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(
        said(&again).contains("--machine \"../x\""),
        "{}",
        said(&again)
    );
}

#[test]
fn a_score_needs_a_device() {
    let output = bench(&["score"]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
}
