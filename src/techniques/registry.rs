//! The list of all games; each game lists its techniques.

use super::hard::Trial;
use super::{Prepare, Technique, annexation, checkers, connect_four, gomoku, program, reversi};
use crate::words::{Catalogue, GameEntry};

/// Every game with its techniques.
static GAMES: &[(GameEntry, &[Technique])] = &[
    (reversi::GAME, reversi::TECHNIQUES),
    (gomoku::GAME, gomoku::TECHNIQUES),
    (connect_four::GAME, connect_four::TECHNIQUES),
    (checkers::GAME, checkers::TECHNIQUES),
    (annexation::GAME, annexation::TECHNIQUES),
];

/// Placeholders for the kernels and programs that experiments bring and label.
static BROUGHT: &[&[Technique]] = &[
    PROGRAMS,
    connect_four::kernels::KERNELS,
    reversi::kernels::KERNELS,
    gomoku::kernels::KERNELS,
    checkers::kernels::KERNELS,
    annexation::kernels::KERNELS,
];

static PROGRAMS: &[Technique] = &[
    program::technique::<reversi::tasks::Reversi>(
        reversi::GAME,
        &[
            Trial::new("", reversi::hard::SEARCH),
            Trial::new("", reversi::hard::PERFT),
            Trial::new("", reversi::hard::PLAYOUTS),
        ],
    ),
    program::technique::<gomoku::tasks::Gomoku>(
        gomoku::GAME,
        &[
            Trial::new("", gomoku::hard::SEARCH),
            Trial::new("", gomoku::hard::PLAYOUTS),
        ],
    ),
    program::technique::<connect_four::tasks::ConnectFour>(
        connect_four::GAME,
        &[
            Trial::new("", connect_four::hard::SEARCH),
            Trial::new("", connect_four::hard::PERFT),
            Trial::new("", connect_four::hard::PLAYOUTS),
        ],
    ),
    program::technique::<checkers::tasks::Draughts>(
        checkers::GAME,
        &[
            Trial::new("", checkers::hard::SEARCH),
            Trial::new("", checkers::hard::PLAYOUTS),
            Trial::new("", checkers::hard::PERFT),
        ],
    ),
    program::technique::<annexation::Annexation>(
        annexation::GAME,
        &[Trial::new("", annexation::hard::PLAYOUTS)],
    ),
];

fn brought() -> impl Iterator<Item = &'static Technique> {
    BROUGHT.iter().copied().flatten()
}

/// Host models of the techniques with [`Counts::Model`](crate::words::Counts::Model).
static MODELS: &[(&str, &[&str], Prepare)] = &[
    (
        "connect-four",
        &["move-sets", "move-sets-bitboard", "move-sets-even"],
        connect_four::replayed_sums,
    ),
    (
        "connect-four",
        &["move-sets-optimistic"],
        connect_four::replayed_bests,
    ),
    (
        "connect-four",
        &["move-sets-as-published"],
        connect_four::replayed_as_published,
    ),
    (
        "gomoku",
        &["sequential-parallel-as-published"],
        gomoku::split_on_host,
    ),
];

/// The host model of a device technique: its counters equal the technique's.
pub fn model(game: &str, name: &str) -> Option<Prepare> {
    let mut models = MODELS.iter();
    let (.., prepare) = models.find(|(of, named, _)| *of == game && named.contains(&name))?;
    Some(*prepare)
}

/// The catalogue of all names that an experiment may use.
pub fn catalogue() -> Catalogue {
    Catalogue {
        games: GAMES.iter().map(|(game, _)| *game).collect(),
        techniques: GAMES
            .iter()
            .flat_map(|(_, list)| list.iter().map(|technique| technique.entry))
            .collect(),
        brought: brought().map(|technique| technique.entry).collect(),
    }
}

/// The technique with this name, for this game.
pub fn find(game: &str, name: &str) -> Option<&'static Technique> {
    let (_, list) = GAMES.iter().find(|(entry, _)| entry.name == game)?;
    let brought = brought().filter(|it| it.entry.game == game);
    let mut all = list.iter().chain(brought);
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
            // The host decides what is right on a device, and what its counters are.
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
