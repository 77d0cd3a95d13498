//! Drivers that fail while launch and transfer times are measured.

use std::process::Output;

use plybench::peaks::QUANTITIES;
use plybench::results::PeakRow;
use plybench::words::Status;

use crate::needed::devices;

use super::place::{Place, TINY};

/// The rows, if the first process to launch a kernel has a fault at its launch number `at`.
fn peaks_with(fault: &str, at: u32) -> (Output, Vec<PeakRow>) {
    let place = Place::new(TINY);
    let once = place.path().join("once").display().to_string();
    let settings = [
        ("FAULT", fault),
        ("FAULT_AT", &at.to_string()),
        ("FAULT_ONCE", &once),
    ];
    let mut command = place.command(&["devices", "--measure", "--device", "cpu", "--json"]);
    let output = place.with_layer(&mut command, &settings).output();
    let output = output.expect("the program starts");
    let rows = serde_json::from_slice(&output.stdout).expect("rows");
    (output, rows)
}

/// One quantity has no number, and says why; all others have theirs.
fn assert_costs_one_quantity(fault: &str, at: u32, reason: &str) {
    let Some(_devices) = devices() else { return };
    let (output, rows) = peaks_with(fault, at);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_eq!(rows.len(), QUANTITIES.len());
    let failed: Vec<&PeakRow> = rows.iter().filter(|row| row.status != Status::Ok).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0].status, Status::Crashed);
    assert!(failed[0].reason.contains(reason), "{}", failed[0].reason);
    assert!(failed[0].value.is_none());
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn a_fault_costs_one_quantity() {
    assert_costs_one_quantity("segfault", 20, "SIGSEGV");
    assert_costs_one_quantity("poison", 20, "CL_OUT_OF_RESOURCES");
}
