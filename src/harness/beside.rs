//! A worker's options, and the devices of its host that share samples with its own.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::protocol::CellSpec;
use crate::opencl::{self, Cache, Device, DeviceInfo, LaunchLimit};
use crate::words::{DEVICES, Devices, Fault, Kind, Place};

/// The options of a worker process.
#[derive(Clone, Debug, Default)]
pub struct WorkerOptions {
    /// Platform and device index; `None` for the host's own processor.
    pub device: Option<(usize, usize)>,
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// A folder that replaces the embedded kernels.
    pub kernels: Option<PathBuf>,
    /// Folder of the program cache; `None`: every program is built anew.
    pub cache: Option<PathBuf>,
    /// Limit of a launch's time; `None` for the device's default.
    pub launch_limit: Option<LaunchLimit>,
}

impl WorkerOptions {
    /// Gives the cache and the launch limit to a device that was just opened.
    pub(super) fn apply(&self, device: &Device) {
        if let Some(folder) = &self.cache {
            device.keep_programs_in(Cache::new(folder));
        }
        if let Some(LaunchLimit(limit)) = self.launch_limit {
            device.limit_launches(limit);
        }
    }
}

/// The other devices of a worker, opened when first needed.
#[derive(Default)]
pub(super) struct Beside {
    /// By platform and device index.
    opened: HashMap<String, Arc<Device>>,
}

impl Beside {
    /// The devices that share the samples of a cell with the own one; `None` where it does not ask for several. On the
    /// host they are as many trees of a reference, and models of device techniques, whose counters do not depend on the
    /// division, need none. Fails with [`Fault::Unsupported`] if the host lacks what the parameter asks for,
    /// [`Fault::Input`] for an invalid value, and any error of opening a device.
    pub fn of(
        &mut self,
        spec: &CellSpec,
        kind: Kind,
        own: Option<&Device>,
        options: &WorkerOptions,
    ) -> Result<Option<Vec<Option<Arc<Device>>>>, Fault> {
        if let Some((name, params)) = &spec.opponent
            && let Some(wanted) = params.get(DEVICES.name)
            && Devices::of(params).map_err(Fault::Input)?.is_some()
        {
            let why = format!("devices: `{wanted}`; the opponent {name} has one device");
            return Err(Fault::Unsupported(why));
        }
        let Some(wanted) = Devices::of(&spec.params).map_err(Fault::Input)? else {
            return Ok(None);
        };
        let Some(own) = own.filter(|_| kind == Kind::Device) else {
            return match wanted {
                _ if kind == Kind::Device => Ok(None),
                Devices::Number(number) => Ok(Some(vec![None; number - 1])),
                Devices::All | Devices::Listed(_) => Err(Fault::Input(
                    "devices: on the host allowed is a number of trees".into(),
                )),
            };
        };
        let mut all = opencl::list().map_err(|none| Fault::Device(none.to_string()))?;
        all.retain(|it| it.numbers() == own.info().numbers() || it.is_beside(own.info()));
        let places: Vec<Place<'_>> = all.iter().map(place).collect();
        let others = wanted.beside(place(own.info()), &places);
        let others = others.map_err(Fault::Unsupported)?;
        let opened = others.into_iter().map(|at| self.open(&all[at], options));
        opened
            .map(|device| device.map(Some))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    fn open(&mut self, info: &DeviceInfo, options: &WorkerOptions) -> Result<Arc<Device>, Fault> {
        if let Some(device) = self.opened.get(&info.numbers()) {
            return Ok(Arc::clone(device));
        }
        let device = Arc::new(opencl::open(info)?);
        options.apply(&device);
        self.opened.insert(info.numbers(), Arc::clone(&device));
        Ok(device)
    }
}

fn place(info: &DeviceInfo) -> Place<'_> {
    Place {
        platform: &info.platform,
        name: &info.name,
        label: &info.label,
        address: &info.address,
    }
}
