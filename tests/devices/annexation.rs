//! Compares Annexation's kernels on a real device (usually pocl) with the plain host techniques.

use super::{Ask, held, params};
use plybench::games::annexation::{Board, Kind, write_board};
use plybench::opencl::Device;
use plybench::techniques::{Sampler, registry};
use plybench::words::{Answer, Fault, Kind as Runs, Task};

fn playouts<'a>(case: &str, boards: i64, seed: u64) -> Ask<'a> {
    Ask {
        options: params(&format!("boards={boards}")),
        seed,
        ..Ask::new("annexation", "serial-sliced", Task::Playouts, case)
    }
}

/// Prepares a technique. Returns `None` if the device lacks a feature that the technique requires.
fn made(ask: &Ask<'_>, device: &Device) -> Option<Box<dyn Sampler>> {
    match ask.made(Some(device)) {
        Err(Fault::Unsupported(why)) => {
            eprintln!("skipped: {}: {why}", ask.name);
            assert!(ask.name == "frames" && !device.info().images, "{why}");
            None
        }
        made => Some(made.unwrap_or_else(|fault| panic!("{ask:?}: {fault}"))),
    }
}

fn shapes() -> Vec<(&'static str, &'static str)> {
    let mut shapes: Vec<(&str, &str)> = registry::catalogue()
        .of_game("annexation")
        .filter(|entry| entry.kind == Runs::Device && entry.tasks.contains(&Task::Playouts))
        .map(|entry| (entry.name, ""))
        .collect();
    assert_eq!(shapes.len(), 4, "{shapes:?}");
    shapes.extend([("sliced", "shape=groups"), ("frames-buffer", "rows=64")]);
    shapes
}

/// Compares every technique with the host, in each shape of its kernels.
fn hold(device: &Device, ask: &Ask<'_>) {
    let expected = ask.sample(device);
    for (name, given) in shapes() {
        let own = ask.of(name, &params(given));
        let Some(mut sampler) = made(&own, device) else {
            continue;
        };
        assert_eq!(sampler.sample().unwrap().0, expected.0, "{own:?}");
    }
}

/// Covers all sixteen boards of each kind, and every shape of `sliced`.
#[test]
fn all_sixteen_boards_are_played() {
    all_sixteen_boards(&[1 << 40]);
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of a kernel"]
fn long_all_sixteen_boards_are_played_for_more_seeds() {
    all_sixteen_boards(&[3, u64::MAX]);
}

fn all_sixteen_boards(seeds: &[u64]) {
    let Some(device) = held() else { return };
    for kind in Kind::ALL {
        let large = matches!(kind, Kind::Hex1000 | Kind::Hex1000Merged);
        for &seed in seeds {
            let many = if large { 1_030 } else { 2_500 };
            let (few, turns) = if large { (2, "60") } else { (5, "100") };
            let of = |count: u64, turns: &str| {
                let case = format!("board={kind} turns={turns} playouts={count}");
                playouts(&case, 16, seed)
            };
            let asks = [of(many, "auto"), of(few, turns)];
            let expected = asks.each_ref().map(|ask| ask.sample(&device).0);
            assert!(matches!(&expected[0], Answer::Tallies(all) if all.len() == 16));
            // Each frame technique runs in a single shape. `sliced` runs in all shapes.
            for (name, given) in [
                ("frames", "rows=32"),
                ("frames-buffer", "rows=32"),
                ("frames-readback", "rows=32"),
                ("sliced", ""),
                ("sliced", "shape=groups"),
                ("sliced", "shape=items"),
            ] {
                let which = usize::from(!given.is_empty());
                let ask = asks[which].of(name, &params(given));
                if let Some(mut sampler) = made(&ask, &device) {
                    assert_eq!(sampler.sample().unwrap().0, expected[which], "{ask:?}");
                }
            }
        }
    }
}

#[test]
fn the_turns_asked_for_are_played_and_no_more() {
    let Some(device) = held() else { return };
    for turns in [0, 1, 2, 15, 16, 17, 33] {
        let case = format!("board=hex200 turns={turns} playouts=40");
        hold(&device, &playouts(&case, 1, 9));
    }
}

/// Creates a board of stars and paths. Cells have one or about thirty neighbours, some of them in the same colour.
pub(super) fn odd_board() -> Board {
    let mut edges: Vec<[u64; 2]> = (1..40).map(|cell| [cell - 1, cell]).collect();
    edges.extend((41..70).flat_map(|cell| [[40, cell], [cell, cell - 41]]));
    edges.extend((2..30).map(|cell| [1, cell]));
    let colours: Vec<u64> = (0..70).map(|cell| cell * cell / 5 % 8).collect();
    Board::new(&colours, &edges, [0, 69]).unwrap()
}

#[test]
fn boards_of_ones_own_and_positions_under_way_are_played() {
    let Some(device) = held() else { return };
    let own = write_board(&odd_board());
    let later = format!("{own}@0123456701234");
    for position in [
        own.as_str(),
        &later,
        "hex200/4@0123456712345670",
        "hex7/1@0123",
    ] {
        let ask = Ask {
            position: Some(position.to_owned()),
            ..playouts("board=hex7 turns=50 playouts=77", 1, 5)
        };
        hold(&device, &ask);
    }
}

/// Tests a grid in which every second cell has a diagonal edge. Each work-item handles several cells. The last word of
/// playouts is only partly used.
#[test]
fn more_cells_than_work_items_are_played_and_groups_that_are_not_full() {
    let Some(device) = held() else { return };
    let (wide, high) = (34, 33);
    let at = |x: u64, y: u64| y * wide + x;
    let mut edges = Vec::new();
    for y in 0..high {
        for x in 0..wide {
            if x + 1 < wide {
                edges.push([at(x, y), at(x + 1, y)]);
            }
            if y + 1 < high {
                edges.push([at(x, y), at(x, y + 1)]);
                if x + 1 < wide && (x + y) % 2 == 0 {
                    edges.push([at(x, y), at(x + 1, y + 1)]);
                }
            }
        }
    }
    let cells = wide * high;
    // The grid has more cells than a group can have work-items (`MOST_ITEMS`).
    assert!(cells > 1024 + 2);
    let colours: Vec<u64> = (0..cells).map(|cell| cell * cell / 7 % 8).collect();
    let text = write_board(&Board::new(&colours, &edges, [0, cells - 1]).unwrap());
    let ask = Ask {
        position: Some(text),
        ..playouts("board=hex7 turns=150 playouts=33", 1, 11)
    };
    // The games must include wins and losses.
    let Answer::Tallies(tallies) = ask.sample(&device).0 else {
        panic!("no tallies")
    };
    assert!(tallies[0].wins > 0 && tallies[0].losses > 0, "{tallies:?}");
    hold(&device, &ask);
    hold(
        &device,
        &playouts("board=hex7 turns=auto playouts=33", 16, 8),
    );
}

/// Every sample must include its transfers, even if the device still has the previous sample's board.
#[test]
fn a_sample_sends_its_boards_again() {
    let Some(device) = held() else { return };
    for (name, given) in shapes() {
        for boards in [1, 2] {
            let ask = playouts("board=hex7 turns=auto playouts=32", boards, 5);
            let ask = ask.of(name, &params(given));
            let Some(mut sampler) = made(&ask, &device) else {
                continue;
            };
            let mut sent = || {
                sampler.telemetry();
                sampler.sample().unwrap();
                sampler.telemetry().parts.bytes_up
            };
            let first = sent();
            assert!(first > 0, "{ask:?}");
            assert_eq!(sent(), first, "{ask:?}");
        }
    }
}

#[test]
fn a_choice_is_the_hosts_and_a_second_batch_goes_on_where_the_first_ended() {
    let Some(device) = held() else { return };
    let ask = Ask {
        task: Task::Choose,
        ..playouts("board=hex7 turns=auto effort=301", 2, 5)
    };
    let expected = ask.sample(&device);
    for (name, given) in shapes() {
        let own = ask.of(name, &params(given));
        if let Some(mut sampler) = made(&own, &device) {
            assert_eq!(sampler.sample().unwrap(), expected, "{own:?}");
            assert_eq!(sampler.sample().unwrap(), expected, "{own:?}, again");
        }
    }
}

#[test]
fn a_board_too_large_for_a_group_is_refused_with_its_size() {
    let Some(device) = held() else { return };
    // The cells form a path.
    let edges: Vec<[u64; 2]> = (1..65_536).map(|cell| [cell - 1, cell]).collect();
    let board = Board::new(&vec![0; 65_536], &edges, [0, 65_535]).unwrap();
    let ask = Ask {
        name: "sliced",
        params: params("shape=groups"),
        position: Some(write_board(&board)),
        ..playouts("board=hex7 turns=1 playouts=32", 1, 5)
    };
    match ask.made(Some(&device)) {
        Err(Fault::Memory(why) | Fault::Unsupported(why)) => {
            assert!(why.starts_with("65536 cells"), "{why}");
        }
        other => panic!("{:?}", other.err()),
    }
}
