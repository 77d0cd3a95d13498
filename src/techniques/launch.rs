//! Launch parameters: they distribute a technique's work on its device and change its time, never its answer.
//! Each has a list of values worth trying on some device.
//!
//! `bench tune` tries them. Parameters that change the computation (the leaves of a batch, the number of
//! trees, the constant of UCT) are not launch parameters, nor is the capacity of a list.

use crate::words::{Value, contract_of};

/// A launch parameter of techniques of one game.
struct Launch {
    game: &'static str,
    /// The techniques; empty for all of the game that have the parameter.
    of: &'static [&'static str],
    param: &'static str,
    /// The values, in the command line's format. Values that a device or a case does not allow are refused
    /// when they are tried.
    values: &'static [&'static str],
}

/// In the order of the search, the most influential first.
static LAUNCH: &[Launch] = &[
    Launch {
        game: "reversi",
        of: &["pv-split"],
        param: "group",
        values: &[
            "board", "auto", "1", "8", "16", "32", "64", "128", "256", "512", "1024",
        ],
    },
    Launch {
        game: "reversi",
        of: &["table-search"],
        param: "group",
        values: &["1", "8", "16", "32", "64"],
    },
    Launch {
        game: "reversi",
        of: &["table-search"],
        param: "per-unit",
        values: &["1", "4", "8", "16", "24", "32"],
    },
    Launch {
        game: "reversi",
        of: &["table-search"],
        param: "thresholds",
        values: &["1", "2", "4", "6", "8"],
    },
    Launch {
        game: "gomoku",
        // Those as published have their paper's.
        of: &[
            "naive",
            "sequential-parallel",
            "pvs",
            "dynamic",
            "dynamic-by-host",
            "work-queue",
        ],
        param: "group",
        values: &["auto", "1", "8", "32", "64", "128", "256", "512"],
    },
    Launch {
        game: "gomoku",
        of: &["naive"],
        param: "order",
        values: &["moves", "children"],
    },
    Launch {
        game: "gomoku",
        of: &["work-queue"],
        param: "per-unit",
        values: &["auto", "1", "2", "4", "8", "16"],
    },
    Launch {
        game: "gomoku",
        of: &["sequential-parallel"],
        param: "split",
        values: &["1", "2", "3"],
    },
    Launch {
        game: "gomoku",
        of: &["dynamic", "dynamic-by-host"],
        param: "levels",
        values: &["1", "2", "3"],
    },
    Launch {
        game: "gomoku",
        of: &["flat-refill"],
        param: "words",
        values: &["2", "4", "8", "16", "32"],
    },
    Launch {
        game: "gomoku",
        of: &["flat-refill"],
        param: "items",
        values: &["auto", "16", "64", "1024", "16384", "131072", "1048576"],
    },
    Launch {
        game: "connect-four",
        of: &["root-split"],
        param: "split",
        values: &["2", "3", "4", "5", "6"],
    },
    Launch {
        game: "connect-four",
        of: &["root-split", "move-sets-even"],
        param: "group",
        values: &["auto", "1", "8", "16", "32", "64", "128", "256"],
    },
    Launch {
        game: "connect-four",
        of: &["move-sets", "move-sets-bitboard", "move-sets-optimistic"],
        param: "group",
        values: &["7x7", "49x7"],
    },
    Launch {
        game: "connect-four",
        of: &["move-sets", "move-sets-bitboard", "move-sets-optimistic"],
        param: "grid",
        values: &["343x343", "2401x2401"],
    },
    Launch {
        game: "connect-four",
        of: &["prefix-sharing", "prefix-sharing-sums"],
        param: "prefix",
        values: &["auto", "3", "4", "5", "6", "7", "8"],
    },
    Launch {
        game: "connect-four",
        of: &["flat-refill"],
        param: "lanes",
        values: &["auto", "1", "8", "16"],
    },
    Launch {
        game: "connect-four",
        of: &["flat-refill"],
        param: "group",
        values: &["auto", "1", "8", "32", "64", "128", "256"],
    },
    Launch {
        game: "connect-four",
        of: &["flat-refill"],
        param: "words",
        values: &["1", "2", "4", "6", "8"],
    },
    Launch {
        game: "connect-four",
        of: &["flat-refill"],
        param: "items",
        values: &["auto", "16", "64", "1024", "16384", "131072", "1048576"],
    },
    Launch {
        game: "reversi",
        of: &["flat-refill"],
        param: "lanes",
        values: &["auto", "1", "8", "16"],
    },
    Launch {
        game: "reversi",
        of: &["flat-refill"],
        param: "group",
        values: &["auto", "1", "8", "32", "64", "128", "256"],
    },
    Launch {
        game: "reversi",
        of: &["flat-refill"],
        param: "words",
        values: &["1", "2", "4", "6", "8"],
    },
    Launch {
        game: "reversi",
        of: &["flat-refill"],
        param: "items",
        values: &["auto", "16", "64", "1024", "16384", "131072", "1048576"],
    },
    Launch {
        game: "checkers",
        of: &["flat", "flat-refill", "flat-xorshift", "mcts"],
        param: "lanes",
        values: &["auto", "1", "16"],
    },
    Launch {
        game: "checkers",
        of: &[
            "flat",
            "flat-refill",
            "flat-xorshift",
            "mcts",
            "lists-8",
            "lists-16",
            "lists-straight",
        ],
        param: "group",
        values: &["auto", "1", "8", "32", "64", "128", "256"],
    },
    Launch {
        game: "checkers",
        of: &["flat", "flat-refill", "flat-xorshift", "mcts"],
        param: "steps",
        values: &["auto", "2", "4", "6", "8", "12"],
    },
    Launch {
        game: "checkers",
        of: &["flat-refill"],
        param: "items",
        values: &["auto", "16", "64", "1024", "16384", "131072", "1048576"],
    },
    Launch {
        game: "checkers",
        of: &["flat-refill"],
        param: "turns",
        values: &["1", "2", "3", "4"],
    },
    Launch {
        game: "checkers",
        of: &["flat-refill"],
        param: "counter",
        values: &["group", "launch"],
    },
    Launch {
        game: "annexation",
        of: &["frames", "frames-buffer", "frames-readback"],
        param: "rows",
        values: &["1024", "4096", "8192", "16384", "32768", "65536"],
    },
    Launch {
        game: "annexation",
        of: &["sliced"],
        param: "shape",
        values: &["auto", "groups", "items"],
    },
    Launch {
        game: "annexation",
        of: &["sliced"],
        param: "words",
        values: &["auto", "1", "2", "4"],
    },
    Launch {
        game: "annexation",
        of: &["sliced"],
        param: "held",
        values: &["auto", "1", "2", "4", "8", "16"],
    },
    Launch {
        game: "annexation",
        of: &["sliced"],
        param: "chunk",
        values: &["8", "16", "32"],
    },
    Launch {
        game: "annexation",
        of: &["sliced"],
        param: "look",
        values: &["1", "2", "4", "65536"],
    },
    Launch {
        game: "annexation",
        of: &["sliced"],
        param: "groups",
        values: &["4", "16", "64", "256"],
    },
];

/// Those of the kernels that experiments bring, whatever the game.
static BROUGHT: &[Launch] = &[
    Launch {
        game: "",
        of: &[],
        param: "group",
        values: &["auto", "1", "8", "16", "32", "64", "128", "256"],
    },
    Launch {
        game: "",
        of: &[],
        param: "global",
        values: &["auto", "256", "1024", "4096", "16384", "65536"],
    },
    Launch {
        game: "",
        of: &[],
        param: "plies",
        values: &["0", "1", "2", "3", "4", "5"],
    },
];

/// The launch parameters of a technique with the values worth trying, in the order of the search.
pub fn parameters(game: &str, technique: &str) -> Vec<(&'static str, Vec<Value>)> {
    let brought = contract_of(technique).is_some();
    let own = |launch: &&Launch| {
        let all = launch.of.is_empty();
        brought || launch.game == game && (all || launch.of.contains(&technique))
    };
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
                let has = entry.params.iter().any(|it| it.name == *param);
                assert!(has, "{game} {name} has no parameter {param}");
            }
            let mut checked = 0;
            for entry in catalogue.of_game(game) {
                let mut params = entry.params.iter().filter(|it| it.name == *param);
                let Some(entry_param) = params.next().filter(|_| {
                    entry.kind == Kind::Device && (of.is_empty() || of.contains(&entry.name))
                }) else {
                    continue;
                };
                for text in *values {
                    let checks = (entry_param.check)(&Value::parse(text));
                    assert_eq!(checks, Ok(()), "{game} {} {param}", entry.name);
                    checked += 1;
                }
            }
            assert!(checked >= values.len().max(2), "{game} {param}");
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
