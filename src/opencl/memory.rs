use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ocl::{OclPrm, ffi};

use super::context::Shared;
use super::handle::{Memory, Owned};
use super::status::CallError;
use super::units::bytes_in_words;
use crate::words::Fault;

/// Initial bytes of a buffer that the host must write: useless as a number, an index or a flag.
const GARBAGE: u8 = 0xa5;

/// What kernels may do with a buffer. The host may always read and write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Kernels only read it.
    Read,
    /// Kernels only write it.
    Write,
    /// Kernels read and write it.
    ReadWrite,
}

impl Access {
    pub(super) fn flags(self) -> ffi::cl_mem_flags {
        match self {
            Access::Read => ffi::CL_MEM_READ_ONLY,
            Access::Write => ffi::CL_MEM_WRITE_ONLY,
            Access::ReadWrite => ffi::CL_MEM_READ_WRITE,
        }
    }
}

pub(super) struct Allocation {
    memory: Owned<Memory>,
    bytes: u64,
    device: Arc<Shared>,
}

impl Allocation {
    /// Allocates device memory and adds it to the device's account. [`Fault::Memory`] if it does not fit.
    pub fn new(
        device: &Arc<Shared>,
        bytes: u64,
        create: impl FnOnce() -> Result<Owned<Memory>, Fault>,
    ) -> Result<Allocation, Fault> {
        let before = device.allocated.fetch_add(bytes, Ordering::Relaxed);
        let needed = before.saturating_add(bytes);
        let created = if needed > device.info.global_memory_bytes {
            Err(Fault::Memory(format!(
                "needs {}, device has {}",
                bytes_in_words(needed),
                bytes_in_words(device.info.global_memory_bytes)
            )))
        } else {
            create()
        };
        match created {
            Ok(memory) => Ok(Allocation {
                memory,
                bytes,
                device: Arc::clone(device),
            }),
            Err(fault) => {
                device.allocated.fetch_sub(bytes, Ordering::Relaxed);
                Err(fault)
            }
        }
    }

    pub fn raw(&self) -> ffi::cl_mem {
        self.memory.raw()
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.device
            .allocated
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// An array of `T` in global memory, undefined until written. Kernels keep their arguments alive.
pub struct Buffer<T: OclPrm> {
    pub(super) allocation: Arc<Allocation>,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: OclPrm> Buffer<T> {
    /// A buffer of length 0 takes the space of one element, because OpenCL has no empty buffers.
    pub(super) fn new(
        device: &Arc<Shared>,
        len: usize,
        access: Access,
    ) -> Result<Buffer<T>, Fault> {
        let bytes = (len.max(1) as u64).saturating_mul(size_of::<T>().max(1) as u64);
        let info = &device.info;
        // Drivers abort, or report success and fail at the first use, so the limits are checked here.
        if bytes > info.max_allocation_bytes {
            return Err(Fault::Memory(format!(
                "a buffer needs {}, the device's largest is {}",
                bytes_in_words(bytes),
                bytes_in_words(info.max_allocation_bytes)
            )));
        }
        let allocation = Allocation::new(device, bytes, || {
            let mut status = 0;
            let mut garbage = Vec::new();
            let (mut flags, mut contents) = (access.flags(), null_mut());
            if device.quirks.host_writes() {
                garbage.resize(bytes as usize, GARBAGE);
                flags |= ffi::CL_MEM_COPY_HOST_PTR;
                contents = garbage.as_mut_ptr().cast();
            }
            // SAFETY: the context is alive and the size not 0; host memory is null or of that size and copied.
            let memory = unsafe {
                let made = ffi::clCreateBuffer(
                    device.context.raw(),
                    flags,
                    bytes as usize,
                    contents,
                    &mut status,
                );
                Owned::created("clCreateBuffer", made, status)
            };
            memory.map_err(|error: CallError| match error.code {
                ffi::CL_OUT_OF_RESOURCES | ffi::CL_INVALID_BUFFER_SIZE => {
                    Fault::Memory(format!("needs {}: {error}", bytes_in_words(bytes)))
                }
                _ => error.into(),
            })
        })?;
        Ok(Buffer {
            allocation: Arc::new(allocation),
            len,
            elements: PhantomData,
        })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}
