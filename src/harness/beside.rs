//! The devices of a worker's host that share samples with its own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::iter::once;

use super::workers::WorkerOptions;
use crate::opencl::{self, Device, DeviceInfo};
use crate::words::{Devices, Fault, Kind, Params, Place};

/// The other devices of a worker, opened when first needed, by platform and device index.
#[derive(Default)]
pub(super) struct Beside(HashMap<String, Device>);

impl Beside {
    /// The devices that share the samples of a cell, the worker's own first; `None` if the cell does not ask for
    /// several. On the host each stands for a tree of a reference. Fails if the host lacks a device or cannot open it.
    pub fn of<'a>(
        &'a mut self,
        params: &Params,
        kind: Kind,
        own: Option<&'a Device>,
        options: &WorkerOptions,
    ) -> Result<Option<Vec<Option<&'a Device>>>, Fault> {
        let (wanted, own) = match (Devices::of(params).map_err(Fault::Input)?, kind, own) {
            (None, ..) | (_, Kind::Device, None) => return Ok(None),
            (Some(wanted), Kind::Device, Some(own)) => (wanted, own),
            (Some(Devices::Number(number)), ..) => return Ok(Some(vec![None; number])),
            _ => {
                let why = "devices: on the host allowed is a number of trees";
                return Err(Fault::Input(why.into()));
            }
        };
        let mut all = opencl::list().map_err(|none| Fault::Device(none.to_string()))?;
        all.retain(|it| it.numbers() == own.info().numbers() || it.is_beside(own.info()));
        let places: Vec<Place<'_>> = all.iter().map(place).collect();
        let others = wanted.beside(place(own.info()), &places);
        let others = others.map_err(Fault::Unsupported)?.into_iter();
        let others: Vec<&DeviceInfo> = others.map(|at| &all[at]).collect();
        for info in &others {
            if let Entry::Vacant(place) = self.0.entry(info.numbers()) {
                options.apply(place.insert(opencl::open(info)?));
            }
        }
        let others = others.iter().map(|it| self.0.get(&it.numbers()));
        Ok(Some(once(Some(own)).chain(others).collect()))
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
