//! Lists all games. Each game lists its techniques.

use super::{GameKit, Prepare, Technique, annexation, checkers, connect_four, gomoku, reversi};
use crate::words::Catalogue;

/// All games with their techniques.
static GAMES: &[&GameKit] = &[
    &reversi::KIT,
    &gomoku::KIT,
    &connect_four::KIT,
    &checkers::KIT,
    &annexation::KIT,
];

fn kit(game: &str) -> Option<&'static GameKit> {
    GAMES.iter().copied().find(|kit| kit.entry.name == game)
}

fn brought(kit: &'static GameKit) -> impl Iterator<Item = &'static Technique> {
    kit.brought.iter().copied().flatten()
}

/// Finds the host model of a device technique. The model counts the same work.
pub fn model(game: &str, name: &str) -> Option<Prepare> {
    let mut models = kit(game)?.models.iter();
    let (_, prepare) = models.find(|(named, _)| named.contains(&name))?;
    Some(*prepare)
}

/// Returns the catalogue of all names that an experiment may use.
pub fn catalogue() -> Catalogue {
    let kits = || GAMES.iter().copied();
    Catalogue {
        games: kits().map(|kit| kit.entry).collect(),
        techniques: kits()
            .flat_map(|kit| kit.techniques.iter().map(|it| it.entry))
            .collect(),
        brought: kits()
            .flat_map(|kit| brought(kit).map(|it| it.entry))
            .collect(),
    }
}

/// Finds a technique of a game by its name.
pub fn find(game: &str, name: &str) -> Option<&'static Technique> {
    let kit = kit(game)?;
    let mut all = kit.techniques.iter().chain(brought(kit));
    all.find(|technique| technique.entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{Counts, Kind};

    #[test]
    fn every_entry_is_found_and_names_others_that_exist() {
        let catalogue = catalogue();
        for entry in &catalogue.techniques {
            assert_eq!(find(entry.game, entry.name).unwrap().entry.name, entry.name);
            assert!(catalogue.game(entry.game).is_some());
            for other in [entry.like, entry.reference] {
                let holds = find(entry.game, other).is_some();
                assert!(holds, "{} names {other}", entry.name);
            }
            // Device techniques are checked against answers and counters of the host.
            let on_host = |name| {
                let other = find(entry.game, name);
                other.is_some_and(|other| other.entry.kind != Kind::Device)
            };
            assert!(on_host(entry.reference), "{}", entry.name);
            if let Counts::As(name) = entry.counts {
                assert!(name != entry.name && on_host(name), "{}", entry.name);
            }
            let has_model = model(entry.game, entry.name).is_some();
            assert_eq!(has_model, entry.counts == Counts::Model, "{}", entry.name);
            let tasks = catalogue.game(entry.game).unwrap().tasks;
            let holds = entry.tasks.iter().all(|task| tasks.contains(task));
            assert!(holds, "{}", entry.name);
        }
        assert!(find("reversi", "nothing").is_none());
        assert!(find("chess", "serial").is_none());
    }
}
