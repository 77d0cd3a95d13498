//! From event timestamps to the parts of a sample.

use crate::words::Parts;

/// The device's time may exceed the host's by this factor, for both clocks' resolution and drift.
const TOLERANCE: f64 = 1.05;

/// A command may start this long before it was queued, ns: many drivers take the timestamps from two clocks.
const JITTER_NS: u64 = 100_000;

/// A sample whose commands run for no more steps of the timer has no parts.
const FEWEST_STEPS: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Upload,
    /// A kernel, or the filling of a buffer.
    Kernel,
    /// A kernel that may enqueue others, with all its descendants.
    Ancestor,
    Download,
}

impl Work {
    /// The part that gets its time.
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
    /// True if the timestamps are possible in an in-order queue. Zeros are not: their driver records no time.
    pub fn in_order(&self) -> bool {
        self.queued <= self.start.saturating_add(JITTER_NS)
            && self.start <= self.end
            && self.end > 0
    }
}

/// Adds the time of `commands` to `parts`; each moment counts once, for the first command that runs in it. Queue wait
/// is the time when a command is queued and none runs. `wall_ns` is the host's time of the spans; the sum of the parts
/// never exceeds it. Parts are multiples of the timer's step.
pub(super) fn attribute(
    commands: &mut [Stamps],
    (wall_ns, step_ns): (u64, u64),
    parts: &mut Parts,
) {
    if !commands.iter().all(Stamps::in_order) {
        // Contradictory timestamps: only the wall time is known, and a kernel takes most of it.
        parts.untrusted = true;
        parts.kernel_ns += wall_ns;
        return;
    }
    let mut ran = Parts::default();
    let kernels = commands
        .iter()
        .filter(|command| matches!(command.work, Work::Kernel | Work::Ancestor));
    let longest = kernels.map(|kernel| kernel.end - kernel.start).max();
    parts.longest_launch_ns = parts.longest_launch_ns.max(longest.unwrap_or(0));
    commands.sort_unstable_by_key(|command| (command.start, command.end));
    let mut reached = 0;
    for &Stamps {
        work, start, end, ..
    } in commands.iter()
    {
        *work.part_of(&mut ran) += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
    }
    let pending_from = |command: &Stamps| command.queued.min(command.start);
    commands.sort_unstable_by_key(pending_from);
    let mut reached = 0;
    let mut busy = 0;
    for command in commands.iter() {
        let from = pending_from(command).max(reached);
        busy += command.end.saturating_sub(from);
        reached = reached.max(command.end);
    }
    let running = ran.sum_ns();
    let is_coarse = step_ns > 1 && running <= FEWEST_STEPS.saturating_mul(step_ns);
    parts.untrusted |= is_coarse;
    if running as f64 > wall_ns as f64 * TOLERANCE {
        parts.untrusted = true;
    }
    // Device time beyond the host's is cut: first from the queue wait, then from all parts in proportion.
    if running > wall_ns {
        let cut = |time: u64| (u128::from(time) * u128::from(wall_ns) / u128::from(running)) as u64;
        ran.upload_ns = cut(ran.upload_ns);
        ran.kernel_ns = cut(ran.kernel_ns);
        ran.download_ns = cut(ran.download_ns);
    }
    ran.queue_ns = busy
        .saturating_sub(running)
        .min(wall_ns.saturating_sub(running));
    // Down, so that the sum still fits.
    let whole = |time: u64| time - time % step_ns.max(1);
    parts.upload_ns += whole(ran.upload_ns);
    parts.kernel_ns += whole(ran.kernel_ns);
    parts.download_ns += whole(ran.download_ns);
    parts.queue_ns += whole(ran.queue_ns);
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
        stepped(commands, wall_ns, 1)
    }

    fn stepped(commands: &[Stamps], wall_ns: u64, step_ns: u64) -> Parts {
        let mut parts = Parts::default();
        attribute(&mut commands.to_vec(), (wall_ns, step_ns), &mut parts);
        parts
    }

    #[test]
    fn parts_are_whole_steps_of_the_timer() {
        let commands = [
            command(Work::Upload, 900, 1_000, 3_000),
            command(Work::Kernel, 900, 3_000, 9_000),
        ];
        let parts = stepped(&commands, 8_500, 1_000);
        assert_eq!(
            (parts.upload_ns, parts.kernel_ns, parts.queue_ns),
            (2_000, 6_000, 0),
            "the queue wait of 100 ns is less than a step"
        );
        let cut = stepped(&commands, 7_900, 1_000);
        assert_eq!((cut.upload_ns, cut.kernel_ns), (1_000, 5_000));
        assert!(!parts.untrusted && !cut.untrusted);
    }

    #[test]
    fn a_few_steps_of_the_timer_are_no_parts() {
        let kernel = |ns: u64| [command(Work::Kernel, 1_040, 1_040, 1_040 + ns)];
        for (step, few, enough) in [(52, 208, 260), (1_000, 4_000, 5_000)] {
            assert!(stepped(&kernel(few), 1 << 20, step).untrusted, "{step}");
            assert!(!stepped(&kernel(enough), 1 << 20, step).untrusted, "{step}");
        }
        let holds = !stepped(&kernel(3), 1 << 20, 1).untrusted;
        assert!(holds, "pocl's timer has steps of 1 ns");
    }

    #[test]
    fn a_pipeline_is_told_apart() {
        let commands = [
            command(Work::Upload, 100, 110, 150),
            command(Work::Kernel, 105, 160, 400),
            command(Work::Download, 108, 400, 420),
        ];
        let parts = parts_of(&commands, 1_000);
        let found = (parts.upload_ns, parts.kernel_ns, parts.download_ns);
        assert_eq!(found, (40, 240, 20));
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
        let parts = parts_of(&commands, 200);
        assert_eq!((parts.kernel_ns, parts.longest_launch_ns), (120, 100));
    }

    #[test]
    fn a_fast_clock_is_cut_to_the_wall_and_told() {
        let commands = [
            command(Work::Upload, 0, 0, 300),
            command(Work::Kernel, 0, 300, 1_200),
        ];
        let parts = parts_of(&commands, 400);
        let expected = (100, 300, 0);
        assert_eq!((parts.upload_ns, parts.kernel_ns, parts.queue_ns), expected);
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
            step_ns in 0u64..100,
        ) {
            let mut commands: Vec<Stamps> = raw
                .into_iter()
                .map(|(queued, wait, run, work)| {
                    let work = [Work::Upload, Work::Kernel, Work::Download][work as usize];
                    command(work, queued, queued + wait, queued + wait + run)
                })
                .collect();
            let mut parts = Parts::default();
            attribute(&mut commands, (wall_ns, step_ns), &mut parts);
            prop_assert!(parts.sum_ns() <= wall_ns);
        }
    }
}
