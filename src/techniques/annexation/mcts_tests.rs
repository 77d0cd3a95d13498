//! Tests the host's tree searches through the interface of the harness.

use super::*;
use crate::games::annexation::Kind;
use crate::techniques::tests::{Ask, params};
use crate::words::Task;

/// In the last turns on a small board, the chosen move must have the best minimax value under the plain rules.
#[test]
fn the_minimax_move_is_found_near_the_end() {
    let mut asked = 0;
    let beginnings = (0..16).flat_map(|number| (0..3).map(move |played| (number, played)));
    for (number, played) in beginnings {
        let mut standing = Standing::start(Kind::Hex7, number).unwrap();
        while standing.colours().len() > 1 && standing.position().turn < played {
            standing = standing.play(standing.colours()[0]);
        }
        let turns = standing.position().turn + 4;
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
        let position = standing.to_string();
        for name in ["mcts-serial", "mcts-batched-serial"] {
            let ask = Ask {
                options: params("boards=1"),
                seed: 3,
                threads: 1,
                position: Some(&position),
                ..Ask::serial("annexation", Task::Choose, &case).of(name)
            };
            let (chosen, _) = ask.choose();
            let best: u8 = chosen.best.unwrap().parse().unwrap();
            let place = standing.colours().iter().position(|own| *own == best);
            assert_eq!(values[place.unwrap()], *most, "{name}: {standing} {best}");
        }
    }
    assert!(asked > 5, "{asked} positions with a choice");
}

/// Returns 1 if the mover wins, and -1 if the mover loses.
fn value(standing: &Standing, turns: u32) -> i64 {
    let position = standing.position();
    if position.turn >= turns || position.is_decided() {
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
