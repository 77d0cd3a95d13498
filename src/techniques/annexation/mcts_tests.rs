//! The tree searches on the host through the interface that the harness uses.

use std::time::Instant;

use super::*;
use crate::games::annexation::write_board;
use crate::techniques::registry::find;
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Chosen, Counters};

const ON_HOST: [&str; 2] = ["mcts-serial", "mcts-batched-serial"];

fn prepare(name: &str, case: &str, boards: i64, position: Option<&str>) -> Box<dyn Sampler> {
    let made = (find("annexation", name).unwrap().prepare)(&Setup {
        task: Task::Choose,
        case: &Case::parse(case).unwrap(),
        options: &Params::from([(BOARDS.to_owned(), Value::Int(boards))]),
        params: &Params::new(),
        seed: 3,
        threads: 1,
        device: None,
        kernels: None,
        position,
        positions: None,
        opponent: None,
    });
    made.map_err(|fault| fault.to_string()).unwrap()
}

fn choose(name: &str, case: &str, position: Option<&str>) -> (Chosen, Counters) {
    match prepare(name, case, 1, position).sample().unwrap() {
        (Answer::Chosen(mut chosen), counters) => (chosen.remove(0), counters),
        (other, _) => panic!("no choice: {other:?}"),
    }
}

/// Two paths to the middle: with colour 1 the mover has four of seven cells at once.
#[test]
fn a_win_that_is_there_is_taken() {
    let colours = [0, 1, 1, 1, 2, 3, 0];
    let edges = [[0, 1], [0, 2], [0, 3], [0, 4], [4, 5], [5, 6]];
    let board = write_board(&Board::new(&colours, &edges, [0, 6]).unwrap());
    for name in ON_HOST {
        let (chosen, counters) = choose(name, "board=hex7 turns=3 effort=300", Some(&board));
        assert_eq!(chosen.best.as_deref(), Some("1"), "{name}");
        assert!(chosen.visits[0] > chosen.visits[1], "{:?}", chosen.visits);
        assert!(counters.playouts < 300 * 32, "wins are not played on");
    }
}

/// By the plain rules: in a small board's last turns the best move has the best minimax value.
#[test]
fn the_minimax_move_is_found_near_the_end() {
    let mut asked = 0;
    let beginnings = (0..16).flat_map(|number| (0..3).map(move |played| (number, played)));
    for (number, played) in beginnings {
        let mut standing = Standing::start(Kind::Hex7, number).unwrap();
        while standing.colours().len() > 1 && standing.position().turn() < played {
            standing = standing.play(standing.colours()[0]);
        }
        let turns = standing.position().turn() + 4;
        let values: Vec<i64> = standing
            .colours()
            .iter()
            .map(|colour| -value(&standing.play(*colour), turns))
            .collect();
        let Some(most) = values.iter().max() else {
            continue;
        };
        if values.iter().all(|value| value == most) {
            continue;
        }
        asked += 1;
        let case = format!("board=hex7 turns={turns} effort=4000");
        for name in ON_HOST {
            let (chosen, _) = choose(name, &case, Some(&standing.to_string()));
            let best: u8 = chosen.best.unwrap().parse().unwrap();
            let place = standing.colours().iter().position(|own| *own == best);
            assert_eq!(values[place.unwrap()], *most, "{name}: {standing} {best}");
        }
    }
    assert!(asked > 5, "{asked} positions with a choice");
}

/// 1 if the mover wins, -1 if it loses.
fn value(standing: &Standing, turns: u32) -> i64 {
    let position = standing.position();
    if position.turn() >= turns || position.is_decided() {
        let lead = standing.lead().signum();
        return if position.mover() == crate::games::annexation::Player::First {
            lead
        } else {
            -lead
        };
    }
    let colours = standing.colours();
    if colours.is_empty() {
        return -value(&standing.pass(), turns);
    }
    let values = colours
        .iter()
        .map(|colour| -value(&standing.play(*colour), turns));
    values.max().unwrap()
}

#[test]
fn a_finished_game_has_no_move() {
    for name in ON_HOST {
        let case = "board=hex7 turns=4 effort=100";
        let found = choose(name, case, Some("hex7/1@0123"));
        assert_eq!(found, (Chosen::default(), Counters::default()));
    }
}

#[test]
fn a_time_bounds_a_choice() {
    for name in ON_HOST {
        let mut sampler = prepare(name, "board=hex1000 effort=100ms", 1, None);
        // Other processes use the processor too: one of many is enough.
        let is_in_time = (0..30).any(|_| {
            let start = Instant::now();
            let (Answer::Chosen(chosen), counters) = sampler.sample().unwrap() else {
                panic!("no choice");
            };
            assert!(chosen[0].best.is_some() && counters.playouts > 0);
            assert!(chosen[0].visits.is_empty(), "the clock decided");
            start.elapsed().as_millis() < 500
        });
        assert!(is_in_time, "{name}");
    }
}
