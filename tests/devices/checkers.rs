//! The kernels of checkers against the host's playouts and counts, on a real device: pocl's on most machines.

use super::{held, setup};
use plybench::opencl::Device;
use plybench::techniques::{Sampler, Setup, registry};
use plybench::words::{Answer, Case, Counters, Fault, Params, Tally, Task, Value};

/// The start, both colours in the middle of a game, chains of captures for men and kings, kings that
/// come back to where they began, endgames, and a few plies from a draw.
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

/// Both presets of the rules: the paper's, and the official captures with a draw after 80.
pub(super) fn presets() -> [Params; 2] {
    [Params::new(), rules("any", 80)]
}

/// The rules of captures, and after how many plies without one a game is drawn.
pub(super) fn rules(capture: &str, draw_after: i64) -> Params {
    Params::from([
        ("capture".to_owned(), Value::Text(capture.to_owned())),
        ("draw-after".to_owned(), Value::Int(draw_after)),
    ])
}

fn params(pairs: &[(&str, Value)]) -> Params {
    let pair = |(key, value): &(&str, Value)| ((*key).to_owned(), value.clone());
    pairs.iter().map(pair).collect()
}

fn prepare(
    device: &Device,
    (name, params): (&str, &Params),
    task: Task,
    case: &str,
    options: &Params,
    (position, seed): (Option<&str>, u64),
) -> Result<Box<dyn Sampler>, Fault> {
    let case = Case::parse(case).unwrap();
    let technique = registry::find("checkers", name).unwrap();
    (technique.prepare)(&Setup {
        options,
        params,
        seed,
        threads: 3,
        position: position.filter(|position| *position != "start"),
        ..setup(task, &case, Some(device))
    })
}

fn tally(
    device: &Device,
    technique: (&str, &Params),
    count: u64,
    options: &Params,
    at: (&str, u64),
) -> (Tally, Counters) {
    let case = format!("playouts={count}");
    let at = (Some(at.0), at.1);
    let sampler = prepare(device, technique, Task::Playouts, &case, options, at);
    match sampler.unwrap().sample().unwrap() {
        (Answer::Tallies(tallies), counters) => (tallies[0].clone(), counters),
        other => panic!("no tally: {other:?}"),
    }
}

/// Every technique that plays at random on a device, and every form of its kernel; and the host's on all cores.
fn forms() -> Vec<(&'static str, Params)> {
    let int = |name, number| (name, Value::Int(number));
    let (lanes, refill) = (int("lanes", 1), ("refill", Value::Flag(false)));
    let refills = [
        vec![],
        vec![lanes.clone(), int("group", 48)],
        vec![refill.clone()],
        vec![lanes.clone(), refill, int("group", 8)],
    ];
    let others = [
        ("rayon", params(&[])),
        ("flat", params(&[])),
        ("flat", params(&[lanes, int("group", 24)])),
    ];
    let refills = refills.map(|pairs| ("flat-refill", params(&pairs)));
    others.into_iter().chain(refills).collect()
}

/// Techniques that list moves, the paper's generator, which knows no seed, and what plays their games on the host.
fn all_forms() -> impl Iterator<Item = (&'static str, Params, &'static str)> {
    let int = |name, number| (name, Value::Int(number));
    let scalar = [int("lanes", 1), int("group", 24)];
    let others = [
        ("lists-8", params(&[]), "serial"),
        ("lists-8", params(&scalar[1..]), "serial"),
        ("lists-16", params(&[]), "serial"),
        ("lists-16", params(&scalar[1..]), "serial"),
        ("lists-straight", params(&[]), "serial-straight"),
        ("lists-straight", params(&scalar[1..]), "serial-straight"),
        ("flat-xorshift", params(&[]), "serial-xorshift"),
        ("flat-xorshift", params(&scalar), "serial-xorshift"),
    ];
    let forms = forms().into_iter();
    let forms = forms.map(|(name, params)| (name, params, "serial"));
    forms.chain(others)
}

/// Every form plays the games of its reference; of the paper's generator many alone.
fn hold(device: &Device, counts: &[u64], options: &Params, at: (&str, u64)) {
    let none = Params::new();
    for count in counts {
        let mut references = vec!["serial", "serial-straight"];
        references.extend((*count > 500).then_some("serial-xorshift"));
        let of = |name| tally(device, (name, &none), *count, options, at);
        let expected: Vec<_> = references.iter().map(|name| of(name)).collect();
        for (name, params, reference) in all_forms() {
            let Some(place) = references.iter().position(|own| *own == reference) else {
                continue;
            };
            let found = tally(device, (name, &params), *count, options, at);
            let about = format!("{name} {params:?} {options:?} {at:?} {count}");
            assert_eq!(found, expected[place], "{about}");
            assert_eq!(found.0.playouts(), *count, "{about}");
        }
    }
}

fn hold_everywhere(count: u64, seeds: std::ops::RangeInclusive<u64>) {
    let Some(device) = held() else { return };
    for options in presets() {
        for position in POSITIONS {
            for seed in seeds.clone() {
                hold(&device, &[count], &options, (position, seed));
            }
        }
    }
}

#[test]
fn tallies_are_the_hosts() {
    hold_everywhere(2_001, 1..=1);
}

/// What every change has no time for.
#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of a kernel"]
fn long_tallies_are_the_hosts() {
    hold_everywhere(100_000, 1..=3);
}

#[test]
fn few_playouts_and_finished_games_are_counted() {
    let Some(device) = held() else { return };
    // Nothing to move; nothing that can move; a draw by the count of plies.
    for position in ["start", "B:W21:B", "W:W5:B1,9,14", "B:WK1:BK32:H50"] {
        let counts = [0, 1, 6, 7, 8, 15, 17, 500];
        hold(&device, &counts, &Params::new(), (position, 5));
        let none = Params::new();
        let (played, _) = tally(&device, ("serial", &none), 1, &none, (position, 5));
        assert_eq!(played.by_first_move.is_empty(), position != "start");
    }
}

/// A choice plays its playouts in batches, the later of which begin anywhere.
#[test]
fn choices_are_the_hosts() {
    let Some(device) = held() else { return };
    let none = Params::new();
    for options in presets() {
        for position in [POSITIONS[0], POSITIONS[2], POSITIONS[6], "B:W21:B"] {
            let choose = |name, params: &Params| {
                let at = (Some(position), 3);
                let technique = (name, params);
                let sampler = prepare(
                    &device,
                    technique,
                    Task::Choose,
                    "effort=4711",
                    &options,
                    at,
                );
                sampler.unwrap().sample().unwrap()
            };
            let expected = choose("serial", &none);
            for (name, params) in forms() {
                let found = choose(name, &params);
                assert_eq!(found, expected, "{name} {params:?} {position}");
            }
        }
    }
}

#[test]
fn sequences_are_the_published_ones() {
    let Some(device) = held() else { return };
    let none = Params::new();
    let published = [7, 49, 302, 1_469, 7_361, 36_768, 179_740];
    for options in presets() {
        for depth in 1..=published.len() {
            let count = |name| {
                let case = format!("depth={depth}");
                let at = (None, 1);
                let sampler = prepare(&device, (name, &none), Task::Perft, &case, &options, at);
                sampler.unwrap().sample().unwrap()
            };
            let found = count("flat-refill");
            assert_eq!(found, count("serial"), "{options:?} {depth}");
            if options.contains_key("capture") {
                assert_eq!(found.0, Answer::Leaves(published[depth - 1]));
            }
        }
    }
}

/// Kings, captures of many jumps, and draws by the count of plies, to a depth at which the device plays
/// several of the plies; nodes as well as sequences.
#[test]
fn sequences_from_every_position_are_the_hosts() {
    let Some(device) = held() else { return };
    let none = Params::new();
    for options in presets() {
        for position in POSITIONS {
            let count = |name| {
                let at = (Some(position), 1);
                let case = "depth=4";
                let sampler = prepare(&device, (name, &none), Task::Perft, case, &options, at);
                sampler.unwrap().sample().unwrap()
            };
            let expected = count("serial");
            assert_eq!(count("flat-refill"), expected, "{options:?} {position}");
            assert_eq!(count("rayon"), expected, "{options:?} {position}");
        }
    }
}
