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
