//! Tests drivers that hang, flood the output, forge answers or crash, at each OpenCL call of a device worker. Any such
//! fault costs one cell, and the cell's row names the fault. The run ends with exit code 3.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::place::{Place, TINY, assert_row, ended};
use crate::needed::devices;

/// The calls, in the order in which a worker makes them.
const CALLS: &str = "clGetDeviceIDs clCreateContext clCreateCommandQueue clCreateProgramWithSource \
        clBuildProgram clCreateKernel clSetKernelArg clCreateBuffer clEnqueueWriteBuffer \
        clEnqueueNDRangeKernel clEnqueueReadBuffer clGetEventProfilingInfo \
        clReleaseMemObject";

const FAULTS: [&str; 6] = ["hang", "stopped", "flood", "forge", "segfault", "killed"];

/// Returns an experiment whose run has so small a budget that a hanging driver uses it up.
fn experiment() -> String {
    TINY.replace("total = \"20m\"", "total = \"21s\"")
}

/// Runs with a fault at the first such call, either in the first worker that makes this call or in every worker.
fn run(fault: &str, call: &str, once: bool) -> (Place, super::place::Ended) {
    // If the driver hangs only once, there is time for every cell.
    let place = Place::new(&if once { TINY.to_owned() } else { experiment() });
    let file = place.path().join("once").display().to_string();
    let mut settings = vec![("FAULT", fault), ("FAULT_CALL", call)];
    if once {
        settings.push(("FAULT_ONCE", &file));
    }
    let run = ended(place.with_layer(&mut place.command("run tiny.toml"), &settings));
    (place, run)
}

/// Expects that exactly one device cell fails and states the fault, and that all other cells are measured.
fn costs_one_cell(fault: &str, call: &str) {
    let Some(_devices) = devices() else { return };
    let (place, ended) = run(fault, call, true);
    let about = format!("{fault} in {call}: {}", ended.said);
    assert_eq!(ended.code, Some(3), "{about}");
    let hangs = ["hang", "stopped", "flood"].contains(&fault);
    let (status, reason) = match fault {
        _ if hangs => ("timeout", "no answer within 20s; the worker was killed"),
        "forge" => ("crashed", "exit status: 0"),
        "segfault" => ("crashed", "signal: 11 (SIGSEGV)"),
        _ => ("crashed", "signal: 9 (SIGKILL)"),
    };
    let rows = place.rows();
    assert_eq!(rows.len(), 6, "{about}");
    let (good, wrong): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row["status"] == "ok");
    let [wrong] = wrong[..] else {
        panic!("{about}: {wrong:?}")
    };
    assert_eq!(wrong["technique"], "pv-split", "{about}");
    assert_row(wrong, status, reason);
    assert!(ended.said.contains(status), "{about}");
    for row in good {
        assert_ne!(row["median_ns"], "7", "{about}");
    }
}

#[test]
fn a_fault_in_a_call_costs_one_cell() {
    let faults = [
        ("hang", "clCreateContext"),
        ("hang", "clBuildProgram"),
        ("stopped", "clEnqueueNDRangeKernel"),
        ("forge", "clEnqueueReadBuffer"),
        ("segfault", "clReleaseMemObject"),
    ];
    let check = |(fault, call)| costs_one_cell(fault, call);
    faults.into_par_iter().for_each(check);
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of the workers"]
fn long_every_fault_in_every_call_costs_one_cell() {
    for call in CALLS.split(' ') {
        for fault in FAULTS {
            eprintln!("{fault} in {call}");
            costs_one_cell(fault, call);
        }
    }
}

/// A device that never opens uses up its own time, but not the time of the baselines.
#[test]
fn a_driver_that_always_hangs_costs_no_baseline() {
    let Some(_devices) = devices() else { return };
    let (place, ended) = run("hang", "clCreateContext", false);
    ended.ends(3);
    assert_eq!(place.row("pv-split", 1)["status"], "timeout");
    let second = place.row("pv-split", 2);
    let is_spent = second["reason"].ends_with("; workers that did not answer took 20s");
    let holds = second["status"] == "timeout" || is_spent;
    assert!(holds, "{}", second["reason"]);
    for row in place.rows() {
        if row["technique"] != "pv-split" {
            assert_eq!(row["status"], "ok", "{}", row["reason"]);
        }
    }
}

/// An endless line on stdout and stderr must not fill the parent's memory.
#[test]
fn a_driver_that_floods_takes_no_memory() {
    let Some(_devices) = devices() else { return };
    let place = Place::new(&experiment());
    let once = place.path().join("once").display().to_string();
    let settings = [
        ("FAULT", "flood"),
        ("FAULT_CALL", "clEnqueueNDRangeKernel"),
        ("FAULT_ONCE", once.as_str()),
    ];
    let mut command = place.command("run tiny.toml");
    let command = place.with_layer(&mut command, &settings);
    let mut bench = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let (begun, mut most) = (Instant::now(), 0);
    let code = loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", bench.id()));
        let status = status.unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|text| text.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        most = most.max(peak.unwrap_or(0));
        if let Some(status) = bench.try_wait().expect("its status") {
            break status.code();
        }
        assert!(begun.elapsed() < Duration::from_secs(300), "it never ends");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(code, Some(3));
    assert!((1..200_000).contains(&most), "{most} kB");
    let rows = place.rows();
    let late = rows.iter().filter(|row| row["status"] == "timeout");
    assert_eq!(late.count(), 1);
}
