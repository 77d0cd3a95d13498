//! `bench check`: is an experiment file right, and what is claimed about it?

use std::path::Path;

use super::args::CheckArgs;
use super::exit::{Exit, Failure};
use crate::config::{self, Claims, Experiment};
use crate::techniques::registry;

/// Reads every file, and says of each what it holds or what is wrong with it.
pub fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let catalogue = registry::catalogue();
    let mut worst = Exit::Good;
    for path in &args.configs {
        match config::load(path, &catalogue) {
            Ok(experiments) => {
                for (path, experiment) in experiments {
                    println!("{}: {}", path.display(), summary(&experiment));
                    worst = worst.worse(check_claims(&path, &experiment)?);
                }
            }
            Err(error) => {
                let failure = super::session::load_failure(error);
                eprintln!("bench: {:#}", failure.error);
                worst = worst.worse(failure.exit);
            }
        }
    }
    Ok(worst)
}

/// Reads the claims about an experiment, where there are any, and says what is wrong with them.
fn check_claims(config: &Path, experiment: &Experiment) -> Result<Exit, Failure> {
    let published = config
        .parent()
        .unwrap_or(Path::new("."))
        .join("../reports/published");
    let file = published.join(Claims::file_of(&experiment.game));
    if !file.exists() {
        return Ok(Exit::Good);
    }
    let claims = Claims::read(&file, Some(experiment)).map_err(super::session::load_failure)?;
    for mistake in &claims.mistakes {
        eprintln!("bench: {mistake}");
    }
    let own = claims
        .claims
        .iter()
        .filter(|claim| claim.experiment == experiment.name);
    match own.count() {
        0 => {}
        1 => println!("  {}: 1 claim about it", file.display()),
        count => println!("  {}: {count} claims about it", file.display()),
    }
    Ok(match claims.mistakes.is_empty() {
        true => Exit::Good,
        false => Exit::Usage,
    })
}

fn summary(experiment: &Experiment) -> String {
    let labels: Vec<_> = experiment
        .techniques
        .iter()
        .map(|t| t.label.as_str())
        .collect();
    format!(
        "{}, task {}, {} cases × {} techniques ({})",
        experiment.game,
        experiment.task,
        experiment.cases.len(),
        labels.len(),
        labels.join(", ")
    )
}
