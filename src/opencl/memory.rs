use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ocl::{OclPrm, ffi};

use super::device::Shared;
use super::handle::{Memory, Owned};
use super::status::CallError;
use super::units::bytes_in_words;
use crate::words::Fault;

/// The byte with which the host initialises buffers on some drivers. It is implausible as a number, index or flag.
const GARBAGE: u8 = 0xa5;

const PIXEL_BYTES: u64 = 4;

/// How kernels access a buffer. The host may always read and write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Kernels only read the buffer.
    Read,
    /// Kernels only write to the buffer.
    Write,
    /// Kernels read and write the buffer.
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
    /// Allocates device memory and adds it to the device's total. Fails with [`Fault::Memory`] if it does not fit.
    pub fn new(
        device: &Arc<Shared>,
        bytes: u64,
        create: impl FnOnce() -> Result<Owned<Memory>, CallError>,
    ) -> Result<Allocation, Fault> {
        let before = device.allocated.fetch_add(bytes, Ordering::Relaxed);
        let needed = before.saturating_add(bytes);
        let account = device.account();
        let created = if needed > device.info.global_memory_bytes {
            Err(Fault::Memory(account))
        } else {
            create().map_err(|error| match error.code {
                ffi::CL_MEM_OBJECT_ALLOCATION_FAILURE
                | ffi::CL_OUT_OF_HOST_MEMORY
                | ffi::CL_OUT_OF_RESOURCES
                | ffi::CL_INVALID_BUFFER_SIZE
                | ffi::CL_INVALID_IMAGE_SIZE => Fault::Memory(format!("{account}: {error}")),
                // Only images cause these status codes.
                ffi::CL_IMAGE_FORMAT_NOT_SUPPORTED | ffi::CL_INVALID_OPERATION => {
                    Fault::Unsupported(format!("no images of four 8-bit numbers: {error}"))
                }
                _ => error.into(),
            })
        };
        if created.is_err() {
            device.allocated.fetch_sub(bytes, Ordering::Relaxed);
        }
        Ok(Allocation {
            memory: created?,
            bytes,
            device: Arc::clone(device),
        })
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

/// An array of `T` in global memory, undefined until written. A kernel keeps its buffers alive.
pub struct Buffer<T: OclPrm> {
    pub(super) allocation: Arc<Allocation>,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: OclPrm> Buffer<T> {
    /// Allocates a buffer. A buffer of length 0 has the size of one element, because OpenCL has no empty buffers.
    pub(super) fn new(
        device: &Arc<Shared>,
        len: usize,
        access: Access,
    ) -> Result<Buffer<T>, Fault> {
        let bytes = (len.max(1) as u64).saturating_mul(size_of::<T>().max(1) as u64);
        let info = &device.info;
        // Check limits here, because drivers abort if a limit is exceeded, or report success and fail at first use.
        if bytes > info.max_allocation_bytes {
            return Err(Fault::Memory(format!(
                "a buffer needs {}, the device's largest is {}",
                bytes_in_words(bytes),
                bytes_in_words(info.max_allocation_bytes)
            )));
        }
        let allocation = Allocation::new(device, bytes, || {
            let mut garbage = Vec::new();
            let (mut flags, mut contents) = (access.flags(), null_mut());
            if device.quirks.host_writes() {
                garbage.resize(bytes as usize, GARBAGE);
                flags |= ffi::CL_MEM_COPY_HOST_PTR;
                contents = garbage.as_mut_ptr().cast();
            }
            let (context, size) = (device.context.raw(), bytes as usize);
            // SAFETY: the context is alive, and the size is not 0. Host memory is null, or has this size and is copied.
            unsafe {
                Owned::created("clCreateBuffer", |status| {
                    ffi::clCreateBuffer(context, flags, size, contents, status)
                })
            }
        })?;
        Ok(Buffer {
            allocation: Arc::new(allocation),
            len,
            elements: PhantomData,
        })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// An image with four 8-bit unsigned channels (RGBA), undefined until written. A kernel keeps its images alive.
pub struct Image {
    pub(super) allocation: Arc<Allocation>,
}

impl Image {
    pub(super) fn new(
        device: &Arc<Shared>,
        [width, height]: [usize; 2],
        access: Access,
    ) -> Result<Image, Fault> {
        let limit = image_limit(device)?;
        if width == 0 || height == 0 || width > limit[0] || height > limit[1] {
            return Err(Fault::Memory(format!(
                "an image of {width}x{height}; the device supports 1x1 to {}x{}",
                limit[0], limit[1]
            )));
        }
        // The device's layout may need more bytes.
        let bytes = width as u64 * height as u64 * PIXEL_BYTES;
        let format = ffi::cl_image_format {
            image_channel_order: ffi::CL_RGBA,
            image_channel_data_type: ffi::CL_UNSIGNED_INT8,
        };
        let description = ffi::cl_image_desc {
            image_type: ffi::CL_MEM_OBJECT_IMAGE2D,
            image_width: width,
            image_height: height,
            image_depth: 0,
            image_array_size: 0,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: null_mut(),
        };
        let allocation = Allocation::new(device, bytes, || {
            // SAFETY: context, format and description are valid and outlive the call. There is no host memory.
            unsafe {
                Owned::created("clCreateImage", |status| {
                    ffi::clCreateImage(
                        device.context.raw(),
                        access.flags(),
                        &raw const format,
                        &raw const description,
                        null_mut(),
                        status,
                    )
                })
            }
        })?;
        Ok(Image {
            allocation: Arc::new(allocation),
        })
    }
}

pub(super) fn image_limit(device: &Shared) -> Result<[usize; 2], Fault> {
    if !device.info.images {
        return Err(Fault::Unsupported("the device has no images".into()));
    }
    let number = |what| device.id.number(what).map(|number| number as usize);
    Ok([
        number(ffi::CL_DEVICE_IMAGE2D_MAX_WIDTH)?,
        number(ffi::CL_DEVICE_IMAGE2D_MAX_HEIGHT)?,
    ])
}
