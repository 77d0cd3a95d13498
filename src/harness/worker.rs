//! Implements a worker: a process for one device (or the host) that handles one request at a time.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::BufRead;
use std::iter::once;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::protocol::{
    Answered, Asked, CellSpec, Opened, Prepared, Reply, Request, Sampled, Share,
};
use super::workers::WorkerOptions;
use super::{channel, clock};
use crate::opencl::{self, Device, DeviceInfo, Programs};
use crate::techniques::{Sampler, Setup, Technique, fleet, program, registry};
use crate::words::{Answer, Devices, Fault, Kind, Params, Place, Resource, resource};

/// Serves requests until the parent closes the worker's stdin. A separate thread notices this at once.
pub fn serve(options: &WorkerOptions) -> anyhow::Result<()> {
    let started = Instant::now();
    let (sender, requests) = mpsc::channel::<String>();
    std::thread::Builder::new()
        .name("requests".into())
        .spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
            // The parent has ended or no longer needs results.
            program::sweep_own();
            std::process::exit(0);
        })?;

    let mut parent = channel::to_parent()?;
    let mut say = move |id, reply| channel::send(&mut parent, &Answered { id, reply });
    let device = match options.device.map(opencl::open_numbered).transpose() {
        Ok(device) => device,
        Err(fault) => return Ok(say(0, Reply::Ready(Err(fault)))?),
    };
    let mut opened = Opened {
        open_ns: nanos(started.elapsed()),
        clock_step_ns: clock::step_ns(),
        ..Opened::default()
    };
    if let Some(device) = &device {
        options.apply(device);
        opened.timer = device.timer().to_string();
        opened.preferred_multiple = device.preferred_multiple();
        opened.quirks = device.quirks().words();
    }
    say(0, Reply::Ready(Ok(opened)))?;

    let mut worker = Worker {
        options,
        device,
        beside: Beside::default(),
        cells: HashMap::new(),
    };
    for line in requests {
        let Asked { id, request } =
            serde_json::from_str(&line).with_context(|| format!("not a request: {line}"))?;
        say(id, worker.answer(request)?)?;
    }
    Ok(())
}

struct Ready {
    sampler: Box<dyn Sampler>,
    last_sent: Option<Answer>,
    share: Option<Share>,
}

/// A device's usage: bytes in live buffers, number of programs built, and number of programs loaded from the cache.
type Used = [u64; 3];

struct Worker<'a> {
    options: &'a WorkerOptions,
    device: Option<Device>,
    beside: Beside,
    cells: HashMap<usize, Ready>,
}

impl Worker<'_> {
    fn answer(&mut self, request: Request) -> anyhow::Result<Reply> {
        Ok(match request {
            Request::Prepare(spec) => {
                // Free everything that an earlier preparation of the cell allocated.
                self.cells.remove(&spec.cell);
                Reply::Prepared(self.prepare(&spec))
            }
            Request::Limit { cell, units } => {
                let ready = self.cell(cell)?;
                ready.sampler.limit_units(units);
                Reply::Limited(ready.sampler.units())
            }
            Request::Sample {
                cell,
                count,
                first,
                budget_ns,
            } => {
                let ready = self.cell(cell)?;
                Reply::Samples(take_samples(ready, (first, count), budget_ns))
            }
            Request::ValueOf { cell, unit, best } => {
                Reply::Value(self.cell(cell)?.sampler.value_of(unit, &best))
            }
            Request::Forget { cell } => {
                self.cells.remove(&cell);
                Reply::Forgotten
            }
        })
    }

    fn cell(&mut self, cell: usize) -> anyhow::Result<&mut Ready> {
        let ready = self.cells.get_mut(&cell);
        ready.with_context(|| format!("cell {cell} was never prepared"))
    }

    fn prepare(&mut self, spec: &CellSpec) -> Result<Prepared, Fault> {
        let started = Instant::now();
        let technique = find(&spec.game, &spec.technique)?;
        let before = self.used();
        let prepare = match (&self.device, technique.entry.kind) {
            (None, Kind::Device) => registry::model(&spec.game, &spec.technique)
                .ok_or_else(|| Fault::Unsupported("no OpenCL device".to_owned()))?,
            _ => technique.prepare,
        };
        let device = self.device.as_ref();
        let opponent = spec.opponent.as_ref();
        let opponent = opponent.map(|(name, params)| find(&spec.game, name).map(|it| (it, params)));
        let setup = Setup {
            task: spec.task,
            case: &spec.case,
            options: &spec.options,
            params: &spec.params,
            seed: spec.seed,
            threads: self.options.threads.max(1),
            device,
            kernels: self.options.kernels.as_deref(),
            position: spec.position.as_deref(),
            positions: spec.positions,
            opponent: opponent.transpose()?,
        };
        let kind = technique.entry.kind;
        let devices = self.beside.of(&spec.params, kind, device, self.options)?;
        let mut sampler = match devices {
            None => prepare(&setup)?,
            Some(devices) => fleet::prepare(prepare, &setup, &devices)?,
        };
        let setup_ns = nanos(started.elapsed());
        let told = sampler.telemetry();
        let now = self.used();
        let used = [0, 1, 2].map(|at| now[at].saturating_sub(before[at]));
        let prepared = Prepared {
            units: sampler.units(),
            build_ns: told.build_ns,
            setup_ns,
            notes: notes(told.notes, used),
            facts: told.facts,
            resources: self.resources(told.resources, used),
            shape: told.shape,
        };
        let ready = Ready {
            sampler,
            last_sent: None,
            share: spec.share,
        };
        self.cells.insert(spec.cell, ready);
        Ok(prepared)
    }

    fn used(&self) -> Used {
        self.device.as_ref().map_or_else(Used::default, |device| {
            let Programs { built, cached } = device.programs();
            [device.allocated_bytes(), built, cached]
        })
    }

    /// Returns the technique's resources, the memory and programs that the cell uses, and the device's launch latency.
    fn resources(&self, mut resources: Vec<Resource>, used: Used) -> Vec<Resource> {
        if let Some(device) = &self.device {
            let names = [resource::GLOBAL, resource::BUILT, resource::CACHED];
            resources.extend(names.map(str::to_owned).into_iter().zip(used));
            if let Some(ns) = device.round_trip_ns() {
                resources.push((resource::ROUND_TRIP.to_owned(), ns));
            }
        }
        resources
    }
}

/// Adds to the technique's notes whether its programs were built or loaded from the cache.
fn notes(notes: String, [_, built, cached]: Used) -> String {
    let programs = match (built, cached) {
        (0, 0) => return notes,
        (_, 0) => "program built",
        (0, _) => "program cached",
        _ => "program partly built, partly cached",
    };
    match notes.is_empty() {
        true => programs.to_owned(),
        false => format!("{notes}, {programs}"),
    }
}

fn find(game: &str, name: &str) -> Result<&'static Technique, Fault> {
    registry::find(game, name)
        .ok_or_else(|| Fault::Input(format!("{game} has no technique `{name}`")))
}

fn take_samples(
    ready: &mut Ready,
    (first, count): (u64, u64),
    budget_ns: u64,
) -> Result<Vec<Sampled>, Fault> {
    let batch = Instant::now();
    let mut samples = Vec::new();
    for taken in 0..count.max(1) {
        if taken > 0 && nanos(batch.elapsed()) >= budget_ns {
            break;
        }
        let (started, total, (answer, counters)) = loop {
            let number = first + taken;
            let pair = ready.share.map(|share| (share, share.pair(number)));
            ready.sampler.begin(pair.map_or(number, |(_, pair)| pair));
            let started = Instant::now();
            let sample = ready.sampler.sample()?;
            let total = started.elapsed();
            match (&sample.0, pair) {
                (Answer::Match(score), Some((share, pair))) if score.opening != pair => {
                    // The earlier shards may use up all of the match's openings.
                    let why = "no opening is left for this shard: its first pair would repeat one";
                    let rest = share.before(pair);
                    ready.share = Some(rest.ok_or(Fault::Unsupported(why.to_owned()))?);
                    ready.sampler.telemetry();
                }
                _ => break (started, total, sample),
            }
        };
        let (total_ns, opponent_ns) = match &answer {
            // The total time of a match includes both players' thinking, so each player is timed separately.
            Answer::Match(score) => (score.own_ns, score.opponent_ns),
            _ => (nanos(total), 0),
        };
        let told = ready.sampler.telemetry();
        let is_new = ready.last_sent.as_ref() != Some(&answer);
        let mut sampled = Sampled::of(total_ns, &told.parts, counters);
        sampled.sample.at_ns = nanos(started.duration_since(batch));
        sampled.sample.opponent_ns = opponent_ns;
        sampled.sample.positions_ns = told.positions_ns;
        sampled.answered = told.answered;
        sampled.answer = is_new.then(|| answer.clone());
        ready.last_sent = Some(answer);
        samples.push(sampled);
    }
    Ok(samples)
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A worker's other devices, by platform and device index. Each is opened when it is first used.
#[derive(Default)]
struct Beside(HashMap<String, Device>);

impl Beside {
    /// Returns the devices that share a cell's samples, starting with the worker's own device. Returns `None` if the
    /// cell does not need several devices. On the host, each device represents one tree of a reference.
    fn of<'a>(
        &'a mut self,
        params: &Params,
        kind: Kind,
        own: Option<&'a Device>,
        options: &WorkerOptions,
    ) -> Result<Option<Vec<Option<&'a Device>>>, Fault> {
        let (wanted, own) = match (Devices::of(params).map_err(Fault::Input)?, kind, own) {
            (None, ..) | (_, Kind::Device, None) => return Ok(None),
            (Some(wanted), Kind::Device, Some(own)) => (wanted, own),
            (Some(Devices::Number(number)), ..) => return Ok(Some(vec![None; number])),
            _ => {
                let why = "devices: on the host, only a number of trees is allowed";
                return Err(Fault::Input(why.into()));
            }
        };
        let mut all = opencl::list().map_err(|none| Fault::Device(none.to_string()))?;
        all.retain(|it| it.numbers() == own.info().numbers() || it.is_beside(own.info()));
        let places: Vec<Place<'_>> = all.iter().map(place).collect();
        let others = wanted.beside(place(own.info()), &places);
        let others = others.map_err(Fault::Unsupported)?.into_iter();
        let others: Vec<&DeviceInfo> = others.map(|at| &all[at]).collect();
        for info in &others {
            if let Entry::Vacant(place) = self.0.entry(info.numbers()) {
                options.apply(place.insert(opencl::open(info)?));
            }
        }
        let others = others.iter().map(|it| self.0.get(&it.numbers()));
        Ok(Some(once(Some(own)).chain(others).collect()))
    }
}

fn place(info: &DeviceInfo) -> Place<'_> {
    Place {
        platform: &info.platform,
        name: &info.name,
        label: &info.label,
        address: &info.address,
    }
}
