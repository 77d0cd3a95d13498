//! Advice for a machine without an OpenCL device: the commands that install a driver for its hardware.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::ProbeError;
use crate::cli::check::entries;
use crate::opencl::NoDevices;

const DISTRIBUTIONS: [&str; 4] = ["Debian", "Ubuntu", "Fedora", "Arch"];

/// Columns: vendor, name, distributions, command. Debian's pocl does not depend on a loader. Fedora offers two loaders.
const TABLE: &str = "\
loader | OpenCL loader | Debian, Ubuntu | sudo apt-get install ocl-icd-libopencl1
loader | OpenCL loader | Fedora | sudo dnf install 'libOpenCL.so.1()(64bit)'
loader | OpenCL loader | Arch | sudo pacman -S ocl-icd
0x10de | NVIDIA GPU | Debian | sudo apt-get install nvidia-opencl-icd (from contrib and non-free)
0x10de | NVIDIA GPU | Ubuntu | sudo ubuntu-drivers install
0x10de | NVIDIA GPU | Fedora | sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda (from RPM Fusion nonfree)
0x10de | NVIDIA GPU | Arch | sudo pacman -S opencl-nvidia
0x1002 | AMD GPU | Debian, Ubuntu | sudo apt-get install mesa-opencl-icd; export RUSTICL_ENABLE=radeonsi
0x1002 | AMD GPU | Fedora | sudo dnf install rocm-opencl
0x1002 | AMD GPU | Arch | sudo pacman -S rocm-opencl-runtime
0x8086 | Intel GPU | Debian, Ubuntu | sudo apt-get install intel-opencl-icd
0x8086 | Intel GPU | Fedora | sudo dnf install intel-compute-runtime intel-opencl
0x8086 | Intel GPU | Arch | sudo pacman -S intel-compute-runtime
processor | CPU | Debian, Ubuntu | sudo apt-get install pocl-opencl-icd
processor | CPU | Fedora | sudo dnf install pocl
processor | CPU | Arch | sudo pacman -S pocl";

/// Environment variables that OpenCL loaders read.
const VARIABLES: [&str; 3] = ["OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"];

/// Returns advice on how to get a device after this error, or `None` if the error itself names the remedy.
pub fn advice(error: &ProbeError) -> Option<String> {
    let is_missing = match error {
        ProbeError::Start(..) | ProbeError::NoDevices(NoDevices::Unusable(_)) => return None,
        error => matches!(error, ProbeError::NoDevices(NoDevices::NoLoader)),
    };
    let is_denied = |file: &Path| {
        let opened = OpenOptions::new().read(true).write(true).open(file);
        opened.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    };
    let is_set = |name: &&str| std::env::var_os(name).is_some();
    let set = VARIABLES.into_iter().filter(is_set);
    let mut lines: Vec<String> = set
        .map(|it| format!("{it} is set, and may hide installed drivers."))
        .collect();
    lines.push(match cfg!(target_os = "linux") {
        true => on_linux(Path::new("/"), is_missing, &is_denied),
        false => "Install the GPU vendor's driver, or pocl to use the processor.".to_owned(),
    });
    Some(lines.join("\n"))
}

fn on_linux(root: &Path, without_loader: bool, is_denied: &dyn Fn(&Path) -> bool) -> String {
    let own = distribution(&text(&root.join("etc/os-release")));
    let mut wanted = vendors(&root.join("sys/bus/pci/devices"));
    wanted.push("processor".to_owned());
    wanted.extend(without_loader.then(|| "loader".to_owned()));
    let denied = nodes(&root.join("dev"))
        .into_iter()
        .find(|it| is_denied(it));
    let denied = denied.map(|it| {
        let node = it.display();
        format!("{node}: this user may not open it. Run `sudo usermod -aG render,video $USER`, then log in again.")
    });
    let mut lines: Vec<String> = denied.into_iter().collect();
    lines.push("These commands install OpenCL drivers:".to_owned());
    for row in TABLE.lines() {
        let mut fields = row.splitn(4, " | ");
        let [key, name, known, command] = [(); 4].map(|()| fields.next().unwrap_or_default());
        match own {
            _ if !wanted.iter().any(|it| it == key) => {}
            None => lines.push(format!("  {name}, {known}: {command}")),
            Some(own) if known.split(", ").any(|it| it == own) => {
                lines.push(format!("  {name}: {command}"))
            }
            Some(_) => {}
        }
    }
    lines.join("\n")
}

/// Returns the distribution if it is known, otherwise the first known one that it resembles.
fn distribution(os_release: &str) -> Option<&'static str> {
    let values = ["ID=", "ID_LIKE="].map(|key| {
        let value = os_release.lines().find_map(|line| line.strip_prefix(key));
        value.unwrap_or_default().trim().trim_matches(['"', '\''])
    });
    let mut ids = values.into_iter().flat_map(str::split_whitespace);
    ids.find_map(|id| {
        DISTRIBUTIONS
            .into_iter()
            .find(|own| own.eq_ignore_ascii_case(id))
    })
}

/// Returns the PCI vendors of display controllers and processing accelerators.
fn vendors(pci: &Path) -> Vec<String> {
    let mut vendors = entries(pci);
    vendors.retain(|it| {
        let class = text(&it.join("class"));
        class.starts_with("0x03") || class.starts_with("0x12")
    });
    vendors.iter().map(|it| text(&it.join("vendor"))).collect()
}

/// Returns the device files that GPU drivers open.
fn nodes(dev: &Path) -> Vec<PathBuf> {
    let mut nodes = entries(&dev.join("dri"));
    nodes.retain(|it| {
        it.file_name()
            .is_some_and(|it| it.to_string_lossy().starts_with("renderD"))
    });
    nodes.push(dev.join("kfd"));
    nodes
}

fn text(file: &Path) -> String {
    fs::read_to_string(file)
        .unwrap_or_default()
        .trim()
        .to_owned()
}

#[cfg(test)]
#[path = "advice_tests.rs"]
mod tests;
