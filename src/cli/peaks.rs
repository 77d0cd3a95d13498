//! `bench peaks`: what devices can do at best.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};

use super::args::WorkerArgs;
use super::exit::{Exit, Failure, print_json};
use super::machine::MachineLock;
use super::run_args::PeaksArgs;
use super::{cache, session, targets};
use crate::harness::channel::{self, Silence, Spoken};
use crate::harness::{self, Target};
use crate::opencl::{self, Cache};
use crate::peaks::{self, Bench, Peak, QUANTITIES, Said};
use crate::report;
use crate::results::{self, DeviceRecord, FORMAT, Invocation, PeakRow, Program};
use crate::words::{Fault, Status};

/// A quantity may take this long beyond the whole budget before its driver counts as hung: the first
/// launches compile, and the fewest samples are taken however long they are.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a child says, one object a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    /// The device does not open.
    Fault(Fault),
    /// Of the measurement.
    Peak(Said),
    /// Last.
    End,
}

/// Measures each device in a process of its own, prints the tables and writes the folder.
pub fn run(args: &PeaksArgs) -> Result<Exit, Failure> {
    if let Some(folder) = &args.out {
        // Before a minute is spent on what could not be written.
        results::refuse_runs(folder).map_err(Failure::files)?;
    }
    let program = session::program(args.kernels.as_deref())?;
    let earlier = match &args.out {
        Some(folder) if args.keep_best => earlier(folder, &program)?,
        _ => None,
    };
    let _machine = MachineLock::take(args.machine.shared, &AtomicBool::new(false))?;
    let targets = targets::choose(&args.devices)?;
    if targets.is_empty() {
        return Err(Failure::no_device(anyhow!(
            "no OpenCL device on this machine (`bench devices` says more)"
        )));
    }
    let executable = targets::executable()?;
    let cache = cache::chosen(&args.cache);
    let host = harness::describe_host(harness::default_threads());
    let mut rows = Vec::new();
    for target in &targets {
        let record = &target.record;
        eprintln!("device: {} ({})", record.label, record.platform);
        let measured = measure(&executable, target, args, cache.as_deref())?;
        let own = measured
            .into_iter()
            .map(|peak| row(&host.cpu, record, peak));
        let own: Vec<PeakRow> = own.collect();
        if !args.json {
            print!("{}", report::peaks_text(&own));
        }
        rows.extend(own);
    }
    if args.json {
        print_json(&rows)?;
    }
    let exits = rows.iter().map(|row| session::exit_of(row.status));
    let exit = exits.fold(Exit::Good, Exit::worse);
    if let Some(folder) = &args.out {
        let invocation = Invocation {
            utc: harness::utc_now(),
            program,
            host,
            devices: targets.into_iter().map(|target| target.record).collect(),
            ..Invocation::of(session::given())
        }
        .with_id();
        let goes_on = earlier.is_some();
        if let Some(earlier) = earlier {
            rows = results::better(earlier, rows);
        }
        results::write_peaks(folder, &invocation, goes_on, &rows).map_err(Failure::files)?;
        eprintln!("written to {}", folder.display());
    }
    Ok(exit)
}

/// What the folder holds; `None` where it holds nothing, or what another program measured, whose kernels may
/// have been others.
fn earlier(folder: &Path, program: &Program) -> Result<Option<Vec<PeakRow>>, Failure> {
    let mut warnings = Vec::new();
    let rows = results::read_peaks(folder, &mut warnings).map_err(Failure::files)?;
    for warning in warnings {
        eprintln!("bench: {warning}");
    }
    let Some(rows) = rows else {
        return Ok(None);
    };
    let environment = results::read_environment(folder).map_err(Failure::files)?;
    let before = &environment.program;
    let is_same = (&before.version, &before.revision) == (&program.version, &program.revision);
    if !is_same || environment.format != FORMAT {
        eprintln!(
            "bench: {}: the peaks there are of another program ({} {}) and are replaced",
            folder.display(),
            before.version,
            before.revision
        );
        return Ok(None);
    }
    Ok(Some(rows))
}

fn row(host: &str, device: &DeviceRecord, peak: Peak) -> PeakRow {
    let unit = peaks::quantity_of(&peak.quantity).map(|quantity| quantity.unit.word());
    PeakRow {
        host: host.to_owned(),
        platform: device.platform.clone(),
        device: device.label.clone(),
        name: device.name.clone(),
        driver: device.driver.clone(),
        quantity: peak.quantity,
        unit: unit.unwrap_or_default().to_owned(),
        status: peak.status,
        reason: peak.reason,
        value: peak.value,
        low: peak.interval.map(|(low, _)| low),
        high: peak.interval.map(|(_, high)| high),
        samples: peak.samples,
        sample_ns: peak.sample_ns,
        launch: peak.launch,
        method: peak.method,
    }
}

/// Every quantity of a device: by a child, and where one dies, by another from the next quantity on.
fn measure(
    executable: &Path,
    target: &Target,
    args: &PeaksArgs,
    cache: Option<&Path>,
) -> Result<Vec<Peak>, Failure> {
    let begun = Instant::now();
    let mut peaks: Vec<Peak> = Vec::new();
    while peaks.len() < QUANTITIES.len() {
        let left = args.budget.saturating_sub(begun.elapsed());
        let mut command = Command::new(executable);
        let (platform, device) = target.address;
        command.args(["worker", "--device", &format!("{platform}:{device}")]);
        command.args(["--peaks", &left.as_millis().to_string()]);
        command.envs(target.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = cache {
            command.arg("--cache").arg(folder);
        }
        if let Some(folder) = &args.kernels {
            command.arg("--kernels").arg(folder);
        }
        if let Some(last) = peaks.last() {
            command.args(["--after", &last.quantity]);
        }
        let child = Spoken::start(&mut command)
            .context("cannot start a process for the device")
            .map_err(Failure::files)?;
        let ended = listen(child, args.budget + PATIENCE, &mut |peak| peaks.push(peak));
        let fail = |under_way: &peaks::Quantity, (status, why): &(Status, String)| {
            Peak::failed(under_way.name, *status, why.as_str())
        };
        match ended {
            Ended::All => break,
            // What its driver refused has its row; the rest is for another process.
            Ended::Lost => {}
            Ended::Within(why) => {
                let under_way = &QUANTITIES[peaks.len()];
                eprintln!("bench: {}: {}", under_way.name, why.1);
                peaks.push(fail(under_way, &why));
            }
            Ended::AtOpening(why) => {
                eprintln!("bench: {}: {}", target.record.label, why.1);
                let rest = QUANTITIES.iter().skip(peaks.len());
                peaks.extend(
                    rest.map(|quantity| fail(quantity, &why))
                        .collect::<Vec<_>>(),
                );
            }
        }
    }
    Ok(peaks)
}

/// Whether the device may be lost with this quantity.
fn is_lost(peak: &Peak) -> bool {
    peak.status == Status::Crashed
}

/// How a child ended.
enum Ended {
    /// It has measured everything.
    All,
    /// It gave its device up after a quantity, which it told.
    Lost,
    /// It died or hung while it measured a quantity.
    Within((Status, String)),
    /// Before the first.
    AtOpening((Status, String)),
}

/// Hears a child out.
fn listen(mut child: Spoken, patience: Duration, heard: &mut dyn FnMut(Peak)) -> Ended {
    let (mut is_open, mut under_way) = (false, false);
    let why = loop {
        let object = match child.hear(patience) {
            Ok(object) => object,
            Err(Silence::Late) => {
                let seconds = patience.as_secs();
                break (Status::Timeout, format!("no word in {seconds} s; killed"));
            }
            Err(Silence::Ended(_)) if is_open && !under_way => return Ended::Lost,
            Err(Silence::Ended(how)) => break (Status::Crashed, how),
        };
        match serde_json::from_str(&object) {
            Ok(Line::Peak(Said::Begun(_))) => (is_open, under_way) = (true, true),
            Ok(Line::Peak(Said::Measured(peak))) => {
                under_way = false;
                heard(*peak);
            }
            Ok(Line::Fault(fault)) => break (fault.status(), fault.to_string()),
            Ok(Line::End) => return Ended::All,
            Err(error) => {
                let why = format!("its answer cannot be read: {error}");
                break (Status::Crashed, why);
            }
        }
    };
    if is_open {
        Ended::Within(why)
    } else {
        Ended::AtOpening(why)
    }
}

/// The child's side: measures a device, and says each number as it comes.
pub fn tell_parent(
    address: (usize, usize),
    milliseconds: u64,
    args: &WorkerArgs,
) -> Result<Exit, Failure> {
    let mut parent = channel::to_parent().map_err(Failure::files)?;
    let mut say = |line: &Line| channel::say(&mut parent, line);
    let device = match opencl::open_numbered(address) {
        Ok(device) => device,
        Err(fault) => {
            say(&Line::Fault(fault)).map_err(Failure::files)?;
            return Ok(Exit::Good);
        }
    };
    if let Some(folder) = &args.cache {
        device.keep_programs_in(Cache::new(folder));
    }
    let budget = Duration::from_millis(milliseconds);
    let after = args.after.as_deref();
    let mut lost = false;
    let bench = Bench::new(&device, args.kernels.as_deref());
    peaks::measure(&bench, budget, after, &mut |said| {
        lost = matches!(&said, Said::Measured(peak) if is_lost(peak));
        say(&Line::Peak(said))
    })
    .map_err(Failure::files)?;
    if !lost {
        say(&Line::End).map_err(Failure::files)?;
    }
    Ok(Exit::Good)
}
