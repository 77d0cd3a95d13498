//! A kernel, built for its work-groups, and its queue.

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

/// Constants of a kernel file, passed as `-D`.
pub type Defines = Vec<(&'static str, String)>;

/// The specification of a kernel, independent of the device.
pub struct KernelPlan<'a> {
    /// The kernel file, such as `reversi/pv_split.cl`.
    pub path: &'a str,
    /// The kernel in it.
    pub kernel: &'a str,
    /// The size of its work-groups.
    pub group: WorkGroup,
    /// Bytes of local memory for a group of this many items, and the beginning of a refusal: `a board of 64x64 needs`.
    pub local: &'a dyn Fn(usize) -> (usize, String),
    /// The file's constants for work-groups with a given number of work-items.
    pub defines: &'a dyn Fn(usize) -> Defines,
    /// True if it has barriers in loops with data-dependent length. They have no effect in groups of one work-item.
    pub barriers_in_loops: bool,
}

impl KernelPlan<'_> {
    /// Checks every limit, builds the kernel, and creates its queue. [`Fault::Memory`] or [`Fault::Unsupported`] for a
    /// limit, or any error in the build.
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
    /// Its queue.
    pub queue: Queue,
    /// Work-items in a work-group.
    pub items: usize,
    /// Local memory of a work-group according to the plan, bytes.
    pub local_bytes: usize,
    /// The options that its program was built with.
    pub options: String,
    /// Choices to note in the row; initially the group size and the options.
    pub notes: String,
    /// Program build time, ns.
    pub build_ns: u64,
}

impl Runner {
    /// A kernel from a program built for groups of `items` work-items. [`Fault::Unsupported`] if the kernel refuses.
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

    /// Sets arguments of the kernel by parameter names. Fails like [`Kernel::set`].
    pub fn set(&mut self, values: &[(&str, &dyn SetArgument)]) -> Result<(), Fault> {
        self.kernel.set(values)
    }

    /// A new buffer of `len` elements as an argument. Fails like [`Device::buffer`] and [`Kernel::set`].
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

    /// A new buffer with these numbers, as an argument that the kernel only reads. Fails like [`Runner::buffer`].
    pub fn upload<T: OclPrm>(&mut self, name: &str, numbers: &[T]) -> Result<(), Fault> {
        let buffer = self.buffer(name, numbers.len(), Access::Read)?;
        self.queue.write(&buffer, numbers)
    }

    /// A new buffer for results as the argument `outcomes`. `most`: outcomes per launch; `words`: numbers per outcome;
    /// `what`: its subject, such as a `sibling`. Fails like [`Runner::buffer`].
    pub fn outcomes(
        &mut self,
        what: &'static str,
        most: usize,
        words: usize,
    ) -> Result<Outcomes, Fault> {
        let buffer = self.buffer("outcomes", most * words, Access::Write)?;
        Ok(Outcomes::of(buffer, what, self.kernel.name(), words))
    }

    /// Launches an empty group with these arguments, because some drivers compile at first use.
    pub fn warm_up(&mut self, values: &[(&str, &dyn SetArgument)]) -> Result<(), Fault> {
        self.set(values)?;
        self.launch_groups(1)?;
        self.queue.finish()?;
        self.telemetry();
        Ok(())
    }

    /// Sets the stamps of the next launch's `count` outcomes. Fails like [`Kernel::set`].
    pub fn stamp(&mut self, outcomes: &mut Outcomes, count: usize) -> Result<(), Fault> {
        self.set(&[("stamp", &outcomes.mark(count))])
    }

    /// Launches this many work-groups. Fails like [`Queue::launch`].
    pub fn launch_groups(&mut self, groups: usize) -> Result<(), Fault> {
        let global = [groups * self.items];
        self.queue.launch(&self.kernel, global, Some([self.items]))
    }

    /// Launches at least this many work-items, rounded up to whole groups. Fails like [`Queue::launch`].
    pub fn launch_items(&mut self, count: usize) -> Result<(), Fault> {
        self.launch_groups(count.div_ceil(self.items))
    }

    /// The device resources that the kernel uses.
    pub fn resources(&self) -> Vec<Resource> {
        self.kernel.resources(self.items)
    }

    /// [`Runner::telemetry`], with [`Runner::resources`].
    pub fn telemetry_and_resources(&mut self) -> Telemetry {
        Telemetry {
            resources: self.resources(),
            ..self.telemetry()
        }
    }

    /// The time parts since the last call, and what was built.
    pub fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            parts: self.queue.take_parts(),
            build_ns: self.build_ns,
            notes: self.notes.clone(),
            ..Telemetry::default()
        }
    }
}
