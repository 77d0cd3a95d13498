//! Converts event timestamps to the time parts of a sample.

use crate::words::Parts;

/// Maximum trusted ratio of the device's time to the host's. It allows for the resolution and the drift of both clocks.
const TOLERANCE: f64 = 1.05;

/// A command's start may precede its queuing by this many ns, because many drivers take timestamps from two clocks.
const JITTER_NS: u64 = 100_000;

/// Minimum total time of a sample's commands, in timer steps. If the time is not longer, the parts are untrusted.
const FEWEST_STEPS: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Upload,
    /// A kernel or a buffer fill.
    Kernel,
    /// A kernel that may enqueue other kernels, together with all its descendants.
    Ancestor,
    Download,
}

impl Work {
    /// Returns the part to which the command's time is added.
    pub fn part_of(self, parts: &mut Parts) -> &mut u64 {
        match self {
            Work::Upload => &mut parts.upload_ns,
            Work::Kernel | Work::Ancestor => &mut parts.kernel_ns,
            Work::Download => &mut parts.download_ns,
        }
    }
}

/// A command's timestamps on the device's clock, in ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamps {
    pub work: Work,
    pub queued: u64,
    pub start: u64,
    pub end: u64,
}

impl Stamps {
    /// True if the timestamps are possible in an in-order queue. If all are zero, the driver does not record times.
    pub fn in_order(&self) -> bool {
        self.queued <= self.start.saturating_add(JITTER_NS)
            && self.start <= self.end
            && self.end > 0
    }
}

/// Adds the times of `commands` to `parts`. If commands overlap, the shared time counts for the command that started
/// first. The queue wait is the time during which a command is queued and none runs. `wall_ns` is the host's time for
/// the spans. The sum of the parts never exceeds it. Parts are multiples of the timer's step.
pub(super) fn attribute(
    commands: &mut [Stamps],
    (wall_ns, step_ns): (u64, u64),
    parts: &mut Parts,
) {
    if !commands.iter().all(Stamps::in_order) {
        // If timestamps are contradictory, only the wall time is known. Most of it is kernel time.
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
    // Time that exceeds the host's time is cut, first from the queue wait, then proportionally from all other parts.
    if running > wall_ns {
        let cut = |time: u64| (u128::from(time) * u128::from(wall_ns) / u128::from(running)) as u64;
        ran.upload_ns = cut(ran.upload_ns);
        ran.kernel_ns = cut(ran.kernel_ns);
        ran.download_ns = cut(ran.download_ns);
    }
    ran.queue_ns = busy
        .saturating_sub(running)
        .min(wall_ns.saturating_sub(running));
    // Round down, so that the sum still fits.
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

    /// Checks how time is divided. Each row has the commands, the wall time, the timer's step, and the expected parts
    /// (upload, queue, kernel, download). `!` marks untrusted parts. A command is U, K or D with the times of its
    /// queuing, start and end.
    fn check(rows: &str) {
        for row in rows.trim().lines() {
            let [commands, wall, expected] = row.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("{row}")
            };
            let numbers = |text: &str| -> Vec<u64> {
                let numbers = text.split_whitespace().filter_map(|it| it.parse().ok());
                numbers.collect()
            };
            let read = |text: &str| {
                let work = match text.trim().as_bytes()[0] {
                    b'U' => Work::Upload,
                    b'K' => Work::Kernel,
                    _ => Work::Download,
                };
                let at = numbers(text);
                command(work, at[0], at[1], at[2])
            };
            let mut commands: Vec<Stamps> = commands.split(',').map(read).collect();
            let wall = numbers(wall);
            let mut parts = Parts::default();
            attribute(&mut commands, (wall[0], wall[1]), &mut parts);
            let found = [
                parts.upload_ns,
                parts.queue_ns,
                parts.kernel_ns,
                parts.download_ns,
            ];
            assert_eq!(parts.untrusted, expected.contains('!'), "{row}: {found:?}");
            match &numbers(expected)[..] {
                [] => assert_eq!(parts.sum_ns(), wall[0], "{row}"),
                expected => assert_eq!(found, expected, "{row}"),
            }
            assert!(parts.sum_ns() <= wall[0], "{row}");
        }
    }

    /// A wait shorter than a step counts as 0. A time of only a few steps has no parts. pocl's timer has steps of 1 ns.
    #[test]
    fn parts_are_whole_steps_of_the_timer() {
        check(
            "
U 900 1000 3000, K 900 3000 9000 | 8500 1000 | 2000 0 6000 0
U 900 1000 3000, K 900 3000 9000 | 7900 1000 | 1000 0 5000 0
K 1040 1040 1248 | 1048576 52 | 0 0 208 0 !
K 1040 1040 1300 | 1048576 52 | 0 0 260 0
K 1040 1040 5040 | 1048576 1000 | 0 0 4000 0 !
K 1040 1040 6040 | 1048576 1000 | 0 0 5000 0
K 1040 1040 1043 | 1048576 1 | 0 0 3 0",
        );
    }

    /// In the pipeline, no command runs from 100 to 110 and from 150 to 160. Time between batches counts as host time.
    #[test]
    fn commands_that_overlap_count_once() {
        check(
            "
U 100 110 150, K 105 160 400, D 108 400 420 | 1000 1 | 40 20 240 20
K 0 10 20, K 1000 1005 1015 | 500 1 | 0 15 20 0
K 0 0 100, K 0 50 120 | 200 1 | 0 0 120 0",
        );
        let mut commands = [
            command(Work::Kernel, 0, 0, 100),
            command(Work::Kernel, 0, 50, 120),
        ];
        let mut parts = Parts::default();
        attribute(&mut commands, (200, 1), &mut parts);
        assert_eq!(parts.longest_launch_ns, 100);
    }

    /// If the device's clock is fast, times are cut to the wall time. A difference of 1 % is within the resolution of
    /// both clocks. Timestamps out of order are untrusted, unless the difference is within the jitter of two clocks.
    #[test]
    fn a_clock_that_cannot_be_right_is_told() {
        check(
            "
U 0 0 300, K 0 300 1200 | 400 1 | 100 0 300 0 !
K 0 0 1010 | 1000 1 | 0 0 1000 0
K 0 40 30 | 1000 1 | !
K 200000 40 60 | 1000 1 | !
K 0 0 0 | 1000 1 | !
K 50 40 60 | 1000 1 | 0 0 20 0",
        );
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
