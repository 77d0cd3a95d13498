//! Compares the checkers kernels on a real device (usually pocl) with the host's playouts.

use super::{Ask, held, params};
use plybench::opencl::Device;
use plybench::words::{Answer, Counters, Params, Tally, Task};

/// The start position, middlegames of both colours, capture chains of men and kings, kings that return to their
/// starting square, endgames, and positions a few plies before a draw.
const POSITIONS: [&str; 10] = [
    "start",
    "W:W18,21,22,25,26,27,29,30,31:B1,2,4,5,7,8,11,12,14",
    "B:W17,19,22,24,26,28,30,32:B3,5,6,9,10,11,13,K27",
    "W:WK32:B26,27,18,19,10,11",
    "B:WK6,7,14,15,22,23:BK2,10,K19",
    "W:WK18,K23,K30:BK6,K7,14,15,22,K26",
    "B:W10,11,18,19,26,27:B6,7,2,3,K1",
    "W:W9,K14:B1,K5,K32",
    "B:WK15,K18:BK10,K23,K32:H44",
    "W:W22,26,31:B13,15,6,8:H7",
];

/// Both presets of the rules: the paper's rules, and the official captures with a draw after 80 plies.
const PRESETS: [&str; 2] = ["", "capture=any draw-after=80"];

fn ask<'a>(task: Task, case: &str, options: &str, (position, seed): (&str, u64)) -> Ask<'a> {
    Ask {
        options: params(options),
        seed,
        threads: 3,
        position: (position != "start").then(|| position.to_owned()),
        ..Ask::new("checkers", "serial", task, case)
    }
}

fn tally(device: &Device, ask: &Ask<'_>) -> (Tally, Counters) {
    match ask.sample(device) {
        (Answer::Tallies(tallies), counters) => (tallies[0].clone(), counters),
        other => panic!("no tally: {other:?}"),
    }
}

/// All device techniques with uniform random playouts, in every form of their kernels, and `rayon` on the host.
const FORMS: [(&str, &str); 7] = [
    ("rayon", ""),
    ("flat", ""),
    ("flat", "lanes=1 group=24"),
    ("flat-refill", ""),
    ("flat-refill", "lanes=1 group=48"),
    ("flat-refill", "refill=false"),
    ("flat-refill", "lanes=1 refill=false group=8"),
];

/// Techniques with move lists, and techniques with the paper's random generator, which has no seed. The third field
/// names a host technique that plays the same games.
const OTHERS: [(&str, &str, &str); 8] = [
    ("lists-8", "", "serial"),
    ("lists-8", "group=24", "serial"),
    ("lists-16", "", "serial"),
    ("lists-16", "group=24", "serial"),
    ("lists-straight", "", "serial-straight"),
    ("lists-straight", "group=24", "serial-straight"),
    ("flat-xorshift", "", "serial-xorshift"),
    ("flat-xorshift", "lanes=1 group=24", "serial-xorshift"),
];

/// Compares every form with its reference, which must play the same games. The paper's generator is tested only with
/// more than 500 playouts.
fn hold(device: &Device, counts: &[u64], options: &str, at: (&str, u64)) {
    for count in counts {
        let ask = ask(Task::Playouts, &format!("playouts={count}"), options, at);
        let references = ["serial", "serial-straight", "serial-xorshift"];
        let references = &references[..if *count > 500 { 3 } else { 2 }];
        let of = |name: &&str| tally(device, &ask.of(name, &Params::new()));
        let expected: Vec<_> = references.iter().map(of).collect();
        let forms = FORMS.map(|(name, given)| (name, given, "serial"));
        for (name, given, reference) in forms.into_iter().chain(OTHERS) {
            let Some(place) = references.iter().position(|own| *own == reference) else {
                continue;
            };
            let asked = ask.of(name, &params(given));
            let found = tally(device, &asked);
            assert_eq!(found, expected[place], "{asked:?}");
            assert_eq!(found.0.playouts(), *count, "{asked:?}");
        }
    }
}

/// The first position is tested under both presets. The others alternate.
#[test]
fn tallies_are_the_hosts() {
    let Some(device) = held() else { return };
    hold(&device, &[2_001], PRESETS[1], (POSITIONS[0], 1));
    for (position, options) in POSITIONS.into_iter().zip(PRESETS.into_iter().cycle()) {
        hold(&device, &[2_001], options, (position, 1));
    }
}

/// Takes too long to run after every change.
#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of a kernel"]
fn long_tallies_are_the_hosts() {
    let Some(device) = held() else { return };
    for (options, position) in PRESETS
        .into_iter()
        .flat_map(|options| POSITIONS.map(|position| (options, position)))
    {
        for seed in 1..=3 {
            hold(&device, &[100_000], options, (position, seed));
        }
    }
}

#[test]
fn few_playouts_and_finished_games_are_counted() {
    let Some(device) = held() else { return };
    // The start position, a player without pieces, a player without legal moves, and a draw by the ply limit.
    for position in ["start", "B:W21:B", "W:W5:B1,9,14", "B:WK1:BK32:H50"] {
        let counts: &[u64] = match position {
            "start" => &[0, 1, 7, 17, 300],
            _ => &[1, 300],
        };
        hold(&device, counts, "", (position, 5));
        let one = ask(Task::Playouts, "playouts=1", "", (position, 5));
        let (played, _) = tally(&device, &one);
        assert_eq!(played.by_first_move.is_empty(), position != "start");
    }
}

/// A choice plays its playouts in batches. A later batch may start at any playout number.
#[test]
fn choices_are_the_hosts() {
    let Some(device) = held() else { return };
    for options in PRESETS {
        for position in [POSITIONS[0], POSITIONS[2], POSITIONS[6], "B:W21:B"] {
            let ask = ask(Task::Choose, "effort=4711", options, (position, 3));
            let expected = ask.sample(&device);
            for (name, given) in FORMS {
                let asked = ask.of(name, &params(given));
                assert_eq!(asked.sample(&device), expected, "{asked:?}");
            }
        }
    }
}
