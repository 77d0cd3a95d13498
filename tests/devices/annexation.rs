//! Annexation's kernels against the plain techniques of the host, on a real device: pocl's on most machines.

use super::{held, setup};
use plybench::games::annexation::{Board, Kind, write_board};
use plybench::opencl::Device;
use plybench::techniques::{Sampler, Setup, registry};
use plybench::words::{Answer, Case, Fault, Kind as Runs, Params, Tally, Task, Value};

/// What a test asks of a technique.
#[derive(Clone)]
pub(super) struct Ask<'a> {
    pub name: &'a str,
    pub params: Params,
    pub task: Task,
    pub case: String,
    pub boards: i64,
    pub seed: u64,
    pub position: Option<&'a str>,
}

impl Ask<'_> {
    pub fn prepare(&self, device: &Device) -> Result<Box<dyn Sampler>, Fault> {
        let technique = registry::find("annexation", self.name).unwrap();
        (technique.prepare)(&Setup {
            options: &Params::from([("boards".to_owned(), Value::Int(self.boards))]),
            params: &self.params,
            seed: self.seed,
            threads: 2,
            position: self.position,
            ..setup(self.task, &Case::parse(&self.case).unwrap(), Some(device))
        })
    }

    fn tallies(&self, device: &Device) -> Vec<Tally> {
        let mut sampler = self.prepare(device).unwrap();
        let Answer::Tallies(tallies) = sampler.sample().unwrap().0 else {
            panic!("no tallies");
        };
        tallies
    }
}

fn playouts<'a>(case: &str, boards: i64, seed: u64) -> Ask<'a> {
    Ask {
        name: "serial-sliced",
        params: Params::new(),
        task: Task::Playouts,
        case: case.to_owned(),
        boards,
        seed,
        position: None,
    }
}

/// Whether a technique cannot run here for a reason that is the device's own.
fn unsupported(ask: &Ask<'_>, device: &Device) -> bool {
    match ask.prepare(device) {
        Err(Fault::Unsupported(why)) => {
            eprintln!("skipped: {}: {why}", ask.name);
            assert!(ask.name == "frames" && !device.info().images, "{why}");
            true
        }
        _ => false,
    }
}

/// The device techniques, each in the shapes that it has.
fn shapes() -> Vec<(&'static str, Params)> {
    let mut shapes: Vec<(&str, Params)> = registry::catalogue()
        .of_game("annexation")
        .filter(|entry| entry.kind == Runs::Device && entry.tasks.contains(&Task::Playouts))
        .map(|entry| (entry.name, Params::new()))
        .collect();
    assert_eq!(shapes.len(), 4, "{shapes:?}");
    let set = |pairs: &[(&str, Value)]| {
        let pairs = pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()));
        pairs.collect::<Params>()
    };
    let groups = ("shape", Value::Text("groups".into()));
    shapes.push(("sliced", set(&[groups])));
    shapes.push(("frames-buffer", set(&[("rows", Value::Int(64))])));
    shapes
}

/// Every technique in every shape against the host.
fn hold(device: &Device, ask: &Ask<'_>) {
    let expected = ask.tallies(device);
    for (name, params) in shapes() {
        let own = Ask {
            name,
            params: params.clone(),
            ..ask.clone()
        };
        if !unsupported(&own, device) {
            assert_eq!(
                own.tallies(device),
                expected,
                "{name} {params:?} {}",
                ask.case
            );
        }
    }
}

#[test]
fn every_technique_tallies_what_the_host_does_on_every_kind_of_board() {
    let Some(device) = held() else { return };
    // Few on the larger ones: on a processor the frames take a second for a hundred.
    for (kind, counts) in [
        (Kind::Hex7, &[1, 77, 200][..]),
        (Kind::Hex200, &[1, 37]),
        (Kind::Hex200Merged, &[33]),
        (Kind::Hex1000, &[5]),
        (Kind::Hex1000Merged, &[3]),
    ] {
        for (seed, count) in counts.iter().enumerate() {
            let case = format!("board={kind} turns=auto playouts={count}");
            let boards = if *count > 5 { 2 } else { 1 };
            hold(&device, &playouts(&case, boards, 1 + 40 * seed as u64));
        }
    }
}

/// All techniques as they are, and the shape of `sliced` that this device does not choose, on every board.
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
            let expected = asks.each_ref().map(|ask| ask.tallies(&device));
            assert_eq!(expected[0].len(), 16);
            for (name, params) in shapes_on_all_boards() {
                let own = params.is_empty() && name == "sliced";
                let ask = Ask {
                    name,
                    params,
                    ..asks[usize::from(!own)].clone()
                };
                if !unsupported(&ask, &device) {
                    let tallies = ask.tallies(&device);
                    assert_eq!(
                        tallies,
                        expected[usize::from(!own)],
                        "{name}, {kind}, {seed}"
                    );
                }
            }
        }
    }
}

/// Each technique in one shape, `sliced` in both.
fn shapes_on_all_boards() -> Vec<(&'static str, Params)> {
    let text = |text: &str| Value::Text(text.into());
    let groups = Params::from([("shape".to_owned(), text("groups"))]);
    let items = Params::from([("shape".to_owned(), text("items"))]);
    let rows = Params::from([("rows".to_owned(), Value::Int(32))]);
    vec![
        ("frames", rows.clone()),
        ("frames-buffer", rows.clone()),
        ("frames-readback", rows),
        ("sliced", Params::new()),
        ("sliced", groups),
        ("sliced", items),
    ]
}

#[test]
fn the_turns_asked_for_are_played_and_no_more() {
    let Some(device) = held() else { return };
    for turns in [0, 1, 2, 15, 16, 17, 33] {
        let case = format!("board=hex200 turns={turns} playouts=40");
        hold(&device, &playouts(&case, 1, 9));
    }
}

/// Stars and paths: cells with one neighbour and with thirty, of one colour beside each other.
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
            position: Some(position),
            ..playouts("board=hex7 turns=50 playouts=77", 1, 5)
        };
        hold(&device, &ask);
    }
}

/// A grid in which every second cell has a diagonal too: of so many cells that a work-item has more than
/// one, and that groups which are not full end within a word of playouts.
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
    // More than MOST_ITEMS work-items of a group.
    assert!(cells > 1024 + 2);
    let colours: Vec<u64> = (0..cells).map(|cell| cell * cell / 7 % 8).collect();
    let text = write_board(&Board::new(&colours, &edges, [0, cells - 1]).unwrap());
    let ask = Ask {
        position: Some(&text),
        ..playouts("board=hex7 turns=150 playouts=33", 1, 11)
    };
    let tally = &ask.tallies(&device)[0];
    // Something is at stake in them.
    assert!(tally.wins > 0 && tally.losses > 0, "{tally:?}");
    hold(&device, &ask);
    hold(
        &device,
        &playouts("board=hex7 turns=auto playouts=33", 16, 8),
    );
}

/// Every sample pays for its transfers, whether the device had the board from the one before or not.
#[test]
fn a_sample_sends_its_boards_again() {
    let Some(device) = held() else { return };
    for (name, params) in shapes() {
        for boards in [1, 2] {
            let ask = Ask {
                name,
                params: params.clone(),
                ..playouts("board=hex7 turns=auto playouts=32", boards, 5)
            };
            if unsupported(&ask, &device) {
                continue;
            }
            let mut sampler = ask.prepare(&device).unwrap();
            let mut sent = || {
                sampler.telemetry();
                sampler.sample().unwrap();
                sampler.telemetry().parts.bytes_up
            };
            let first = sent();
            assert!(first > 0, "{name} {params:?}, {boards}");
            assert_eq!(sent(), first, "{name} {params:?}, {boards}");
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
    let expected = ask.prepare(&device).unwrap().sample().unwrap();
    for (name, params) in shapes() {
        let own = Ask {
            name,
            params,
            ..ask.clone()
        };
        if !unsupported(&own, &device) {
            let mut sampler = own.prepare(&device).unwrap();
            assert_eq!(sampler.sample().unwrap(), expected, "{name}");
            assert_eq!(sampler.sample().unwrap(), expected, "{name}, again");
        }
    }
}

#[test]
fn a_board_too_large_for_a_group_is_refused_with_its_size() {
    let Some(device) = held() else { return };
    // A path.
    let edges: Vec<[u64; 2]> = (1..65_536).map(|cell| [cell - 1, cell]).collect();
    let board = Board::new(&vec![0; 65_536], &edges, [0, 65_535]).unwrap();
    let text = write_board(&board);
    let shape = ("shape".to_owned(), Value::Text("groups".into()));
    let ask = Ask {
        name: "sliced",
        params: Params::from([shape]),
        position: Some(&text),
        ..playouts("board=hex7 turns=1 playouts=32", 1, 5)
    };
    match ask.prepare(&device) {
        Err(Fault::Memory(why) | Fault::Unsupported(why)) => {
            assert!(why.starts_with("65536 cells"), "{why}");
        }
        other => panic!("{:?}", other.err()),
    }
}
