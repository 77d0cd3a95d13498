use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::techniques::tests::host_setup;
use crate::techniques::{Prepare, Setup};
use crate::words::{Case, Params, Tally, Task};

/// A fake technique. Playout `n` wins if its hash is odd. Its number of plies depends on the seed, so that a test
/// notices another seed.
struct Fake {
    seed: u64,
    division: Division,
    act: fn(&Part) -> Result<(), Fault>,
    parts: Vec<Part>,
}

fn tally(numbers: std::ops::Range<u64>, seed: u64) -> Tally {
    let won = |number: &u64| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) & 1 == 1;
    let count = numbers.end - numbers.start;
    let wins = numbers.filter(won).count() as u64;
    Tally {
        wins,
        losses: count - wins,
        plies: count * (seed % 1000),
        ..Tally::default()
    }
}

const PLAYOUTS: u64 = 10_007;

impl Sampler for Fake {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        Err(undivided())
    }

    fn units(&self) -> u64 {
        PLAYOUTS
    }

    fn division(&self) -> Option<Division> {
        Some(self.division)
    }

    fn part(&mut self, part: &Part) -> Result<(Answer, Counters), Fault> {
        (self.act)(part)?;
        self.parts.push(*part);
        let numbers = part.of_things(PLAYOUTS);
        let counters = Counters {
            playouts: numbers.end - numbers.start,
            ..Counters::default()
        };
        Ok((Answer::Tallies(vec![tally(numbers, self.seed)]), counters))
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry::noted(format!("{} parts", self.parts.len()))
    }
}

fn fake(
    setup: &Setup<'_>,
    division: Division,
    act: fn(&Part) -> Result<(), Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    Ok(Box::new(Fake {
        seed: setup.seed,
        division,
        act,
        parts: Vec::new(),
    }))
}

/// Returns true if a part runs on a device other than the cell's.
fn is_other(part: &Part) -> bool {
    part.from > 0.0
}

fn fleet(prepare_one: Prepare, members: usize) -> Result<Box<dyn Sampler>, Fault> {
    fleet_at(&Case::default(), prepare_one, members)
}

fn fleet_at(case: &Case, prepare_one: Prepare, members: usize) -> Result<Box<dyn Sampler>, Fault> {
    let none = Params::new();
    let setup = Setup {
        seed: 7,
        ..host_setup(Task::Playouts, case, &none)
    };
    prepare(prepare_one, &setup, &vec![None; members])
}

fn tally_of(sampler: &mut dyn Sampler) -> Tally {
    match sampler.sample().unwrap().0 {
        Answer::Tallies(mut tallies) => tallies.remove(0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_tally_is_the_same_however_many_devices_and_however_slow() {
    let slow: Prepare = |setup| {
        fake(setup, Division::Ranges, |part| {
            let seconds = (part.to - part.from) / if is_other(part) { 100.0 } else { 800.0 };
            std::thread::sleep(Duration::from_secs_f64(seconds));
            Ok(())
        })
    };
    let whole = tally(0..PLAYOUTS, 7);
    for members in 1..=3 {
        let mut fleet = fleet(slow, members).unwrap();
        for _ in 0..4 {
            assert_eq!(tally_of(&mut *fleet), whole, "{members}");
        }
        let (_, counters) = fleet.sample().unwrap();
        assert_eq!(counters.playouts, PLAYOUTS);
    }
}

fn fleet_of_two() -> Fleet {
    let member = |_| Member {
        name: String::new(),
        sampler: Box::new(Fake {
            seed: 0,
            division: Division::Ranges,
            act: |_| Ok(()),
            parts: Vec::new(),
        }),
        part: Part::WHOLE,
        ns: 0,
    };
    let mut fleet = Fleet {
        members: [0, 1].map(member).into(),
        at_once: 2,
        division: Division::Ranges,
    };
    fleet.divide(|_| 1.0);
    fleet
}

#[test]
fn a_slower_device_gets_less_of_the_next_sample() {
    let mut fleet = fleet_of_two();
    let things = |fleet: &Fleet| -> Vec<u64> {
        let parts: Vec<Part> = fleet.members.iter().map(|member| member.part).collect();
        assert_eq!((parts[0].from, parts[1].to), (0.0, 1.0));
        assert_eq!(parts[0].to, parts[1].from);
        let things = parts.iter().map(|part| part.of_things(1_000));
        things.map(|of| of.end - of.start).collect()
    };
    assert_eq!(things(&fleet), [500, 500]);
    // The second device takes three times as long per item, so the shares converge to three quarters and one quarter.
    for _ in 0..12 {
        for (member, each) in fleet.members.iter_mut().zip([1e6, 3e6]) {
            member.ns = (member.share() * each) as u64;
        }
        fleet.learn();
    }
    assert_eq!(things(&fleet), [749, 251]);
}

#[test]
fn a_part_without_work_says_nothing_about_a_rate() {
    let mut fleet = fleet_of_two();
    fleet.members[0].part.to = 1e-9;
    fleet.members[1].part.from = 1e-9;
    fleet.sample().unwrap();
    assert_eq!(fleet.members[0].part.to, 1e-9);
}

#[test]
fn trees_have_seeds_of_their_own_and_even_parts() {
    let prepare_one: Prepare = |setup| fake(setup, Division::Trees, |_| Ok(()));
    let mut two = fleet(prepare_one, 2).unwrap();
    let half = PLAYOUTS / 2;
    let mut expected = tally(0..half, 7);
    expected += &tally(half..PLAYOUTS, tree_seed(7, 1));
    for _ in 0..3 {
        assert_eq!(tally_of(&mut *two), expected);
    }
    let told = two.telemetry();
    assert_eq!(told.shape.get("devices"), Some(&Value::Int(2)));
    let expected = "devices 2: tree 0 on the host + tree 1 on the host; 3 parts";
    assert_eq!(told.notes, expected);
}

#[test]
fn the_host_grows_one_tree_at_a_time_and_has_no_time_for_several() {
    static GROWING: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let prepare_one: Prepare = |setup| {
        fake(setup, Division::Trees, |_| {
            let now = GROWING.fetch_add(1, Ordering::SeqCst) + 1;
            MOST.fetch_max(now, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            GROWING.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        })
    };
    fleet(prepare_one, 3).unwrap().sample().unwrap();
    assert_eq!(MOST.load(Ordering::SeqCst), 1);

    let clocked = Case(vec![("effort".into(), Value::Text("20ms".into()))]);
    let fault = fleet_at(&clocked, prepare_one, 3).err().unwrap();
    let holds = matches!(&fault, Fault::Unsupported(why) if why.contains("one by one"));
    assert!(holds, "{fault:?}");
}

#[test]
fn a_device_that_fails_is_named_and_the_next_sample_is_whole() {
    static FAILS: AtomicBool = AtomicBool::new(true);
    let prepare_one: Prepare = |setup| {
        fake(setup, Division::Ranges, |part| {
            let fails = is_other(part) && FAILS.swap(false, Ordering::Relaxed);
            match fails {
                true => Err(Fault::Device(
                    "clEnqueueNDRangeKernel: out of resources".into(),
                )),
                false => Ok(()),
            }
        })
    };
    let mut two = fleet(prepare_one, 2).unwrap();
    let expected = "device tree 1 on the host: clEnqueueNDRangeKernel: out of resources";
    assert_eq!(two.sample().unwrap_err(), Fault::Device(expected.into()));
    assert_eq!(tally_of(&mut *two), tally(0..PLAYOUTS, 7));
}

#[test]
fn a_device_whose_thread_ends_is_named() {
    let prepare_one: Prepare = |setup| {
        fake(setup, Division::Ranges, |part| {
            assert!(!is_other(part), "a driver's panic");
            Ok(())
        })
    };
    let mut three = fleet(prepare_one, 3).unwrap();
    for _ in 0..2 {
        let fault = three.sample().unwrap_err();
        let expected = "device tree 1 on the host: its thread ended early";
        assert_eq!(fault, Fault::Device(expected.into()));
    }
}

#[test]
fn what_cannot_be_divided_or_prepared_is_refused() {
    static PREPARED: AtomicBool = AtomicBool::new(false);
    let refuses: Prepare = |setup| match PREPARED.swap(true, Ordering::Relaxed) {
        true => Err(Fault::Memory("needs 3 GiB".into())),
        false => fake(setup, Division::Ranges, |_| Ok(())),
    };
    let fault = fleet(refuses, 2).err().unwrap();
    assert_eq!(
        fault,
        Fault::Memory("device tree 1 on the host: needs 3 GiB".into())
    );
    struct Whole;
    impl Sampler for Whole {
        fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
            Ok((Answer::Leaves(1), Counters::default()))
        }
        fn units(&self) -> u64 {
            1
        }
    }
    let fault = fleet(|_| Ok(Box::new(Whole)), 2).err().unwrap();
    let holds = fault.to_string().starts_with("devices: here one device");
    assert!(holds, "{fault}");
}
