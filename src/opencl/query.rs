//! Queries drivers with the `clGet…Info` functions.

use std::ffi::c_void;
use std::ptr::null_mut;

use ocl::ffi::{self, cl_device_id, cl_int, cl_platform_id, cl_uint};

use super::status::{CallError, check};

/// A query function. It gets the size of the answer's buffer, the buffer, and the address for the required size.
pub(super) type Question<'a> = &'a dyn Fn(usize, *mut c_void, *mut usize) -> cl_int;

/// The type of the functions [`bytes`], [`text`] and [`number`].
pub(super) type Reader<T> = fn(&'static str, Question<'_>) -> Result<T, CallError>;

pub(super) fn bytes(call: &'static str, question: Question<'_>) -> Result<Vec<u8>, CallError> {
    let mut size = 0;
    check(call, question(0, null_mut(), &mut size))?;
    let mut answer = vec![0u8; size];
    if size > 0 {
        check(call, question(size, answer.as_mut_ptr().cast(), null_mut()))?;
    }
    Ok(answer)
}

/// Reads a text up to its first zero byte. Runs of blanks become one blank, because drivers pad names.
pub(super) fn text(call: &'static str, question: Question<'_>) -> Result<String, CallError> {
    let answer = bytes(call, question)?;
    let end = answer
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(answer.len());
    let text = String::from_utf8_lossy(&answer[..end]);
    // The text appears in terminals, files and reports.
    let text = text.replace(char::is_control, " ");
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Reads a number. The answer's length determines the number's width, because drivers use different widths.
pub(super) fn number(call: &'static str, question: Question<'_>) -> Result<u64, CallError> {
    let answer = bytes(call, question)?;
    wide(&answer).ok_or(CallError {
        call,
        code: ffi::CL_INVALID_VALUE,
    })
}

/// Converts 4 or 8 bytes in host byte order to a number.
pub(super) fn wide(answer: &[u8]) -> Option<u64> {
    if let Ok(eight) = answer.try_into() {
        return Some(u64::from_ne_bytes(eight));
    }
    answer
        .try_into()
        .ok()
        .map(|four| u32::from_ne_bytes(four).into())
}

/// A platform's handle. It is never released, because platforms exist as long as the process.
#[derive(Clone, Copy)]
pub(super) struct Platform(pub cl_platform_id);

impl Platform {
    pub fn text(self, what: cl_uint) -> Result<String, CallError> {
        // SAFETY: the platform comes from clGetPlatformIDs, and `bytes` passes a buffer of the given size.
        text("clGetPlatformInfo", &|size, place, needed| unsafe {
            ffi::clGetPlatformInfo(self.0, what, size, place, needed)
        })
    }
}

/// A device's handle. Root devices are never released.
#[derive(Clone, Copy)]
pub(super) struct DeviceId(pub cl_device_id);

// SAFETY: this is an opaque handle, which any thread may pass to any call (OpenCL 1.2, appendix A.2).
unsafe impl Send for DeviceId {}
// SAFETY: as above.
unsafe impl Sync for DeviceId {}

impl DeviceId {
    fn ask<T>(self, what: cl_uint, read: Reader<T>) -> Result<T, CallError> {
        // SAFETY: the device comes from clGetDeviceIDs, and `bytes` passes a buffer of the given size.
        read("clGetDeviceInfo", &|size, place, needed| unsafe {
            ffi::clGetDeviceInfo(self.0, what, size, place, needed)
        })
    }

    pub fn text(self, what: cl_uint) -> Result<String, CallError> {
        self.ask(what, text)
    }

    pub fn number(self, what: cl_uint) -> Result<u64, CallError> {
        self.ask(what, number)
    }

    pub fn bytes(self, what: cl_uint) -> Result<Vec<u8>, CallError> {
        self.ask(what, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numbers_length_decides() {
        assert_eq!(wide(&7u32.to_ne_bytes()), Some(7));
        assert_eq!(wide(&(1u64 << 40).to_ne_bytes()), Some(1 << 40));
        assert_eq!(wide(&[]), None);
        assert_eq!(wide(&[1, 2, 3]), None);
    }

    #[test]
    fn text_ends_at_its_zero_and_is_not_padded() {
        let name = b"  Some   Device \0junk";
        let read = text("test", &|size, place, needed| {
            if !needed.is_null() {
                // SAFETY: if `needed` is not null, it points to a `usize` that is live during the call.
                unsafe { *needed = name.len() };
            }
            if size >= name.len() {
                // SAFETY: `place` has room for `size` bytes.
                unsafe { std::ptr::copy_nonoverlapping(name.as_ptr(), place.cast(), name.len()) };
            }
            ffi::CL_SUCCESS
        });
        assert_eq!(read.as_deref(), Ok("Some Device"));
    }
}
