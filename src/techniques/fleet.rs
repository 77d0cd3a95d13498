//! Runs one technique on several devices of a host. Each device does part of every sample, on its own thread.

use std::ops::AddAssign;
use std::thread;
use std::time::Instant;

use super::tasks::mcts::tree_seed;
use super::{Division, Part, Prepare, Prepared, Sampler, Setup, undivided};
use crate::techniques::prelude::*;

/// Prepares one device after another, because some drivers crash if threads build in parallel. `None` is the host.
pub fn prepare(prepare: Prepare, setup: &Setup<'_>, devices: &[Option<&Device>]) -> Prepared {
    let on_host = devices.iter().any(Option::is_none);
    if on_host && setup.case.is_clocked() {
        let why = "devices: the host grows trees one by one, so each would take the full time";
        return Err(Fault::Unsupported(why.into()));
    }
    let at_once = if on_host { 1 } else { devices.len() };
    let mut params = setup.params.clone();
    let mut division = Division::Ranges;
    let mut members = Vec::new();
    for (number, device) in (0..).zip(devices) {
        let name = match device.map(Device::info) {
            Some(it) => format!("{} {} (driver {})", it.numbers(), it.label, it.driver),
            None => format!("tree {number} on the host"),
        };
        let own = Setup {
            device: *device,
            params: &params,
            seed: match division {
                Division::Ranges => setup.seed,
                Division::Trees => tree_seed(setup.seed, number),
            },
            threads: setup.threads.div_ceil(at_once),
            ..setup.clone()
        };
        let mut sampler = prepare(&own).map_err(|fault| named(fault, &name))?;
        if number == 0 {
            division = sampler.division().ok_or_else(undivided)?;
            if division == Division::Trees {
                // The other trees use the parameters that the first tree chose.
                params.extend(sampler.telemetry().shape);
            }
        }
        members.push(Member {
            name,
            sampler,
            part: Part::WHOLE,
            ns: 0,
        });
    }
    let mut fleet = Fleet {
        members,
        at_once,
        division,
    };
    fleet.divide(|_| 1.0);
    Ok(Box::new(fleet))
}

fn named(mut fault: Fault, device: &str) -> Fault {
    use Fault::{Build, Memory, Unsupported, Wrong};
    if let Unsupported(text) | Memory(text) | Build(text) | Fault::Device(text) | Wrong(text) =
        &mut fault
    {
        *text = format!("device {device}: {text}");
    }
    fault
}

struct Member {
    name: String,
    sampler: Box<dyn Sampler>,
    part: Part,
    /// Time that the last part took, in ns.
    ns: u64,
}

impl Member {
    fn work(&mut self) -> Result<(Answer, Counters), Fault> {
        let started = Instant::now();
        let done = self.sampler.part(&self.part);
        self.ns = started.elapsed().as_nanos() as u64;
        done
    }

    fn share(&self) -> f64 {
        self.part.to - self.part.from
    }

    /// Returns the fraction of a sample that the device completes per ns.
    fn rate(&self) -> f64 {
        self.share() / self.ns.max(1) as f64
    }
}

/// Combines the samplers of one technique on several devices. The first member runs on the cell's device.
struct Fleet {
    members: Vec<Member>,
    at_once: usize,
    division: Division,
}

impl Fleet {
    /// Divides the next sample among the devices, in order. A device's part is proportional to its `share`.
    fn divide(&mut self, share: impl Fn(&Member) -> f64) {
        let all: f64 = self.members.iter().map(&share).sum();
        let mut sum = 0.0;
        for member in &mut self.members {
            let from = sum / all;
            sum += share(member);
            let to = sum / all;
            member.part = Part { from, to };
        }
    }

    /// Moves each share halfway to its device's fraction of the total rate, so that parts take equal times. Under a
    /// time limit, all parts take equal times, so the shares do not change.
    fn learn(&mut self) {
        let all: f64 = self.members.iter().map(Member::rate).sum();
        self.divide(|member| member.share() + member.rate() / all);
    }
}

impl Sampler for Fleet {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        let gone = |_| Err(Fault::Device("its thread ended early".into()));
        // Starting threads costs 20 to 30 µs more than waking idle ones (docs/measurements.md).
        let done: Vec<_> = thread::scope(|scope| {
            let mut threads = (self.members.iter_mut()).map(|it| scope.spawn(|| it.work()));
            let begun: Vec<_> = threads.by_ref().take(self.at_once).collect();
            let all = begun.into_iter().chain(threads);
            all.map(|it| it.join().unwrap_or_else(gone)).collect()
        });
        let (mut answers, mut counters) = (Vec::new(), Vec::new());
        for (part, member) in done.into_iter().zip(&self.members) {
            let (answer, own) = part.map_err(|fault| named(fault, &member.name))?;
            answers.push(answer);
            counters.push(own);
        }
        // If a part had no work, its rate is unknown.
        if self.division == Division::Ranges && !counters.contains(&Counters::default()) {
            self.learn();
        }
        let mut sum = Counters::default();
        counters.into_iter().for_each(|own| sum += own);
        let answer = answers.into_iter().reduce(add).ok_or_else(undivided)?;
        Ok((self.members[0].sampler.joined(answer), sum))
    }

    fn limit_units(&mut self, most: usize) {
        for member in &mut self.members {
            member.sampler.limit_units(most);
        }
    }

    fn units(&self) -> u64 {
        self.members[0].sampler.units()
    }

    /// Returns the first device's telemetry, but with the time parts of the slowest device, for which the host waited.
    fn telemetry(&mut self) -> Telemetry {
        let told = self.members.iter_mut().map(|it| it.sampler.telemetry());
        let mut told: Vec<Telemetry> = told.collect();
        let slowest = (0..told.len()).max_by_key(|at| self.members[*at].ns);
        let parts = told[slowest.unwrap_or(0)].parts;
        let build_ns = told.iter().map(|it| it.build_ns).sum();
        let names: Vec<&str> = self.members.iter().map(|it| it.name.as_str()).collect();
        let (number, names) = (names.len(), names.join(" + "));
        let mut own = told.swap_remove(0);
        if self.division == Division::Trees {
            let name = DEVICES.name.to_owned();
            own.shape.insert(name, Value::Int(number as i64));
        }
        Telemetry {
            parts,
            build_ns,
            notes: format!("devices {number}: {names}; {}", own.notes),
            ..own
        }
    }
}

fn add(mut sum: Answer, more: Answer) -> Answer {
    match (&mut sum, &more) {
        (Answer::Tallies(sums), Answer::Tallies(more)) => {
            sums.iter_mut().zip(more).for_each(|(sum, own)| *sum += own);
        }
        (Answer::Chosen(sums), Answer::Chosen(more)) => {
            for (sum, own) in sums.iter_mut().zip(more) {
                add_each(&mut sum.visits, &own.visits);
                add_each(&mut sum.gains, &own.gains);
                sum.tree_nodes += own.tree_nodes;
                sum.tree_depth = sum.tree_depth.max(own.tree_depth);
            }
        }
        _ => {}
    }
    sum
}

/// Adds another part's numbers for each move. A part without work has no numbers.
fn add_each<T: Copy + Default + AddAssign>(sums: &mut Vec<T>, more: &[T]) {
    sums.resize(sums.len().max(more.len()), T::default());
    for (sum, own) in sums.iter_mut().zip(more) {
        *sum += *own;
    }
}

#[cfg(test)]
#[path = "fleet_tests.rs"]
mod tests;
