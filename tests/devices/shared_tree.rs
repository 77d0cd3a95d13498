//! Tests the tree and the table that work-groups share (`cl/common/shared_tree.clh`), including data that another group
//! has only partly written. Without an OpenCL device, tests that need one print a message and pass.

use std::path::Path;

use super::held;
use plybench::opencl::{Access, BuildNeeds, Device, Kernel, prm};
use plybench::techniques::hard::Draw;

fn kernel(device: &Device, name: &str) -> Kernel {
    // A kernel folder replaces the built-in kernels, so it must also contain the included files.
    let (here, folder) = (
        Path::new(env!("CARGO_MANIFEST_DIR")),
        tempfile::tempdir().unwrap(),
    );
    std::fs::create_dir(folder.path().join("common")).unwrap();
    for (from, to) in [
        ("tests/kernels", "shared.cl"),
        ("cl", "common/shared_tree.clh"),
        ("cl", "common/known_positions.clh"),
        ("cl", "common/vendor.clh"),
    ] {
        std::fs::copy(here.join(from).join(to), folder.path().join(to)).unwrap();
    }
    // Stop waiting early, because no group writes some of the records.
    let defines = [("LOOKS", "1000".to_owned())];
    let needs = BuildNeeds::default();
    let program = device.build("shared.cl", &defines, Some(folder.path()), needs);
    program.unwrap().kernel(name).unwrap()
}

/// Returns random bounds, remaining depth and move, as in a table entry.
fn bounds(draw: &mut Draw) -> [i32; 4] {
    let value = |draw: &mut Draw| draw.below(2_000) as i32 - 1_000;
    let (lowest, highest) = (-(1 << 23), (1 << 23) - 1);
    let (lower, upper) = match draw.below(3) {
        0 => (value(draw), highest),
        1 => (lowest, value(draw)),
        _ => (value(draw), value(draw)),
    };
    [
        lower,
        upper,
        1 + draw.below(30) as i32,
        draw.below(128) as i32,
    ]
}

/// Vector stores are not atomic, so a reader may see words of two different entries.
#[test]
fn refuses_every_mixture_of_the_words_of_two_entries() {
    let Some(device) = held() else { return };
    let mut draw = Draw(1);
    let mut pairs = vec![37, (1 << 23) - 1, 9, 45, -(1 << 23), -412, 11, 20];
    let count = 4_096;
    for _ in 1..count {
        pairs.extend(bounds(&mut draw));
        pairs.extend(bounds(&mut draw));
    }
    let mut kernel = kernel(&device, "mixtures");
    let mut queue = device.queue().unwrap();
    let given = device.buffer::<i32>(pairs.len(), Access::Read).unwrap();
    let table = device.buffer::<u32>(8 * count, Access::ReadWrite).unwrap();
    let found = device.buffer::<u32>(3 * count, Access::ReadWrite).unwrap();
    queue.write(&given, &pairs).unwrap();
    queue.fill(&found, 0).unwrap();
    kernel.set_buffer(0, &given).unwrap();
    kernel.set_scalar(1, count as u32).unwrap();
    kernel.set_buffer(2, &table).unwrap();
    kernel.set_buffer(3, &found).unwrap();
    queue.launch(&kernel, [count], None).unwrap();
    let mut read = vec![0; 3 * count];
    queue.read(&found, &mut read).unwrap();
    let sum = |at| read.iter().skip(at).step_by(3).sum::<u32>();
    assert_eq!(sum(0), 0, "mixtures that pass for an entry");
    assert_eq!(sum(1), 0, "entries that are not found");
    assert_eq!(sum(2), 0, "entries of another search");
}

#[test]
fn an_entry_of_an_earlier_search_is_replaced_first() {
    let Some(device) = held() else { return };
    let mut kernel = kernel(&device, "replaced");
    let mut queue = device.queue().unwrap();
    let bucket = device.buffer::<u32>(8, Access::ReadWrite).unwrap();
    let found = device.buffer::<u32>(1, Access::ReadWrite).unwrap();
    kernel.set_buffer(3, &bucket).unwrap();
    kernel.set_buffer(4, &found).unwrap();
    for (depths, ages, replaced) in [
        ([5, 9], [1, 1, 1], 0),
        ([9, 5], [1, 1, 1], 1),
        ([9, 5], [7, 1, 1], 0),
        ([5, 9], [1, 7, 1], 1),
    ] {
        kernel.set_scalar(0, depths[0]).unwrap();
        kernel.set_scalar(1, depths[1]).unwrap();
        let [first, second, third] = ages;
        kernel
            .set_scalar(2, prm::Uint4::new(first, second, third, 0))
            .unwrap();
        queue.launch(&kernel, [1], None).unwrap();
        let mut read = [9];
        queue.read(&found, &mut read).unwrap();
        assert_eq!(read, [replaced], "{depths:?} {ages:?}");
    }
}

#[test]
fn a_record_that_never_comes_ends_the_launch_and_nothing_is_read_through_it() {
    let Some(device) = held() else { return };
    let mut kernel = kernel(&device, "unseen");
    let mut queue = device.queue().unwrap();
    let buffer = |words| device.buffer::<u32>(words, Access::ReadWrite).unwrap();
    // Fill the records with garbage. The index of each parent is then far outside all buffers.
    let (records, words, places, control) = (buffer(64), buffer(8), buffer(4), buffer(1_024));
    queue.fill(&records, 0x7fff_fff0).unwrap();
    for zeroed in [&words, &places, &control] {
        queue.fill(zeroed, 0).unwrap();
    }
    let found = buffer(8);
    for (index, buffer) in (0..).zip([&records, &words, &places, &control, &found]) {
        kernel.set_buffer(index, buffer).unwrap();
    }
    queue.launch(&kernel, [1], None).unwrap();
    let mut read = [9; 8];
    queue.read(&found, &mut read).unwrap();
    let (not_read, idle, not_taken, unchanged, not_seen, finished) = (0, 1, 0, 99, 2, 1);
    let expected = [not_read, idle, not_taken, unchanged, not_seen, finished];
    assert_eq!(read[..6], expected);
    let nodes = u64::from(read[7]) << 32 | u64::from(read[6]);
    assert_eq!(nodes, 0xffff_fff0 + 0x3_0000_0020, "nodes have 64 bits");
}
