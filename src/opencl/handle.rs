use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use ocl::ffi::{self, cl_int};

use super::status::{CallError, check};

pub(super) trait Object {
    /// The C function that releases a reference.
    const RELEASE: unsafe extern "system" fn(*mut c_void) -> cl_int;
}

macro_rules! objects {
    ($($name:ident: $release:ident;)*) => {
        $(
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

/// One reference to an OpenCL object, released on drop. A failed release is ignored. `ocl`'s wrappers would panic.
pub(super) struct Owned<K: Object> {
    object: NonNull<c_void>,
    kind: PhantomData<K>,
}

impl<K: Object> Owned<K> {
    /// Wraps the result of a call that creates an object and sets the status.
    ///
    /// # Safety
    /// If the status is success and the result is not null, it must be a new reference of this type that no other code
    /// releases.
    pub unsafe fn created(
        call: &'static str,
        create: impl FnOnce(&mut cl_int) -> *mut c_void,
    ) -> Result<Owned<K>, CallError> {
        let mut status = ffi::CL_SUCCESS;
        let object = create(&mut status);
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

    pub fn raw(&self) -> *mut c_void {
        self.object.as_ptr()
    }
}

impl<K: Object> Drop for Owned<K> {
    fn drop(&mut self) {
        // SAFETY: by the contract of `created`, this value owns the reference, and releases it once.
        unsafe { K::RELEASE(self.object.as_ptr()) };
    }
}

// SAFETY: OpenCL objects are not bound to a thread, and calls are thread-safe (OpenCL 1.2, appendix A.2), except
// clSetKernelArg on the same kernel. The setters of `Kernel` take `&mut self`, which excludes concurrent calls.
unsafe impl<K: Object> Send for Owned<K> {}
// SAFETY: as above.
unsafe impl<K: Object> Sync for Owned<K> {}
