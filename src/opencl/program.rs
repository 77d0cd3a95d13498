use std::ffi::CString;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::Instant;

use ocl::ffi;

use super::device::Shared;
use super::handle::{CompiledProgram, Owned};
use super::kernel::Kernel;
use super::quirks::BuildNeeds;
use super::status::{CallError, check, describe};
use super::{enqueue, query, source};
use crate::words::Fault;

/// Characters of a build log that are kept: one error in a header is told at each of its uses.
const LONGEST_LOG: usize = 1 << 20;

/// A program built for one device.
pub struct Program {
    device: Arc<Shared>,
    object: Owned<CompiledProgram>,
    path: String,
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
        let source = source::load(path, kernels_dir)?;
        let quirks = device
            .quirks
            .build_options(needs, |name| std::env::var(name).ok())?;
        let options = options(standard, defines, &quirks)?;
        if needs.device_enqueue {
            enqueue::ensure_queue(device)?;
        }
        let start = Instant::now();
        let object = compile(device, path, &source, &options)?;
        let build_ns = start.elapsed().as_nanos() as u64;
        Ok(Program {
            device: Arc::clone(device),
            object,
            path: path.to_owned(),
            options,
            enqueues: needs.device_enqueue,
            build_ns,
        })
    }

    /// The kernel of that name.
    ///
    /// # Errors
    ///
    /// [`Fault::Build`] where the program has none.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Fault> {
        Kernel::new(&self.device, &self.object, &self.path, name, self.enqueues)
    }

    /// How long the build took, ns. Drivers with a cache of their own make the second shorter.
    pub fn build_ns(&self) -> u64 {
        self.build_ns
    }

    /// The options that it was built with.
    pub fn options(&self) -> &str {
        &self.options
    }
}

/// The option string. What pocl takes is `-cl-*`, `-D`, `-w` and `-Werror`; it refuses all else
/// without a word in the log.
fn options(standard: &str, defines: &[(&str, String)], quirks: &[&str]) -> Result<String, Fault> {
    // The argument information lets a kernel's setters refuse a buffer where a number belongs.
    let mut options = format!("{standard} -cl-kernel-arg-info");
    for quirk in quirks {
        options.push(' ');
        options.push_str(quirk);
    }
    for (name, value) in defines {
        let name_ok = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // Drivers split the string at blanks, each with its own idea of quotes.
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

/// Builds one source for the device. The one place where programs come from.
fn compile(
    device: &Arc<Shared>,
    path: &str,
    source: &str,
    options: &str,
) -> Result<Owned<CompiledProgram>, Fault> {
    let no_zero = |what: &str, text: &str| {
        CString::new(text)
            .map_err(|_| Fault::Input(format!("kernel file {path}: a zero byte in its {what}")))
    };
    let text = no_zero("source", source)?;
    let options = no_zero("options", options)?;
    let mut status = 0;
    // SAFETY: one text, which ends with a zero, so no lengths are needed; the driver copies it.
    let program = unsafe {
        let made = ffi::clCreateProgramWithSource(
            device.context.raw(),
            1,
            &text.as_ptr(),
            std::ptr::null(),
            &mut status,
        );
        Owned::<CompiledProgram>::created("clCreateProgramWithSource", made, status)?
    };
    // SAFETY: program and device belong to one context; without a callback the call returns when
    // the build has ended.
    let status = unsafe {
        ffi::clBuildProgram(
            program.raw(),
            1,
            &device.id.0,
            options.as_ptr(),
            None,
            null_mut(),
        )
    };
    if let Err(error) = check("clBuildProgram", status).map_err(Fault::from)
        && matches!(error, Fault::Memory(_))
    {
        return Err(error);
    }
    let built = build_info(device, &program, ffi::CL_PROGRAM_BUILD_STATUS, query::bytes)
        .ok()
        .and_then(|bytes| bytes.try_into().ok().map(i32::from_ne_bytes));
    // Some drivers answer success to a build that failed; the program's own status does not lie.
    if status == ffi::CL_SUCCESS && built.is_none_or(|built| built == ffi::CL_BUILD_SUCCESS) {
        return Ok(program);
    }
    let log = build_info(device, &program, ffi::CL_PROGRAM_BUILD_LOG, query::bytes);
    let log = String::from_utf8_lossy(&log.unwrap_or_default()).into_owned();
    Err(Fault::Build(failure(path, status, &log)))
}

/// One of a build's facts.
fn build_info<T>(
    device: &Shared,
    program: &Owned<CompiledProgram>,
    what: u32,
    read: fn(&'static str, query::Question<'_>) -> Result<T, CallError>,
) -> Result<T, CallError> {
    // SAFETY: program and device are alive; `query` gives a place of the size that it says.
    read("clGetProgramBuildInfo", &|size, place, needed| unsafe {
        ffi::clGetProgramBuildInfo(program.raw(), device.id.0, what, size, place, needed)
    })
}

/// The reason of a failed build: its log.
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
