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

use ocl::ffi::{
    self, cl_bitfield, cl_bool, cl_command_queue, cl_context, cl_context_properties, cl_device_id,
    cl_event, cl_int, cl_kernel, cl_mem, cl_platform_id, cl_program, cl_sampler, cl_uint,
    libc::{c_char, c_uchar, c_void, size_t},
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
        let handle = unsafe { ffi::libc::dlopen(c"libOpenCL.so.1".as_ptr(), ffi::libc::RTLD_NOW) };
        Library(handle as usize)
    })
}

/// The address of an OpenCL function, or the status that a call of it returns.
fn find(name: &CStr) -> Result<*mut c_void, cl_int> {
    // RTLD_NEXT searches what was loaded after this program, in load order: preloaded libraries
    // first, and never the forwarders of this file, however the program was linked.
    // SAFETY: the name is a C string, and RTLD_NEXT a handle that dlsym takes.
    let loaded = unsafe { ffi::libc::dlsym(ffi::libc::RTLD_NEXT, name.as_ptr()) };
    if !loaded.is_null() {
        return Ok(loaded);
    }
    let Library(handle) = *library();
    if handle == 0 {
        return Err(ffi::CL_PLATFORM_NOT_FOUND_KHR);
    }
    // SAFETY: the handle came from dlopen and is never closed.
    let found = unsafe { ffi::libc::dlsym(handle as *mut c_void, name.as_ptr()) };
    if found.is_null() {
        Err(ffi::CL_INVALID_OPERATION)
    } else {
        Ok(found)
    }
}

/// What a function returns where it was not found.
trait Absent {
    /// The value for this status.
    fn absent(status: cl_int) -> Self;
}

impl Absent for cl_int {
    fn absent(status: cl_int) -> cl_int {
        status
    }
}

impl Absent for *mut c_void {
    fn absent(_: cl_int) -> *mut c_void {
        std::ptr::null_mut()
    }
}

/// Defines forwarders. The functions before `creating` return a status or a pointer; those after
/// it make an object and report their status through their last argument.
macro_rules! forward {
    (
        $(fn $name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*
        creating
        $(fn $maker:ident($($given:ident: $given_kind:ty),*; status) -> $made:ty;)*
    ) => {
        $(
            /// Forwards to the OpenCL loader's function of the same name.
            // SAFETY: the name is the C interface's own and the program defines it once; the
            // empty archive of build.rs defines nothing.
            #[unsafe(no_mangle)]
            unsafe extern "system" fn $name($($argument: $kind),*) -> $result {
                type Function = unsafe extern "system" fn($($kind),*) -> $result;
                // The declaration that callers see must be this one.
                const _: Function = ffi::$name;
                static FUNCTION: OnceLock<Result<Function, cl_int>> = OnceLock::new();
                let name = const { c_name(concat!(stringify!($name), "\0")) };
                let found = FUNCTION.get_or_init(|| {
                    find(name).map(|address| {
                        // SAFETY: a symbol of this name in an OpenCL loader is the C interface's
                        // function, whose type is `Function` by the header and checked above.
                        unsafe { std::mem::transmute::<*mut c_void, Function>(address) }
                    })
                });
                match *found {
                    // SAFETY: the caller keeps the C function's own contract.
                    Ok(function) => unsafe { function($($argument),*) },
                    Err(status) => <$result as Absent>::absent(status),
                }
            }
        )*
        $(
            /// Forwards to the OpenCL loader's function of the same name.
            // SAFETY: as above.
            #[unsafe(no_mangle)]
            unsafe extern "system" fn $maker($($given: $given_kind,)* status: *mut cl_int) -> $made {
                type Function = unsafe extern "system" fn($($given_kind,)* *mut cl_int) -> $made;
                const _: Function = ffi::$maker;
                static FUNCTION: OnceLock<Result<Function, cl_int>> = OnceLock::new();
                let name = const { c_name(concat!(stringify!($maker), "\0")) };
                let found = FUNCTION.get_or_init(|| {
                    find(name).map(|address| {
                        // SAFETY: as above.
                        unsafe { std::mem::transmute::<*mut c_void, Function>(address) }
                    })
                });
                match *found {
                    // SAFETY: the caller keeps the C function's own contract.
                    Ok(function) => unsafe { function($($given,)* status) },
                    Err(code) => {
                        if !status.is_null() {
                            // SAFETY: the contract lets the caller pass null or a place to write.
                            unsafe { *status = code };
                        }
                        <$made as Absent>::absent(code)
                    }
                }
            }
        )*
    };
}

/// A name with its closing zero, as C wants it. Evaluated while compiling only.
const fn c_name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a C identifier holds no zero"),
    }
}

type Notice = Option<extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void)>;

forward! {
    fn clGetPlatformIDs(most: cl_uint, platforms: *mut cl_platform_id, count: *mut cl_uint) -> cl_int;
    fn clGetPlatformInfo(of: cl_platform_id, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clGetDeviceIDs(platform: cl_platform_id, kind: cl_bitfield, most: cl_uint, devices: *mut cl_device_id, count: *mut cl_uint) -> cl_int;
    fn clGetDeviceInfo(of: cl_device_id, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clRetainDevice(device: cl_device_id) -> cl_int;
    fn clReleaseDevice(device: cl_device_id) -> cl_int;
    fn clRetainContext(context: cl_context) -> cl_int;
    fn clReleaseContext(context: cl_context) -> cl_int;
    fn clGetContextInfo(of: cl_context, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clRetainCommandQueue(queue: cl_command_queue) -> cl_int;
    fn clReleaseCommandQueue(queue: cl_command_queue) -> cl_int;
    fn clGetCommandQueueInfo(of: cl_command_queue, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clRetainMemObject(memory: cl_mem) -> cl_int;
    fn clReleaseMemObject(memory: cl_mem) -> cl_int;
    fn clGetMemObjectInfo(of: cl_mem, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clGetImageInfo(of: cl_mem, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clRetainSampler(sampler: cl_sampler) -> cl_int;
    fn clReleaseSampler(sampler: cl_sampler) -> cl_int;
    fn clGetSamplerInfo(of: cl_sampler, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clRetainProgram(program: cl_program) -> cl_int;
    fn clReleaseProgram(program: cl_program) -> cl_int;
    fn clBuildProgram(program: cl_program, count: cl_uint, devices: *const cl_device_id, options: *const c_char, done: Option<extern "C" fn(cl_program, *mut c_void)>, data: *mut c_void) -> cl_int;
    fn clGetProgramInfo(of: cl_program, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clGetProgramBuildInfo(of: cl_program, device: cl_device_id, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clRetainKernel(kernel: cl_kernel) -> cl_int;
    fn clReleaseKernel(kernel: cl_kernel) -> cl_int;
    fn clSetKernelArg(kernel: cl_kernel, index: cl_uint, size: size_t, value: *const c_void) -> cl_int;
    fn clGetKernelInfo(of: cl_kernel, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clGetKernelArgInfo(of: cl_kernel, index: cl_uint, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clGetKernelWorkGroupInfo(of: cl_kernel, device: cl_device_id, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clWaitForEvents(count: cl_uint, events: *const cl_event) -> cl_int;
    fn clGetEventInfo(of: cl_event, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clRetainEvent(event: cl_event) -> cl_int;
    fn clReleaseEvent(event: cl_event) -> cl_int;
    fn clSetUserEventStatus(event: cl_event, status: cl_int) -> cl_int;
    fn clSetEventCallback(event: cl_event, at: cl_int, call: Option<extern "C" fn(cl_event, cl_int, *mut c_void)>, data: *mut c_void) -> cl_int;
    fn clGetEventProfilingInfo(of: cl_event, what: cl_uint, size: size_t, value: *mut c_void, needed: *mut size_t) -> cl_int;
    fn clFlush(queue: cl_command_queue) -> cl_int;
    fn clFinish(queue: cl_command_queue) -> cl_int;
    fn clEnqueueReadBuffer(queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool, offset: size_t, size: size_t, to: *mut c_void, waits: cl_uint, wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clEnqueueWriteBuffer(queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool, offset: size_t, size: size_t, from: *const c_void, waits: cl_uint, wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clEnqueueFillBuffer(queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void, pattern_size: size_t, offset: size_t, size: size_t, waits: cl_uint, wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clEnqueueNDRangeKernel(queue: cl_command_queue, kernel: cl_kernel, dimensions: cl_uint, offset: *const size_t, global: *const size_t, local: *const size_t, waits: cl_uint, wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clEnqueueMarkerWithWaitList(queue: cl_command_queue, waits: cl_uint, wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    fn clGetExtensionFunctionAddressForPlatform(platform: cl_platform_id, name: *const c_char) -> *mut c_void;

    creating

    fn clCreateContext(properties: *const cl_context_properties, count: cl_uint, devices: *const cl_device_id, notice: Notice, data: *mut c_void; status) -> cl_context;
    fn clCreateCommandQueue(context: cl_context, device: cl_device_id, properties: cl_bitfield; status) -> cl_command_queue;
    fn clCreateBuffer(context: cl_context, flags: cl_bitfield, size: size_t, host: *mut c_void; status) -> cl_mem;
    fn clCreateSampler(context: cl_context, normalised: cl_bool, addressing: cl_uint, filter: cl_uint; status) -> cl_sampler;
    fn clCreateProgramWithSource(context: cl_context, count: cl_uint, texts: *const *const c_char, lengths: *const size_t; status) -> cl_program;
    fn clCreateProgramWithBinary(context: cl_context, count: cl_uint, devices: *const cl_device_id, lengths: *const size_t, binaries: *const *const c_uchar, each: *mut cl_int; status) -> cl_program;
    fn clCreateKernel(program: cl_program, name: *const c_char; status) -> cl_kernel;
}
