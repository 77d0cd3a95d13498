use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use ocl::ffi;

use super::cache::{Cache, key_of};
use super::device::Shared;
use super::handle::{CompiledProgram, Owned};
use super::kernel::Kernel;
use super::quirks::{BuildNeeds, POCL};
use super::status::{CallError, check, describe};
use super::{enqueue, pocl_cache, query, source};
use crate::words::Fault;

const LONGEST_LOG: usize = 1 << 20;

/// A program built for one device.
pub struct Program {
    device: Arc<Shared>,
    object: Owned<CompiledProgram>,
    path: String,
    source: String,
    options: String,
    enqueues: bool,
    build_ns: u64,
}

impl Program {
    pub(super) fn new(
        device: &Arc<Shared>,
        path: &str,
        defines: &[(&str, String)],
        kernels_dir: Option<&Path>,
        needs: BuildNeeds,
    ) -> Result<Program, Fault> {
        let standard = if needs.device_enqueue {
            enqueue::standard(&device.info)?
        } else {
            "-cl-std=CL1.2"
        };
        let source = match needs.own_file {
            true => source::load_own(Path::new(path), kernels_dir)?,
            false => source::load(path, kernels_dir)?,
        };
        let quirks = device
            .quirks
            .build_options(needs, |name| std::env::var(name).ok())?;
        let options = options(standard, defines, &quirks)?;
        let planned = device.planned.lock();
        planned
            .unwrap_or_else(PoisonError::into_inner)
            .push((path.to_owned(), options.clone()));
        if device.only_plans.load(Ordering::Relaxed) {
            return Err(Fault::Unsupported("programs are only planned".to_owned()));
        }
        if needs.device_enqueue {
            enqueue::ensure_queue(device)?;
        }
        let no_zero = |what: &str, text: &str| {
            CString::new(text)
                .map_err(|_| Fault::Input(format!("kernel file {path}: a zero byte in its {what}")))
        };
        let c_source = no_zero("source", &source)?;
        let c_options = no_zero("options", &options)?;
        let cache = device.cache.get();
        let entry = cache.map(|cache| (cache, key_of(&device.info, &source, &options)));
        let start = Instant::now();
        let loaded = entry
            .as_ref()
            .and_then(|(cache, key)| cache.load(key, |binary| load(device, binary, &c_options)));
        let (object, build_ns) = match loaded {
            Some(object) => {
                device.cached.fetch_add(1, Ordering::Relaxed);
                (object, start.elapsed().as_nanos() as u64)
            }
            None => {
                let object = compile(device, path, &c_source, &c_options)?;
                let build_ns = start.elapsed().as_nanos() as u64;
                device.built.fetch_add(1, Ordering::Relaxed);
                if let Some((cache, key)) = &entry {
                    store(cache, key, &object);
                }
                (object, build_ns)
            }
        };
        Ok(Program {
            device: Arc::clone(device),
            object,
            path: path.to_owned(),
            source,
            options,
            enqueues: needs.device_enqueue,
            build_ns,
        })
    }

    /// Returns the kernel with this name. Fails with [`Fault::Build`] if the program does not contain it.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Fault> {
        let file = (&*self.path, &*self.source);
        Kernel::new(&self.device, &self.object, file, name, self.enqueues)
    }

    /// Returns the time to build the program, or to load it from the cache, in ns.
    pub fn build_ns(&self) -> u64 {
        self.build_ns
    }

    /// Returns the options with which the program was built.
    pub fn options(&self) -> &str {
        &self.options
    }
}

/// Builds the option string. pocl silently ignores all options except `-cl-*`, `-D`, `-w` and `-Werror`.
fn options(standard: &str, defines: &[(&str, String)], quirks: &[&str]) -> Result<String, Fault> {
    let mut options = standard.to_owned();
    for quirk in quirks {
        options.push(' ');
        options.push_str(quirk);
    }
    for (name, value) in defines {
        let name_ok = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // Drivers split the string at blanks and treat quotes differently.
        let value_ok = value
            .chars()
            .all(|c| c.is_ascii_graphic() && !"\"'\\".contains(c));
        if !name_ok || !value_ok {
            return Err(Fault::Input(format!(
                "kernel constant {name}={value}: an identifier and a value without blanks, \
                 quotes and backslashes are allowed"
            )));
        }
        options.push_str(&format!(" -D{name}={value}"));
    }
    Ok(options)
}

fn compile(
    device: &Shared,
    path: &str,
    source: &CStr,
    options: &CStr,
) -> Result<Owned<CompiledProgram>, Fault> {
    let context = device.context.raw();
    // SAFETY: there is one zero-terminated text, so lengths are not needed, and the driver copies it.
    let program = unsafe {
        Owned::created("clCreateProgramWithSource", |status| {
            ffi::clCreateProgramWithSource(context, 1, &source.as_ptr(), null(), status)
        })?
    };
    let status = build(device, &program, options);
    if let Err(error) = check("clBuildProgram", status).map_err(Fault::from)
        && matches!(error, Fault::Memory(_))
    {
        return Err(error);
    }
    if is_built(device, &program, status) {
        return Ok(program);
    }
    let log = build_info(device, &program, ffi::CL_PROGRAM_BUILD_LOG);
    let log = String::from_utf8_lossy(&log.unwrap_or_default()).into_owned();
    let problem = (device.info.platform == POCL)
        .then(pocl_cache::problem)
        .flatten();
    match problem {
        Some(problem) => Err(Fault::Device(format!("{path} does not build: {problem}"))),
        None => Err(Fault::Build(failure(path, status, &log))),
    }
}

/// Creates a program from a binary, or returns `None` if the driver rejects the binary.
fn load(device: &Shared, binary: &[u8], options: &CStr) -> Option<Owned<CompiledProgram>> {
    let mut taken = 0;
    // SAFETY: there is one binary of the given length for one device of the context, and the driver copies it.
    let program = unsafe {
        Owned::created("clCreateProgramWithBinary", |status| {
            ffi::clCreateProgramWithBinary(
                device.context.raw(),
                1,
                &device.id.0,
                &binary.len(),
                &binary.as_ptr(),
                &mut taken,
                status,
            )
        })
        .ok()?
    };
    if taken != ffi::CL_SUCCESS {
        return None;
    }
    let status = build(device, &program, options);
    is_built(device, &program, status).then_some(program)
}

/// Stores a built program in the cache. If this fails, the next process builds the program again.
fn store(cache: &Cache, key: &str, program: &Owned<CompiledProgram>) {
    if let Some(binary) = binary(program)
        && let Err(error) = cache.store(key, &binary)
    {
        let folder = cache.folder().display();
        eprintln!("{folder}: a built program could not be stored: {error}");
    }
}

fn binary(program: &Owned<CompiledProgram>) -> Option<Vec<u8>> {
    // SAFETY: the program is alive, and `query` passes a buffer of the given size.
    let sizes = query::bytes("clGetProgramInfo", &|size, place, needed| unsafe {
        let what = ffi::CL_PROGRAM_BINARY_SIZES;
        ffi::clGetProgramInfo(program.raw(), what, size, place, needed)
    });
    let size = usize::from_ne_bytes(sizes.ok()?.try_into().ok()?);
    if size == 0 {
        return None;
    }
    let mut binary = vec![0u8; size];
    let mut place = binary.as_mut_ptr();
    // SAFETY: there is one pointer, to a buffer of the size that the driver reported.
    let status = unsafe {
        ffi::clGetProgramInfo(
            program.raw(),
            ffi::CL_PROGRAM_BINARIES,
            size_of_val(&place),
            (&raw mut place).cast(),
            null_mut(),
        )
    };
    (status == ffi::CL_SUCCESS).then_some(binary)
}

/// Builds a program from source or binary, and returns the driver's status.
fn build(device: &Shared, program: &Owned<CompiledProgram>, options: &CStr) -> i32 {
    // SAFETY: program and device belong to the same context. Without a callback, the call returns after the build.
    unsafe {
        ffi::clBuildProgram(
            program.raw(),
            1,
            &device.id.0,
            options.as_ptr(),
            None,
            null_mut(),
        )
    }
}

/// True if a build succeeded. Some drivers return success for a failed build, so the build status is checked, too.
fn is_built(device: &Shared, program: &Owned<CompiledProgram>, status: i32) -> bool {
    let built = build_info(device, program, ffi::CL_PROGRAM_BUILD_STATUS)
        .ok()
        .and_then(|bytes| bytes.try_into().ok().map(i32::from_ne_bytes));
    status == ffi::CL_SUCCESS && built.is_none_or(|built| built == ffi::CL_BUILD_SUCCESS)
}

fn build_info(
    device: &Shared,
    program: &Owned<CompiledProgram>,
    what: u32,
) -> Result<Vec<u8>, CallError> {
    // SAFETY: program and device are alive, and `query` passes a buffer of the given size.
    query::bytes("clGetProgramBuildInfo", &|size, place, needed| unsafe {
        ffi::clGetProgramBuildInfo(program.raw(), device.id.0, what, size, place, needed)
    })
}

fn failure(path: &str, status: i32, log: &str) -> String {
    let lines: Vec<&str> = log
        .lines()
        .map(|line| line.trim_matches('\0').trim_end())
        .filter(|line| !line.is_empty())
        .collect();
    if lines.is_empty() {
        return format!(
            "{path} does not build ({}), and the log is empty",
            describe(status)
        );
    }
    let lines: String = lines.join("\n").chars().take(LONGEST_LOG).collect();
    format!("{path} does not build ({}):\n{lines}", describe(status))
}
