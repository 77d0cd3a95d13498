//! The kernels of checkers that list moves, against the host's playouts, on a real device: pocl's on most machines.

use super::checkers::presets;
use super::{held, setup};
use plybench::opencl::Device;
use plybench::techniques::{Setup, registry};
use plybench::words::{Answer, Case, Fault, Params, Tally, Task, Value};

/// The start, chains of captures for men and kings of both colours, kings that come back to where they
/// began, and a few plies from a draw.
const POSITIONS: [&str; 6] = [
    "start",
    "B:W17,19,22,24,26,28,30,32:B3,5,6,9,10,11,13,K27",
    "W:WK32:B26,27,18,19,10,11",
    "B:WK6,7,14,15,22,23:BK2,10,K19",
    "W:WK18,K23,K30:BK6,K7,14,15,22,K26",
    "B:WK15,K18:BK10,K23,K32:H44",
];

/// Nothing to move; nothing that can move; a draw by the count of plies.
const OVER: [&str; 3] = ["B:W21:B", "W:W5:B1,9,14", "B:WK1:BK32:H50"];

/// The techniques, and those whose games they play.
const PAIRS: [(&str, &str); 3] = [
    ("lists-8", "serial"),
    ("lists-16", "serial"),
    ("lists-straight", "serial-straight"),
];

fn tally(
    device: &Device,
    (name, params): (&str, &Params),
    count: u64,
    options: &Params,
    position: &str,
) -> Result<Tally, Fault> {
    let case = Case::parse(&format!("playouts={count}")).unwrap();
    let technique = registry::find("checkers", name).unwrap();
    let mut sampler = (technique.prepare)(&Setup {
        options,
        params,
        seed: 7,
        position: (position != "start").then_some(position),
        ..setup(Task::Playouts, &case, Some(device))
    })?;
    match sampler.sample()? {
        (Answer::Tallies(tallies), _) => Ok(tallies[0].clone()),
        other => panic!("no tally: {other:?}"),
    }
}

#[test]
fn tallies_are_those_of_the_references() {
    let Some(device) = held() else { return };
    let none = Params::new();
    let groups = Params::from([("group".to_owned(), Value::Int(24))]);
    for options in presets() {
        for position in POSITIONS {
            for (name, reference) in PAIRS {
                let of = |name, params| tally(&device, (name, params), 2_001, &options, position);
                let expected = of(reference, &none).unwrap();
                assert_eq!(expected.playouts(), 2_001);
                for params in [&none, &groups] {
                    let found = of(name, params).unwrap();
                    assert_eq!(found, expected, "{name} {params:?} {options:?} {position}");
                }
            }
        }
    }
}

#[test]
fn few_playouts_and_finished_games_are_counted() {
    let Some(device) = held() else { return };
    let none = Params::new();
    for position in ["start", OVER[0], OVER[1], OVER[2]] {
        for count in [0, 1, 6, 8, 17] {
            for (name, reference) in PAIRS {
                let of = |name| tally(&device, (name, &none), count, &none, position).unwrap();
                assert_eq!(of(name), of(reference), "{name} {position} {count}");
                assert_eq!(of(name).playouts(), count);
            }
        }
    }
}

/// The start's first moves are the host's; after them White has seven.
#[test]
fn a_list_without_room_fails_the_cell() {
    let Some(device) = held() else { return };
    let none = Params::new();
    for (name, _) in PAIRS {
        let of = |room| {
            let params = Params::from([("room".to_owned(), Value::Int(room))]);
            tally(&device, (name, &params), 100, &none, "start")
        };
        assert_eq!(of(48).unwrap().playouts(), 100, "{name}");
        match of(6) {
            Err(Fault::Device(why)) => assert!(why.contains("more moves than"), "{why}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}
