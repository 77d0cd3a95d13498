//! The tree searches on the host through the interface that the harness uses.

use super::play::BOARDS;
use super::*;
use crate::games::annexation::Kind;
use crate::techniques::Setup;
use crate::techniques::registry::find;
use crate::techniques::tests::host_setup;
use crate::words::{Answer, Case, Chosen, Counters, Params, Task, Value};

const ON_HOST: [&str; 2] = ["mcts-serial", "mcts-batched-serial"];

fn choose(name: &str, case: &str, position: Option<&str>) -> (Chosen, Counters) {
    let prepared = (find("annexation", name).unwrap().prepare)(&Setup {
        options: &Params::from([(BOARDS.name.to_owned(), Value::Int(1))]),
        seed: 3,
        threads: 1,
        position,
        ..host_setup(Task::Choose, &Case::parse(case).unwrap(), &Params::new())
    });
    match prepared.map(|mut it| it.sample()) {
        Ok(Ok((Answer::Chosen(mut chosen), counters))) => (chosen.remove(0), counters),
        Ok(other) => panic!("no choice: {other:?}"),
        Err(fault) => panic!("{fault}"),
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
