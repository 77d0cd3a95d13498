use std::any::type_name;
use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::ptr::null;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ocl::{OclPrm, ffi};

use super::device::Shared;
use super::group::too_large;
use super::handle::{CompiledProgram, KernelObject, Owned};
use super::info;
use super::memory::{Allocation, Buffer, Image};
use super::query;
use super::signature::{Parameter, Space, parameters};
use super::status::{CallError, check};
use crate::words::{Fault, Resource, resource};

enum Argument {
    Unset,
    /// OpenCL does not keep a kernel's buffers and images alive. This reference does.
    Memory(#[expect(dead_code, reason = "held, never read")] Arc<Allocation>),
    Scalar,
    Local(u64),
}

/// A kernel with its arguments.
pub struct Kernel {
    device: Arc<Shared>,
    pub(super) object: Owned<KernelObject>,
    name: String,
    pub(super) enqueues: bool,
    arguments: Vec<Argument>,
    /// The kernel's parameters, as declared in the source.
    parameters: Vec<Parameter>,
    max_group: usize,
    claimed_group: usize,
    preferred_multiple: usize,
    private_bytes: u64,
    local_bytes: u64,
}

/// A value for a kernel argument: a buffer, an image, a number, a vector, or [`LocalMemory`].
pub trait SetArgument {
    /// Sets a kernel's argument to this value. Fails as [`Kernel::set_buffer`] does.
    fn set(&self, kernel: &mut Kernel, index: u32) -> Result<(), Fault>;

    /// Returns the Rust type of the number or of a buffer's elements, or an empty text if any type fits.
    fn kind(&self) -> &'static str {
        ""
    }
}

/// Local memory of a work-group, as a kernel argument.
pub struct LocalMemory<T>(usize, PhantomData<T>);

/// Requests local memory for `len` elements per work-group.
pub fn local_memory<T: OclPrm>(len: usize) -> LocalMemory<T> {
    LocalMemory(len, PhantomData)
}

impl<T: OclPrm> SetArgument for LocalMemory<T> {
    fn set(&self, kernel: &mut Kernel, index: u32) -> Result<(), Fault> {
        kernel.set_local::<T>(index, self.0)
    }

    fn kind(&self) -> &'static str {
        type_name::<T>()
    }
}

impl<T: OclPrm> SetArgument for Buffer<T> {
    fn set(&self, kernel: &mut Kernel, index: u32) -> Result<(), Fault> {
        kernel.set_buffer(index, self)
    }

    fn kind(&self) -> &'static str {
        type_name::<T>()
    }
}

impl SetArgument for Image {
    fn set(&self, kernel: &mut Kernel, index: u32) -> Result<(), Fault> {
        kernel.set_image(index, self)
    }
}

impl<T: OclPrm> SetArgument for T {
    fn set(&self, kernel: &mut Kernel, index: u32) -> Result<(), Fault> {
        kernel.set_scalar(index, *self)
    }

    fn kind(&self) -> &'static str {
        type_name::<T>()
    }
}

impl Kernel {
    pub(super) fn new(
        device: &Arc<Shared>,
        program: &Owned<CompiledProgram>,
        (path, source): (&str, &str),
        name: &str,
        enqueues: bool,
    ) -> Result<Kernel, Fault> {
        let none = || Fault::Build(format!("{path} has no kernel `{name}`"));
        let c_name = CString::new(name).map_err(|_| none())?;
        // SAFETY: the program is built, and the name is zero-terminated.
        let made: Result<Owned<KernelObject>, _> = unsafe {
            Owned::created("clCreateKernel", |status| {
                ffi::clCreateKernel(program.raw(), c_name.as_ptr(), status)
            })
        };
        let object = made.map_err(|error| match error.code {
            ffi::CL_INVALID_KERNEL_NAME => none(),
            _ => error.into(),
        })?;
        // SAFETY: the kernel is alive, and `query` passes a buffer of the given size.
        let count = query::number("clGetKernelInfo", &|size, place, needed| unsafe {
            ffi::clGetKernelInfo(object.raw(), ffi::CL_KERNEL_NUM_ARGS, size, place, needed)
        })?;
        let limit = |what| work_group_info(device, &object, what, query::number);
        let claimed = limit(ffi::CL_KERNEL_WORK_GROUP_SIZE)? as usize;
        let most = device.info.max_work_group;
        let preferred = match device.assumed_multiple.load(Ordering::Relaxed) {
            0 => limit(ffi::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?,
            assumed => assumed as u64,
        };
        Ok(Kernel {
            max_group: match fixed_group(device, &object)? {
                Some(fixed) if device.quirks.fixed_groups_run() => fixed.min(most),
                Some(fixed) => fixed.min(claimed),
                None if device.quirks.device_group_limit() => most,
                None => claimed,
            },
            claimed_group: claimed,
            preferred_multiple: preferred.max(1) as usize,
            private_bytes: limit(ffi::CL_KERNEL_PRIVATE_MEM_SIZE).unwrap_or(0),
            local_bytes: limit(ffi::CL_KERNEL_LOCAL_MEM_SIZE).unwrap_or(0),
            parameters: parameters(source, name),
            arguments: (0..count).map(|_| Argument::Unset).collect(),
            device: Arc::clone(device),
            object,
            name: name.to_owned(),
            enqueues,
        })
    }

    /// Sets an argument to a buffer. The kernel keeps the buffer alive. All setters return [`Fault::Device`] if the
    /// kernel has no such argument.
    pub fn set_buffer<T: OclPrm>(&mut self, index: u32, buffer: &Buffer<T>) -> Result<(), Fault> {
        self.set_memory(index, &buffer.allocation, Space::Global, "a buffer")
    }

    /// Sets an argument to an image. The kernel keeps the image alive.
    pub fn set_image(&mut self, index: u32, image: &Image) -> Result<(), Fault> {
        self.set_memory(index, &image.allocation, Space::Image, "an image")
    }

    fn set_memory(
        &mut self,
        index: u32,
        allocation: &Arc<Allocation>,
        space: Space,
        what: &str,
    ) -> Result<(), Fault> {
        self.expect(index, space, what)?;
        let memory = allocation.raw();
        let (place, argument) = (&raw const memory, Argument::Memory(Arc::clone(allocation)));
        // SAFETY: the value is a pointer to a memory object, and the call copies it.
        unsafe { self.set_raw(index, size_of_val(&memory), place.cast(), argument) }
    }

    /// Sets an argument to a number or a vector.
    pub fn set_scalar<T: OclPrm>(&mut self, index: u32, value: T) -> Result<(), Fault> {
        self.expect(index, Space::Value, "a value")?;
        let place = (&raw const value).cast();
        // SAFETY: `OclPrm` types have the kernel's layout, the call copies the value, and the driver checks its size.
        unsafe { self.set_raw(index, size_of::<T>(), place, Argument::Scalar) }
    }

    /// Sets consecutive arguments, starting at index `first`. Fails as [`Kernel::set_buffer`] does.
    pub fn set_from(&mut self, first: u32, values: &[&dyn SetArgument]) -> Result<(), Fault> {
        let mut values = (first..).zip(values);
        values.try_for_each(|(index, value)| value.set(self, index))
    }

    /// Sets arguments by the names of their parameters. Fails with [`Fault::Device`] if a parameter is missing or its
    /// type differs. Otherwise, fails as [`Kernel::set_buffer`] does.
    pub fn set(&mut self, values: &[(&str, &dyn SetArgument)]) -> Result<(), Fault> {
        for (name, value) in values {
            let index = self.parameters.iter().position(|it| it.name == *name);
            let takes = |index: &usize| self.parameters[*index].takes(value.kind());
            let index = index.filter(|index| !cfg!(debug_assertions) || takes(index));
            let index = index.ok_or_else(|| {
                let (kernel, kind) = (&self.name, value.kind());
                Fault::Device(format!(
                    "kernel `{kernel}` has no parameter `{name}` for {kind}"
                ))
            })?;
            value.set(self, index as u32)?;
        }
        Ok(())
    }

    /// Sets an argument to local memory for `len` elements per work-group. Fails with [`Fault::Memory`] if all local
    /// arguments together exceed the device's local memory, because drivers then abort.
    pub fn set_local<T: OclPrm>(&mut self, index: u32, len: usize) -> Result<(), Fault> {
        self.expect(index, Space::Local, "local memory")?;
        let bytes = (len.max(1) as u64).saturating_mul(size_of::<T>() as u64);
        let others = self
            .arguments
            .iter()
            .enumerate()
            .map(|(place, argument)| match argument {
                Argument::Local(bytes) if place != index as usize => *bytes,
                _ => 0,
            });
        let needed = bytes.saturating_add(others.sum());
        let whose = format_args!("kernel `{}` needs", self.name);
        self.device.info.check_local(needed, whose)?;
        // SAFETY: a null pointer with a size requests local memory.
        unsafe { self.set_raw(index, bytes as usize, null(), Argument::Local(bytes)) }
    }

    /// # Safety
    /// `value` points to `size` bytes of the argument's type, or is null for local memory.
    unsafe fn set_raw(
        &mut self,
        index: u32,
        size: usize,
        value: *const c_void,
        argument: Argument,
    ) -> Result<(), Fault> {
        // SAFETY: by this function's contract. `&mut self` excludes other threads.
        let status = unsafe { ffi::clSetKernelArg(self.object.raw(), index, size, value) };
        check("clSetKernelArg", status).map_err(|error| {
            Fault::Device(format!("kernel `{}`, argument {index}: {error}", self.name))
        })?;
        self.arguments[index as usize] = argument;
        Ok(())
    }

    /// Rejects an argument whose kind differs from that of the parameter in the source, if the source could be parsed.
    fn expect(&self, index: u32, space: Space, what: &str) -> Result<(), Fault> {
        let is_known = self.parameters.len() == self.arguments.len();
        let complaint = match self.parameters.get(index as usize).filter(|_| is_known) {
            Some(own) if own.space != space && own.space != Space::Any => {
                format!("it does not accept {what}")
            }
            None if index as usize >= self.arguments.len() => {
                format!("it has {} arguments", self.arguments.len())
            }
            _ => return Ok(()),
        };
        let why = format!("kernel `{}`, argument {index}: {complaint}", self.name);
        Err(Fault::Device(why))
    }

    /// Rejects a launch that the driver would refuse or misinterpret, or on which it would crash.
    pub(super) fn check_launch(
        &self,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Result<(), Fault> {
        let refuse = |why: String| Err(Fault::Device(format!("kernel `{}`: {why}", self.name)));
        let unset = self
            .arguments
            .iter()
            .position(|it| matches!(it, Argument::Unset));
        if let Some(index) = unset {
            return refuse(format!("argument {index} was not set"));
        }
        if global.contains(&0) {
            return refuse(format!("global size {global:?} has a 0"));
        }
        let Some(local) = local else { return Ok(()) };
        let dimensions = global.iter().zip(local);
        if dimensions
            .clone()
            .any(|(global, local)| *local == 0 || global % local != 0)
        {
            return refuse(format!(
                "global size {global:?} is not a multiple of local size {local:?}"
            ));
        }
        let group = local
            .iter()
            .try_fold(1usize, |product, size| product.checked_mul(*size));
        self.check_group(group.unwrap_or(usize::MAX))?;
        let most = &self.device.info.max_work_items;
        if local.iter().zip(most).any(|(size, most)| size > most) {
            let why = format!("group: {local:?} work-items; the device takes at most {most:?}");
            return Err(Fault::Unsupported(why));
        }
        Ok(())
    }

    pub(super) fn device(&self) -> &Arc<Shared> {
        &self.device
    }

    /// Returns the kernel's name in the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the maximum work-group size. For a kernel compiled for a single size, this is that size.
    pub fn max_group(&self) -> usize {
        self.max_group
    }

    /// Fails with [`Fault::Unsupported`] if work-groups of `items` work-items exceed the limit.
    pub fn check_group(&self, items: usize) -> Result<(), Fault> {
        if items <= self.max_group {
            return Ok(());
        }
        Err(too_large(items, "compiled kernel", self.max_group))
    }

    /// Returns the preferred multiple of the work-group size.
    pub fn preferred_multiple(&self) -> usize {
        self.preferred_multiple
    }

    /// Returns the private memory per work-item, in bytes, as the driver reports it. On GPUs, it includes spills.
    pub fn private_bytes(&self) -> u64 {
        self.private_bytes
    }

    /// Returns the bytes of local memory per work-group before arguments are set. pocl 6 reports 0, and Intel's vary.
    pub fn local_bytes(&self) -> u64 {
        self.local_bytes
    }

    /// Returns what the kernel uses in work-groups of `group` work-items: memory, group size and group limits.
    pub fn resources(&self, group: usize) -> Vec<Resource> {
        let by_arguments = self.arguments.iter().map(|argument| match argument {
            Argument::Local(bytes) => *bytes,
            _ => 0,
        });
        let local = self.local_bytes.max(by_arguments.sum());
        [
            (resource::GROUP, group as u64),
            (resource::GROUP_LIMIT, self.claimed_group as u64),
            (resource::GROUP_MULTIPLE, self.preferred_multiple as u64),
            (resource::LOCAL, local),
            (resource::PRIVATE, self.private_bytes),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }
}

fn work_group_info<T>(
    device: &Shared,
    kernel: &Owned<KernelObject>,
    what: u32,
    read: query::Reader<T>,
) -> Result<T, CallError> {
    // SAFETY: kernel and device are alive, and `query` passes a buffer of the given size.
    read("clGetKernelWorkGroupInfo", &|size, place, needed| unsafe {
        ffi::clGetKernelWorkGroupInfo(kernel.raw(), device.id.0, what, size, place, needed)
    })
}

fn fixed_group(device: &Shared, kernel: &Owned<KernelObject>) -> Result<Option<usize>, CallError> {
    let what = ffi::CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
    let sizes = work_group_info(device, kernel, what, query::bytes)?;
    let product = info::sizes(&sizes)
        .into_iter()
        .fold(1, usize::saturating_mul);
    Ok((product > 0).then_some(product))
}
