use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ocl::{OclPrm, ffi};

use super::account::Account;
use super::device::Shared;
use super::handle::{CommandQueue, Event, Owned};
use super::kernel::Kernel;
use super::memory::Buffer;
use super::parts::{Stamps, Work};
use super::status::{CallError, check};
use crate::words::{Fault, Parts};

/// Maximum size of a write whose data are copied to avoid blocking. Copying more takes longer than waiting.
const STAGED_BYTES: usize = 256 * 1024;

/// Maximum size of a fill, in bytes. NVIDIA's driver rejects fills of 2 GiB, and some versions silently ignore them.
const FILLED_BYTES: usize = 1 << 30;

/// If a launch has run at least this long when its device is lost, the error mentions the watchdog.
const LONG: Duration = Duration::from_millis(100);

const SPARE_COPIES: usize = 16;

/// An in-order queue that measures its commands' times. [`Queue::read`], [`Queue::read_after`] and [`Queue::finish`]
/// block. If the device's timer is untrusted, writes also block, and every copy first waits for all launches.
pub struct Queue {
    object: Owned<CommandQueue>,
    /// A second queue for [`Queue::read_after`], so that a read need not wait for later commands of `object`.
    beside: Option<Owned<CommandQueue>>,
    device: Arc<Shared>,
    account: Account,
    launched: Option<Instant>,
    /// Copies of the data for pending writes.
    staged: Vec<Vec<MaybeUninit<u8>>>,
    spare: Vec<Vec<MaybeUninit<u8>>>,
}

/// A point between two commands of a queue.
pub struct Mark {
    event: Owned<Event>,
}

fn create(device: &Shared) -> Result<Owned<CommandQueue>, Fault> {
    let (context, id) = (device.context.raw(), device.id.0);
    // SAFETY: the device belongs to the context.
    let queue = unsafe {
        Owned::created("clCreateCommandQueue", |status| {
            ffi::clCreateCommandQueue(context, id, ffi::CL_QUEUE_PROFILING_ENABLE, status)
        })
    };
    Ok(queue?)
}

impl Queue {
    pub(super) fn new(device: &Arc<Shared>, by_events: bool) -> Result<Queue, Fault> {
        Ok(Queue {
            object: create(device)?,
            beside: None,
            device: Arc::clone(device),
            account: Account {
                by_events,
                step_ns: device.info.timer_resolution_ns,
                ..Account::default()
            },
            launched: None,
            staged: Vec::new(),
            spare: Vec::new(),
        })
    }

    /// Copies `data` to the start of a buffer. `data` may change as soon as this returns. Fails with [`Fault::Input`]
    /// if the buffer is shorter than `data`. Other failures return the fault for the driver's status.
    pub fn write<T: OclPrm>(&mut self, buffer: &Buffer<T>, data: &[T]) -> Result<(), Fault> {
        fits(buffer, data.len())?;
        let bytes = size_of_val(data);
        if bytes == 0 {
            return Ok(());
        }
        if !self.account.by_events {
            self.finish()?;
        }
        let wait = !self.account.by_events || bytes > STAGED_BYTES;
        let mut from: *const c_void = data.as_ptr().cast();
        if !wait {
            let mut copy = self.spare.pop().unwrap_or_default();
            copy.clear();
            // SAFETY: `data` has this many bytes. Padding may be uninitialised, hence `MaybeUninit`.
            copy.extend_from_slice(unsafe { std::slice::from_raw_parts(from.cast(), bytes) });
            from = copy.as_ptr().cast();
            self.staged.push(copy);
        }
        let memory = buffer.allocation.raw();
        let blocking = if wait { ffi::CL_TRUE } else { ffi::CL_FALSE };
        self.enqueue("clEnqueueWriteBuffer", Work::Upload, |queue, event| {
            // SAFETY: the buffer has space. `from` is the caller's data if the call blocks. Otherwise, it is the copy
            // in `staged`, which is kept until the queue is idle.
            unsafe {
                ffi::clEnqueueWriteBuffer(queue, memory, blocking, 0, bytes, from, 0, null(), event)
            }
        })?;
        self.account.parts.bytes_up += bytes as u64;
        if wait {
            self.settled(Work::Upload);
        }
        Ok(())
    }

    /// Copies the start of a buffer to `data`, after all earlier commands. Fails as [`Queue::write`] does.
    pub fn read<T: OclPrm>(&mut self, buffer: &Buffer<T>, data: &mut [T]) -> Result<(), Fault> {
        fits(buffer, data.len())?;
        if size_of_val(data) == 0 {
            return Ok(());
        }
        if !self.account.by_events {
            self.finish()?;
        }
        self.enqueue_read(buffer, data, None)?;
        self.settled(Work::Download);
        Ok(())
    }

    /// Marks the current end of the queue, for [`Queue::read_after`]. Fails as [`Queue::write`] does.
    pub fn mark(&mut self) -> Result<Mark, Fault> {
        // SAFETY: the queue is alive. If the call succeeds, the event is new and owned here.
        let event = unsafe {
            Owned::created("clEnqueueMarkerWithWaitList", |status| {
                let (queue, mut event) = (self.object.raw(), null_mut());
                *status = ffi::clEnqueueMarkerWithWaitList(queue, 0, null(), &mut event);
                event
            })?
        };
        Ok(Mark { event })
    }

    /// Copies the start of a buffer to `data`, after all commands before `mark`. Later commands may run meanwhile, but
    /// must not use the buffer. If the timer is untrusted, waits for all commands. Fails as [`Queue::write`] does.
    pub fn read_after<T: OclPrm>(
        &mut self,
        mark: &Mark,
        buffer: &Buffer<T>,
        data: &mut [T],
    ) -> Result<(), Fault> {
        if !self.account.by_events {
            return self.read(buffer, data);
        }
        fits(buffer, data.len())?;
        if size_of_val(data) == 0 {
            return Ok(());
        }
        // A queue can wait for another queue's commands only after they were submitted.
        self.flush()?;
        let beside = match self.beside.take() {
            Some(beside) => beside,
            None => create(&self.device)?,
        };
        let beside = self.beside.insert(beside).raw();
        self.enqueue_read(buffer, data, Some((beside, mark.event.raw())))
    }

    /// Copies the start of a buffer to `data`, either in this queue or, after an event, in another queue.
    fn enqueue_read<T: OclPrm>(
        &mut self,
        buffer: &Buffer<T>,
        data: &mut [T],
        after: Option<(ffi::cl_command_queue, ffi::cl_event)>,
    ) -> Result<(), Fault> {
        let (bytes, memory) = (size_of_val(data), buffer.allocation.raw());
        let to: *mut c_void = data.as_mut_ptr().cast();
        let (other, event) = after.unzip();
        let (waits, wait) = (u32::from(event.is_some()), event.as_ref());
        let wait = wait.map_or(null(), std::ptr::from_ref);
        self.enqueue("clEnqueueReadBuffer", Work::Download, |queue, event| {
            let queue = other.unwrap_or(queue);
            let blocking = ffi::CL_TRUE;
            // SAFETY: `to` and the buffer have this many bytes, and the call returns after the copy. `OclPrm` types
            // allow every bit pattern. The event is alive.
            unsafe {
                ffi::clEnqueueReadBuffer(queue, memory, blocking, 0, bytes, to, waits, wait, event)
            }
        })?;
        self.account.parts.bytes_down += bytes as u64;
        Ok(())
    }

    /// Sets every element of a buffer to `value`. This counts as kernel time. Fails as [`Queue::write`] does.
    pub fn fill<T: OclPrm>(&mut self, buffer: &Buffer<T>, value: T) -> Result<(), Fault> {
        let size = size_of::<T>();
        if !size.is_power_of_two() || size > 128 {
            let why = format!("fill elements of {size} bytes; OpenCL allows 1, 2, 4 … 128 bytes");
            return Err(Fault::Input(why));
        }
        if buffer.is_empty() {
            return Ok(());
        }
        if self.device.quirks.host_writes() {
            return self.write(buffer, &vec![value; buffer.len()]);
        }
        let (whole, memory) = (buffer.len() * size, buffer.allocation.raw());
        let pattern: *const c_void = (&raw const value).cast();
        for from in (0..whole).step_by(FILLED_BYTES) {
            let bytes = FILLED_BYTES.min(whole - from);
            // SAFETY: the call copies the pattern. OpenCL accepts its size, which divides both offset and bytes.
            self.enqueue("clEnqueueFillBuffer", Work::Kernel, |queue, event| unsafe {
                let waits = null();
                ffi::clEnqueueFillBuffer(queue, memory, pattern, size, from, bytes, 0, waits, event)
            })?;
        }
        Ok(())
    }

    /// Runs a kernel over one to three dimensions in groups of size `local`. If `local` is `None`, the driver chooses
    /// the size. If an argument is unset or a size invalid, returns [`Fault::Device`] before calling the driver.
    pub fn launch<const D: usize>(
        &mut self,
        kernel: &Kernel,
        global: [usize; D],
        local: Option<[usize; D]>,
    ) -> Result<(), Fault> {
        const { assert!(D >= 1 && D <= 3, "OpenCL has one to three dimensions") };
        let local = local.as_ref().map(<[usize; D]>::as_slice);
        kernel.check_launch(&global, local)?;
        self.launched.get_or_insert_with(Instant::now);
        let groups = local.map_or(null(), <[usize]>::as_ptr);
        let work = match kernel.enqueues {
            true => Work::Ancestor,
            false => Work::Kernel,
        };
        // SAFETY: both sizes have D entries, and all arguments are set. The kernel keeps its buffers alive, and after
        // the call the driver does.
        self.enqueue("clEnqueueNDRangeKernel", work, |queue, event| unsafe {
            ffi::clEnqueueNDRangeKernel(
                queue,
                kernel.object.raw(),
                D as u32,
                null(),
                global.as_ptr(),
                groups,
                0,
                null(),
                event,
            )
        })
        .map_err(|fault| match fault {
            Fault::Device(why) => Fault::Device(format!("kernel `{}`: {why}", kernel.name())),
            Fault::Unsupported(_) => Fault::Unsupported(format!(
                "group: {:?} work-items; the driver refuses them for kernel `{}`",
                local.unwrap_or_default(),
                kernel.name()
            )),
            Fault::Memory(why) => Fault::Memory(format!("{}: {why}", self.device.account())),
            other => other,
        })?;
        self.account.parts.launches += 1;
        Ok(())
    }

    /// Submits the enqueued commands, which drivers may hold back until a call waits. Fails as [`Queue::write`] does.
    pub fn flush(&mut self) -> Result<(), Fault> {
        // SAFETY: the queue is alive.
        check("clFlush", unsafe { ffi::clFlush(self.object.raw()) })?;
        Ok(())
    }

    /// Waits until all commands have ended. Fails as [`Queue::write`] does, and also if an earlier command failed.
    pub fn finish(&mut self) -> Result<(), Fault> {
        // SAFETY: the queue is alive.
        let status = unsafe { ffi::clFinish(self.object.raw()) };
        check("clFinish", status).map_err(|error| self.fault(error))?;
        self.settled(Work::Kernel);
        Ok(())
    }

    /// Returns the time parts since the last call. Waits for pending commands, so do not call this in timed code.
    pub fn take_parts(&mut self) -> Parts {
        if self.finish().is_err() {
            self.account.give_up();
        }
        self.account.take()
    }

    fn enqueue(
        &mut self,
        call: &'static str,
        work: Work,
        command: impl FnOnce(ffi::cl_command_queue, *mut ffi::cl_event) -> ffi::cl_int,
    ) -> Result<(), Fault> {
        self.account.busy_since.get_or_insert_with(Instant::now);
        let queue = self.object.raw();
        if !self.account.by_events {
            let status = command(queue, null_mut());
            return check(call, status).map_err(|error| self.fault(error));
        }
        // SAFETY: if the call succeeds, the event is new and owned here.
        let event = unsafe {
            Owned::created(call, |status| {
                let mut event = null_mut();
                *status = command(queue, &mut event);
                event
            })
        };
        let event = event.map_err(|error| self.fault(error))?;
        self.account.events.push((work, event));
        Ok(())
    }

    /// Converts a failed call to a fault. If a launch ran for a long time, the fault mentions the watchdog.
    fn fault(&self, error: CallError) -> Fault {
        let took = self.launched.map(|since| since.elapsed());
        match took.filter(|took| *took >= LONG && error.may_be_watchdog()) {
            Some(took) => Fault::Device(format!(
                "{error}, {:.1} s after a launch began; a driver's watchdog ends long launches, and \
                 --launch-limit 20ms shortens them",
                took.as_secs_f64()
            )),
            None => error.into(),
        }
    }

    /// Ends the current span and frees the copies, because the queue is idle. `work` is the kind of its last command.
    fn settled(&mut self, work: Work) {
        self.account.settle(work);
        self.launched = None;
        self.spare.append(&mut self.staged);
        self.spare.truncate(SPARE_COPIES);
    }

    pub(super) fn take_stamps(&mut self) -> Result<Vec<Stamps>, Fault> {
        self.finish()?;
        Ok(self.account.take_stamps()?)
    }

    pub(super) fn device(&self) -> &Arc<Shared> {
        &self.device
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if !self.staged.is_empty() {
            // SAFETY: the queue is alive.
            let status = unsafe { ffi::clFinish(self.object.raw()) };
            if status != ffi::CL_SUCCESS {
                // The driver may still read the copies, so leak them.
                std::mem::forget(std::mem::take(&mut self.staged));
            }
        }
    }
}

fn fits<T: OclPrm>(buffer: &Buffer<T>, len: usize) -> Result<(), Fault> {
    if len > buffer.len() {
        let why = format!("{len} elements for a buffer of {}", buffer.len());
        return Err(Fault::Input(why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::{BuildNeeds, list, memory::Access, open, select};
    use super::*;

    fn probe(by_events: bool) -> Option<(Kernel, Buffer<u32>, Queue)> {
        let Ok(devices) = list() else {
            eprintln!("skipped: no OpenCL device here");
            return None;
        };
        let device = open(select(&devices, &[]).unwrap()[0]).unwrap();
        let program = device
            .build("common/probe.cl", &[], None, BuildNeeds::default())
            .unwrap();
        let kernel = program.kernel("probe").unwrap();
        let buffer = device.buffer::<u32>(1_000, Access::ReadWrite).unwrap();
        let queue = Queue::new(&device.shared, by_events).unwrap();
        Some((kernel, buffer, queue))
    }

    /// Other buffers' commands between the mark and the read neither change the data nor delay the next read.
    #[test]
    fn what_is_before_a_mark_is_read_while_the_rest_runs() {
        for by_events in [true, false] {
            let Some((mut kernel, one, mut queue)) = probe(by_events) else {
                return;
            };
            let other = Buffer::new(queue.device(), 1_000, Access::ReadWrite).unwrap();
            let mut back = vec![0; 1_000];
            queue.write(&one, &[3; 1_000]).unwrap();
            queue.write(&other, &[4; 1_000]).unwrap();
            let mark = queue.mark().unwrap();
            kernel.set_buffer(0, &other).unwrap();
            kernel.set_scalar(1, 10_000u32).unwrap();
            queue.launch(&kernel, [1_000], None).unwrap();
            queue.read_after(&mark, &one, &mut back).unwrap();
            assert_eq!(back, [3; 1_000]);
            queue.write(&one, &[5; 1_000]).unwrap();
            let mark = queue.mark().unwrap();
            queue.read_after(&mark, &one, &mut back).unwrap();
            assert_eq!(back, [5; 1_000]);
            queue.finish().unwrap();
            let parts = queue.take_parts();
            assert_eq!(parts.launches, 1);
            assert_eq!((parts.bytes_up, parts.bytes_down), (12_000, 8_000));
            assert!(parts.kernel_ns > 0 && parts.sum_ns() > 0, "{parts:?}");
            let too_long = queue.read_after(&mark, &one, &mut vec![0; 1_001]);
            assert!(matches!(too_long, Err(Fault::Input(_))));
        }
    }

    #[test]
    fn the_hosts_clock_stands_in_for_the_devices() {
        let Some((mut kernel, buffer, mut queue)) = probe(false) else {
            return;
        };
        kernel.set_buffer(0, &buffer).unwrap();
        kernel.set_scalar(1, 10_000u32).unwrap();
        let mut back = vec![0; 1_000];
        let start = Instant::now();
        for _ in 0..2 {
            queue.write(&buffer, &[7; 1_000]).unwrap();
            queue.launch(&kernel, [1_000], None).unwrap();
            queue.write(&buffer, &[8; 10]).unwrap();
            queue.read(&buffer, &mut back).unwrap();
        }
        let wall = start.elapsed().as_nanos() as u64;
        assert_eq!((back[9], back[10]), (8, 7));
        let parts = queue.take_parts();
        let holds = parts.untrusted && parts.sum_ns() <= wall;
        assert!(holds, "{parts:?} in {wall} ns");
        let holds = parts.upload_ns > 0 && parts.kernel_ns > 0 && parts.download_ns > 0;
        assert!(holds, "{parts:?}");
        let expected = (2, 8_080, 8_000);
        assert_eq!((parts.launches, parts.bytes_up, parts.bytes_down), expected);
        assert_eq!(queue.take_parts().sum_ns(), 0);
    }
}
