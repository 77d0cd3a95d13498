//! The file of the launch parameters that `bench tune` found: written by it, and used by a run.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::exit::Failure;
use super::targets;
use crate::config::{Experiment, Tuned, TunedDevice, TunedError};
use crate::harness::Target;
use crate::results::{self, Program};
use crate::words::Catalogue;

/// Beside the folders of the runs.
pub fn usual_file(label: &str) -> PathBuf {
    let name = targets::plain_name(label);
    Path::new("reports/local/tuned").join(format!("{name}.toml"))
}

/// What the device is called in the file.
pub fn device_of(target: &Target) -> TunedDevice {
    TunedDevice {
        platform: target.record.platform.clone(),
        name: target.record.name.clone(),
        driver: target.record.driver.clone(),
    }
}

/// What the file has already, to be added to. What another driver was measured with goes.
pub fn begun(file: &Path, target: &Target, catalogue: &Catalogue) -> Result<Tuned, Failure> {
    let device = device_of(target);
    if !file.exists() {
        return Ok(Tuned::new(device));
    }
    let tuned = Tuned::read(file, catalogue).map_err(failure)?;
    tuned
        .expect_device(file, std::slice::from_ref(&device))
        .map_err(failure)?;
    if tuned.device.driver != device.driver {
        eprintln!(
            "{}: was made with driver {}; begun anew with {}",
            file.display(),
            tuned.device.driver,
            device.driver
        );
        return Ok(Tuned::new(device));
    }
    Ok(tuned)
}

/// The exit code of a file of tuned parameters that cannot be used.
pub fn failure(error: TunedError) -> Failure {
    match error {
        TunedError::Read { .. } => Failure::files(error),
        TunedError::Wrong { .. } => Failure::usage(error),
    }
}

pub fn write(file: &Path, tuned: &Tuned) -> anyhow::Result<()> {
    let text = tuned
        .to_toml()
        .map_err(|problem| anyhow!("{}: {problem}", file.display()))?;
    if let Some(folder) = file.parent().filter(|it| !it.as_os_str().is_empty()) {
        let failed = || format!("{}: cannot be made", folder.display());
        std::fs::create_dir_all(folder).with_context(failed)?;
    }
    Ok(results::write_atomically(file, text.as_bytes())?)
}

/// Puts the tuned techniques beside their defaults, and says which cannot be.
pub fn add(whole: &mut Experiment, tuned: &Tuned, catalogue: &Catalogue) {
    let (added, refused) = whole.add_tuned(tuned, catalogue);
    let name = &whole.name;
    match added.as_slice() {
        [] => eprintln!("{name}: --tuned has nothing for it but the defaults"),
        added => eprintln!("{name}: runs {} too", added.join(", ")),
    }
    for why in refused {
        eprintln!("{name}: {why}");
    }
}

/// Refuses parameters of another device, and warns of another driver and other kernels.
pub fn check(
    tuned: &Tuned,
    file: &Path,
    targets: &[Target],
    program: &Program,
) -> Result<(), Failure> {
    let devices: Vec<_> = targets.iter().map(device_of).collect();
    tuned.expect_device(file, &devices).map_err(failure)?;
    let file = file.display();
    if let [device] = devices.as_slice()
        && device.driver != tuned.device.driver
    {
        let (then, now) = (&tuned.device.driver, &device.driver);
        eprintln!("{file}: was found with driver {then}, and this is {now}");
    }
    let mut found = tuned.techniques.iter();
    if found.any(|it| it.kernel_hash != program.kernel_hash) {
        eprintln!("{file}: was found with other kernels than these");
    }
    Ok(())
}
