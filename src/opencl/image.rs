use std::ptr::null_mut;
use std::sync::Arc;

use ocl::ffi;

use super::context::Shared;
use super::handle::Owned;
use super::memory::{Access, Allocation};
use super::status::CallError;
use super::units::bytes_in_words;
use crate::words::Fault;

const PIXEL_BYTES: u64 = 4;

/// An image with four 8-bit unsigned channels (RGBA), undefined until written. Kernels keep their arguments alive.
pub struct Image {
    pub(super) allocation: Arc<Allocation>,
}

impl Image {
    pub(super) fn new(
        device: &Arc<Shared>,
        [width, height]: [usize; 2],
        access: Access,
    ) -> Result<Image, Fault> {
        let limit = limit(device)?;
        if width == 0 || height == 0 || width > limit[0] || height > limit[1] {
            return Err(Fault::Memory(format!(
                "an image of {width}x{height}; the device takes 1x1 to {}x{}",
                limit[0], limit[1]
            )));
        }
        // The device's layout may take more.
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
            let mut status = 0;
            // SAFETY: context, format and description are valid and outlive the call, without host memory.
            let memory = unsafe {
                let made = ffi::clCreateImage(
                    device.context.raw(),
                    access.flags(),
                    &raw const format,
                    &raw const description,
                    null_mut(),
                    &mut status,
                );
                Owned::created("clCreateImage", made, status)
            };
            memory.map_err(|error: CallError| match error.code {
                ffi::CL_OUT_OF_RESOURCES | ffi::CL_INVALID_IMAGE_SIZE => {
                    Fault::Memory(format!("needs {}: {error}", bytes_in_words(bytes)))
                }
                ffi::CL_IMAGE_FORMAT_NOT_SUPPORTED | ffi::CL_INVALID_OPERATION => {
                    Fault::Unsupported(format!("no images of four 8-bit numbers: {error}"))
                }
                _ => error.into(),
            })
        })?;
        Ok(Image {
            allocation: Arc::new(allocation),
        })
    }
}

pub(super) fn limit(device: &Shared) -> Result<[usize; 2], Fault> {
    if !device.info.images {
        return Err(Fault::Unsupported("the device has no images".into()));
    }
    let number = |what| device.id.number(what).map(|number| number as usize);
    Ok([
        number(ffi::CL_DEVICE_IMAGE2D_MAX_WIDTH)?,
        number(ffi::CL_DEVICE_IMAGE2D_MAX_HEIGHT)?,
    ])
}
