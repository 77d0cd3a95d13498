//! Tests the cache of compiled programs, and parameter sweeps, on a real device and in the complete program.

use std::path::{Path, PathBuf};

use plybench::opencl::{self, Access, BuildNeeds, Cache, Device, Programs};
use sha2::{Digest, Sha256};

use super::needed;
use super::place::{Ended, Place, TINY, edit, ended, rows};

/// Creates a folder with a copy of the kernels for the `opencl` tests, and with space for a cache.
fn place() -> Place {
    // If the experiment has no table, the report shows the time of each technique.
    let place = Place::new(TINY.split_once("[[table]]").unwrap().0);
    let from = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels"));
    std::fs::create_dir(place.path().join("kernels")).expect("a folder in it");
    for name in ["lanes.cl", "half.clh"] {
        let to = place.path().join("kernels").join(name);
        std::fs::copy(from.join(name), to).expect("a copy");
    }
    place
}

/// Lists the entries of the cache. There are none if its folder does not exist.
fn entries(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.path().join("cache"))
        .into_iter()
        .flatten();
    entries
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

/// Opens the device again, as another process would, and runs the kernel `add` once. Returns the number of programs
/// that were compiled and the number that were loaded from the cache.
fn run(place: &Place, whole: u32) -> Option<Programs> {
    let device = device()?;
    device.keep_programs_in(Cache::new(place.path().join("cache")));
    let before = device.programs();
    let kernels = place.path().join("kernels");
    let defines = [("WHOLE", whole.to_string())];
    let program = device
        .build("lanes.cl", &defines, Some(&kernels), BuildNeeds::default())
        .expect("it builds");
    let after = device.programs();
    assert!(program.build_ns() > 0);

    let numbers: Vec<u32> = (0..64).collect();
    let from = device.buffer::<u32>(64, Access::Read).expect("a buffer");
    let to = device.buffer::<u32>(64, Access::Write).expect("a buffer");
    let mut kernel = program.kernel("add").expect("a kernel");
    kernel.set_buffer(0, &from).expect("an argument");
    kernel.set_buffer(1, &to).expect("an argument");
    kernel.set_scalar(2, 7u32).expect("an argument");
    let mut queue = device.queue().expect("a queue");
    let mut sums = vec![0; 64];
    queue.write(&from, &numbers).expect("written");
    queue.launch(&kernel, [64], Some([8])).expect("launched");
    queue.read(&to, &mut sums).expect("read");
    let expected: Vec<u32> = numbers.iter().map(|it| it + 7 + whole / 2).collect();
    assert_eq!(sums, expected);
    Some(Programs {
        built: after.built - before.built,
        cached: after.cached - before.cached,
    })
}

fn device() -> Option<Device> {
    let devices = needed::devices()?;
    let best = opencl::select(&devices, &[]).expect("there is one");
    Some(opencl::open(best[0]).expect("it opens"))
}

const BUILT: Programs = Programs {
    built: 1,
    cached: 0,
};
const CACHED: Programs = Programs {
    built: 0,
    cached: 1,
};

#[test]
fn a_program_is_built_once_and_gives_the_same_answers_from_the_cache() {
    let place = place();
    let Some(first) = run(&place, 20) else { return };
    assert_eq!(first, BUILT);
    assert_eq!(run(&place, 20), Some(CACHED));
    // A changed option, or a change in an included file, causes a rebuild.
    assert_eq!(run(&place, 40), Some(BUILT));
    assert_eq!(run(&place, 40), Some(CACHED));
    let header = place.path().join("kernels/half.clh");
    let text = std::fs::read_to_string(&header).expect("a header");
    std::fs::write(&header, format!("// Changed.\n{text}")).expect("written");
    assert_eq!(run(&place, 20), Some(BUILT));
    assert_eq!(entries(&place).len(), 3);
    std::fs::remove_dir_all(place.path().join("cache")).expect("a cache");
    assert_eq!(run(&place, 20), Some(BUILT));
}

/// The binary in the cache is invalid, but only the driver can detect this.
#[test]
fn an_entry_that_the_driver_refuses_is_built_again_and_replaced() {
    let place = place();
    let Some(device) = device() else { return };
    if device.info().platform != "Portable Computing Language" {
        eprintln!("skipped: other drivers may abort on an invalid binary");
        return;
    }
    run(&place, 20);
    let [entry] = &entries(&place)[..] else {
        panic!("not one entry")
    };
    let whole = std::fs::read(entry).expect("an entry");
    let lines: Vec<&[u8]> = whole.splitn(3, |&byte| byte == b'\n').collect();
    let rest = [lines[1], b"\nno program of any driver"].concat();
    let sum = Sha256::digest(&rest);
    let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    let first = String::from_utf8_lossy(lines[0]);
    let magic = first.trim_end_matches(|c: char| c.is_ascii_hexdigit());
    let forged = [magic.as_bytes(), sum.as_bytes(), b"\n", &rest].concat();
    std::fs::write(entry, forged).expect("written");
    assert_eq!(run(&place, 20), Some(BUILT));
    assert_eq!(run(&place, 20), Some(CACHED));
}

fn bench(place: &Place, line: &str) -> Ended {
    ended(
        place
            .command(line)
            .env("PLYBENCH_CACHE", place.path().join("cache")),
    )
}

#[test]
fn the_command_tells_where_a_program_came_from_and_lists_and_clears() {
    let place = place();
    if device().is_none() {
        return;
    }
    let perft = "perft reversi --depth 3 --technique pv-split";
    let leaves = |more: &str| -> serde_json::Value {
        let counted = bench(&place, &format!("{perft} --json {more}"));
        counted.ends(0).json::<serde_json::Value>()["leaves"].clone()
    };
    assert_eq!(leaves(""), leaves(""));
    assert!(!entries(&place).is_empty());
    std::fs::remove_dir_all(place.path().join("cache")).expect("a cache");
    leaves("--cache off");
    assert!(entries(&place).is_empty());
    let blocked = bench(&place, &format!("{perft} --cache kernels/lanes.cl"));
    let said = &blocked.ends(0).said;
    assert_eq!(said.matches("cannot be kept there").count(), 1, "{said}");
}

#[test]
fn a_sweep_runs_each_value_beside_the_defaults() {
    let place = place();
    if device().is_none() {
        return;
    }
    let run = bench(&place, "run tiny.toml --sweep group=1,8");
    run.ends(0).says("runs 2 techniques too");
    assert!(place.text("report.md").contains("pv-split-group-8"));
    let rows = place.text("measurements.csv");
    let of = |label: &str| rows.lines().filter(|row| row.contains(label)).count();
    for label in [",pv-split,", ",pv-split-group-1,", ",pv-split-group-8,"] {
        assert_eq!(of(label), 2, "{rows}");
    }
    let refused = |options: &str| bench(&place, &format!("run tiny.toml --dry-run {options}"));
    refused("--sweep steps=1")
        .ends(1)
        .says("--sweep: no technique of tiny can vary steps; allowed: group");
    refused("--sweep group=1 --technique ^pv-split$")
        .ends(1)
        .says("--technique: ^pv-split$ matches no technique of --sweep; allowed: pv-split-group-1");
    refused("--sweep group=1,8 --technique group-8")
        .ends(0)
        .says("runs 1 technique too");
}

#[test]
fn a_swept_parameter_is_an_axis() {
    let place = place();
    if device().is_none() {
        return;
    }
    let swept = "name = \"pv-split\"\nsweep.group = [1, 8]";
    edit(&place.path().join("tiny.toml"), |text| {
        let text = text.replace("name = \"pv-split\"", swept);
        let shown = "quantity = \"time\"\ntechniques = \"pv-split\"";
        format!(
            "{text}\n[[table]]\nid = \"t\"\nrows = \"group\"\ncolumns = \"depth\"\n{shown}\n\
            [[chart]]\nid = \"c\"\nx = \"group\"\nseries = \"depth\"\n{shown}\n"
        )
    });
    bench(&place, "run tiny.toml").ends(0);
    let table = rows(&place.file("tables/t.csv"));
    assert_eq!(table.len(), 4, "{table:?}");
    assert!(place.text("charts/c.svg").contains("whole task, by group"));
}
