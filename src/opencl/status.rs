use ocl::ffi;

use crate::words::Fault;

/// A failed driver call. `ocl`'s wrappers are not used, because they panic on unknown status codes of some drivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{call} failed: {}", describe(*.code))]
pub(super) struct CallError {
    pub call: &'static str,
    pub code: i32,
}

impl CallError {
    /// True if this status may mean that the watchdog ended a launch.
    pub fn may_be_watchdog(self) -> bool {
        matches!(
            self.code,
            ffi::CL_OUT_OF_RESOURCES
                | ffi::CL_DEVICE_NOT_AVAILABLE
                | ffi::CL_INVALID_COMMAND_QUEUE
                | ffi::CL_INVALID_CONTEXT
                | ffi::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        )
    }
}

impl From<CallError> for Fault {
    fn from(error: CallError) -> Fault {
        match error.code {
            ffi::CL_MEM_OBJECT_ALLOCATION_FAILURE | ffi::CL_OUT_OF_HOST_MEMORY => {
                Fault::Memory(error.to_string())
            }
            // The driver refuses a launch although it is within the reported limit.
            ffi::CL_INVALID_WORK_GROUP_SIZE | ffi::CL_INVALID_WORK_ITEM_SIZE => {
                Fault::Unsupported(format!("group: {error}"))
            }
            _ => Fault::Device(error.to_string()),
        }
    }
}

pub(super) fn check(call: &'static str, code: i32) -> Result<(), CallError> {
    if code == ffi::CL_SUCCESS {
        Ok(())
    } else {
        Err(CallError { call, code })
    }
}

macro_rules! names {
    ($($name:ident)*) => {
        /// Returns a status's name in the C header, or the number of an unknown status.
        pub(super) fn describe(code: i32) -> String {
            match code {
                $(ffi::$name => format!("{} ({code})", stringify!($name)),)*
                _ => format!("vendor status {code}"),
            }
        }
    };
}

names! {
    CL_BUILD_PROGRAM_FAILURE CL_COMPILER_NOT_AVAILABLE CL_COMPILE_PROGRAM_FAILURE
    CL_DEVICE_NOT_AVAILABLE CL_DEVICE_NOT_FOUND CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    CL_IMAGE_FORMAT_NOT_SUPPORTED CL_INVALID_ARG_INDEX CL_INVALID_ARG_SIZE CL_INVALID_ARG_VALUE
    CL_INVALID_BINARY CL_INVALID_BUFFER_SIZE CL_INVALID_BUILD_OPTIONS CL_INVALID_COMMAND_QUEUE
    CL_INVALID_COMPILER_OPTIONS CL_INVALID_CONTEXT CL_INVALID_DEVICE CL_INVALID_DEVICE_QUEUE
    CL_INVALID_DEVICE_TYPE CL_INVALID_EVENT CL_INVALID_EVENT_WAIT_LIST CL_INVALID_GLOBAL_OFFSET
    CL_INVALID_GLOBAL_WORK_SIZE CL_INVALID_HOST_PTR CL_INVALID_IMAGE_DESCRIPTOR
    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR CL_INVALID_IMAGE_SIZE CL_INVALID_KERNEL
    CL_INVALID_KERNEL_ARGS CL_INVALID_KERNEL_DEFINITION CL_INVALID_KERNEL_NAME
    CL_INVALID_MEM_OBJECT CL_INVALID_OPERATION CL_INVALID_PLATFORM CL_INVALID_PROGRAM
    CL_INVALID_PROGRAM_EXECUTABLE CL_INVALID_PROPERTY CL_INVALID_QUEUE_PROPERTIES
    CL_INVALID_VALUE CL_INVALID_WORK_DIMENSION CL_INVALID_WORK_GROUP_SIZE
    CL_INVALID_WORK_ITEM_SIZE CL_KERNEL_ARG_INFO_NOT_AVAILABLE CL_LINKER_NOT_AVAILABLE
    CL_LINK_PROGRAM_FAILURE CL_MAP_FAILURE CL_MEM_COPY_OVERLAP CL_MEM_OBJECT_ALLOCATION_FAILURE
    CL_MISALIGNED_SUB_BUFFER_OFFSET CL_OUT_OF_HOST_MEMORY CL_OUT_OF_RESOURCES
    CL_PLATFORM_NOT_FOUND_KHR CL_PROFILING_INFO_NOT_AVAILABLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vendors_own_status_is_named_by_its_number() {
        let error = |call, code| CallError { call, code };
        let known = error("clFinish", ffi::CL_OUT_OF_RESOURCES);
        let expected = "clFinish failed: CL_OUT_OF_RESOURCES (-5)";
        assert_eq!(known.to_string(), expected);
        let unknown = error("clFinish", -9999);
        assert_eq!(unknown.to_string(), "clFinish failed: vendor status -9999");
        assert!(matches!(Fault::from(unknown), Fault::Device(_)));
        let full = error("clCreateBuffer", ffi::CL_OUT_OF_HOST_MEMORY);
        assert!(matches!(Fault::from(full), Fault::Memory(_)));
        let group = error("clEnqueueNDRangeKernel", ffi::CL_INVALID_WORK_GROUP_SIZE);
        assert!(matches!(Fault::from(group), Fault::Unsupported(_)));
    }
}
