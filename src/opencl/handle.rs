use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use ocl::ffi::{self, cl_int};

use super::status::{CallError, check};

/// A kind of OpenCL object.
pub(super) trait Object {
    /// The C function that gives up one reference to such an object.
    const RELEASE: unsafe extern "system" fn(*mut c_void) -> cl_int;
}

/// Defines the kinds of objects that this crate makes.
macro_rules! objects {
    ($($name:ident: $release:ident;)*) => {
        $(
            /// See the C specification.
            pub(super) enum $name {}

            impl Object for $name {
                const RELEASE: unsafe extern "system" fn(*mut c_void) -> cl_int = ffi::$release;
            }
        )*
    };
}

objects! {
    Context: clReleaseContext;
    CommandQueue: clReleaseCommandQueue;
    Memory: clReleaseMemObject;
    CompiledProgram: clReleaseProgram;
    KernelObject: clReleaseKernel;
    Event: clReleaseEvent;
}

/// One reference to an OpenCL object, given up on drop.
///
/// `ocl`'s own wrappers panic where the release fails, as it does when the device is lost; then
/// nothing is left to release, and here the answer is ignored.
pub(super) struct Owned<K: Object> {
    object: NonNull<c_void>,
    kind: PhantomData<K>,
}

impl<K: Object> Owned<K> {
    /// Takes what a creating call returned, with the status that it reported.
    ///
    /// # Safety
    ///
    /// Where `status` is success and `object` not null, it must be a new reference to an object of
    /// this kind, which nobody else gives up.
    pub unsafe fn created(
        call: &'static str,
        object: *mut c_void,
        status: cl_int,
    ) -> Result<Owned<K>, CallError> {
        check(call, status)?;
        let object = NonNull::new(object).ok_or(CallError {
            call,
            code: ffi::CL_INVALID_VALUE,
        })?;
        Ok(Owned {
            object,
            kind: PhantomData,
        })
    }

    /// The pointer, for calls. Valid as long as `self`.
    pub fn raw(&self) -> *mut c_void {
        self.object.as_ptr()
    }
}

impl<K: Object> Drop for Owned<K> {
    fn drop(&mut self) {
        // SAFETY: by `created`'s contract this is our own reference, and it is given up once.
        unsafe { K::RELEASE(self.object.as_ptr()) };
    }
}

// SAFETY: OpenCL objects belong to no thread, and every call may be made from any thread at any
// time (OpenCL 1.2, appendix A.2), but for clSetKernelArg on one kernel from two threads at once,
// which `Kernel`'s setters exclude by taking `&mut self`.
unsafe impl<K: Object> Send for Owned<K> {}
// SAFETY: as above.
unsafe impl<K: Object> Sync for Owned<K> {}
