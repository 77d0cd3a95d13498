//! One technique on several devices of a host: each device has a sampler of its own on a thread of its own, and does a
//! part of every sample.
//!
//! The devices share nothing: each has its context, its programs and its buffers, so that this works on all drivers,
//! and on devices of different ones.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use super::Prepare;
use super::part::{Division, Part, Partial, Share};
use super::tasks::mcts::tree_seed;
use super::{Sampler, Setup, undivided};
use crate::opencl::Device;
use crate::words::{Answer, Case, Counters, DEVICES, Fault, Params, Parts, Task, Telemetry, Value};

/// Prepares a technique on the device of `setup` and on others. `None` stands for the host, on which a reference grows
/// the trees of several devices one after another; its row has the threads of one tree.
///
/// The members are prepared one after another, because some drivers crash if several threads build programs at once.
/// Fails with [`Fault::Unsupported`] if a sample cannot be divided, or for a time per move on the host, where the trees
/// grow one after another; and any error of the preparation, with the name of its device.
pub fn prepare(
    prepare: Prepare,
    setup: &Setup<'_>,
    others: Vec<Option<Arc<Device>>>,
) -> Result<Box<dyn Sampler>, Fault> {
    // Devices work at once; the host grows one tree after the other.
    let on_host = others.iter().any(Option::is_none);
    let at_once = if on_host { 1 } else { 1 + others.len() };
    let setup = &Setup {
        threads: setup.threads.div_ceil(at_once),
        ..setup.clone()
    };
    let mut names = vec![name_of(setup.device, 0)];
    let mut first = prepare(setup).map_err(|fault| named(fault, &names[0]))?;
    let share = first.share().ok_or_else(undivided)?;
    let mut params = setup.params.clone();
    if share.division == Division::Trees {
        // The reference grows trees of one shape.
        params.extend(first.telemetry().shape);
    }
    if on_host && setup.case.is_clocked() {
        let one =
            "on the host the trees grow one after the other, and a time of a move is that of one";
        return Err(Fault::Unsupported(format!("{}: {one}", DEVICES.name)));
    }
    let mut members = Vec::new();
    for (number, device) in (1..).zip(others) {
        names.push(name_of(device.as_deref(), number));
        let order = Order {
            seed: match share.division {
                Division::Trees => tree_seed(setup.seed, number),
                Division::ByRate | Division::Even => setup.seed,
            },
            params: params.clone(),
            ..Order::new(setup, device)
        };
        members.push(Member::start(prepare, order).map_err(|fault| named(fault, last(&names)))?);
    }
    Ok(Box::new(Fleet {
        rates: vec![1.0; names.len()],
        slowest: 0,
        first,
        members,
        names,
        share,
        on_host,
    }))
}

fn last(names: &[String]) -> &str {
    names.last().map_or("", String::as_str)
}

/// A device's name in messages and rows.
fn name_of(device: Option<&Device>, number: u32) -> String {
    device.map_or_else(
        || format!("tree {number} on the host"),
        |device| {
            let info = device.info();
            let (numbers, label, driver) = (info.numbers(), &info.label, &info.driver);
            format!("{numbers} {label} (driver {driver})")
        },
    )
}

/// A fault with the device that it comes from.
fn named(fault: Fault, device: &str) -> Fault {
    let with = |text: String| format!("device {device}: {text}");
    match fault {
        Fault::Unsupported(text) => Fault::Unsupported(with(text)),
        Fault::Memory(text) => Fault::Memory(with(text)),
        Fault::Build(text) => Fault::Build(with(text)),
        Fault::Device(text) => Fault::Device(with(text)),
        Fault::Wrong(text) => Fault::Wrong(with(text)),
        input @ Fault::Input(_) => input,
    }
}

/// A [`Setup`] that a thread can own.
struct Order {
    task: Task,
    case: Case,
    options: Params,
    params: Params,
    seed: u64,
    threads: usize,
    device: Option<Arc<Device>>,
    kernels: Option<PathBuf>,
    position: Option<String>,
    positions: Option<usize>,
}

impl Order {
    fn new(setup: &Setup<'_>, device: Option<Arc<Device>>) -> Order {
        Order {
            task: setup.task,
            case: setup.case.clone(),
            options: setup.options.clone(),
            params: setup.params.clone(),
            seed: setup.seed,
            threads: setup.threads,
            device,
            kernels: setup.kernels.map(PathBuf::from),
            position: setup.position.map(str::to_owned),
            positions: setup.positions,
        }
    }

    fn setup(&self) -> Setup<'_> {
        Setup {
            task: self.task,
            case: &self.case,
            options: &self.options,
            params: &self.params,
            seed: self.seed,
            threads: self.threads,
            device: self.device.as_deref(),
            kernels: self.kernels.as_deref(),
            position: self.position.as_deref(),
            positions: self.positions,
            opponent: None,
        }
    }
}

/// Work for a member's sampler.
type Job = Box<dyn FnOnce(&mut dyn Sampler) + Send>;

/// A part's answer and its time, ns.
type Timed = (Result<Partial, Fault>, u64);

/// A sampler on its own thread, which ends when its jobs do.
struct Member {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Member {
    fn start(prepare: Prepare, order: Order) -> Result<Member, Fault> {
        let (jobs, received) = channel::<Job>();
        let (tell, prepared) = channel();
        let work = move || {
            // A fleet that is gone needs no answer.
            let _ = match prepare(&order.setup()) {
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
        let member = Member {
            jobs: Some(jobs),
            thread: Some(thread),
        };
        prepared.recv().unwrap_or_else(|_| Err(gone()))?;
        Ok(member)
    }

    /// Starts a job after those before it. No answer comes from a thread that has ended.
    fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Sampler) -> T + Send + 'static,
    ) -> Receiver<T> {
        let (tell, answer) = channel();
        let job: Job = Box::new(move |sampler| drop(tell.send(work(sampler))));
        if let Some(jobs) = &self.jobs {
            let _ = jobs.send(job);
        }
        answer
    }

    fn part(&self, part: &Part) -> Receiver<Timed> {
        let part = part.clone();
        self.ask(move |sampler| timed(sampler, &part))
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic has become a fault.
            let _ = thread.join();
        }
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
    /// Divides a sample: contiguous ranges in the order of the devices.
    fn divide(&self) -> Vec<Part> {
        let all: f64 = self.rates.iter().sum();
        let (of, mut sum, mut start) = (self.share.units, 0.0, 0);
        let mut parts = Vec::with_capacity(self.rates.len());
        for (at, rate) in self.rates.iter().enumerate() {
            sum += rate;
            let is_last = at + 1 == self.rates.len();
            let end = match is_last {
                true => of,
                false => ((of as f64 * (sum / all)) as u64).clamp(start, of),
            };
            parts.push(Part {
                units: start..end,
                of,
            });
            start = end;
        }
        parts
    }

    /// Halfway from the rates so far to those of this sample: single samples vary. A device without units keeps its
    /// rate.
    fn learn(&mut self, parts: &[Part], ns: &[u64]) {
        let measured = |at: usize| {
            let units = parts[at].units.end - parts[at].units.start;
            (units > 0).then(|| units as f64 / ns[at].max(1) as f64)
        };
        let measured: Option<Vec<f64>> = (0..parts.len()).map(measured).collect();
        let Some(measured) = measured else { return };
        let (before, now): (f64, f64) = (self.rates.iter().sum(), measured.iter().sum());
        for (rate, measured) in self.rates.iter_mut().zip(measured) {
            *rate = (*rate / before + measured / now) / 2.0;
        }
    }
}

impl Sampler for Fleet {
    fn sample(&mut self) -> Result<(Answer, Counters), Fault> {
        let parts = self.divide();
        let others = || self.members.iter().zip(&parts[1..]);
        // The host does one part after another.
        let begun = others().map(|(member, part)| (!self.on_host).then(|| member.part(part)));
        let begun: Vec<Option<Receiver<Timed>>> = begun.collect();
        let mut done = vec![timed(&mut *self.first, &parts[0])];
        // After a fault too, so that no member works when the next sample begins.
        for ((member, part), begun) in others().zip(begun) {
            let answer = begun.unwrap_or_else(|| member.part(part)).recv();
            done.push(answer.unwrap_or_else(|_| (Err(gone()), 0)));
        }
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
        let own = self.first.telemetry();
        let others = self.members.iter();
        let others = others.map(|it| it.ask(|sampler| sampler.telemetry()).recv());
        let others: Vec<Telemetry> = others.map(Result::unwrap_or_default).collect();
        // Parts of several devices run at once; those of the slowest are what the host waited for.
        let parts = |at: usize| match at {
            0 => own.parts,
            _ => others[at - 1].parts,
        };
        let slowest: Parts = parts(self.slowest);
        let build_ns = own.build_ns + others.iter().map(|it| it.build_ns).sum::<u64>();
        let mut shape = own.shape.clone();
        if self.share.division == Division::Trees {
            let number = Value::Int(self.names.len() as i64);
            shape.insert(DEVICES.name.to_owned(), number);
        }
        let devices = self.names.join(" + ");
        Telemetry {
            parts: slowest,
            build_ns,
            notes: format!("devices {}: {devices}; {}", self.names.len(), own.notes),
            shape,
            ..own
        }
    }
}

#[cfg(test)]
#[path = "fleet_tests.rs"]
mod tests;
