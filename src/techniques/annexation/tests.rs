//! Tests the host techniques through the interface of the harness.

use super::play::BOARDS;
use super::*;
use crate::games::annexation::{Board, Draws, Kind, Player, write_board};
use crate::techniques::Sampler;
use crate::techniques::tests::Ask;
use crate::words::{Answer, Kind as Runs, Params, Tally, Task, Value};

/// The seed has high and low bits.
const SEED: u64 = u64::MAX - 6;

fn ask<'a>(task: Task, case: &'a str, boards: i64, position: Option<&'a str>) -> Ask<'a> {
    Ask {
        options: Params::from([(BOARDS.name.to_owned(), Value::Int(boards))]),
        seed: SEED,
        position,
        ..Ask::serial("annexation", task, case)
    }
}

fn tallies(sampler: &mut dyn Sampler) -> Vec<Tally> {
    match sampler.sample().unwrap().0 {
        Answer::Tallies(tallies) => tallies,
        other => panic!("no tallies: {other:?}"),
    }
}

/// Returns the host techniques, except those that play other games.
fn on_host() -> impl Iterator<Item = &'static str> {
    let entries = TECHNIQUES.iter().map(|technique| technique.entry);
    let host = entries.filter(|entry| entry.kind != Runs::Device && entry.reference == "serial");
    host.map(|entry| entry.name)
}

/// Plays under the plain rules.
fn by_the_rules(standing: &Standing, turns: u32, playouts: u64) -> Tally {
    let draws = Draws::new(SEED);
    let mut tally = Tally::default();
    for playout in 0..playouts {
        let mut end = standing.position().clone();
        for turn in 0..turns - standing.position().turn {
            end = end.play(draws.colour(playout, turn));
        }
        let mover = standing.position().mover();
        match end.cells(mover).cmp(&end.cells(mover.other())) {
            std::cmp::Ordering::Greater => tally.wins += 1,
            std::cmp::Ordering::Equal => tally.draws += 1,
            std::cmp::Ordering::Less => tally.losses += 1,
        }
    }
    tally
}

/// Compares a few playouts on every board of the experiments with the plain rules.
#[test]
fn all_sixteen_boards_are_played() {
    for kind in Kind::ALL {
        let case = format!("board={kind} turns=auto playouts=3");
        let tally = |number: u32| {
            let start = Standing::start(kind, number).unwrap();
            let turns = start.position().board().default_turns();
            by_the_rules(&start, turns, 3)
        };
        let expected: Vec<Tally> = (0..16).map(tally).collect();
        for name in on_host() {
            let mut sampler = ask(Task::Playouts, &case, 16, None).of(name).ready();
            assert_eq!(tallies(&mut *sampler), expected, "{name}, {kind}");
        }
    }
}

#[test]
fn playouts_begin_where_the_position_says() {
    let moves = "0123456701234567012345";
    for position in [format!("hex200/5@{moves}"), format!("hex200/5@{moves}6")] {
        let standing = Standing::parse(&position).unwrap();
        assert_eq!(standing.to_string(), position);
        let expected = by_the_rules(&standing, 150, 100);
        for name in on_host() {
            let case = "board=hex7 turns=150 playouts=100";
            let mut sampler = ask(Task::Playouts, case, 1, Some(&position))
                .of(name)
                .ready();
            assert_eq!(tallies(&mut *sampler), std::slice::from_ref(&expected));
            assert!(sampler.telemetry().facts.is_empty());
        }
    }
    // No turns are left, so the result is final.
    let over = format!("hex200/5@{moves}");
    let case = "board=hex7 turns=22 playouts=9";
    let mut sampler = ask(Task::Playouts, case, 1, Some(&over))
        .of("serial-sliced")
        .ready();
    let lead = Standing::parse(&over).unwrap().lead();
    let tally = &tallies(&mut *sampler)[0];
    assert_eq!((tally.wins == 9, tally.losses == 9), (lead > 0, lead < 0));
}

#[test]
fn a_board_of_ones_own_is_a_position_with_its_moves() {
    // The cells form a path.
    let edges = [[0, 1], [1, 2], [2, 3], [3, 4]];
    let board = Board::new(&[0, 1, 2, 3, 4], &edges, [0, 4]).unwrap();
    let text = write_board(&board);
    let start = Standing::parse(&text).unwrap();
    assert_eq!(start, Standing::of_board(board));
    let played = start.play(1).play(3).pass();
    assert_eq!(played.to_string(), format!("{text}@13-"));
    assert_eq!(Standing::parse(&played.to_string()).unwrap(), played);
    assert_eq!((played.lead(), played.colours()), (0, vec![2]));
    assert_eq!(played.position().mover(), Player::Second);
    let comment = format!("# me@home\n{text}");
    let found = Standing::parse(&comment).unwrap();
    assert_eq!(found.position(), start.position());
    let case = "board=hex7 turns=auto playouts=500";
    let mut sampler = ask(Task::Playouts, case, 1, Some(&text)).ready();
    assert_eq!(tallies(&mut *sampler), [by_the_rules(&start, 60, 500)]);
}

#[test]
fn flat_monte_carlo_names_what_wins_and_all_techniques_choose_alike() {
    // Two paths lead to the middle. With colour 1, the mover gets four of the seven cells at once.
    let colours = [0, 1, 1, 1, 2, 3, 0];
    let edges = [[0, 1], [0, 2], [0, 3], [0, 4], [4, 5], [5, 6]];
    let board = write_board(&Board::new(&colours, &edges, [0, 6]).unwrap());
    for name in on_host() {
        for (effort, tried) in [(300, [150, 150].to_vec()), (7, [4, 3].to_vec())] {
            let case = format!("board=hex7 turns=3 effort={effort}");
            let (chosen, counters) = ask(Task::Choose, &case, 1, Some(&board)).of(name).choose();
            assert_eq!(chosen.best.as_deref(), Some("1"), "{name}");
            assert_eq!(chosen.visits, tried);
            assert_eq!(counters.playouts, effort);
        }
    }
    let case = "board=hex200 turns=auto effort=5000";
    let choice = |name| ask(Task::Choose, case, 2, None).of(name).sample();
    let expected = choice("serial");
    assert!(on_host().all(|name| choice(name) == expected));
}

#[test]
fn facts_say_how_large_boards_are_and_what_is_left_of_them() {
    let case = "board=hex200-merged turns=20 playouts=1";
    let facts = ask(Task::Playouts, case, 16, None)
        .ready()
        .telemetry()
        .facts;
    let fact = |name: &str| facts.iter().find(|fact| fact.1 == name).unwrap();
    let (axes, _, cells) = fact("cells");
    assert_eq!(axes, "board=hex200-merged");
    assert!((180.0..220.0).contains(cells), "{cells}");
    let (axes, _, unsettled) = fact("unsettled-percent");
    assert_eq!(axes, "board=hex200-merged turns=20");
    assert_eq!(*unsettled, 100.0);
    let later = fact("unowned-percent-at-200").2;
    assert!(later > 0.0 && later < fact("unowned-percent").2, "{later}");
    assert_eq!(fact("playouts-looked-at").2, 16.0 * 1024.0);
    let open = [
        fact("undecided-percent").2,
        fact("undecided-percent-at-200").2,
    ];
    assert!(open[0] > 99.0 && open[1] < 1.0, "{open:?}");
    // The facts describe the kind of board, even if a case plays only a few of its boards.
    let of_one = ask(Task::Playouts, case, 1, None).ready().telemetry().facts;
    for (own, other) in of_one.iter().zip(&facts) {
        assert_eq!(own == other, own.1 != "cells-played", "{own:?} {other:?}");
    }
    let played = of_one.iter().find(|fact| fact.1 == "cells-played").unwrap();
    let (board, _) = Kind::Hex200Merged.board(0).unwrap();
    assert_eq!(played.2, board.cells() as f64);
}
