//! Devices, quirks, program building, and queues whose transfers and kernels are timed.

/// An opened OpenCL device.
pub struct Device {}
