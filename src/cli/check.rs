//! `bench check`: is an experiment file right?

use super::args::CheckArgs;
use super::exit::{Exit, Failure};
use crate::config::{self, Experiment};
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
                }
            }
            Err(error) => {
                let failure = super::run::load_failure(error);
                eprintln!("bench: {:#}", failure.error);
                worst = worst.worse(failure.exit);
            }
        }
    }
    Ok(worst)
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
