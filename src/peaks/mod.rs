//! The least times of launches and transfers on a device: bounds for the cells of reports. For other peaks, see clpeak
//! (Krishnaraj Bhat, <https://github.com/krrishnarraj/clpeak>).

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::opencl::{Access, BuildNeeds, Device, DeviceKind, Program, Queue, bytes_in_words};
use crate::stats::median_interval;
use crate::words::{Fault, Status};

const SEED: u64 = 1;

const SAMPLES: usize = 9;

/// Time of a sample. More repetitions would not narrow the interval of a quiet machine.
const TARGET: Duration = Duration::from_millis(5);

const MOST: u64 = 1 << 12;

/// Words of a transfer: 64 MiB, or 1/8 of the device's memory.
const WORDS: u64 = 1 << 24;

/// A measured quantity.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Name in `peaks.csv`.
    pub name: &'static str,
    /// Unit in `peaks.csv`: `ns` per launch, or `B/s`.
    pub unit: &'static str,
    measure: Measure,
}

/// Every quantity, in the order of measurement.
pub static QUANTITIES: [Quantity; 5] = [
    quantity("launch", "ns", |device, program| {
        launches(device, program, true)
    }),
    quantity("launch-chain", "ns", |device, program| {
        launches(device, program, false)
    }),
    quantity("upload", "B/s", |device, _| transfers(device, true)),
    quantity("download", "B/s", |device, _| transfers(device, false)),
    quantity("copy", "B/s", copies),
];

type Measure = fn(&Device, &Program) -> Result<Sampled, Fault>;

const fn quantity(name: &'static str, unit: &'static str, measure: Measure) -> Quantity {
    Quantity {
        name,
        unit,
        measure,
    }
}

struct Sampled {
    times: Vec<u64>,
    /// Launches or bytes of a sample.
    work: u64,
    launch: String,
}

/// The result of one quantity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// [`Quantity::name`].
    pub quantity: String,
    /// How it ended.
    pub status: Status,
    /// Why, if it is not `ok`.
    pub reason: String,
    /// The median, in the quantity's unit.
    pub value: Option<f64>,
    /// Its 95 % bootstrap interval, low and high.
    pub interval: Option<(f64, f64)>,
    /// Samples taken.
    pub samples: u64,
    /// The median time of a sample, ns.
    pub sample_ns: Option<u64>,
    /// The work of a sample.
    pub launch: String,
}

impl Peak {
    /// The result of a quantity without a value.
    pub fn failed(quantity: &str, status: Status, reason: impl Into<String>) -> Peak {
        Peak {
            quantity: quantity.to_owned(),
            status,
            reason: reason.into(),
            ..Peak::default()
        }
    }

    /// All samples have the same work, so the value of the median time is the median value.
    fn of(quantity: &Quantity, sampled: Sampled) -> Peak {
        let (times, work) = (&sampled.times, sampled.work as f64);
        let is_time = quantity.unit == "ns";
        let rate = |ns: u64| work * 1e9 / ns.max(1) as f64;
        let value = |ns: u64| if is_time { ns as f64 / work } else { rate(ns) };
        let ns = crate::stats::median(times);
        let interval = median_interval(times, SEED).map(|ends| {
            let ends = [value(ends.low), value(ends.high)];
            (ends[0].min(ends[1]), ends[0].max(ends[1]))
        });
        Peak {
            quantity: quantity.name.to_owned(),
            status: Status::Ok,
            reason: String::new(),
            value: ns.map(value),
            interval,
            samples: times.len() as u64,
            sample_ns: ns,
            launch: sampled.launch,
        }
    }
}

/// Measures every quantity from `first` on. `kernels` replaces the built-in kernel files. A refusal ends the measurement,
/// as some drivers then refuse every call in the process. Fails if `say` does.
pub fn measure<E>(
    device: &Device,
    kernels: Option<&Path>,
    first: &str,
    say: &mut dyn FnMut(Peak) -> Result<(), E>,
) -> Result<(), E> {
    let program = device.build("peaks/peaks.cl", &[], kernels, BuildNeeds::default());
    for quantity in QUANTITIES.iter().skip_while(|it| it.name != first) {
        let result = match &program {
            Ok(program) => (quantity.measure)(device, program),
            Err(fault) => Err(fault.clone()),
        };
        let is_lost = matches!(result, Err(Fault::Device(_)));
        say(result.map_or_else(
            |fault| Peak::failed(quantity.name, fault.status(), fault.to_string()),
            |sampled| Peak::of(quantity, sampled),
        ))?;
        if is_lost {
            break;
        }
    }
    Ok(())
}

/// Times of samples, and the repetitions of each: as many as take about [`TARGET`].
fn sample(run: &mut dyn FnMut(u64) -> Result<u64, Fault>) -> Result<(Vec<u64>, u64), Fault> {
    let target = TARGET.as_nanos() as u64;
    // Some drivers compile at the first launch.
    run(1)?;
    let mut repetitions = 1;
    loop {
        let ns = run(repetitions)?.max(1);
        if ns >= target / 2 || repetitions == MOST {
            break;
        }
        repetitions = (repetitions * (target / ns).clamp(2, 64)).min(MOST);
    }
    let times: Result<_, Fault> = (0..SAMPLES).map(|_| run(repetitions)).collect();
    Ok((times?, repetitions))
}

/// The time until all repetitions have ended, ns.
fn timed(
    queue: &mut Queue,
    repetitions: u64,
    each: &mut dyn FnMut(&mut Queue) -> Result<(), Fault>,
) -> Result<u64, Fault> {
    let start = Instant::now();
    for _ in 0..repetitions {
        each(queue)?;
    }
    queue.finish()?;
    let ns = start.elapsed().as_nanos() as u64;
    // Outside the timed part, because it asks the driver about each event.
    queue.take_parts();
    Ok(ns)
}

/// Launches of one work-item. With `waits`, the host waits for each; else for the last of a sample.
fn launches(device: &Device, program: &Program, waits: bool) -> Result<Sampled, Fault> {
    let mut kernel = program.kernel("count_launch")?;
    let mut queue = device.queue()?;
    let count = device.buffer::<u32>(1, Access::ReadWrite)?;
    queue.write(&count, &[0])?;
    kernel.set_buffer(0, &count)?;
    kernel.set_scalar(1, 1_u32)?;
    let mut made = 0_u32;
    let (times, work) = sample(&mut |repetitions| {
        made = made.wrapping_add(repetitions as u32);
        timed(&mut queue, repetitions, &mut |queue| {
            queue.launch(&kernel, [1], Some([1]))?;
            if waits { queue.finish() } else { Ok(()) }
        })
    })?;
    let mut counted = [0];
    queue.read(&count, &mut counted)?;
    equal("count_launch", 0, counted[0], made)?;
    let each = if waits { "each waited for" } else { "in a row" };
    Ok(Sampled {
        times,
        work,
        launch: format!("one work-item, {work} launches {each}"),
    })
}

/// Word `place` of a transfer; `round` varies it, so that the check finds a stale one.
fn word(place: usize, round: u32) -> u32 {
    (place as u32) ^ round.wrapping_mul(0x9e37_79b9)
}

fn words_of(device: &Device) -> usize {
    let info = device.info();
    let most = info.max_allocation_bytes.min(info.global_memory_bytes / 8) / 4;
    (WORDS.min(most).max(4) / 4 * 4) as usize
}

/// Transfers to or from the device, in ordinary (not pinned) host memory, as techniques make them.
fn transfers(device: &Device, up: bool) -> Result<Sampled, Fault> {
    let words = words_of(device);
    let mut queue = device.queue()?;
    let buffer = device.buffer::<u32>(words, Access::ReadWrite)?;
    let mut round = 1;
    let mut here: Vec<u32> = (0..words).map(|place| word(place, round)).collect();
    queue.write(&buffer, &here)?;
    queue.finish()?;
    let (times, repetitions) = sample(&mut |repetitions| {
        if up {
            round += 1;
            let fresh = here.iter_mut().enumerate();
            fresh.for_each(|(place, it)| *it = word(place, round));
        } else {
            here.fill(0);
        }
        timed(&mut queue, repetitions, &mut |queue| {
            if !up {
                return queue.read(&buffer, &mut here);
            }
            queue.write(&buffer, &here)?;
            queue.finish()
        })
    })?;
    if up {
        here.fill(0);
        queue.read(&buffer, &mut here)?;
    }
    check("a transfer", &here, round)?;
    Ok(moved(times, words, 1, repetitions))
}

/// Copies within the device's memory. Read and written bytes both count.
fn copies(device: &Device, program: &Program) -> Result<Sampled, Fault> {
    let (words, info) = (words_of(device), device.info());
    let mut kernel = program.kernel("copy")?;
    let mut queue = device.queue()?;
    let from = device.buffer::<u32>(words, Access::ReadWrite)?;
    let to = device.buffer::<u32>(words, Access::ReadWrite)?;
    let mut here: Vec<u32> = (0..words).map(|place| word(place, 1)).collect();
    queue.write(&from, &here)?;
    kernel.set_buffer(0, &from)?;
    kernel.set_buffer(1, &to)?;
    kernel.set_scalar(2, (words / 4) as u32)?;
    let (group, per_unit) = match info.kind {
        DeviceKind::Cpu => (1, 8),
        _ => (256.min(kernel.max_group()), 32),
    };
    let items = group * per_unit * info.compute_units.max(1) as usize;
    let (times, repetitions) = sample(&mut |repetitions| {
        timed(&mut queue, repetitions, &mut |queue| {
            queue.launch(&kernel, [items], Some([group]))
        })
    })?;
    here.fill(0);
    queue.read(&to, &mut here)?;
    check("copy", &here, 1)?;
    Ok(moved(times, words, 2, repetitions))
}

fn moved(times: Vec<u64>, words: usize, counted: u64, repetitions: u64) -> Sampled {
    let bytes = words as u64 * 4;
    Sampled {
        times,
        work: bytes * counted * repetitions,
        launch: format!("{}, {repetitions} times", bytes_in_words(bytes)),
    }
}

fn check(what: &str, words: &[u32], round: u32) -> Result<(), Fault> {
    let mut all = words.iter().enumerate();
    all.try_for_each(|(place, found)| equal(what, place, *found, word(place, round)))
}

fn equal(what: &str, place: usize, found: u32, right: u32) -> Result<(), Fault> {
    if found == right {
        return Ok(());
    }
    Err(Fault::Wrong(format!(
        "{what}: word {place} is {found:#x}, right is {right:#x}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_rates_and_times_from_the_median_sample() {
        let sampled = || Sampled {
            times: vec![10, 20, 40],
            work: 80,
            launch: "alone".into(),
        };
        let rate = Peak::of(&QUANTITIES[2], sampled());
        assert_eq!((rate.value, rate.interval), (Some(4e9), Some((2e9, 8e9))));
        assert_eq!((rate.samples, rate.sample_ns), (3, Some(20)));
        let each = Peak::of(&QUANTITIES[0], sampled());
        let expected = (Some(0.25), Some((0.125, 0.5)));
        assert_eq!((each.value, each.interval), expected);
    }

    #[test]
    fn repeats_short_work_until_a_sample_takes_long_enough() {
        for (each_ns, fewest, most) in [(1_000, 2_500, MOST), (40_000_000, 1, 1), (1, MOST, MOST)] {
            let (times, repetitions) = sample(&mut |count| Ok(count * each_ns)).unwrap();
            assert!((fewest..=most).contains(&repetitions), "{repetitions}");
            assert_eq!(times, [repetitions * each_ns; SAMPLES]);
        }
    }

    #[test]
    fn reports_the_first_wrong_word() {
        let mut words: Vec<u32> = (0..9).map(|place| word(place, 3)).collect();
        assert_eq!(check("copy", &words, 3), Ok(()));
        words[5] ^= 1;
        let wrong = check("copy", &words, 3).unwrap_err();
        assert!(wrong.to_string().starts_with("copy: word 5 is"), "{wrong}");
    }
}
