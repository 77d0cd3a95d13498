//! A device on the bench, with the programs that were built for it so far.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use crate::opencl::{Access, Buffer, BuildNeeds, Device, DeviceInfo, OclPrm, Program, Queue};
use crate::words::Fault;

/// A program: its file and its constants.
type Key = (&'static str, Vec<(&'static str, String)>);

/// A device, whose programs are built once: several quantities are kernels of one program.
pub struct Bench<'d> {
    device: &'d Device,
    kernels: Option<&'d Path>,
    programs: RefCell<HashMap<Key, Rc<Program>>>,
}

impl<'d> Bench<'d> {
    /// A device without programs; `kernels` is a folder in the place of the embedded ones.
    pub fn new(device: &'d Device, kernels: Option<&'d Path>) -> Bench<'d> {
        Bench {
            device,
            kernels,
            programs: RefCell::default(),
        }
    }

    /// What the driver says of it.
    pub fn info(&self) -> &DeviceInfo {
        self.device.info()
    }

    /// The program of a file with these constants. None of ours has a barrier in a loop.
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

    /// Room for so many elements.
    pub fn buffer<T: OclPrm>(&self, len: usize, access: Access) -> Result<Buffer<T>, Fault> {
        self.device.buffer(len, access)
    }
}
