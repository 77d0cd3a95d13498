use std::time::Instant;

use crate::techniques::registry::find;
use crate::techniques::tests::host_setup;
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Case, Chosen, Counters, Params, Task, Value};

const ON_HOST: [&str; 4] = [
    "mcts-serial",
    "mcts-rayon",
    "mcts-batched-serial",
    "mcts-batched-rayon",
];

fn prepare(
    name: &str,
    case: &str,
    params: &Params,
    threads: usize,
    position: Option<&str>,
) -> Result<Box<dyn Sampler>, crate::words::Fault> {
    let case = Case::parse(case).unwrap();
    let options = Params::from([("capture".to_owned(), Value::Text("any".into()))]);
    (find("checkers", name).unwrap().prepare)(&Setup {
        options: &options,
        threads,
        position,
        ..host_setup(Task::Choose, &case, params)
    })
}

fn choose(name: &str, case: &str, threads: usize, position: Option<&str>) -> (Chosen, Counters) {
    let mut sampler = prepare(name, case, &Params::new(), threads, position).unwrap();
    match sampler.sample().unwrap() {
        (Answer::Chosen(mut chosen), counters) => (chosen.remove(0), counters),
        (other, _) => panic!("no choice: {other:?}"),
    }
}

fn whole(pairs: &[(&str, i64)]) -> Params {
    let pair = |(name, number): &(&str, i64)| ((*name).to_owned(), Value::Int(*number));
    pairs.iter().map(pair).collect()
}

#[test]
fn a_tree_a_thread_takes_several_playouts_a_leaf() {
    let params = whole(&[("playouts", 20)]);
    let mut many = prepare("mcts-rayon", "effort=301", &params, 1, None).unwrap();
    let (Answer::Chosen(chosen), counters) = many.sample().unwrap() else {
        panic!("no choice");
    };
    assert_eq!((counters.leaves, counters.playouts), (301, 20 * 301));
    assert_eq!(chosen[0].visits.iter().sum::<u64>(), 301);
    let refused = whole(&[("playouts", 0)]);
    let refused = prepare("mcts-rayon", "effort=1", &refused, 1, None).err();
    let why = refused.unwrap().to_string();
    let part = "playouts: `0`; allowed is playouts of each leaf";
    assert!(why.starts_with(part), "{why}");
}

#[test]
fn a_finished_game_has_no_move_and_fewer_leaves_than_trees_are_enough() {
    for name in ON_HOST {
        let (chosen, counters) = choose(name, "effort=100", 2, Some("B:W21:B"));
        assert_eq!((chosen, counters), (Chosen::default(), Counters::default()));
        let (chosen, _) = choose(name, "effort=1", 3, None);
        assert_eq!(chosen.visits.iter().sum::<u64>(), 1, "{name}");
        assert!(chosen.best.is_some());
    }
}

#[test]
fn a_time_bounds_a_choice() {
    for name in ON_HOST {
        for (millis, most) in [(1, 150), (100, 250)] {
            let case = format!("effort={millis}ms");
            let mut sampler = prepare(name, &case, &Params::new(), 2, None).unwrap();
            sampler.sample().unwrap();
            let mut took = u128::MAX;
            // Other processes use the processor too: one of many is enough.
            for _ in 0..50 {
                if took < most {
                    break;
                }
                let start = Instant::now();
                let (Answer::Chosen(chosen), counters) = sampler.sample().unwrap() else {
                    panic!("no choice");
                };
                took = took.min(start.elapsed().as_millis());
                assert!(chosen[0].best.is_some() && counters.playouts > 0);
                assert!(chosen[0].visits.is_empty(), "the clock decided");
            }
            assert!(took < most, "{name} in {millis} ms: {took} ms");
        }
    }
}

#[test]
fn more_leaves_than_a_tree_counts_are_refused() {
    for name in ["mcts-serial", "mcts-batched-serial", "mcts-batched-rayon"] {
        let case = "effort=5000000000";
        let mut sampler = prepare(name, case, &Params::new(), 1, None).unwrap();
        let refused = sampler.sample().unwrap_err().to_string();
        let expected = "effort: 5000000000 iterations; a tree counts at most 4294967294";
        assert_eq!(refused, expected);
    }
}
