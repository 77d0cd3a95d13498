//! A device under measurement, with the programs built for it so far.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use crate::opencl::{Access, Buffer, BuildNeeds, Device, DeviceInfo, OclPrm, Program, Queue};
use crate::words::Fault;

/// A program's identity: its file and its constants.
type Key = (&'static str, Vec<(&'static str, String)>);

/// A device that builds each program once: several quantities use kernels of the same program.
pub struct Bench<'d> {
    device: &'d Device,
    kernels: Option<&'d Path>,
    programs: RefCell<HashMap<Key, Rc<Program>>>,
}

impl<'d> Bench<'d> {
    /// A device without programs yet; `kernels` is a folder that replaces the embedded kernel files.
    pub fn new(device: &'d Device, kernels: Option<&'d Path>) -> Bench<'d> {
        Bench {
            device,
            kernels,
            programs: RefCell::default(),
        }
    }

    /// The device as its driver describes it.
    pub fn info(&self) -> &DeviceInfo {
        self.device.info()
    }

    /// The program of a file with these constants. The kernels of `cl/peaks` have no barriers in loops.
    pub fn program(
        &self,
        path: &'static str,
        defines: &[(&'static str, String)],
    ) -> Result<Rc<Program>, Fault> {
        let key = (path, defines.to_vec());
        if let Some(built) = self.programs.borrow().get(&key) {
            return Ok(Rc::clone(built));
        }
        let needs = BuildNeeds::default();
        let built = Rc::new(self.device.build(path, defines, self.kernels, needs)?);
        self.programs.borrow_mut().insert(key, Rc::clone(&built));
        Ok(built)
    }

    /// A queue whose commands are timed.
    pub fn queue(&self) -> Result<Queue, Fault> {
        self.device.queue()
    }

    /// A buffer of `len` elements.
    pub fn buffer<T: OclPrm>(&self, len: usize, access: Access) -> Result<Buffer<T>, Fault> {
        self.device.buffer(len, access)
    }
}
