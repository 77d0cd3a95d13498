//! Launch parameters: they distribute a technique's work on its device and change its time, never its answer.
//! Each has a list of values worth trying on some device.
//!
//! `bench tune` tries them. Parameters that change the computation (the leaves of a batch, the number of
//! trees, the constant of UCT) are not launch parameters, nor is the capacity of a list.

use crate::words::{Value, contract_of};

/// A launch parameter of techniques of one game.
struct Launch {
    game: &'static str,
    /// The techniques.
    of: &'static [&'static str],
    param: &'static str,
    /// The values, in the command line's format. Values that a device or a case does not allow are refused
    /// when they are tried.
    values: &'static [&'static str],
}

macro_rules! launch_parameters {
    ($($game:literal, [$($of:literal),*], $param:literal: [$($value:literal),*];)*) => {
        &[$(Launch { game: $game, of: &[$($of),*], param: $param, values: &[$($value),*] }),*]
    };
}

/// In the order of the search, the most influential first: game, techniques, parameter, values.
static LAUNCH: &[Launch] = launch_parameters! {
    "reversi", ["pv-split"], "group": ["board", "auto", "1", "8", "16", "32", "64", "128", "256", "512", "1024"];
    "reversi", ["table-search"], "group": ["1", "8", "16", "32", "64", "128", "256"];
    "reversi", ["table-search"], "per-unit": ["1", "4", "8", "16", "24", "32"];
    "reversi", ["table-search"], "thresholds": ["1", "2", "4", "6", "8"];
    // Those as published have their paper's.
    "gomoku", ["naive", "sequential-parallel", "pvs", "dynamic", "dynamic-by-host", "work-queue"],
        "group": ["auto", "1", "8", "32", "64", "128", "256", "512"];
    "gomoku", ["naive"], "order": ["moves", "children"];
    "gomoku", ["work-queue"], "per-unit": ["auto", "1", "2", "4", "8", "16"];
    "gomoku", ["sequential-parallel"], "split": ["1", "2", "3"];
    "gomoku", ["dynamic", "dynamic-by-host"], "levels": ["1", "2", "3"];
    "gomoku", ["table-search"], "group": ["1", "8", "16", "32", "64", "128", "256"];
    "gomoku", ["table-search"], "per-unit": ["1", "4", "8", "16", "24", "32"];
    "gomoku", ["table-search"], "thresholds": ["1", "2", "4", "6", "8"];
    "gomoku", ["flat-refill"], "words": ["2", "4", "8", "16", "32"];
    "gomoku", ["flat-refill"], "items": ["auto", "16", "64", "1024", "16384", "131072", "1048576"];
    "connect-four", ["root-split"], "split": ["2", "3", "4", "5", "6"];
    "connect-four", ["root-split", "move-sets-even"], "group": ["auto", "1", "8", "16", "32", "64", "128", "256"];
    "connect-four", ["move-sets", "move-sets-bitboard", "move-sets-optimistic"], "group": ["7x7", "49x7"];
    "connect-four", ["move-sets", "move-sets-bitboard", "move-sets-optimistic"], "grid": ["343x343", "2401x2401"];
    "connect-four", ["prefix-sharing", "prefix-sharing-sums"], "prefix": ["auto", "3", "4", "5", "6", "7", "8"];
    "connect-four", ["table-search"], "group": ["1", "8", "16", "32", "64", "128", "256"];
    "connect-four", ["table-search"], "per-unit": ["1", "4", "8", "16", "24", "32"];
    "connect-four", ["table-search"], "thresholds": ["1", "2", "4", "6", "8"];
    "connect-four", ["flat-refill"], "lanes": ["auto", "1", "8", "16"];
    "connect-four", ["flat-refill"], "group": ["auto", "1", "8", "32", "64", "128", "256"];
    "connect-four", ["flat-refill"], "words": ["1", "2", "4", "6", "8"];
    "connect-four", ["flat-refill"], "items": ["auto", "16", "64", "1024", "16384", "131072", "1048576"];
    "reversi", ["flat-refill"], "lanes": ["auto", "1", "8", "16"];
    "reversi", ["flat-refill"], "group": ["auto", "1", "8", "32", "64", "128", "256"];
    "reversi", ["flat-refill"], "words": ["1", "2", "4", "6", "8"];
    "reversi", ["flat-refill"], "items": ["auto", "16", "64", "1024", "16384", "131072", "1048576"];
    "checkers", ["flat", "flat-refill", "flat-xorshift", "mcts"], "lanes": ["auto", "1", "16"];
    "checkers", ["flat", "flat-refill", "flat-xorshift", "mcts", "lists-8", "lists-16", "lists-straight"],
        "group": ["auto", "1", "8", "32", "64", "128", "256"];
    "checkers", ["flat", "flat-refill", "flat-xorshift", "mcts"], "steps": ["auto", "2", "4", "6", "8", "12"];
    "checkers", ["flat-refill"], "items": ["auto", "16", "64", "1024", "16384", "131072", "1048576"];
    "checkers", ["flat-refill"], "turns": ["1", "2", "3", "4"];
    "checkers", ["flat-refill"], "counter": ["group", "launch"];
    "annexation", ["frames", "frames-buffer", "frames-readback"],
        "rows": ["1024", "4096", "8192", "16384", "32768", "65536"];
    "annexation", ["sliced"], "shape": ["auto", "groups", "items"];
    "annexation", ["sliced"], "words": ["auto", "1", "2", "4"];
    "annexation", ["sliced"], "held": ["auto", "1", "2", "4", "8", "16"];
    "annexation", ["sliced"], "chunk": ["8", "16", "32"];
    "annexation", ["sliced"], "look": ["1", "2", "4", "65536"];
    "annexation", ["sliced"], "groups": ["4", "16", "64", "256"];
};

/// Those of the kernels that experiments bring, whatever the game and the name.
static BROUGHT: &[Launch] = launch_parameters! {
    "", [], "group": ["auto", "1", "8", "16", "32", "64", "128", "256"];
    "", [], "global": ["auto", "256", "1024", "4096", "16384", "65536"];
    "", [], "plies": ["0", "1", "2", "3", "4", "5"];
};

/// The launch parameters of a technique with the values worth trying, in the order of the search.
pub fn parameters(game: &str, technique: &str) -> Vec<(&'static str, Vec<Value>)> {
    let brought = contract_of(technique).is_some();
    let own = |launch: &&Launch| brought || launch.game == game && launch.of.contains(&technique);
    let has = |launch: &&Launch| {
        let found = super::registry::find(game, technique);
        found.is_some_and(|it| it.entry.params.iter().any(|own| own.name == launch.param))
    };
    let all = if brought { BROUGHT } else { LAUNCH };
    let rows = all.iter().filter(own).filter(has);
    rows.map(|launch| {
        let values = launch.values.iter().map(|text| Value::parse(text));
        (launch.param, values.collect())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::registry;
    use super::*;
    use crate::words::Kind;

    #[test]
    fn every_row_names_device_techniques_parameters_and_values_that_exist() {
        let catalogue = registry::catalogue();
        for Launch {
            game,
            of,
            param,
            values,
        } in LAUNCH
        {
            for name in *of {
                let entry = catalogue.technique(game, name);
                let entry = entry.unwrap_or_else(|| panic!("{game} has no {name}"));
                assert_eq!(entry.kind, Kind::Device, "{game} {name}");
                let own = entry.params.iter().find(|it| it.name == *param);
                let own = own.unwrap_or_else(|| panic!("{game} {name} has no {param}"));
                for text in *values {
                    let checks = (own.check)(&Value::parse(text));
                    assert_eq!(checks, Ok(()), "{game} {name} {param}");
                }
            }
            assert!(values.len() >= 2, "{game} {param}");
        }
    }

    #[test]
    fn a_kernel_that_is_brought_takes_every_value() {
        for entry in &registry::catalogue().brought {
            for (name, values) in parameters(entry.game, entry.name) {
                let param = entry.params.iter().find(|it| it.name == name).unwrap();
                for value in values {
                    assert_eq!((param.check)(&value), Ok(()), "{} {name}", entry.name);
                }
            }
        }
    }

    #[test]
    fn a_technique_has_its_own_parameters_alone() {
        let names = |game, technique| -> Vec<&str> {
            let found = parameters(game, technique);
            found.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names("reversi", "pv-split"), ["group"]);
        assert_eq!(names("gomoku", "work-queue"), ["group", "per-unit"]);
        assert_eq!(names("checkers", "kernel-perft"), ["group", "global"]);
        assert_eq!(
            names("reversi", "kernel-subtrees"),
            ["group", "global", "plies"]
        );
        assert!(names("reversi", "program").is_empty());
        assert!(names("reversi", "serial").is_empty());
        assert!(names("checkers", "mcts-block").is_empty());
        assert!(names("checkers", "nothing").is_empty());
    }
}
