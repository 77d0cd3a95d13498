//! Tree search of checkers with its playouts on a real device, pocl's on most machines, against the same batches played
//! on the host. Without any device, each test says so and passes.

use super::checkers::rules;
use super::{held, setup};
use plybench::opencl::Device;
use plybench::techniques::{Sampler, Setup, registry};
use plybench::words::{Answer, Case, Chosen, Counters, Params, Parts, Task, Value};

fn sampler(
    device: Option<&Device>,
    name: &str,
    case: &str,
    options: &Params,
    params: &Params,
    seed: u64,
) -> Box<dyn Sampler> {
    let technique = registry::find("checkers", name).unwrap();
    let case = Case(
        case.split(';')
            .map(|pair| pair.split_once('=').unwrap())
            .map(|(name, value)| (name.to_owned(), Value::parse(value)))
            .collect(),
    );
    let made = (technique.prepare)(&Setup {
        options,
        params,
        seed,
        ..setup(Task::Choose, &case, device)
    });
    made.map_err(|fault| fault.to_string()).unwrap()
}

/// The one choice of a sample, and what it counted.
pub(super) fn choose(sampler: &mut dyn Sampler) -> (Chosen, Counters) {
    match sampler.sample().unwrap() {
        (Answer::Chosen(mut chosen), counters) => (chosen.remove(0), counters),
        (other, _) => panic!("no choice: {other:?}"),
    }
}

fn params(leaves: i64, playouts: i64) -> Params {
    Params::from([
        ("leaves".to_owned(), Value::Int(leaves)),
        ("playouts".to_owned(), Value::Int(playouts)),
    ])
}

/// The start, a middle game, kings that capture round corners, White to move near a draw, one that is decided in a few
/// plies.
pub(super) const POSITIONS: [&str; 5] = [
    "start",
    "W:W16,19,21,22,23,27,30:B1,2,6,7,9,12,14",
    "B:W6,7,14,15,22,23,K24:BK2,K10,K19,K26,11",
    "W:W32,K31,30:BK1,2,K3",
    "B:W18,27,30:B14,15",
];

/// Every root's visits, and with them every leaf's points, are those of the host; so are the plies.
#[test]
fn the_tree_grown_by_a_device_is_the_hosts() {
    let Some(device) = held() else { return };
    for (options, params, iterations) in [
        (rules("longest", 50), params(256, 32), 1_500),
        (rules("any", 80), params(100, 5), 2_500),
        (rules("any", 1), params(7, 64), 400),
    ] {
        for seed in [1, 2, 77] {
            for position in POSITIONS {
                let case = format!("position={position};effort={iterations}");
                let chosen = |name, device| {
                    choose(&mut *sampler(device, name, &case, &options, &params, seed))
                };
                let (expected, counted) = chosen("mcts-batched-serial", None);
                let (found, counters) = chosen("mcts", Some(&*device));
                assert_eq!(found, expected, "{position} seed {seed}");
                assert_eq!(counters, counted, "{position} seed {seed}");
                assert_eq!(found.visits.iter().sum::<u64>(), iterations);
            }
        }
    }
}

/// Chooses until a choice ends in time. Other processes use the processor too, so that one of many is enough.
pub(super) fn keeps_to_its_time(
    sampler: &mut dyn Sampler,
    (least, most): (u128, u128),
    check: impl Fn(&Counters, &Parts),
) {
    sampler.sample().unwrap();
    sampler.telemetry();
    let is_in_time = (0..50).any(|_| {
        let start = std::time::Instant::now();
        let (answer, counters) = sampler.sample().unwrap();
        let took = start.elapsed();
        let Answer::Chosen(chosen) = answer else {
            panic!("no choice: {answer:?}")
        };
        assert!(chosen[0].best.is_some() && counters.playouts > 0);
        assert!(took.as_millis() >= least, "{took:?}");
        let parts = sampler.telemetry().parts;
        assert!(parts.launches > 0 && parts.bytes_up > 0, "{parts:?}");
        assert!(u128::from(parts.sum_ns()) <= took.as_nanos(), "{parts:?}");
        check(&counters, &parts);
        took.as_millis() <= most
    });
    assert!(is_in_time, "{least} to {most} ms");
}

#[test]
fn a_choice_on_a_device_says_where_its_time_went_and_keeps_to_its_time() {
    let Some(device) = held() else { return };
    let options = rules("any", 80);
    for (case, least, most) in [("effort=1ms", 0, 100), ("effort=200ms", 100, 250)] {
        let params = params(4096, 32);
        let mut sampler = sampler(Some(&*device), "mcts", case, &options, &params, 1);
        keeps_to_its_time(&mut *sampler, (least, most), |counters, parts| {
            let per_leaf = 4 * counters.playouts / 32 + 4 * 4 * parts.launches;
            assert_eq!(parts.bytes_down, per_leaf, "{parts:?}");
        });
    }
    let (case, none) = ("position=B:W21:B;effort=100", Params::new());
    let mut over = sampler(Some(&*device), "mcts", case, &options, &none, 1);
    assert_eq!(choose(&mut *over).0, Chosen::default());
}
