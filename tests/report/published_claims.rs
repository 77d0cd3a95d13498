//! The claims that come with the program, checked against the experiments that they name.

use std::path::{Path, PathBuf};

use plybench::config::{self, Claims, Experiment};
use plybench::techniques::registry;

fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn experiment(name: &str) -> Experiment {
    let files = std::fs::read_dir(root("configs")).unwrap();
    let catalogue = registry::catalogue();
    files
        .flat_map(|file| config::load(&file.unwrap().path(), &catalogue).unwrap())
        .map(|(_, experiment)| experiment)
        .find(|experiment| experiment.name == name)
        .unwrap_or_else(|| panic!("no experiment {name}"))
}

#[test]
fn every_claim_names_what_its_experiment_has() {
    let folders = std::fs::read_dir(root("reports/published")).unwrap();
    let mut games: Vec<PathBuf> = folders.map(|entry| entry.unwrap().path()).collect();
    games.retain(|path| path.is_dir());
    assert!(!games.is_empty());
    for folder in games {
        let file = folder.join("claims.toml");
        if !file.is_file() {
            continue;
        }
        let game = folder.file_name().unwrap().to_str().unwrap();
        let claims = Claims::read(&file, None).unwrap();
        let mut names: Vec<&str> = claims
            .claims
            .iter()
            .map(|own| own.experiment.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        assert!(!names.is_empty(), "{}: no claim", file.display());
        for name in names {
            let experiment = experiment(name);
            assert_eq!(experiment.game, game, "{name}");
            let claims = Claims::read(&file, Some(&experiment)).unwrap();
            assert_eq!(claims.mistakes, [], "{}", file.display());
        }
    }
}

#[test]
fn a_claim_about_an_experiment_is_checked_against_it() {
    let reversi = experiment("reversi");
    let text = "paper = \"p\"\n[[claim]]\nid = \"a\"\nexperiment = \"reversi\"\ntext = \"t\"\n\
        source = \"s\"\ntable = \"table-2\"\nquantity = \"speedup\"\ntechnique = \"pv-split\"\n\
        baseline = \"serial-as-published\"\ncases = { board = \"8x8\" }\ntest = \"published\"\n\
        within = 2\n";
    let mistakes = |text: &str| Claims::parse(text, "claims.toml", Some(&reversi)).mistakes;
    assert_eq!(mistakes(text), []);
    for (from, to, says) in [
        ("\"pv-split\"", "\"pvsplit\"", "did you mean pv-split?"),
        (
            "\"8x8\"",
            "\"9x9\"",
            "board=9x9 is no case of the experiment",
        ),
        (
            "\"table-2\"",
            "\"node-rate\"",
            "node-rate has no published numbers",
        ),
    ] {
        let found = mistakes(&text.replace(from, to));
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().contains(says), "{}", found[0]);
    }
}
