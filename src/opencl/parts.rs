//! From event timestamps to the parts of a sample.

use crate::words::Parts;

/// The device's time may exceed the host's by this factor, for both clocks' resolution and drift, before it
/// counts as untrusted.
const TOLERANCE: f64 = 1.05;

/// A command may start this long before it was queued, ns: many drivers take the two timestamps from two
/// clocks.
const JITTER_NS: u64 = 100_000;

/// The kind of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// A transfer from host to device.
    Upload,
    /// A kernel, or the filling of a buffer.
    Kernel,
    /// A kernel that may enqueue others, with all its descendants.
    Ancestor,
    /// A transfer from device to host.
    Download,
}

impl Work {
    /// The part to which its time is added.
    pub fn part_of(self, parts: &mut Parts) -> &mut u64 {
        match self {
            Work::Upload => &mut parts.upload_ns,
            Work::Kernel | Work::Ancestor => &mut parts.kernel_ns,
            Work::Download => &mut parts.download_ns,
        }
    }
}

/// A command's timestamps, in ns of the device's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamps {
    pub work: Work,
    pub queued: u64,
    pub start: u64,
    pub end: u64,
}

impl Stamps {
    /// Whether the timestamps are possible for a command of an in-order queue. Zeros are not: they are of a
    /// driver that records no time.
    pub fn in_order(&self) -> bool {
        self.queued <= self.start.saturating_add(JITTER_NS)
            && self.start <= self.end
            && self.end > 0
    }
}

/// Adds the time of `commands` to `parts`; each moment counts once.
///
/// Drivers overlap commands, and queued time overlaps running commands. So a moment belongs to the first
/// command that runs in it, and queue wait is the time when a command is queued and none runs. `wall_ns` is
/// the host's time of the spans in which the commands ran, from the first enqueueing to the last result: the
/// sum of the parts never exceeds it.
pub(super) fn attribute(commands: &mut [Stamps], wall_ns: u64, parts: &mut Parts) {
    if !commands.iter().all(Stamps::in_order) {
        // Contradictory timestamps say nothing. Only the wall time is known, and if a kernel ran, most of it
        // is the kernel's.
        parts.untrusted = true;
        parts.kernel_ns += wall_ns;
        return;
    }
    let mut ran = Parts::default();
    commands.sort_unstable_by_key(|command| (command.start, command.end));
    let mut reached = 0;
    for command in commands.iter() {
        *command.work.part_of(&mut ran) += command.end.saturating_sub(command.start.max(reached));
        reached = reached.max(command.end);
    }
    let pending_from = |command: &Stamps| command.queued.min(command.start);
    commands.sort_unstable_by_key(pending_from);
    let mut reached = 0;
    let mut busy = 0;
    for command in commands.iter() {
        busy += command
            .end
            .saturating_sub(pending_from(command).max(reached));
        reached = reached.max(command.end);
    }
    let running = ran.sum_ns();
    if running as f64 > wall_ns as f64 * TOLERANCE {
        parts.untrusted = true;
    }
    // Device time beyond the host's time is cut: first from the queue wait, which is the least certain, then
    // from all parts in proportion.
    if running > wall_ns {
        let cut = |time: u64| (u128::from(time) * u128::from(wall_ns) / u128::from(running)) as u64;
        ran.upload_ns = cut(ran.upload_ns);
        ran.kernel_ns = cut(ran.kernel_ns);
        ran.download_ns = cut(ran.download_ns);
    }
    parts.upload_ns += ran.upload_ns;
    parts.kernel_ns += ran.kernel_ns;
    parts.download_ns += ran.download_ns;
    parts.queue_ns += busy
        .saturating_sub(running)
        .min(wall_ns.saturating_sub(running));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn command(work: Work, queued: u64, start: u64, end: u64) -> Stamps {
        Stamps {
            work,
            queued,
            start,
            end,
        }
    }

    fn parts_of(commands: &[Stamps], wall_ns: u64) -> Parts {
        let mut parts = Parts::default();
        attribute(&mut commands.to_vec(), wall_ns, &mut parts);
        parts
    }

    #[test]
    fn a_pipeline_is_told_apart() {
        let commands = [
            command(Work::Upload, 100, 110, 150),
            command(Work::Kernel, 105, 160, 400),
            command(Work::Download, 108, 400, 420),
        ];
        let parts = parts_of(&commands, 1_000);
        assert_eq!(
            (parts.upload_ns, parts.kernel_ns, parts.download_ns),
            (40, 240, 20)
        );
        // 100 to 110 and 150 to 160; at all other times a command ran.
        assert_eq!(parts.queue_ns, 20);
        assert!(!parts.untrusted);
    }

    #[test]
    fn time_between_batches_is_the_hosts() {
        let commands = [
            command(Work::Kernel, 0, 10, 20),
            command(Work::Kernel, 1_000, 1_005, 1_015),
        ];
        let parts = parts_of(&commands, 500);
        assert_eq!((parts.kernel_ns, parts.queue_ns), (20, 15));
    }

    #[test]
    fn overlapping_kernels_count_once() {
        let commands = [
            command(Work::Kernel, 0, 0, 100),
            command(Work::Kernel, 0, 50, 120),
        ];
        assert_eq!(parts_of(&commands, 200).kernel_ns, 120);
    }

    #[test]
    fn a_fast_clock_is_cut_to_the_wall_and_told() {
        let commands = [
            command(Work::Upload, 0, 0, 300),
            command(Work::Kernel, 0, 300, 1_200),
        ];
        let parts = parts_of(&commands, 400);
        assert_eq!(
            (parts.upload_ns, parts.kernel_ns, parts.queue_ns),
            (100, 300, 0)
        );
        assert!(parts.untrusted);
        let close = parts_of(&[command(Work::Kernel, 0, 0, 1_010)], 1_000);
        assert!(!close.untrusted, "one percent is within both clocks' steps");
        assert_eq!(close.sum_ns(), 1_000);
    }

    #[test]
    fn stamps_out_of_order_are_not_believed() {
        for wrong in [
            command(Work::Kernel, 0, 40, 30),
            command(Work::Kernel, 200_000, 40, 60),
            command(Work::Kernel, 0, 0, 0),
        ] {
            let parts = parts_of(&[wrong], 1_000);
            assert!(parts.untrusted);
            assert_eq!(parts.sum_ns(), 1_000);
        }
        let parts = parts_of(&[command(Work::Kernel, 50, 40, 60)], 1_000);
        assert!(!parts.untrusted, "within two clocks' jitter");
        assert_eq!((parts.kernel_ns, parts.queue_ns), (20, 0));
    }

    proptest! {
        #[test]
        fn parts_never_sum_above_the_wall(
            raw in prop::collection::vec((0u64..1_000, 0u64..1_000, 0u64..1_000, 0u8..3), 0..20),
            wall_ns in 0u64..5_000,
        ) {
            let mut commands: Vec<Stamps> = raw
                .into_iter()
                .map(|(queued, wait, run, work)| {
                    let work = [Work::Upload, Work::Kernel, Work::Download][work as usize];
                    command(work, queued, queued + wait, queued + wait + run)
                })
                .collect();
            let mut parts = Parts::default();
            attribute(&mut commands, wall_ns, &mut parts);
            prop_assert!(parts.sum_ns() <= wall_ns);
        }
    }
}
