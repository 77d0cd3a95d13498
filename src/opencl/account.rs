use std::time::Instant;

use ocl::ffi;

use super::handle::{Event, Owned};
use super::parts::{Stamps, Work, attribute};
use super::query;
use super::status::CallError;
use crate::words::Parts;

/// Number of kept events at which the next wait converts them to parts.
const KEPT_EVENTS: usize = 1 << 16;

/// Adds up the times of a queue's commands, measured by device events or by the host's clock. A span begins with the
/// first command on an idle queue. It ends with the wait that finds the queue idle again. With the host's clock, a span
/// contains only one kind of work, because the queue waits between kinds.
#[derive(Default)]
pub(super) struct Account {
    pub by_events: bool,
    pub step_ns: u64,
    pub events: Vec<(Work, Owned<Event>)>,
    pub busy_since: Option<Instant>,
    pub wall_ns: u64,
    /// The parts known so far, including the counts of launches and bytes.
    pub parts: Parts,
}

impl Account {
    /// Ends the current span. Call this when the queue is idle. `work` is the kind of its last command.
    pub fn settle(&mut self, work: Work) {
        let Some(start) = self.busy_since.take() else {
            return;
        };
        let span_ns = start.elapsed().as_nanos() as u64;
        if self.by_events {
            self.wall_ns += span_ns;
            if self.events.len() >= KEPT_EVENTS {
                self.resolve();
            }
        } else {
            *work.part_of(&mut self.parts) += span_ns;
            if matches!(work, Work::Kernel | Work::Ancestor) {
                let longest = &mut self.parts.longest_launch_ns;
                *longest = span_ns.max(*longest);
            }
        }
    }

    /// Discards the current span. Call this when the queue fails, because the end of the span is then unknown.
    pub fn give_up(&mut self) {
        self.busy_since = None;
        self.parts.untrusted = true;
    }

    /// Returns all parts and resets the account.
    pub fn take(&mut self) -> Parts {
        self.resolve();
        let mut parts = std::mem::take(&mut self.parts);
        parts.untrusted |= !self.by_events;
        parts
    }

    /// Returns the timestamps of all commands instead of the parts, and resets the account.
    pub fn take_stamps(&mut self) -> Result<Vec<Stamps>, CallError> {
        (self.wall_ns, self.parts) = (0, Parts::default());
        let events = std::mem::take(&mut self.events);
        let stamps = events.iter().map(|(work, event)| stamps(*work, event));
        stamps.collect()
    }

    fn resolve(&mut self) {
        let (wall_ns, parts) = (self.wall_ns, self.parts);
        let is_idle = self.events.is_empty();
        let stamps = self.take_stamps();
        self.parts = parts;
        if is_idle {
            return;
        }
        match stamps {
            Ok(mut stamps) => attribute(&mut stamps, (wall_ns, self.step_ns), &mut self.parts),
            Err(_) => {
                self.parts.untrusted = true;
                self.parts.kernel_ns += wall_ns;
            }
        }
    }
}

fn stamps(work: Work, event: &Owned<Event>) -> Result<Stamps, CallError> {
    let stamp = |what| {
        // SAFETY: the event is alive, and `query` passes a buffer of this size.
        query::number("clGetEventProfilingInfo", &|size, place, needed| unsafe {
            ffi::clGetEventProfilingInfo(event.raw(), what, size, place, needed)
        })
    };
    // COMPLETE includes descendants, but END may not: Intel's driver excludes children that wait for their parent.
    let end = match work {
        Work::Ancestor => ffi::CL_PROFILING_COMMAND_COMPLETE,
        Work::Upload | Work::Kernel | Work::Download => ffi::CL_PROFILING_COMMAND_END,
    };
    Ok(Stamps {
        work,
        queued: stamp(ffi::CL_PROFILING_COMMAND_QUEUED)?,
        start: stamp(ffi::CL_PROFILING_COMMAND_START)?,
        end: stamp(end)?,
    })
}
