//! Tests a million samples from a thousand nodes: the rows of a real run, copied to other cases and nodes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use plybench::config::{self, Experiment};
use plybench::results::{Invocation, Run, RunFolder, Selection};
use plybench::techniques::registry;
use plybench::words::{Case, Shard, Value};

use super::place::Place;
use crate::needed::devices;

const NODES: usize = 1_000;
/// Number of cases per node. Each has three techniques.
const CASES: usize = 10;

fn experiment(playouts: &[usize]) -> String {
    format!(
        r#"
name = "million"
title = "A million rows"
game = "reversi"
task = "playouts"

[[cases]]
board = "8x8"
playouts = {playouts:?}

[[technique]]
name = "flat-refill"

[sampling]
passes = 3
min-samples = 36
max-samples = 36

[budget]
cell = "60s"
total = "30m"
deadline = "120s"

[[table]]
id = "times"
title = "Times"
quantity = "time"
rows = "playouts"
columns = "technique"
"#
    )
}

/// Creates a node's shard: the rows of the real run, with other cases.
struct Maker<'a> {
    real: &'a Run,
    of: &'a Experiment,
    whole: &'a Experiment,
}

impl Maker<'_> {
    fn make(&self, node: usize, folder: &Path) {
        let real = &self.real.environment.invocations[0];
        let mut devices = real.devices.clone();
        devices
            .iter_mut()
            .for_each(|device| device.address = format!("card of node {node}"));
        let invocation = Invocation {
            selection: Selection {
                shard: Some(Shard {
                    of: NODES,
                    number: node + 1,
                }),
                ..real.selection.clone()
            },
            node: Some(format!("node-{node}")),
            devices,
            ..real.clone()
        };
        let invocation = invocation.with_id();
        let mut run = self.real.clone();
        for row in &mut run.measurements {
            let cases = &self.of.cases;
            let at = cases
                .iter()
                .position(|case| case.to_string() == row.cell.case);
            let case = &self.whole.cases[node * CASES + at.unwrap()];
            let choice = self.whole.choice(&row.cell.technique).unwrap();
            let device = invocation
                .devices
                .iter()
                .find(|it| it.label == row.cell.device);
            let provenance = invocation.provenance(&choice.params, device);
            row.key = provenance.key(&self.whole.question(choice, case));
            let before = row.cell.clone();
            row.cell.case = case.to_string();
            row.invocation.clone_from(&invocation.id);
            row.address = device.map_or(String::new(), |it| it.address.clone());
            for sample in run.samples.iter_mut().filter(|it| it.cell == before) {
                sample.cell.clone_from(&row.cell);
                sample.invocation.clone_from(&invocation.id);
            }
        }
        let mut made = RunFolder::create(folder).unwrap();
        made.write_experiment(&config::to_toml(self.whole), &[])
            .unwrap();
        made.add_invocation(&invocation).unwrap();
        made.append_samples(&run.samples).unwrap();
        for row in &run.measurements {
            made.append_measurement(row).unwrap();
        }
        for (at, case) in self.of.cases.iter().enumerate() {
            let own = run
                .facts
                .iter()
                .filter(|fact| fact.case == case.to_string());
            let own = own.map(|fact| plybench::results::FactRow {
                case: self.whole.cases[node * CASES + at].to_string(),
                ..fact.clone()
            });
            made.append_facts(&own.collect::<Vec<_>>()).unwrap();
        }
    }
}

/// Creates the shards of all nodes in cargo's folder for test files. They stay there for further measurements.
fn shards() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("million");
    let _ = std::fs::remove_dir_all(&root);
    let some: Vec<usize> = (1..=CASES).collect();
    let place = Place::new(&experiment(&some));
    place.ends(0, "run tiny.toml --out real");
    let real = Run::read(&place.path().join("real")).unwrap();
    let catalogue = registry::catalogue();
    let of = config::parse(&real.experiment, "real", &catalogue).unwrap();
    let mut whole = of.clone();
    let case = |playouts: usize| {
        let board = Value::Text("8x8".into());
        let playouts = Value::Int(i64::try_from(playouts).unwrap());
        Case(vec![("board".into(), board), ("playouts".into(), playouts)])
    };
    whole.cases = (1..=NODES * CASES).map(case).collect();
    let maker = Maker {
        real: &real,
        of: &of,
        whole: &whole,
    };
    for node in 0..NODES {
        maker.make(node, &root.join(format!("shards/{}-of-{NODES}", node + 1)));
    }
    root
}

#[test]
#[ignore = "a million rows take minutes; ./scripts/test --long runs it, each week and after a change of merging"]
fn long_a_million_rows_of_a_thousand_nodes_are_merged_and_reported() {
    let Some(_devices) = devices() else { return };
    let root = shards();
    let timed = |arguments: &[&str]| -> (Duration, String) {
        let begun = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        let output = command.args(arguments).current_dir(&root).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        (begun.elapsed(), told)
    };
    let (merging, told) = timed(&["merge", "merged", "shards"]);
    let (rows, samples) = (NODES * CASES * 3, NODES * CASES * 3 * 36);
    let wanted = format!("{rows} rows and {samples} samples of {NODES} folders");
    assert!(told.contains(&wanted), "{told}");
    let (reporting, _) = timed(&["report", "merged"]);
    println!("merged and reported in {merging:?}, reported again in {reporting:?}");
    // A debug build takes many times longer.
    if !cfg!(debug_assertions) {
        assert!(merging < Duration::from_secs(60), "{merging:?}");
        assert!(reporting < Duration::from_secs(120), "{reporting:?}");
    }
}
