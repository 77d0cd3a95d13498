//! Builds a kernel for a work-group size, and runs it in a queue.

use std::path::Path;

use ocl::OclPrm;

use super::device::Device;
use super::group::WorkGroup;
use super::info::DeviceInfo;
use super::kernel::{Kernel, SetArgument};
use super::memory::{Access, Buffer};
use super::outcomes::Outcomes;
use super::program::Program;
use super::queue::Queue;
use super::quirks::BuildNeeds;
use crate::words::{Fault, Resource, Telemetry};

/// The constants of a kernel file, passed as `-D` options.
pub type Defines = Vec<(&'static str, String)>;

/// The specification of a kernel, independent of any device.
pub struct KernelPlan<'a> {
    /// The kernel file, such as `reversi/pv_split.cl`.
    pub path: &'a str,
    /// The name of the kernel in the file.
    pub kernel: &'a str,
    /// The size of the kernel's work-groups.
    pub group: WorkGroup,
    /// Given a group size, returns the bytes of local memory and the beginning of an error: `a board of 64x64 needs`.
    pub local: &'a dyn Fn(usize) -> (usize, String),
    /// Given a number of work-items per work-group, returns the file's constants.
    pub defines: &'a dyn Fn(usize) -> Defines,
    /// True if the kernel has barriers in data-dependent loops. In groups of one work-item, barriers have no effect.
    pub barriers_in_loops: bool,
}

impl KernelPlan<'_> {
    /// Checks all limits, builds the kernel, and creates its queue. Fails with [`Fault::Memory`] or
    /// [`Fault::Unsupported`] if a limit is exceeded, and any fault from the build.
    pub fn build(&self, device: &Device, kernels: Option<&Path>) -> Result<Runner, Fault> {
        let ((program, kernel), items) =
            self.group(device.info())?.fit(device.info(), |items| {
                let needs = BuildNeeds {
                    barriers_in_loops: self.barriers_in_loops && items > 1,
                    ..BuildNeeds::default()
                };
                let program = device.build(self.path, &(self.defines)(items), kernels, needs)?;
                let kernel = program.kernel(self.kernel)?;
                let most = kernel.max_group();
                Ok(((program, kernel), most))
            })?;
        Ok(Runner {
            local_bytes: (self.local)(items).0,
            ..Runner::new(device, &program, kernel, items)?
        })
    }

    fn group(&self, info: &DeviceInfo) -> Result<WorkGroup, Fault> {
        let check = |items| {
            let (bytes, whose) = (self.local)(items);
            info.check_local(bytes as u64, whose)
        };
        let wanted = self.group.on(info)?;
        let WorkGroup::UpTo(_) = self.group else {
            return check(wanted).map(|()| self.group);
        };
        let halves = std::iter::successors(Some(wanted), |items| Some(items / 2));
        let mut sizes = halves.take_while(|items| *items > 0);
        match sizes.find(|items| check(*items).is_ok()) {
            Some(items) => Ok(WorkGroup::UpTo(items)),
            None => check(wanted).map(|()| self.group),
        }
    }
}

/// A kernel with its queue.
pub struct Runner {
    /// The kernel.
    pub kernel: Kernel,
    /// The queue that runs the kernel.
    pub queue: Queue,
    /// Number of work-items in a work-group.
    pub items: usize,
    /// Local memory per work-group according to the plan, in bytes.
    pub local_bytes: usize,
    /// The options with which the program was built.
    pub options: String,
    /// Notes for the row about the choices made. Initially, these are the group size and the build options.
    pub notes: String,
    /// Time to build the program, ns.
    pub build_ns: u64,
}

impl Runner {
    /// Wraps a kernel for groups of `items` work-items. Fails with [`Fault::Unsupported`] if the kernel cannot run.
    pub fn new(
        device: &Device,
        program: &Program,
        kernel: Kernel,
        items: usize,
    ) -> Result<Runner, Fault> {
        kernel.check_group(items)?;
        Ok(Runner {
            kernel,
            queue: device.queue()?,
            items,
            local_bytes: 0,
            options: program.options().to_owned(),
            notes: format!("group {items}, built with {}", program.options()),
            build_ns: program.build_ns(),
        })
    }

    /// Sets kernel arguments by parameter names. Fails as [`Kernel::set`] does.
    pub fn set(&mut self, values: &[(&str, &dyn SetArgument)]) -> Result<(), Fault> {
        self.kernel.set(values)
    }

    /// Sets an argument to a new buffer of `len` elements. Fails as [`Device::buffer`] and [`Kernel::set`] do.
    pub fn buffer<T: OclPrm>(
        &mut self,
        name: &str,
        len: usize,
        access: Access,
    ) -> Result<Buffer<T>, Fault> {
        let buffer = Buffer::new(self.kernel.device(), len, access)?;
        self.set(&[(name, &buffer)])?;
        Ok(buffer)
    }

    /// Sets an argument to a new read-only buffer with these numbers. Fails as [`Runner::buffer`] does.
    pub fn upload<T: OclPrm>(&mut self, name: &str, numbers: &[T]) -> Result<(), Fault> {
        let buffer = self.buffer(name, numbers.len(), Access::Read)?;
        self.queue.write(&buffer, numbers)
    }

    /// Sets the argument `outcomes` to a new buffer for `most` outcomes per launch with `words` words each. `what`
    /// names the subject of an outcome, such as a `sibling`. Fails as [`Runner::buffer`] does.
    pub fn outcomes(
        &mut self,
        what: &'static str,
        most: usize,
        words: usize,
    ) -> Result<Outcomes, Fault> {
        let buffer = self.buffer("outcomes", most * words, Access::Write)?;
        Ok(Outcomes::of(buffer, what, self.kernel.name(), words))
    }

    /// Launches one work-group with these arguments, which should give it no work. Some drivers compile at first use.
    pub fn warm_up(&mut self, values: &[(&str, &dyn SetArgument)]) -> Result<(), Fault> {
        self.set(values)?;
        self.launch_groups(1)?;
        self.queue.finish()?;
        self.telemetry();
        Ok(())
    }

    /// Sets the argument `stamp` for the next launch, which writes `count` outcomes. Fails as [`Kernel::set`] does.
    pub fn stamp(&mut self, outcomes: &mut Outcomes, count: usize) -> Result<(), Fault> {
        self.set(&[("stamp", &outcomes.mark(count))])
    }

    /// Launches this many work-groups. Fails as [`Queue::launch`] does.
    pub fn launch_groups(&mut self, groups: usize) -> Result<(), Fault> {
        let global = [groups * self.items];
        self.queue.launch(&self.kernel, global, Some([self.items]))
    }

    /// Launches at least this many work-items, rounded up to whole groups. Fails as [`Queue::launch`] does.
    pub fn launch_items(&mut self, count: usize) -> Result<(), Fault> {
        self.launch_groups(count.div_ceil(self.items))
    }

    /// Returns the device resources that the kernel uses.
    pub fn resources(&self) -> Vec<Resource> {
        self.kernel.resources(self.items)
    }

    /// Returns [`Runner::telemetry`] with [`Runner::resources`].
    pub fn telemetry_and_resources(&mut self) -> Telemetry {
        Telemetry {
            resources: self.resources(),
            ..self.telemetry()
        }
    }

    /// Returns the time parts since the last call, with the build's time and notes.
    pub fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            parts: self.queue.take_parts(),
            build_ns: self.build_ns,
            notes: self.notes.clone(),
            ..Telemetry::default()
        }
    }
}
