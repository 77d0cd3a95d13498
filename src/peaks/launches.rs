//! The launch configurations that are tried on a device.

use std::fmt;

use crate::opencl::{DeviceInfo, DeviceKind};

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Lanes of a work-item's vectors.
    pub width: usize,
    /// Independent chains of a work-item; 1 for kernels without chains.
    pub chains: usize,
    /// Work-items in a group.
    pub group: usize,
}

impl Launch {
    /// For readers: `uint4, groups of 64`.
    pub fn words(&self) -> String {
        let width = match self.width {
            1 => String::new(),
            several => several.to_string(),
        };
        format!("uint{width}, groups of {}", self.group)
    }

    /// The kernel file's constants for this launch.
    pub fn defines(&self) -> Vec<(&'static str, String)> {
        vec![
            ("WIDTH", self.width.to_string()),
            ("CHAINS", self.chains.to_string()),
            ("GROUP", self.group.to_string()),
        ]
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} chains", self.words(), self.chains)
    }
}

/// Whether the device is the host's processor, where a lane is a vector element and a group is a loop.
fn is_processor(info: &DeviceInfo) -> bool {
    info.kind == DeviceKind::Cpu
}

/// Work-groups, of `group` work-items each, that keep every compute unit busy to the end. On a GPU: several
/// times the 2,048 work-items that a unit holds at once. On a processor: enough groups to balance its
/// threads, and more of them if groups are small.
pub fn full_groups(info: &DeviceInfo, group: usize) -> usize {
    const ITEMS_OF_A_GPUS_UNIT: usize = 8_192;
    const GROUPS_OF_A_THREAD: usize = 8;
    const ITEMS_OF_A_THREAD: usize = 128;
    let units = info.compute_units.max(1) as usize;
    if is_processor(info) {
        units * GROUPS_OF_A_THREAD.max(ITEMS_OF_A_THREAD / group)
    } else {
        units * (ITEMS_OF_A_GPUS_UNIT / group).max(1)
    }
}

/// Vector widths and chains for kernels of operations, at one group size. A processor needs explicit vectors,
/// and enough chains to hide latency within its registers; a GPU has its own lanes and hides latency with
/// other groups.
pub fn of_operations(info: &DeviceInfo) -> Vec<Launch> {
    let (vectors, group): (&[(usize, usize)], usize) = if is_processor(info) {
        (&[(16, 8), (16, 4), (8, 8), (1, 8)], 16)
    } else {
        (&[(1, 4), (1, 8), (2, 4), (4, 2)], 256)
    };
    let launch = |&(width, chains): &(usize, usize)| Launch {
        width,
        chains,
        group,
    };
    allowed(info, vectors.iter().map(launch))
}

/// The same launch with other group sizes.
pub fn other_groups(info: &DeviceInfo, launch: Launch) -> Vec<Launch> {
    let groups: &[usize] = if is_processor(info) {
        &[128]
    } else {
        &[64, 128, 512, 1_024]
    };
    let others = groups.iter().map(|&group| Launch { group, ..launch });
    allowed(info, others.filter(|other| *other != launch))
}

/// Vector widths and groups for kernels that read and write global memory: full cache lines, either from
/// adjacent work-items or from one alone.
pub fn of_memory(info: &DeviceInfo) -> Vec<Launch> {
    let launches: &[(usize, usize)] = if is_processor(info) {
        &[(16, 1), (8, 1), (4, 1), (16, 16), (1, 64)]
    } else {
        &[(4, 256), (1, 256), (2, 256), (4, 64), (4, 1_024)]
    };
    let launch = |&(width, group): &(usize, usize)| Launch {
        width,
        chains: 1,
        group,
    };
    allowed(info, launches.iter().map(launch))
}

/// Vector widths and groups for local memory; `bytes` gives the local memory of a launch.
pub fn of_local(info: &DeviceInfo, bytes: impl Fn(&Launch) -> usize) -> Vec<Launch> {
    let launches: &[(usize, usize)] = if is_processor(info) {
        &[(16, 1), (16, 8), (8, 16), (1, 64)]
    } else {
        &[(1, 256), (2, 128), (4, 64), (1, 512), (4, 128)]
    };
    let launch = |&(width, group): &(usize, usize)| Launch {
        width,
        chains: 1,
        group,
    };
    let mut fitting = allowed(info, launches.iter().map(launch));
    fitting.retain(|launch| bytes(launch) as u64 <= info.local_memory_bytes);
    fitting
}

/// Groups for kernels whose work-items count one word each.
pub fn of_atomics(info: &DeviceInfo) -> Vec<Launch> {
    let groups: &[usize] = if is_processor(info) {
        &[16, 128]
    } else {
        &[256, 64, 1_024]
    };
    let launch = |&group: &usize| Launch {
        width: 1,
        chains: 1,
        group,
    };
    allowed(info, groups.iter().map(launch))
}

/// The launches whose groups the device allows; if it allows none, the first one with the device's largest
/// group.
fn allowed(info: &DeviceInfo, launches: impl Iterator<Item = Launch>) -> Vec<Launch> {
    let most = info.max_work_group.max(1);
    let most = info
        .max_work_items
        .first()
        .map_or(most, |&x| most.min(x.max(1)));
    let all: Vec<Launch> = launches.collect();
    let fitting: Vec<Launch> = all.iter().copied().filter(|it| it.group <= most).collect();
    match all.first() {
        Some(&first) if fitting.is_empty() => vec![Launch {
            group: most,
            ..first
        }],
        _ => fitting,
    }
}

/// The size of a load: groups up to a full device, then rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Work-groups.
    pub groups: usize,
    /// Rounds of every work-item.
    pub rounds: u32,
}

impl Extent {
    /// Limit of rounds: rusticl 22 cuts a work-item's loops after 65,535 iterations in total.
    pub const MOST_ROUNDS: u32 = 16_384;

    /// The extent of `pieces` pieces, where `full` groups fill the device. A piece is one round of one group.
    /// Pieces that do not fill a whole round are dropped.
    pub fn of(pieces: u64, full: usize) -> Extent {
        let full = full.max(1) as u64;
        if pieces <= full {
            return Extent {
                groups: pieces.max(1) as usize,
                rounds: 1,
            };
        }
        Extent {
            groups: full as usize,
            rounds: (pieces / full).min(u64::from(Extent::MOST_ROUNDS)) as u32,
        }
    }

    /// Groups times rounds.
    pub fn pieces(self) -> u64 {
        self.groups as u64 * u64::from(self.rounds)
    }

    /// The largest number of pieces.
    pub fn most(full: usize) -> u64 {
        full.max(1) as u64 * u64::from(Extent::MOST_ROUNDS)
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} groups, {} rounds", self.groups, self.rounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl;

    fn gpu(max_work_group: usize) -> DeviceInfo {
        DeviceInfo {
            kind: DeviceKind::Gpu,
            compute_units: 132,
            max_work_group,
            max_work_items: vec![max_work_group; 3],
            local_memory_bytes: 48 << 10,
            ..opencl::example(0, 0, "a GPU")
        }
    }

    #[test]
    fn pieces_fill_the_device_and_go_round() {
        let of = |pieces| Extent::of(pieces, 100);
        assert_eq!((of(1).groups, of(1).rounds), (1, 1));
        assert_eq!((of(100).groups, of(100).rounds), (100, 1));
        assert_eq!((of(250).groups, of(250).rounds), (100, 2));
        assert_eq!(of(u64::MAX).pieces(), Extent::most(100));
    }

    #[test]
    fn no_launch_is_larger_than_the_device_takes() {
        for most in [1, 32, 256, 1_024] {
            let info = gpu(most);
            let operations = of_operations(&info);
            let all = [
                other_groups(&info, operations[0]),
                operations,
                of_memory(&info),
                of_atomics(&info),
                of_local(&info, |launch| launch.group),
            ];
            for launch in all.concat() {
                assert!(launch.group <= most, "{launch} on a device of {most}");
            }
            assert!(!of_memory(&info).is_empty());
        }
        let info = gpu(1_024);
        assert!(of_local(&info, |_| 64 << 10).is_empty());
        assert_eq!(full_groups(&info, 256), 132 * 32);
    }
}
