//! Tests kernels that enqueue kernels, on devices with and without this feature.

use std::path::Path;
use std::time::Instant;

use super::{Turn, device_with, opened};
use plybench::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Program, Queue};
use plybench::words::Fault;

const NO_WAIT: &str = "CLK_ENQUEUE_FLAGS_NO_WAIT";
const WAIT_KERNEL: &str = "CLK_ENQUEUE_FLAGS_WAIT_KERNEL";

fn kernels() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels"))
}

fn device(device_enqueue: bool) -> Option<(Turn, Device)> {
    opened(|| device_with(device_enqueue))
}

fn build(device: &Device, flags: &str) -> Result<Program, Fault> {
    let needs = BuildNeeds {
        device_enqueue: true,
        ..BuildNeeds::default()
    };
    let defines = [("FLAGS", flags.to_owned())];
    device.build("tree.cl", &defines, Some(kernels()), needs)
}

struct Tree {
    kernel: Kernel,
    counts: Buffer<u32>,
    sizes: Buffer<u32>,
    nodes: u32,
}

impl Tree {
    fn new(device: &Device, flags: &str, depth: u32, fanout: u32) -> Tree {
        let nodes = (0..=depth).map(|level| fanout.pow(level)).sum();
        let program = build(device, flags).unwrap();
        let mut kernel = program.kernel("tree").unwrap();
        let counts = device.buffer(2, Access::ReadWrite).unwrap();
        let sizes = device.buffer(nodes as usize, Access::ReadWrite).unwrap();
        let missing = device
            .buffer::<u32>(nodes as usize, Access::ReadWrite)
            .unwrap();
        kernel.set_buffer(0, &counts).unwrap();
        kernel.set_buffer(1, &sizes).unwrap();
        kernel.set_buffer(2, &missing).unwrap();
        for (index, value) in [(3, 0), (4, depth), (5, fanout)] {
            kernel.set_scalar(index, value).unwrap();
        }
        Tree {
            kernel,
            counts,
            sizes,
            nodes,
        }
    }

    /// Runs the tree. Every node must run once and be counted once.
    fn run(&self, queue: &mut Queue) {
        let (mut counts, mut size) = ([0; 2], [0]);
        queue.fill(&self.counts, 0).unwrap();
        queue.fill(&self.sizes, 0).unwrap();
        queue.launch(&self.kernel, [1], Some([1])).unwrap();
        queue.read(&self.counts, &mut counts).unwrap();
        queue.read(&self.sizes, &mut size).unwrap();
        assert_eq!((counts, size), ([self.nodes, 0], [self.nodes]));
    }
}

#[test]
fn a_tree_of_kernels_gives_its_values_back() {
    let Some((_turn, device)) = device(true) else {
        return;
    };
    let mut queue = device.queue().unwrap();
    for flags in [NO_WAIT, WAIT_KERNEL] {
        for (depth, fanout) in [(0, 1), (1, 1_000), (3, 10), (2, 60), (12, 2)] {
            let tree = Tree::new(&device, flags, depth, fanout);
            for _ in 0..10 {
                tree.run(&mut queue);
            }
        }
    }
}

#[test]
fn a_kernels_part_holds_its_descendants() {
    let Some((_turn, device)) = device(true) else {
        return;
    };
    let mut queue = device.queue().unwrap();
    // The END timestamp of a kernel may exclude children that wait until the kernel ends.
    for flags in [NO_WAIT, WAIT_KERNEL] {
        let tree = Tree::new(&device, flags, 4, 10);
        tree.run(&mut queue);
        queue.take_parts();
        // A busy host distorts some launches, so take the best of several.
        let mut best_share = 0.0f64;
        for _ in 0..100 {
            if best_share >= 0.8 {
                break;
            }
            let launched = Instant::now();
            queue.launch(&tree.kernel, [1], Some([1])).unwrap();
            queue.finish().unwrap();
            let wall = launched.elapsed().as_nanos() as u64;
            let parts = queue.take_parts();
            assert!(parts.sum_ns() <= wall, "{parts:?} in {wall} ns");
            best_share = best_share.max(parts.kernel_ns as f64 / wall as f64);
        }
        let holds = best_share >= 0.8;
        assert!(holds, "{flags}: the kernel share is {best_share}");
    }
}

#[test]
fn a_device_without_refuses_before_the_driver_is_asked() {
    let Some((_turn, device)) = device(false) else {
        return;
    };
    let fault = build(&device, NO_WAIT).err();
    let Some(Fault::Unsupported(why)) = &fault else {
        panic!("{fault:?}")
    };
    assert!(why.starts_with("no device-side enqueue: "), "{why}");
    assert!(why.contains(&device.info().version), "{why}");
    let other = device.build(
        "common/probe.cl",
        &[("FLAGS", NO_WAIT.to_owned())],
        None,
        BuildNeeds::default(),
    );
    assert!(other.is_ok(), "the device still builds what it can");
}
