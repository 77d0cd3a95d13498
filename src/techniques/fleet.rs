//! One technique on several devices of a host. Each device does a part of every sample, on its own thread.
//!
//! The devices share nothing: each has its context, programs and buffers. So this works on devices of all drivers.

use std::iter::once;
use std::ops::AddAssign;
use std::thread;
use std::time::Instant;

use super::part::{Division, Part};
use super::tasks::mcts::tree_seed;
use super::{Prepare, Sampler, Setup, undivided};
use crate::opencl::Device;
use crate::words::{Answer, Counters, DEVICES, Fault, Telemetry, Value};

/// Prepares a technique on the setup's device and on others. `None` stands for the host, on which a reference grows the
/// trees of several devices one after another, each with all threads.
///
/// Prepares one device after another, because some drivers crash if several threads build programs at once. Fails with
/// [`Fault::Unsupported`] if a sample cannot be divided, or for a time per move on the host. Adds the name of the
/// device to an error of the preparation.
pub fn prepare(
    prepare: Prepare,
    setup: &Setup<'_>,
    others: &[Option<&Device>],
) -> Result<Box<dyn Sampler>, Fault> {
    let on_host = others.iter().any(Option::is_none);
    let is_clocked = setup.case.is_clocked();
    if on_host && is_clocked {
        let one =
            "on the host the trees grow one after the other, and a time of a move is that of one";
        return Err(Fault::Unsupported(format!("{}: {one}", DEVICES.name)));
    }
    let at_once = if on_host { 1 } else { 1 + others.len() };
    let mut division = Division::Ranges;
    let mut params = setup.params.clone();
    let mut members = Vec::new();
    for (number, device) in (0..).zip(once(&setup.device).chain(others)) {
        let name = name_of(*device, number);
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
                // All trees have the shape of the first.
                params.extend(sampler.telemetry().shape);
            }
        }
        members.push(Member {
            name,
            sampler,
            rate: 1.0,
            ns: 0,
        });
    }
    Ok(Box::new(Fleet {
        members,
        division,
        is_clocked,
        on_host,
    }))
}

/// A device's name in messages and rows.
fn name_of(device: Option<&Device>, number: u32) -> String {
    let Some(info) = device.map(Device::info) else {
        return format!("tree {number} on the host");
    };
    format!("{} {} (driver {})", info.numbers(), info.label, info.driver)
}

/// Adds the name of the device to a fault.
fn named(mut fault: Fault, device: &str) -> Fault {
    use Fault::{Build, Memory, Unsupported, Wrong};
    if let Unsupported(text) | Memory(text) | Build(text) | Fault::Device(text) | Wrong(text) =
        &mut fault
    {
        *text = format!("device {device}: {text}");
    }
    fault
}

/// A technique on one of the devices.
struct Member {
    name: String,
    sampler: Box<dyn Sampler>,
    /// Work per ns, in any scale, for the next division.
    rate: f64,
    /// Time of its last part, ns.
    ns: u64,
}

impl Member {
    fn part(&mut self, part: &Part) -> Result<(Answer, Counters), Fault> {
        let started = Instant::now();
        let done = self.sampler.part(part);
        self.ns = started.elapsed().as_nanos() as u64;
        done
    }
}

/// The samplers of one technique on several devices, as one.
struct Fleet {
    /// The first one is on the cell's device.
    members: Vec<Member>,
    division: Division,
    is_clocked: bool,
    on_host: bool,
}

impl Fleet {
    /// Divides a sample by the devices' rates, in their order.
    fn divide(&self) -> Vec<Part> {
        let all: f64 = self.members.iter().map(|member| member.rate).sum();
        let mut sum = 0.0;
        let part = |member: &Member| {
            let from = sum / all;
            sum += member.rate;
            let to = sum / all;
            Part { from, to }
        };
        self.members.iter().map(part).collect()
    }

    /// A sample takes as long as its slowest part, so the rates follow the last sample. They move half the way, because
    /// single samples vary.
    fn learn(&mut self, parts: &[Part]) {
        let rate =
            |(part, member): (&Part, &Member)| (part.to - part.from) / member.ns.max(1) as f64;
        let measured: Vec<f64> = parts.iter().zip(&self.members).map(rate).collect();
        let now: f64 = measured.iter().sum();
        let before: f64 = self.members.iter().map(|member| member.rate).sum();
        for (member, measured) in self.members.iter_mut().zip(measured) {
            member.rate = (member.rate / before + measured / now) / 2.0;
        }
    }
}

impl Sampler for Fleet {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        let parts = self.divide();
        let on_host = self.on_host;
        let done: Vec<_> = thread::scope(|scope| {
            let work = self.members.iter_mut().zip(&parts);
            let mut threads = work.map(|(member, part)| scope.spawn(move || member.part(part)));
            // Devices work at once. The host starts a thread when the one before has ended.
            let begun: Vec<_> = match on_host {
                true => Vec::new(),
                false => threads.by_ref().collect(),
            };
            let gone = |_| Err(Fault::Device("its thread ended early".into()));
            let all = begun.into_iter().chain(threads);
            all.map(|thread| thread.join().unwrap_or_else(gone))
                .collect()
        });
        let done = done.into_iter().zip(&self.members);
        let done = done.map(|(part, member)| part.map_err(|fault| named(fault, &member.name)));
        let done = done.collect::<Result<Vec<_>, Fault>>()?;
        // The time of a part without work says nothing about a device's rate.
        let all_work = done.iter().all(|(_, own)| *own != Counters::default());
        if self.division == Division::Ranges && !self.is_clocked && all_work {
            self.learn(&parts);
        }
        let sum = done.into_iter().reduce(|mut sum, (answer, counters)| {
            add(&mut sum.0, &answer);
            sum.1 += counters;
            sum
        });
        let (sum, counters) = sum.ok_or_else(undivided)?;
        Ok((self.members[0].sampler.joined(sum), counters))
    }

    fn limit_units(&mut self, most: usize) {
        for member in &mut self.members {
            member.sampler.limit_units(most);
        }
    }

    fn units(&self) -> u64 {
        self.members[0].sampler.units()
    }

    fn telemetry(&mut self) -> Telemetry {
        let told = self.members.iter_mut().map(|it| it.sampler.telemetry());
        let mut told: Vec<Telemetry> = told.collect();
        let build_ns = told.iter().map(|it| it.build_ns).sum();
        // The host waited for the slowest device.
        let slowest = (0..told.len()).max_by_key(|at| self.members[*at].ns);
        let parts = told[slowest.unwrap_or(0)].parts;
        let mut own = told.swap_remove(0);
        let names: Vec<&str> = self.members.iter().map(|it| it.name.as_str()).collect();
        if self.division == Division::Trees {
            let number = Value::Int(names.len() as i64);
            own.shape.insert(DEVICES.name.to_owned(), number);
        }
        Telemetry {
            parts,
            build_ns,
            notes: format!(
                "devices {}: {}; {}",
                names.len(),
                names.join(" + "),
                own.notes
            ),
            ..own
        }
    }
}

/// Adds the answer of another part.
fn add(sum: &mut Answer, more: &Answer) {
    match (sum, more) {
        (Answer::Leaves(sum), Answer::Leaves(more)) => *sum += more,
        (Answer::Tallies(sums), Answer::Tallies(more)) => {
            sums.iter_mut().zip(more).for_each(|(sum, own)| *sum += own);
        }
        (Answer::Searched(sums), Answer::Searched(more)) => {
            for (sum, own) in sums.iter_mut().zip(more) {
                add_each(&mut sum.by_move, &own.by_move);
            }
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
}

/// Adds the numbers of each move. A part without work has none.
fn add_each<T: Copy + AddAssign>(sums: &mut Vec<T>, more: &[T]) {
    if sums.is_empty() {
        sums.extend_from_slice(more);
    } else {
        sums.iter_mut()
            .zip(more)
            .for_each(|(sum, own)| *sum += *own);
    }
}

#[cfg(test)]
#[path = "fleet_tests.rs"]
mod tests;
