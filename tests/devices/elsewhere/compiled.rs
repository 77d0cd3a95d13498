//! Compiles every kernel for AMD GPUs and with a strict front end. The build options are those that techniques use on
//! such devices. The tests need Debian's clang-15 and libclc-15, but no AMD device and no SPIR-V consumer. If the
//! packages are missing, they print a message and pass, unless `PLYBENCH_REQUIRE_DEVICE` is set.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use plybench::opencl::{self, DeviceInfo, DeviceKind};
use rayon::prelude::*;

use super::{cells, device_as};
use crate::needed::skip;

/// The compiler, then its library of built-in functions for AMD.
const CLANG: &str = "clang-15";
const LIBRARY: &str = "/usr/lib/clc/amdgcn--amdhsa.bc";

/// CDNA 2 with wavefronts of 64, and RDNA 2 and 3 with wavefronts of 32.
const AMD: [&str; 3] = ["-mcpu=gfx90a", "-mcpu=gfx1030", "-mcpu=gfx1100"];

/// A kernel only for CPUs. Its lanes need more registers than a GPU has. For gfx1100, clang-15 fails with "no registers
/// from class available to allocate". GPUs use `sliced_groups.cl` instead.
const FOR_PROCESSORS: &str = "annexation/sliced_items.cl";

/// A program: its file, then its build options.
type Built = (String, String);

/// Sets the properties that an AMD GPU with OpenCL 2.0 reports.
fn amd(info: DeviceInfo) -> DeviceInfo {
    DeviceInfo {
        kind: DeviceKind::Gpu,
        platform: "AMD Accelerated Parallel Processing".to_owned(),
        platform_version: "OpenCL 2.1 AMD-APP".to_owned(),
        driver: "3590.0".to_owned(),
        version: "OpenCL 2.0".to_owned(),
        c_version: "OpenCL C 2.0".to_owned(),
        c_versions: Vec::new(),
        compute_units: 104,
        local_memory_bytes: 64 << 10,
        max_work_group: 256,
        max_work_items: vec![1024, 1024, 1024],
        native_int_width: 1,
        images: true,
        device_enqueue: true,
        ..info
    }
}

/// Sets the properties of a CPU with AVX-512 and a driver without quirks.
fn processor(info: DeviceInfo) -> DeviceInfo {
    DeviceInfo {
        kind: DeviceKind::Cpu,
        platform: "Intel(R) OpenCL".to_owned(),
        platform_version: "OpenCL 3.0 LINUX".to_owned(),
        driver: "2026.22".to_owned(),
        version: "OpenCL 3.0".to_owned(),
        c_versions: vec!["1.2".to_owned(), "3.0".to_owned()],
        native_int_width: 16,
        device_enqueue: true,
        ..info
    }
}

/// Returns all programs that the techniques build on such a device, without duplicates. Each cell must build at least
/// one program. Returns `None` if there is no device.
fn built_on(describe: fn(DeviceInfo) -> DeviceInfo, multiple: usize) -> Option<BTreeSet<Built>> {
    let (_turn, mut device) = device_as(describe)?;
    device.assume_preferred_multiple(multiple);
    device.only_plan();
    // Opening the device has already built a kernel.
    let mut built: BTreeSet<Built> = device.built().into_iter().collect();
    for cell in cells() {
        let before = device.built().len();
        let refused = cell.prepare(&cell.choice.technique, Some(&device));
        let all = device.built();
        let why = refused.err().map(|fault| fault.to_string());
        let holds = all.len() > before;
        assert!(holds, "{} builds nothing: {why:?}", cell.name());
        built.extend(all.into_iter().skip(before));
    }
    Some(built)
}

fn compiler_is_here() -> bool {
    let runs = Command::new(CLANG).arg("--version").output().is_ok();
    let here = runs && Path::new(LIBRARY).exists();
    if !here {
        skip(&format!(
            "{CLANG} or {LIBRARY} is missing; Debian: apt-get install clang-15 libclc-15"
        ));
    }
    here
}

/// Compiles one program. Returns the compiler's output if it fails.
fn compile(
    folder: &Path,
    number: usize,
    (path, options): &Built,
    target: &[&str],
) -> Option<String> {
    let file = folder.join(format!("{number}.cl"));
    std::fs::write(&file, opencl::kernel_source(path, None).unwrap()).unwrap();
    let output = Command::new(CLANG)
        .args(["-x", "cl", "-Xclang", "-finclude-default-header", "-Werror"])
        .args(options.split(' '))
        .args(target)
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = said.lines().take(12).collect();
    (!output.status.success()).then(|| {
        format!(
            "{path} {options} {}\n{}",
            target.join(" "),
            first.join("\n")
        )
    })
}

/// Compiles every program with its options, on all cores.
fn compile_all(programs: &[(Built, Vec<&'static str>)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let programs = programs.par_iter().enumerate();
    let refused = programs
        .filter_map(|(number, (program, target))| compile(folder.path(), number, program, target));
    refused.collect()
}

#[test]
fn every_kernel_compiles_for_an_amd_gpu() {
    compiles_for_amd(&AMD[2..]);
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it each week"]
fn long_every_kernel_compiles_for_every_amd_gpu() {
    compiles_for_amd(&AMD);
}

fn compiles_for_amd(processors: &[&'static str]) {
    if !compiler_is_here() {
        return;
    }
    let Some(built) = built_on(amd, 64) else {
        return;
    };
    let files: BTreeSet<&str> = built.iter().map(|(path, _)| path.as_str()).collect();
    assert!(files.len() > 20, "{files:?}");
    let mut programs = Vec::new();
    for program in built.into_iter().filter(|(path, _)| path != FOR_PROCESSORS) {
        for processor in processors {
            let mut target = vec!["-target", "amdgcn--amdhsa", processor, "-nogpulib"];
            target.extend(["-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBRARY]);
            // clang-15 cannot generate code for an OpenCL C 2.0 block that calls its own kernel: "Unsupported calling
            // convention for call".
            let output = if program.1.contains("-cl-std=CL1.2") {
                "-S"
            } else {
                "-emit-llvm"
            };
            target.extend(["-O2", "-S", output, "-o", "/dev/null"]);
            programs.push((program.clone(), target));
        }
    }
    let refused = compile_all(&programs);
    assert!(refused.is_empty(), "{}", refused.join("\n\n"));
}

#[test]
fn every_kernel_passes_a_strict_front_end() {
    passes_front_end(false);
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it each week"]
fn long_every_kernel_passes_a_strict_front_end_and_compiles_for_spirv() {
    passes_front_end(true);
}

fn passes_front_end(to_spirv: bool) {
    if !compiler_is_here() {
        return;
    }
    let (Some(gpu), Some(cpu)) = (built_on(amd, 32), built_on(processor, 8)) else {
        return;
    };
    let mut programs = Vec::new();
    for program in gpu.union(&cpu) {
        let mut strict = vec![
            "-target",
            "spir64",
            "-Wall",
            "-Wextra",
            "-pedantic",
            // Some code in kernels is used only on some boards or devices.
            "-Wno-unused-parameter",
            "-Wno-unused-variable",
            "-Wno-unused-function",
            "-fsyntax-only",
        ];
        let spirv = vec!["-target", "spirv64", "-emit-llvm", "-c", "-o", "/dev/null"];
        // Only kernels that enqueue kernels may need more than OpenCL C 1.2 without extensions.
        if program.1.contains("-cl-std=CL1.2") {
            strict.extend(["-Xclang", "-cl-ext=-all"]);
        }
        programs.push((program.clone(), strict));
        programs.extend(to_spirv.then(|| (program.clone(), spirv)));
    }
    let refused = compile_all(&programs);
    assert!(refused.is_empty(), "{}", refused.join("\n\n"));
}
