//! Drivers that fail while launch and transfer times are measured.

use plybench::peaks::QUANTITIES;
use plybench::results::PeakRow;
use plybench::words::Status;

use crate::needed::devices;

use super::place::{Place, TINY, text};

/// One quantity has no number, and says why; all others have theirs.
#[test]
fn a_fault_costs_one_quantity() {
    let Some(_devices) = devices() else { return };
    for (fault, reason) in [("segfault", "SIGSEGV"), ("poison", "CL_OUT_OF_RESOURCES")] {
        let measure = ["devices", "--measure", "--device", "cpu", "--json"];
        let output = Place::new(TINY).with_fault(&measure, fault, 20);
        let rows: Vec<PeakRow> = serde_json::from_slice(&output.stdout).expect("rows");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert_eq!(rows.len(), QUANTITIES.len());
        let failed: Vec<&PeakRow> = rows.iter().filter(|row| row.status != Status::Ok).collect();
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert_eq!(failed[0].status, Status::Crashed);
        assert!(failed[0].reason.contains(reason), "{}", failed[0].reason);
        assert!(failed[0].value.is_none());
        assert!(!said.contains("panicked"), "{said}");
    }
}
