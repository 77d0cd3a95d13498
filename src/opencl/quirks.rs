use super::info::DeviceInfo;
use crate::words::Fault;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remedy {
    /// A build option for all programs.
    BuildOption(&'static str),
    /// A build option for programs with barriers in loops.
    BarrierOption(&'static str),
    /// Sets a variable before the driver loads. Without it, programs with barriers in loops are unsupported.
    Environment(&'static str, &'static str),
    /// The device's work-group limit is used instead of the limits of kernels.
    DeviceGroupLimit,
    /// Kernels with `reqd_work_group_size` run with that size, even if the driver reports a lower limit.
    FixedGroupsRun,
    /// The host initialises buffers when it creates them, and writes instead of filling.
    HostWrites,
    /// There is no remedy, but reports mention the quirk.
    Told,
    /// Kernels with vectors of 16 words are not built.
    NoWideVectors,
    /// Work-groups whose items take work from a counter must have a multiple of this number of work-items.
    WholeVectors(usize),
}

#[derive(Debug)]
struct Quirk {
    applies: fn(Implementation) -> bool,
    remedy: Remedy,
    /// The quirk and the remedy, in one sentence.
    reason: &'static str,
    /// The version in which the quirk was observed.
    seen: &'static str,
}

/// All workarounds in host code for quirks of OpenCL implementations. `cl/common/vendor.clh` contains the workarounds
/// in kernels. Clover needs none, because its platform has no devices and [`super::list`] skips it.
static TABLE: &[Quirk] = &[
    Quirk {
        applies: |it| matches!(it, Implementation::Pocl(major) if major < 4),
        remedy: Remedy::BarrierOption("-cl-opt-disable"),
        reason: "pocl's work-group method silently gives wrong results for barriers in data-dependent \
                 loops; kernels with such barriers are built with -cl-opt-disable, which makes them \
                 2 to 10 times slower",
        seen: "pocl 3.1",
    },
    Quirk {
        applies: |it| matches!(it, Implementation::Pocl(major) if major >= 4),
        remedy: Remedy::Environment("POCL_WORK_GROUP_METHOD", "cbs"),
        reason: "pocl's default work-group method silently gives wrong results for barriers in \
                 data-dependent loops; POCL_WORK_GROUP_METHOD=cbs is correct at full speed",
        seen: "pocl 6",
    },
    Quirk {
        applies: |it| matches!(it, Implementation::Rusticl(major) if major < 23),
        remedy: Remedy::DeviceGroupLimit,
        reason: "the driver reports a work-group limit of 32 for every kernel, but runs the device's limit",
        seen: "rusticl 22",
    },
    Quirk {
        applies: |it| it == Implementation::Nvidia,
        remedy: Remedy::FixedGroupsRun,
        reason: "the driver reports a limit of 256 for kernels with a fixed work-group size, but runs \
                 512 and 1024",
        seen: "driver 580",
    },
    Quirk {
        applies: |it| matches!(it, Implementation::Rusticl(major) if major < 23),
        remedy: Remedy::Told,
        reason: "the driver silently cuts a work-item's loops after 65,535 iterations in total; \
                 kernels end with a stamp that the host checks",
        seen: "rusticl 22",
    },
    Quirk {
        applies: |it| matches!(it, Implementation::Rusticl(major) if major < 23),
        remedy: Remedy::NoWideVectors,
        reason: "large kernels with vectors of 16 words take many minutes to compile (LLVM's \
                 coroutine pass); techniques with an alternative kernel use that one",
        seen: "rusticl 22 on llvmpipe",
    },
    Quirk {
        applies: |it| matches!(it, Implementation::Rusticl(_)),
        remedy: Remedy::WholeVectors(16),
        reason: "items that pad a group to the processor's vector width also run its loops, but get \
                 nothing from atomics: a loop that ends when a counter runs out never ends for them, \
                 and after the limit of 65,535 iterations, each later loop of the group runs once; \
                 such groups have only whole vectors, of at most 16 items",
        seen: "rusticl 22 on llvmpipe",
    },
    Quirk {
        applies: |it| it == Implementation::Oclgrind,
        remedy: Remedy::BuildOption("-disable-llvm-passes"),
        reason: "a kernel is reported as missing if functions that return structures were inlined \
                 (llvm.experimental.noalias.scope.decl), and in optimised kernels, `freeze` stops the \
                 check for uninitialised memory; therefore, nothing is inlined or optimised",
        seen: "oclgrind 21.10",
    },
    Quirk {
        applies: |it| it == Implementation::Oclgrind,
        remedy: Remedy::BuildOption("-DSIMULATED=1"),
        reason: "it reports a race if a read meets another work-group's write; where kernels intend \
                 this, both are atomic on this device",
        seen: "oclgrind 21.10",
    },
    Quirk {
        applies: |it| it == Implementation::Oclgrind,
        remedy: Remedy::HostWrites,
        reason: "the check for uninitialised memory knows only the host's last write to a buffer, and \
                 only the last element of a fill; the host therefore creates buffers full of bytes \
                 0xa5, and writes instead of filling, so that a kernel that reads unwritten memory \
                 gives a wrong answer",
        seen: "oclgrind 21.10",
    },
];

pub(super) const POCL: &str = "Portable Computing Language";

/// An OpenCL implementation and its major version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Implementation {
    Pocl(u32),
    Rusticl(u32),
    Oclgrind,
    Nvidia,
    Other,
}

impl Implementation {
    fn of(info: &DeviceInfo) -> Implementation {
        let platform = info.platform.to_lowercase();
        if info.platform == POCL {
            // In "OpenCL 3.0 PoCL 3.1+debian …", the second number is pocl's version. An unknown version counts as old,
            // because the remedies for old versions are correct on all versions.
            let version = info.platform_version.to_lowercase();
            let own = version.split_once("pocl ").map_or("", |(_, own)| own);
            Implementation::Pocl(leading_number(own).unwrap_or(0))
        } else if platform == "rusticl" {
            Implementation::Rusticl(leading_number(&info.driver).unwrap_or(0))
        } else if platform == "oclgrind" {
            Implementation::Oclgrind
        } else if platform == "nvidia cuda" {
            Implementation::Nvidia
        } else {
            Implementation::Other
        }
    }
}

/// Returns the first number in a version, for example 22 for `22.3.6`.
fn leading_number(text: &str) -> Option<u32> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..digits].parse().ok()
}

/// Properties of a program that determine which quirks apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildNeeds {
    /// True if the program has barriers in loops with a data-dependent number of iterations.
    pub barriers_in_loops: bool,
    /// True if the program's kernels enqueue kernels. It is then built as OpenCL C 2.0 or 3.0, with a default queue.
    pub device_enqueue: bool,
    /// True if the kernel file belongs to the user and is not below the kernel root.
    pub own_file: bool,
}

/// The quirks of one device.
#[derive(Clone, Debug)]
pub struct Quirks {
    rows: Vec<&'static Quirk>,
}

impl Quirks {
    /// Returns the quirks that apply to a device.
    pub fn of(info: &DeviceInfo) -> Quirks {
        let implementation = Implementation::of(info);
        Quirks {
            rows: TABLE
                .iter()
                .filter(|row| (row.applies)(implementation))
                .collect(),
        }
    }

    /// Returns one sentence per quirk, for the run folder.
    pub fn words(&self) -> Vec<String> {
        self.rows
            .iter()
            .map(|row| format!("{} (seen on {})", row.reason, row.seen))
            .collect()
    }

    /// Fails with [`Fault::Unsupported`] if large kernels with vectors of 16 words would take too long to build.
    pub fn wide_vectors(&self) -> Result<(), Fault> {
        match self.row(Remedy::NoWideVectors) {
            Some(row) => Err(Fault::Unsupported(row.reason.to_owned())),
            None => Ok(()),
        }
    }

    /// Returns the number that must divide group sizes if work-items take work from a counter. 1 allows any size.
    pub fn whole_vectors(&self) -> usize {
        let items = self.rows.iter().filter_map(|row| match row.remedy {
            Remedy::WholeVectors(items) => Some(items),
            _ => None,
        });
        items.max().unwrap_or(1)
    }

    /// Returns the fault for a kernel that left work undone. If the driver cuts loops short, the fault names the quirk.
    pub fn unfinished(&self, what: String) -> Fault {
        match self.row(Remedy::Told) {
            Some(row) => Fault::Device(format!(
                "{what}: the driver may have lost the rest: {} ({})",
                row.reason, row.seen
            )),
            None => Fault::Device(what),
        }
    }

    /// True if the host initialises every new buffer, and writes instead of filling.
    pub fn host_writes(&self) -> bool {
        self.row(Remedy::HostWrites).is_some()
    }

    pub(super) fn device_group_limit(&self) -> bool {
        self.row(Remedy::DeviceGroupLimit).is_some()
    }

    pub(super) fn fixed_groups_run(&self) -> bool {
        self.row(Remedy::FixedGroupsRun).is_some() || self.device_group_limit()
    }

    /// Returns the build options for a program with these `needs`. Fails with [`Fault::Unsupported`] if a required
    /// variable is not set in `environment`.
    pub(super) fn build_options(
        &self,
        needs: BuildNeeds,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Vec<&'static str>, Fault> {
        let mut options = Vec::new();
        for row in &self.rows {
            match row.remedy {
                Remedy::BuildOption(option) => options.push(option),
                Remedy::BarrierOption(option) if needs.barriers_in_loops => options.push(option),
                Remedy::Environment(name, value)
                    if needs.barriers_in_loops && environment(name).as_deref() != Some(value) =>
                {
                    return Err(Fault::Unsupported(format!(
                        "kernels with barriers in loops are wrong on this driver unless \
                         {name}={value} is in the environment before it is loaded"
                    )));
                }
                _ => {}
            }
        }
        Ok(options)
    }

    fn row(&self, remedy: Remedy) -> Option<&Quirk> {
        let mut rows = self.rows.iter().copied();
        rows.find(|row| row.remedy == remedy)
    }
}

/// Returns the environment variables that must be set for a worker on this device before it loads the driver.
pub fn worker_environment(info: &DeviceInfo) -> Vec<(String, String)> {
    let rows = Quirks::of(info).rows.into_iter();
    rows.filter_map(|row| match row.remedy {
        Remedy::Environment(name, value) => Some((name.to_owned(), value.to_owned())),
        _ => None,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::info::example;
    use super::*;

    const BARRIERS: BuildNeeds = BuildNeeds {
        barriers_in_loops: true,
        device_enqueue: false,
        own_file: false,
    };

    fn on(platform: &str, platform_version: &str, driver: &str) -> DeviceInfo {
        DeviceInfo {
            platform: platform.to_owned(),
            platform_version: platform_version.to_owned(),
            driver: driver.to_owned(),
            ..example(0, 0, "device")
        }
    }

    fn pocl(version: &str) -> DeviceInfo {
        on(
            "Portable Computing Language",
            &format!("OpenCL 3.0 {version}"),
            "",
        )
    }

    /// Returns the build options for a kernel with barriers in loops, and for any other kernel. `method` is the value
    /// of `POCL_WORK_GROUP_METHOD`.
    fn options(info: &DeviceInfo, method: Option<&str>) -> [Result<String, String>; 2] {
        let value = |name: &str| {
            let method = method.filter(|_| name == "POCL_WORK_GROUP_METHOD");
            method.map(str::to_owned)
        };
        [BARRIERS, BuildNeeds::default()].map(|needs| {
            let options = Quirks::of(info).build_options(needs, value);
            options
                .map(|it| it.join(" "))
                .map_err(|fault| fault.to_string())
        })
    }

    /// Old versions of pocl build kernels with barriers in loops without optimisation. New versions need an environment
    /// variable, which must be set before the driver is loaded.
    #[test]
    fn kernels_with_barriers_in_loops_are_built_as_the_driver_needs_it() {
        let ok = |text: &str| Ok(text.to_owned());
        for version in [
            "PoCL 3.1+debian  Linux, RELOC",
            "pocl 1.8",
            "of an unknown kind",
        ] {
            let info = pocl(version);
            assert_eq!(options(&info, None), [ok("-cl-opt-disable"), ok("")]);
            assert!(worker_environment(&info).is_empty());
            assert_eq!(Quirks::of(&info).words().len(), 1);
        }
        let new = pocl("PoCL 6.0  Linux, RELOC");
        let variable = ("POCL_WORK_GROUP_METHOD".to_owned(), "cbs".to_owned());
        assert_eq!(worker_environment(&new), [variable]);
        assert_eq!(options(&new, Some("cbs")), [ok(""), ok("")]);
        let [refused, other] = options(&new, Some("loopvec"));
        assert!(refused.unwrap_err().contains("POCL_WORK_GROUP_METHOD=cbs"));
        assert_eq!(other, ok(""));
        // The host initialises the buffers of a simulator, but not of a GPU.
        let oclgrind = on("Oclgrind", "OpenCL 1.2 (Oclgrind 21.10)", "21.10");
        assert!(Quirks::of(&oclgrind).host_writes());
        assert_eq!(
            options(&oclgrind, None)[1],
            ok("-disable-llvm-passes -DSIMULATED=1")
        );
        let gpu = on("NVIDIA CUDA", "OpenCL 3.0 CUDA 13.0", "580.95");
        assert_eq!(options(&gpu, None)[0], ok(""));
        assert!(!Quirks::of(&gpu).host_writes() && Quirks::of(&gpu).whole_vectors() == 1);
    }

    #[test]
    fn rusticl_is_told_apart_by_its_drivers_version() {
        let old = Quirks::of(&on("rusticl", "OpenCL 3.0", "22.3.6"));
        assert!(old.device_group_limit());
        assert!(matches!(
            old.unfinished("half of it".into()),
            Fault::Device(why) if why.starts_with("half of it: ") && why.contains("65,535")
        ));
        assert!(old.words().iter().any(|row| row.contains("65,535")));
        let new = Quirks::of(&on("rusticl", "OpenCL 3.0", "25.0.7-2"));
        assert!(matches!(old.wide_vectors(), Err(Fault::Unsupported(_))));
        assert!(new.wide_vectors().is_ok() && !new.device_group_limit());
        // No version with a fix is known, and whole vectors cost nothing.
        assert_eq!((old.whole_vectors(), new.whole_vectors()), (16, 16));
    }

    #[test]
    fn believes_every_drivers_group_limit_but_nvidias_and_old_rusticls() {
        let runs =
            |platform, driver| Quirks::of(&on(platform, "OpenCL 3.0", driver)).fixed_groups_run();
        assert!(runs("NVIDIA CUDA", "580.95") && runs("rusticl", "22.3.6"));
        for (platform, driver) in [
            ("Apple", "1.2"),
            ("ARM Platform", "3.0"),
            ("rusticl", "25.0.7"),
        ] {
            assert!(!runs(platform, driver), "{platform}");
        }
    }
}
