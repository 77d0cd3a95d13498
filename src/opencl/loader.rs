//! Forwards calls of OpenCL functions, on Linux. Each forwarder looks up the real function at its first call.
//!
//! `ocl` declares the functions and links with `-lOpenCL`. `build.rs` provides an empty archive, and this file defines
//! the functions, so that the program builds and starts without OpenCL. A lookup prefers a loaded library, such as
//! oclgrind's, to `libOpenCL.so.1`. Without a loader, a call returns `CL_PLATFORM_NOT_FOUND_KHR`. If only the function
//! is missing, it returns `CL_INVALID_OPERATION`. If a forwarder is missing, the linker reports its name.

use std::ffi::CStr;
use std::sync::OnceLock;

use ocl::ffi::libc::{RTLD_NEXT, RTLD_NOW, c_char, c_uchar, c_void, dlopen, dlsym, size_t};
use ocl::ffi::{
    self, cl_bitfield, cl_bool, cl_command_queue, cl_context, cl_context_properties, cl_device_id,
    cl_event, cl_image_desc, cl_image_format, cl_int, cl_kernel, cl_mem, cl_platform_id,
    cl_program, cl_queue_properties, cl_sampler, cl_uint,
};

/// The handle of the loaded library, or 0. It is stored as an integer so that threads can share it.
struct Library(usize);

/// Opens `libOpenCL.so.1` on first use. It is never closed, because drivers' threads must not outlive their code.
fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // SAFETY: the name is a C string. The library's initialisers run now, as they would at program start.
        let handle = unsafe { dlopen(c"libOpenCL.so.1".as_ptr(), RTLD_NOW) };
        Library(handle as usize)
    })
}

/// Returns the address of an OpenCL function, or the status that a call to the function should return.
fn find(name: &CStr) -> Result<*mut c_void, cl_int> {
    // `RTLD_NEXT` searches the libraries loaded after this program, preloaded ones first. It skips these forwarders.
    // SAFETY: the name is a C string, and dlsym accepts RTLD_NEXT as a handle.
    let loaded = unsafe { dlsym(RTLD_NEXT, name.as_ptr()) };
    if !loaded.is_null() {
        return Ok(loaded);
    }
    let Library(handle) = *library();
    if handle == 0 {
        return Err(ffi::CL_PLATFORM_NOT_FOUND_KHR);
    }
    // SAFETY: the handle comes from dlopen and is never closed.
    let found = unsafe { dlsym(handle as *mut c_void, name.as_ptr()) };
    if found.is_null() {
        Err(ffi::CL_INVALID_OPERATION)
    } else {
        Ok(found)
    }
}

/// True if an OpenCL library is loaded or can be loaded.
pub(super) fn has_loader() -> bool {
    find(c"clGetPlatformIDs").is_ok()
}

const fn c_name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a C identifier holds no zero"),
    }
}

macro_rules! forwarder {
    ($name:ident($($argument:ident: $kind:ty),*) -> $result:ty, $absent:expr) => {
        /// Forwards to the OpenCL loader's function of the same name.
        // SAFETY: only this file defines the name, because the build script replaces the library with an empty archive.
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name($($argument: $kind),*) -> $result {
            type Function = unsafe extern "system" fn($($kind),*) -> $result;
            // The forwarder's type must equal the declaration that callers use.
            const _: Function = ffi::$name;
            static FUNCTION: OnceLock<Result<Function, cl_int>> = OnceLock::new();
            let found = FUNCTION.get_or_init(|| {
                let address = find(const { c_name(concat!(stringify!($name), "\0")) })?;
                // SAFETY: in an OpenCL loader, the function of this name has the type `Function`, by the C header.
                Ok(unsafe { std::mem::transmute::<*mut c_void, Function>(address) })
            });
            match *found {
                // SAFETY: the caller upholds the C function's contract.
                Ok(function) => unsafe { function($($argument),*) },
                Err(status) => $absent(status),
            }
        }
    };
}

macro_rules! forward {
    (count: $($name:ident)*) => {
        $(forwarder! { $name(object: *mut c_void) -> cl_int, |status| status })*
    };
    (question: $($name:ident($($of:ident: $kind:ty),*);)*) => {
        $(forwarder! {
            $name(
                $($of: $kind,)* what: cl_uint, size: size_t, answer: *mut c_void,
                needed: *mut size_t
            ) -> cl_int,
            |status| status
        })*
    };
    (status: $($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(forwarder! { $name($($argument: $kind),*) -> cl_int, |status| status })*
    };
    // A function that enqueues a command, with an optional wait list and an optional event.
    (command: $($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(forwarder! {
            $name(
                queue: cl_command_queue $(, $argument: $kind)*, waits: cl_uint,
                wait_list: *const cl_event, event: *mut cl_event
            ) -> cl_int,
            |status| status
        })*
    };
    // A function that creates an object and sets the status through its last argument.
    (creation: $($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(forwarder! {
            $name($($argument: $kind,)* place: *mut cl_int) -> *mut c_void,
            |status| {
                if !place.is_null() {
                    // SAFETY: the C function's contract requires null or a valid pointer.
                    unsafe { *place = status };
                }
                std::ptr::null_mut()
            }
        })*
    };
}

type Notice<T> = Option<extern "C" fn(T, *mut c_void)>;
type ContextNotice = Option<extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void)>;
type EventNotice = Option<extern "C" fn(cl_event, cl_int, *mut c_void)>;

forward! { count:
    clRetainCommandQueue clRetainContext clRetainDevice clRetainEvent clRetainKernel
    clRetainMemObject clRetainProgram clRetainSampler clReleaseCommandQueue clReleaseContext
    clReleaseDevice clReleaseEvent clReleaseKernel clReleaseMemObject clReleaseProgram
    clReleaseSampler
}

forward! { question:
    clGetCommandQueueInfo(of: cl_command_queue);
    clGetContextInfo(of: cl_context);
    clGetDeviceInfo(of: cl_device_id);
    clGetEventInfo(of: cl_event);
    clGetEventProfilingInfo(of: cl_event);
    clGetImageInfo(of: cl_mem);
    clGetKernelArgInfo(of: cl_kernel, index: cl_uint);
    clGetKernelInfo(of: cl_kernel);
    clGetKernelWorkGroupInfo(of: cl_kernel, on: cl_device_id);
    clGetMemObjectInfo(of: cl_mem);
    clGetPlatformInfo(of: cl_platform_id);
    clGetProgramBuildInfo(of: cl_program, on: cl_device_id);
    clGetProgramInfo(of: cl_program);
    clGetSamplerInfo(of: cl_sampler);
}

forward! { status:
    clGetPlatformIDs(most: cl_uint, platforms: *mut cl_platform_id, count: *mut cl_uint);
    clGetDeviceIDs(
        platform: cl_platform_id, kind: cl_bitfield, most: cl_uint, devices: *mut cl_device_id,
        count: *mut cl_uint
    );
    clBuildProgram(
        program: cl_program, count: cl_uint, devices: *const cl_device_id, options: *const c_char,
        notice: Notice<cl_program>, data: *mut c_void
    );
    clSetKernelArg(kernel: cl_kernel, index: cl_uint, size: size_t, value: *const c_void);
    clSetEventCallback(event: cl_event, at: cl_int, notice: EventNotice, data: *mut c_void);
    clSetUserEventStatus(event: cl_event, status: cl_int);
    clWaitForEvents(count: cl_uint, events: *const cl_event);
    clFlush(queue: cl_command_queue);
    clFinish(queue: cl_command_queue);
}

forward! { command:
    clEnqueueReadBuffer(
        buffer: cl_mem, blocking: cl_bool, offset: size_t, size: size_t, to: *mut c_void
    );
    clEnqueueWriteBuffer(
        buffer: cl_mem, blocking: cl_bool, offset: size_t, size: size_t, from: *const c_void
    );
    clEnqueueFillBuffer(
        buffer: cl_mem, pattern: *const c_void, pattern_size: size_t, offset: size_t, size: size_t
    );
    clEnqueueNDRangeKernel(
        kernel: cl_kernel, dimensions: cl_uint, offset: *const size_t, global: *const size_t,
        local: *const size_t
    );
    clEnqueueMarkerWithWaitList();
}

forward! { creation:
    clCreateContext(
        properties: *const cl_context_properties, count: cl_uint, devices: *const cl_device_id,
        notice: ContextNotice, data: *mut c_void
    );
    clCreateCommandQueue(context: cl_context, device: cl_device_id, properties: cl_bitfield);
    clCreateCommandQueueWithProperties(
        context: cl_context, device: cl_device_id, properties: *const cl_queue_properties
    );
    clCreateBuffer(context: cl_context, flags: cl_bitfield, size: size_t, host: *mut c_void);
    clCreateImage(
        context: cl_context, flags: cl_bitfield, format: *const cl_image_format,
        description: *const cl_image_desc, host: *mut c_void
    );
    clCreateSampler(
        context: cl_context, normalised: cl_bool, addressing: cl_uint, filter: cl_uint
    );
    clCreateProgramWithSource(
        context: cl_context, count: cl_uint, texts: *const *const c_char, lengths: *const size_t
    );
    clCreateProgramWithBinary(
        context: cl_context, count: cl_uint, devices: *const cl_device_id, lengths: *const size_t,
        binaries: *const *const c_uchar, statuses: *mut cl_int
    );
    clCreateKernel(program: cl_program, name: *const c_char);
}

forwarder! {
    clGetExtensionFunctionAddressForPlatform(
        platform: cl_platform_id, name: *const c_char
    ) -> *mut c_void,
    |_| std::ptr::null_mut()
}
