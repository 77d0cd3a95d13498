//! The OpenCL functions themselves, on Linux: forwarders that look for the real ones when they are
//! first called.
//!
//! `ocl` refers to the functions by name and asks for `-lOpenCL`; `build.rs` answers with an empty
//! archive and the names are defined here. So the program builds without any OpenCL package and
//! starts without any OpenCL loader, and reports, lists and CPU baselines work there.
//!
//! Each function is looked for once: first among the libraries that are in the process already,
//! so that `oclgrind bench …`, which preloads its own, wins; then in `libOpenCL.so.1`. Where there
//! is no loader, a call returns `CL_PLATFORM_NOT_FOUND_KHR`, as an installed loader without any
//! driver does; where the loader is too old to have the function, `CL_INVALID_OPERATION`.
//!
//! Here stand the functions that `ocl` refers to when nothing of it is called, and those that this
//! crate calls. A missing one is an error of the linker, which names it.

use std::ffi::CStr;
use std::sync::OnceLock;

use ocl::ffi::libc::{RTLD_NEXT, RTLD_NOW, c_char, c_uchar, c_void, dlopen, dlsym, size_t};
use ocl::ffi::{
    self, cl_bitfield, cl_bool, cl_command_queue, cl_context, cl_context_properties, cl_device_id,
    cl_event, cl_image_desc, cl_image_format, cl_int, cl_kernel, cl_mem, cl_platform_id,
    cl_program, cl_queue_properties, cl_sampler, cl_uint,
};

/// A place in the library that was found, or null; kept as a number because it is shared by
/// threads and never followed here.
struct Library(usize);

/// `libOpenCL.so.1`, opened at the first call that needs it and never closed: drivers start
/// threads of their own, which must not outlive their code.
fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // SAFETY: the name is a C string. The library's initialisers run here; they are the
        // OpenCL loader's, which any program that links to it would run at start.
        let handle = unsafe { dlopen(c"libOpenCL.so.1".as_ptr(), RTLD_NOW) };
        Library(handle as usize)
    })
}

/// The address of an OpenCL function, or the status that a call of it returns.
fn find(name: &CStr) -> Result<*mut c_void, cl_int> {
    // RTLD_NEXT searches what was loaded after this program, in load order: preloaded libraries
    // first, and never the forwarders of this file, however the program was linked.
    // SAFETY: the name is a C string, and RTLD_NEXT a handle that dlsym takes.
    let loaded = unsafe { dlsym(RTLD_NEXT, name.as_ptr()) };
    if !loaded.is_null() {
        return Ok(loaded);
    }
    let Library(handle) = *library();
    if handle == 0 {
        return Err(ffi::CL_PLATFORM_NOT_FOUND_KHR);
    }
    // SAFETY: the handle came from dlopen and is never closed.
    let found = unsafe { dlsym(handle as *mut c_void, name.as_ptr()) };
    if found.is_null() {
        Err(ffi::CL_INVALID_OPERATION)
    } else {
        Ok(found)
    }
}

/// A name with its closing zero, as C wants it. Evaluated while compiling only.
const fn c_name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a C identifier holds no zero"),
    }
}

/// Defines one forwarder, with what it does where there is nothing to forward to.
macro_rules! forwarder {
    ($name:ident($($argument:ident: $kind:ty),*) -> $result:ty, $absent:expr) => {
        /// Forwards to the OpenCL loader's function of the same name.
        // SAFETY: the name is the C interface's own and is defined here alone: the archive that
        // the build script puts in the library's place is empty.
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name($($argument: $kind),*) -> $result {
            type Function = unsafe extern "system" fn($($kind),*) -> $result;
            // The declaration that callers see must be this one.
            const _: Function = ffi::$name;
            static FUNCTION: OnceLock<Result<Function, cl_int>> = OnceLock::new();
            let found = FUNCTION.get_or_init(|| {
                let address = find(const { c_name(concat!(stringify!($name), "\0")) })?;
                // SAFETY: what an OpenCL loader has under this name is the C interface's function,
                // whose type is `Function` by the header.
                Ok(unsafe { std::mem::transmute::<*mut c_void, Function>(address) })
            });
            match *found {
                // SAFETY: the caller keeps the C function's own contract.
                Ok(function) => unsafe { function($($argument),*) },
                Err(status) => $absent(status),
            }
        }
    };
}

/// Defines a family of forwarders.
macro_rules! forward {
    // A reference count of one object.
    (count: $($name:ident)*) => {
        $(forwarder! { $name(object: *mut c_void) -> cl_int, |status| status })*
    };
    // A question about an object.
    (question: $($name:ident($($of:ident: $kind:ty),*);)*) => {
        $(forwarder! {
            $name(
                $($of: $kind,)* what: cl_uint, size: size_t, answer: *mut c_void,
                needed: *mut size_t
            ) -> cl_int,
            |status| status
        })*
    };
    // Any other function that returns its status.
    (status: $($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(forwarder! { $name($($argument: $kind),*) -> cl_int, |status| status })*
    };
    // A command: it may wait for others, and may give an event.
    (command: $($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(forwarder! {
            $name(
                queue: cl_command_queue $(, $argument: $kind)*, waits: cl_uint,
                wait_list: *const cl_event, event: *mut cl_event
            ) -> cl_int,
            |status| status
        })*
    };
    // A new object, with its status in the last argument.
    (creation: $($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(forwarder! {
            $name($($argument: $kind,)* place: *mut cl_int) -> *mut c_void,
            |status| {
                if !place.is_null() {
                    // SAFETY: the C function's contract wants null or a place to write to.
                    unsafe { *place = status };
                }
                std::ptr::null_mut()
            }
        })*
    };
}

/// Called with an object and the data that it was asked to be called with.
type Notice<T> = Option<extern "C" fn(T, *mut c_void)>;
/// Called when a context has something to say.
type ContextNotice = Option<extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void)>;
/// Called when an event reaches a state.
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
