use std::time::Instant;

use ocl::ffi;

use super::handle::{Event, Owned};
use super::parts::attribute;
pub(super) use super::parts::{Stamps, Work};
use super::query;
use super::status::CallError;
use crate::words::Parts;

/// With more events than this, the next wait turns them into parts: some callers never ask for the parts.
const KEPT_EVENTS: usize = 1 << 16;

/// Accounts for a queue's time, by device events or by the host's clock.
///
/// A span is the time from the first command enqueued to an idle queue until the wait that finds it idle
/// again. With events, a span is an upper bound for its commands' times. With the host's clock, a span
/// contains one kind of work only; the queue ensures that by waiting between kinds.
pub(super) struct Account {
    by_events: bool,
    events: Vec<(Work, Owned<Event>)>,
    /// When the current span began.
    busy_since: Option<Instant>,
    /// Host time of all spans of the kept events, ns.
    wall_ns: u64,
    /// Parts known so far. The queue counts launches and bytes here directly.
    pub parts: Parts,
}

impl Account {
    /// An empty account.
    pub fn new(by_events: bool) -> Account {
        Account {
            by_events,
            events: Vec::new(),
            busy_since: None,
            wall_ns: 0,
            parts: Parts::default(),
        }
    }

    /// Whether commands must return events.
    pub fn by_events(&self) -> bool {
        self.by_events
    }

    /// Call before a command is enqueued.
    pub fn begin(&mut self) {
        self.busy_since.get_or_insert_with(Instant::now);
    }

    /// Call after a command is enqueued.
    pub fn keep(&mut self, work: Work, event: Owned<Event>) {
        self.events.push((work, event));
    }

    /// Call when the queue is idle; `work` was its last command's.
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
        }
    }

    /// Call when the queue fails: the end of the current span is unknown.
    pub fn give_up(&mut self) {
        self.busy_since = None;
        self.parts.untrusted = true;
    }

    /// Returns all parts and starts again from zero.
    pub fn take(&mut self) -> Parts {
        self.resolve();
        let mut parts = std::mem::take(&mut self.parts);
        parts.untrusted |= !self.by_events;
        parts
    }

    /// Returns the timestamps instead of parts, and starts again from zero.
    pub fn take_stamps(&mut self) -> Result<Vec<Stamps>, CallError> {
        let events = std::mem::take(&mut self.events);
        (self.wall_ns, self.parts) = (0, Parts::default());
        events
            .iter()
            .map(|(work, event)| stamps(*work, event))
            .collect()
    }

    /// Converts the kept events into parts.
    fn resolve(&mut self) {
        let wall_ns = std::mem::take(&mut self.wall_ns);
        let events = std::mem::take(&mut self.events);
        if events.is_empty() {
            return;
        }
        let stamps: Result<Vec<Stamps>, CallError> = events
            .iter()
            .map(|(work, event)| stamps(*work, event))
            .collect();
        match stamps {
            Ok(mut stamps) => attribute(&mut stamps, wall_ns, &mut self.parts),
            Err(_) => {
                self.parts.untrusted = true;
                self.parts.kernel_ns += wall_ns;
            }
        }
    }
}

/// The timestamps of a command that has ended.
fn stamps(work: Work, event: &Owned<Event>) -> Result<Stamps, CallError> {
    let stamp = |what| {
        // SAFETY: the event is alive; `query` gives a place of the size that it says.
        query::number("clGetEventProfilingInfo", &|size, place, needed| unsafe {
            ffi::clGetEventProfilingInfo(event.raw(), what, size, place, needed)
        })
    };
    // COMPLETE is the end of the descendants too. END need not be: Intel's excludes children that wait for
    // their parent to end.
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
