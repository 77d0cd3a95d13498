//! Advice for a machine without an OpenCL device: the commands that install a driver for its hardware.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::ProbeError;
use crate::cli::check::entries;
use crate::opencl::NoDevices;

const DISTRIBUTIONS: [&str; 4] = ["Debian", "Ubuntu", "Fedora", "Arch"];

/// The commands that install drivers. Debian's pocl does not depend on a loader. Fedora offers two loaders.
const DRIVERS: &str = include_str!("drivers.csv");

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
    let told = |name| format!("{name} is set, and may hide installed drivers.");
    let mut lines: Vec<String> = VARIABLES.into_iter().filter(is_set).map(told).collect();
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
    let mut lines = Vec::new();
    if let Some(node) = nodes(&root.join("dev")).iter().find(|it| is_denied(it)) {
        let remedy = "Run `sudo usermod -aG render,video $USER`, then log in again.";
        let node = node.display();
        lines.push(format!("{node}: this user may not open it. {remedy}"));
    }
    lines.push("These commands install OpenCL drivers:".to_owned());
    let mut rows = csv::Reader::from_reader(DRIVERS.as_bytes());
    for [vendor, name, known, command] in rows.deserialize::<[String; 4]>().flatten() {
        let is_known = |own: &str| known.split(", ").any(|it| it == own);
        match own {
            _ if !wanted.contains(&vendor) => {}
            None => lines.push(format!("  {name}, {known}: {command}")),
            Some(own) if is_known(own) => lines.push(format!("  {name}: {command}")),
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
        let is_it = |own: &&str| own.eq_ignore_ascii_case(id);
        DISTRIBUTIONS.into_iter().find(is_it)
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
    nodes.retain(|it| it.to_string_lossy().contains("/renderD"));
    nodes.push(dev.join("kfd"));
    nodes
}

fn text(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.trim().to_owned()
}

#[cfg(test)]
#[path = "advice_tests.rs"]
mod tests;
