//! Launch and transfer times of devices: `bench devices --measure`, and the `peaks.csv` of each run folder.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::args::{DevicesArgs, WorkersArgs};
use super::exit::{Exit, Failure, print_json};
use super::machine::MachineLock;
use super::{session, targets};
use crate::harness::channel::{self, ChildChannel, RecvError};
use crate::harness::{self, RunRequest, Target, WorkerOptions, Workers};
use crate::opencl::{self, Cache};
use crate::peaks::{self, Peak, QUANTITIES};
use crate::report;
use crate::results::{self, DeviceRecord, PeakRow};
use crate::words::{Fault, Status};

/// A driver without a number for this long counts as hung.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Fault(Fault),
    Peak(Box<Peak>),
    End,
}

pub fn print(args: &DevicesArgs) -> Result<Exit, Failure> {
    let _machine = MachineLock::take(args.machine.shared, &AtomicBool::new(false))?;
    let all = vec!["all".to_owned()];
    let targets = targets::choose(if args.devices.is_empty() {
        &all
    } else {
        &args.devices
    })?;
    let workers = session::workers(&WorkersArgs::default(), &Arc::default())?;
    let host = harness::describe_host(workers.options.threads);
    let mut rows = Vec::new();
    for target in &targets {
        let own = measured(&workers, target, &host.cpu)?;
        if !args.json {
            println!("{} ({})", target.record.label, target.record.platform);
            print!("{}", report::peaks_text(&own));
        }
        rows.extend(own);
    }
    if args.json {
        print_json(&rows)?;
    }
    Ok(session::exit_of(rows.iter().map(|row| row.status)))
}

/// Stores the launch and transfer times of a run's devices in its folder. Existing rows are kept.
pub fn store(request: &RunRequest<'_>) -> Result<(), Failure> {
    if std::env::var_os("PLYBENCH_MEASURE").is_some_and(|value| value == "off") {
        return Ok(());
    }
    let mut rows = results::read_peaks(request.folder, &mut Vec::new())?.unwrap_or_default();
    let host = &request.host.cpu;
    for target in request.targets {
        if !rows.iter().any(|row| row.is_of(host, &target.record)) {
            rows.extend(measured(&request.workers, target, host)?);
            results::write_peaks(request.folder, &rows)?;
        }
    }
    Ok(())
}

fn row(host: &str, device: &DeviceRecord, peak: Peak) -> PeakRow {
    let unit = QUANTITIES.iter().find(|it| it.name == peak.quantity);
    PeakRow {
        host: host.to_owned(),
        platform: device.platform.clone(),
        device: device.label.clone(),
        name: device.name.clone(),
        driver: device.driver.clone(),
        quantity: peak.quantity,
        unit: unit.map_or("", |it| it.unit).to_owned(),
        status: peak.status,
        reason: peak.reason,
        value: peak.value,
        low: peak.interval.map(|(low, _)| low),
        high: peak.interval.map(|(_, high)| high),
        samples: peak.samples,
        sample_ns: peak.sample_ns,
        launch: peak.launch,
        method: "the host's clock".to_owned(),
    }
}

/// Every quantity of a device, measured by a child. If it dies or hangs, that costs one quantity: another child goes on.
fn measured(workers: &Workers, target: &Target, host: &str) -> Result<Vec<PeakRow>, Failure> {
    let mut peaks: Vec<Peak> = Vec::new();
    while let Some(next) = QUANTITIES.get(peaks.len()) {
        let mut command = workers.command(Some(target));
        command.args(["--measure", next.name]);
        let child = ChildChannel::start(&mut command)
            .context("cannot start a process for the device")
            .map_err(Failure::files)?;
        if let Err((status, why)) = listen(child, &mut peaks) {
            eprintln!("bench: {}: {why}", target.record.label);
            let failed = QUANTITIES.get(peaks.len());
            peaks.extend(failed.map(|it| Peak::failed(it.name, status, why)));
        }
    }
    let rows = peaks.into_iter();
    Ok(rows.map(|peak| row(host, &target.record, peak)).collect())
}

fn listen(mut child: ChildChannel, peaks: &mut Vec<Peak>) -> Result<(), (Status, String)> {
    loop {
        let object = child.recv(PATIENCE).map_err(|error| match error {
            RecvError::Late => {
                let seconds = PATIENCE.as_secs();
                (Status::Timeout, format!("no word in {seconds} s; killed"))
            }
            RecvError::Ended(how) => (Status::Crashed, how),
        })?;
        match serde_json::from_str(&object) {
            Ok(Line::Peak(peak)) => peaks.push(*peak),
            Ok(Line::Fault(fault)) => return Err((fault.status(), fault.to_string())),
            Ok(Line::End) => return Ok(()),
            Err(error) => return Err((Status::Crashed, channel::unreadable(&error))),
        }
    }
}

/// The child's side: measures a device and reports each number at once, from the quantity `first` on.
pub fn tell_parent(at: (usize, usize), first: &str, options: &WorkerOptions) -> io::Result<()> {
    let mut parent = channel::to_parent()?;
    let mut say = |line: &Line| channel::send(&mut parent, line);
    let device = match opencl::open_numbered(at) {
        Ok(device) => device,
        Err(fault) => return say(&Line::Fault(fault)),
    };
    if let Some(folder) = &options.cache {
        device.keep_programs_in(Cache::new(folder));
    }
    peaks::measure(&device, options.kernels.as_deref(), first, &mut |peak| {
        say(&Line::Peak(Box::new(peak)))
    })?;
    say(&Line::End)
}
