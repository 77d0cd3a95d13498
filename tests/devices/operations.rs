//! The counts of operations that the program is built with.

use plybench::results::operations;
use plybench::techniques::registry;
use plybench::words::Kind;

#[test]
fn every_count_is_of_a_technique_and_axes_that_there_are() {
    let catalogue = registry::catalogue();
    let rows = operations().unwrap();
    assert!(!rows.is_empty());
    for row in &rows {
        let context = format!("{row:?}");
        let entry = catalogue.technique(&row.game, &row.technique).unwrap();
        assert_eq!(entry.kind, Kind::Device, "{context}");
        assert!(entry.tasks.iter().any(|task| task.word() == row.task));
        let game = catalogue.game(&row.game).unwrap();
        for (axis, value) in row.key().0 {
            assert!(
                game.axes.iter().any(|known| known.name == axis),
                "{context}"
            );
            assert!((game.check_axis)(&axis, &value).is_ok(), "{context}");
        }
        for word in row.params.split_whitespace() {
            let name = word.split('=').next().unwrap();
            assert!(
                entry.params.iter().any(|param| param.name == name),
                "{context}"
            );
        }
        assert!(
            ["node", "ply", "playout"].contains(&row.per.as_str()),
            "{context}"
        );
        let counts = [
            row.add,
            row.logic,
            row.shift,
            row.multiply,
            row.popcount,
            row.select,
            row.global_load_bytes,
            row.global_store_bytes,
            row.local_load_bytes,
            row.local_store_bytes,
            row.global_atomics,
            row.local_atomics,
        ];
        assert!(
            counts
                .iter()
                .all(|count| count.is_finite() && *count >= 0.0),
            "{context}"
        );
        assert!(
            row.add > 0.0 && row.logic > 0.0 && row.select > 0.0,
            "{context}"
        );
        assert_eq!(row.kernel_hash.len(), 16, "{context}");
    }
}

/// A technique without counts has no bound by operations, so that a new one should get them.
#[test]
fn every_device_technique_that_the_simulator_runs_is_counted() {
    let rows = operations().unwrap();
    let catalogue = registry::catalogue();
    let uncounted: Vec<&str> = catalogue
        .techniques
        .iter()
        .filter(|entry| entry.kind == Kind::Device)
        .filter(|entry| {
            let mut rows = rows.iter();
            !rows.any(|row| row.game == entry.game && row.technique == entry.name)
        })
        .map(|entry| entry.name)
        .collect();
    // It enqueues kernels from kernels, which Oclgrind, an OpenCL 1.2, cannot.
    assert_eq!(uncounted, ["dynamic"], "run scripts/count-operations");
}
