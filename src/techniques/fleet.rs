//! One technique on several devices of a host: each device has a sampler of its own on a thread of its own, and does a
//! part of every sample.
//!
//! The devices share nothing: each has its context, its programs and its buffers, so that this works on all drivers,
//! and on devices of different ones.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use super::part::{Division, Part, Partial, Share};
use super::{Sampler, undivided};
use crate::opencl::Device;
use crate::words::{Answer, Counters, DEVICES, Fault, Params, Telemetry, Value};

/// Prepares a technique on one of several devices. For a further tree: its number from 1, and the shape of the first,
/// which all have.
pub type PrepareOn = Arc<
    dyn Fn(Option<&Device>, Option<(u32, &Params)>) -> Result<Box<dyn Sampler>, Fault>
        + Send
        + Sync,
>;

/// Prepares a technique on a device and on others. `None` stands for the host, on which a reference grows the trees of
/// several devices one after another; its row has the threads of one tree.
///
/// The members are prepared one after another, because some drivers crash if several threads build programs at once.
/// Fails with [`Fault::Unsupported`] if a sample cannot be divided, or for a time per move on the host, where the trees
/// grow one after another; and any error of the preparation, with the name of its device.
pub fn prepare(
    prepare: &PrepareOn,
    is_clocked: bool,
    device: Option<&Device>,
    others: Vec<Option<Arc<Device>>>,
) -> Result<Box<dyn Sampler>, Fault> {
    let name = name_of(device, 0);
    let mut first = prepare(device, None).map_err(|fault| named(fault, &name))?;
    let share = first.share().ok_or_else(undivided)?;
    let shape = match share.division {
        Division::Trees => Some(first.telemetry().shape),
        Division::ByRate | Division::Even => None,
    };
    let on_host = others.iter().any(Option::is_none);
    if on_host && is_clocked {
        let one =
            "on the host the trees grow one after the other, and a time of a move is that of one";
        return Err(Fault::Unsupported(format!("{}: {one}", DEVICES.name)));
    }
    let mut fleet = Fleet {
        rates: vec![1.0; 1 + others.len()],
        slowest: 0,
        first,
        members: Vec::new(),
        names: vec![name],
        share,
        on_host,
    };
    for (number, device) in (1..).zip(others) {
        let name = name_of(device.as_deref(), number);
        let (prepare, shape) = (Arc::clone(prepare), shape.clone());
        let work = move || prepare(device.as_deref(), shape.as_ref().map(|it| (number, it)));
        fleet.add(work).map_err(|fault| named(fault, &name))?;
        fleet.names.push(name);
    }
    Ok(Box::new(fleet))
}

/// A device's name in messages and rows.
fn name_of(device: Option<&Device>, number: u32) -> String {
    let Some(device) = device else {
        return format!("tree {number} on the host");
    };
    let info = device.info();
    let (numbers, label, driver) = (info.numbers(), &info.label, &info.driver);
    format!("{numbers} {label} (driver {driver})")
}

/// A fault with the device that it comes from.
fn named(mut fault: Fault, device: &str) -> Fault {
    use Fault::{Build, Input, Memory, Unsupported, Wrong};
    match &mut fault {
        Unsupported(text) | Memory(text) | Build(text) | Fault::Device(text) | Wrong(text) => {
            *text = format!("device {device}: {text}");
        }
        Input(_) => {}
    }
    fault
}

/// Work for a member's sampler.
type Job = Box<dyn FnOnce(&mut dyn Sampler) + Send>;

/// A part's answer and its time, ns.
type Timed = (Result<Partial, Fault>, u64);

/// A sampler on its own thread, which ends when its jobs do.
struct Member {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl Member {
    /// Starts a job after those before it. No answer comes from a thread that has ended.
    fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Sampler) -> T + Send + 'static,
    ) -> Receiver<T> {
        let (tell, answer) = channel();
        let job: Job = Box::new(move |sampler| drop(tell.send(work(sampler))));
        let _ = self.jobs.send(job);
        answer
    }
}

fn gone() -> Fault {
    Fault::Device("its thread ended early".into())
}

fn timed(sampler: &mut dyn Sampler, part: &Part) -> Timed {
    let started = Instant::now();
    let partial = sampler.part(part);
    (partial, started.elapsed().as_nanos() as u64)
}

/// The samplers of one technique on several devices, as one.
///
/// A sample takes as long as the slowest part, so each device gets units in proportion to its rate. Rates are those of
/// earlier samples; the first one is divided evenly. The answer does not depend on the division ([`Division::ByRate`]),
/// or the division is always even.
struct Fleet {
    /// The sampler on the cell's own device, which works on the calling thread.
    first: Box<dyn Sampler>,
    members: Vec<Member>,
    /// Names of the devices, the own one first.
    names: Vec<String>,
    share: Share,
    /// Units per ns, in any scale; for the next division.
    rates: Vec<f64>,
    /// The device whose part of the last sample took longest.
    slowest: usize,
    /// Whether the parts are the host's, which does one after the other.
    on_host: bool,
}

impl Fleet {
    /// Prepares a member on its thread, and waits for it.
    fn add(
        &mut self,
        prepare: impl FnOnce() -> Result<Box<dyn Sampler>, Fault> + Send + 'static,
    ) -> Result<(), Fault> {
        let (jobs, received) = channel::<Job>();
        let (tell, prepared) = channel();
        let work = move || {
            // A fleet that is gone needs no answer.
            let _ = match prepare() {
                Err(fault) => tell.send(Err(fault)),
                Ok(mut sampler) => {
                    let told = tell.send(Ok(()));
                    received.iter().for_each(|job| job(&mut *sampler));
                    told
                }
            };
        };
        let thread = std::thread::Builder::new()
            .name("device".into())
            .spawn(work)
            .map_err(|error| Fault::Unsupported(format!("no thread for it: {error}")))?;
        self.members.push(Member { jobs, thread });
        prepared.recv().unwrap_or_else(|_| Err(gone()))
    }

    /// Divides a sample: contiguous ranges in the order of the devices.
    fn divide(&self) -> Vec<Part> {
        let all: f64 = self.rates.iter().sum();
        let (of, mut sum, mut start) = (self.share.units, 0.0, 0);
        let part = |rate: &f64| {
            sum += rate;
            let units = start..((of as f64 * (sum / all)) as u64).clamp(start, of);
            start = units.end;
            Part { units, of }
        };
        let mut parts: Vec<Part> = self.rates.iter().map(part).collect();
        if let Some(last) = parts.last_mut() {
            last.units.end = of;
        }
        parts
    }

    /// Halfway from the rates so far to those of this sample: single samples vary. A device without units keeps its
    /// rate.
    fn learn(&mut self, parts: &[Part], ns: &[u64]) {
        let measured = parts.iter().zip(ns).map(|(part, ns)| {
            let units = part.units.end - part.units.start;
            (units > 0).then(|| units as f64 / (*ns).max(1) as f64)
        });
        let Some(measured) = measured.collect::<Option<Vec<f64>>>() else {
            return;
        };
        let (before, now): (f64, f64) = (self.rates.iter().sum(), measured.iter().sum());
        for (rate, measured) in self.rates.iter_mut().zip(measured) {
            *rate = (*rate / before + measured / now) / 2.0;
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for Member { jobs, thread } in self.members.drain(..) {
            drop(jobs);
            // A panic has become a fault.
            let _ = thread.join();
        }
    }
}

impl Sampler for Fleet {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        let parts = self.divide();
        let others = self.members.iter().zip(parts[1..].iter().cloned());
        let mut asked = others.map(|(member, part)| member.ask(move |it| timed(it, &part)));
        // The host does one part after another.
        let begun: Vec<Receiver<Timed>> = match self.on_host {
            true => Vec::new(),
            false => asked.by_ref().collect(),
        };
        let mut done = vec![timed(&mut *self.first, &parts[0])];
        // After a fault too, so that no member works when the next sample begins.
        let answers = begun.into_iter().chain(asked).map(|answer| answer.recv());
        done.extend(answers.map(|answer| answer.unwrap_or_else(|_| (Err(gone()), 0))));
        let ns: Vec<u64> = done.iter().map(|(_, ns)| *ns).collect();
        self.slowest = (0..ns.len()).max_by_key(|at| ns[*at]).unwrap_or(0);
        let named = |((partial, _), name): (Timed, &String)| partial.map_err(|it| named(it, name));
        let partials = done.into_iter().zip(&self.names).map(named);
        let partials = partials.collect::<Result<Vec<_>, Fault>>()?;
        if self.share.division == Division::ByRate {
            self.learn(&parts, &ns);
        }
        self.first.fold(partials)
    }

    fn limit_units(&mut self, most: usize) {
        self.first.limit_units(most);
        for member in &self.members {
            member.ask(move |sampler| sampler.limit_units(most));
        }
    }

    fn units(&self) -> u64 {
        self.first.units()
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut told = vec![self.first.telemetry()];
        for member in &self.members {
            let other = member.ask(|sampler| sampler.telemetry()).recv();
            told.push(other.unwrap_or_default());
        }
        let build_ns = told.iter().map(|it| it.build_ns).sum();
        // Parts of several devices run at once; those of the slowest are what the host waited for.
        let parts = told[self.slowest].parts;
        let mut own = told.swap_remove(0);
        if self.share.division == Division::Trees {
            let number = Value::Int(self.names.len() as i64);
            own.shape.insert(DEVICES.name.to_owned(), number);
        }
        let devices = self.names.join(" + ");
        Telemetry {
            parts,
            build_ns,
            notes: format!("devices {}: {devices}; {}", self.names.len(), own.notes),
            ..own
        }
    }
}

#[cfg(test)]
#[path = "fleet_tests.rs"]
mod tests;
