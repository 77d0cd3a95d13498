//! Tree search of Annexation with its playouts on a real device, pocl's on most machines, against the same batches
//! played on the host. Without any device, each test says so and passes.

use super::annexation::{Ask, odd_board};
use super::checkers_mcts::keeps_to_its_time;
use super::held;
use plybench::games::annexation::write_board;
use plybench::opencl::Device;
use plybench::techniques::Sampler;
use plybench::words::{Answer, Chosen, Counters, Params, Task, Value};

fn asked<'a>(case: &str, params: Params, seed: u64, position: Option<&'a str>) -> Ask<'a> {
    Ask {
        name: "mcts",
        params,
        task: Task::Choose,
        case: case.to_owned(),
        boards: 1,
        seed,
        position,
    }
}

fn choose(sampler: &mut dyn Sampler) -> (Vec<Chosen>, Counters) {
    match sampler.sample().unwrap() {
        (Answer::Chosen(chosen), counters) => (chosen, counters),
        (other, _) => panic!("no choice: {other:?}"),
    }
}

fn set<const N: usize>(pairs: [(&str, Value); N]) -> Params {
    pairs
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect()
}

fn batches(leaves: i64, playouts: i64) -> Params {
    set([
        ("leaves", Value::Int(leaves)),
        ("playouts", Value::Int(playouts)),
    ])
}

/// The shapes that the kernels have, and how many times as many leaves as the slowest they can play on a processor in
/// the same time. Larger boards have the groups of a GPU in one shape: they are slow on a processor.
fn shapes(all: bool) -> Vec<(Params, u64)> {
    let groups = || ("shape", Value::Text("groups".into()));
    let mut shapes = vec![(Params::new(), 8), (set([groups()]), 1)];
    if !all {
        return shapes;
    }
    shapes.extend([(set([("shape", Value::Text("items".into()))]), 8)]);
    shapes
}

/// The visits below every root, and with them every leaf's points, are those of the host.
fn hold(device: &Device, ask: &Ask<'_>, leaves: u64, all: bool) {
    for (shape, times) in shapes(all) {
        let effort = leaves * times;
        let case = format!("{} effort={effort}", ask.case);
        let mut own = Ask {
            case: case.clone(),
            ..ask.clone()
        };
        let host = Ask {
            name: "mcts-batched-serial",
            ..own.clone()
        };
        own.params.extend(shape.clone());
        let expected = choose(&mut *host.prepare(device).unwrap());
        let mut sampler = own.prepare(device).unwrap();
        let found = choose(&mut *sampler);
        assert_eq!(found, expected, "{case} {:?} {shape:?}", ask.position);
        for chosen in &found.0 {
            assert_eq!(chosen.visits.iter().sum::<u64>(), effort);
        }
        if times > 1 {
            let again = choose(&mut *sampler);
            assert_eq!(again, expected, "nothing is left of the search before");
        }
    }
}

#[test]
fn the_tree_grown_by_a_device_is_the_hosts_on_every_kind_of_board() {
    let Some(device) = held() else { return };
    for (case, leaves, seeds) in [
        ("board=hex7 turns=auto", 200, [1, 1 << 40, u64::MAX]),
        ("board=hex200 turns=auto", 40, [2, 77, 1 << 63]),
        ("board=hex200-merged turns=auto", 40, [3, 5, 8]),
        ("board=hex1000 turns=auto", 12, [9, 10, 11]),
        ("board=hex1000-merged turns=auto", 12, [6, 7, 1 << 33]),
    ] {
        for (at, seed) in seeds.into_iter().enumerate() {
            let params = [batches(4_096, 32), batches(100, 45), batches(33, 64)][at].clone();
            let ask = Ask {
                boards: 2,
                ..asked(case, params, seed, None)
            };
            hold(&device, &ask, leaves, leaves > 100);
        }
    }
}

/// Positions in which player 2 is to move, few turns are left, or starts stand for many cells.
#[test]
fn boards_of_ones_own_and_positions_under_way_are_searched() {
    let Some(device) = held() else { return };
    let own = write_board(&odd_board());
    let later = format!("{own}@012345670123");
    for (position, turns, params) in [
        (own.as_str(), 50, batches(64, 1)),
        (&later, 20, batches(40, 70)),
        ("hex200/4@012345671234567", 200, batches(256, 32)),
        ("hex200/5@0123456712345670", 21, batches(50, 7)),
        ("hex7/1@01", 5, batches(16, 1_024)),
    ] {
        let case = format!("board=hex7 turns={turns}");
        hold(&device, &asked(&case, params, 5, Some(position)), 60, true);
    }
}

#[test]
fn a_choice_on_a_device_says_where_its_time_went_and_keeps_to_its_time() {
    let Some(device) = held() else { return };
    for (case, most) in [
        ("board=hex200 turns=auto effort=10ms", 500),
        ("board=hex1000 turns=auto effort=200ms", 1_000),
    ] {
        let ask = asked(case, Params::new(), 1, None);
        let mut sampler = ask.prepare(&device).unwrap();
        keeps_to_its_time(&mut *sampler, (0, most), |counters, parts| {
            // Two numbers a seat of 32 playouts; some seats ask for nothing.
            assert!(parts.bytes_down >= 8 * counters.playouts / 32, "{parts:?}");
        });
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let Some(device) = held() else { return };
    let case = "board=hex7 turns=4 effort=100";
    let ask = asked(case, Params::new(), 1, Some("hex7/1@0123"));
    let (chosen, counters) = choose(&mut *ask.prepare(&device).unwrap());
    let expected = (&[Chosen::default()][..], Counters::default());
    assert_eq!((chosen.as_slice(), counters), expected);
}
