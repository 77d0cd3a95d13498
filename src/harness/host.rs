//! Describes the host, and detects load and other disturbances during a measurement.

use std::fs;
use std::time::{Duration, Instant, SystemTime};

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use crate::results::Host;
use crate::words::Warning;

/// The host counts as busy if other processes use at least this share of the processor time.
const BUSY: f64 = 0.10;
/// Minimum share of stolen processor time for which a warning is given.
const STOLEN: f64 = 0.02;
/// Minimum relative change of the clock frequency for which a warning is given.
const CLOCK_CHANGE: f64 = 0.10;

/// Returns the machine's name: Slurm's node name or, outside Slurm, the host name.
pub fn node() -> Option<String> {
    let slurm = std::env::var("SLURMD_NODENAME").unwrap_or_default();
    if slurm.is_empty() {
        System::host_name().ok()
    } else {
        Some(slurm)
    }
}

/// Returns the current UTC time to the millisecond, such as `2026-11-22T15:10:10.250Z`.
pub fn utc_now() -> String {
    utc(SystemTime::now())
}

/// Formats a time. Times outside the years 1970 to 9999 are clamped, because the format cannot represent them.
fn utc(time: SystemTime) -> String {
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    let time = time.clamp(SystemTime::UNIX_EPOCH, last);
    humantime::format_rfc3339_millis(time).to_string()
}

/// Watches for disturbances while a case is measured.
pub trait HostWatch {
    /// Starts to watch for disturbances. Call this at the start of a case.
    fn begin(&mut self);
    /// Returns warnings about disturbances since the start of the case.
    fn warnings(&mut self) -> Vec<Warning>;
}

/// Watches a Linux host through `/proc` and `/sys`. On other systems, it reports nothing.
#[derive(Default)]
pub struct ProcWatch {
    begun: Option<Reading>,
    last: Vec<Warning>,
}

/// Processor time used since the system started, in ticks, and the clock frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    at: Instant,
    /// Busy time of all processors. Does not include idle time, I/O wait or stolen time.
    busy: u64,
    stolen: u64,
    total: u64,
    /// Time used by this process and its children.
    ours: u64,
    mhz: Option<u64>,
}

impl HostWatch for ProcWatch {
    fn begin(&mut self) {
        self.begun = reading();
        self.last.clear();
    }

    fn warnings(&mut self) -> Vec<Warning> {
        // Shares over a short time are mostly noise, so the previous warnings are kept until more time has passed.
        let (Some(begun), Some(now)) = (self.begun, reading()) else {
            return Vec::new();
        };
        if now.at.duration_since(begun.at) >= Duration::from_millis(500) {
            self.last = between(&begun, &now);
        }
        self.last.clone()
    }
}

fn between(begun: &Reading, now: &Reading) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let grown = |of: fn(&Reading) -> u64| of(now).saturating_sub(of(begun));
    let total = grown(|it| it.total).max(1) as f64;
    let others = grown(|it| it.busy).saturating_sub(grown(|it| it.ours)) as f64 / total;
    let stolen = grown(|it| it.stolen) as f64 / total;
    warnings.extend((others >= BUSY).then_some(Warning::Busy(others)));
    warnings.extend((stolen >= STOLEN).then_some(Warning::Stolen(stolen)));
    if let (Some(before), Some(after)) = (begun.mhz, now.mhz)
        && (after as f64 / before.max(1) as f64 - 1.0).abs() >= CLOCK_CHANGE
    {
        warnings.push(Warning::Clock(before, after));
    }
    if let Some(quota) = cpu_quota() {
        let seen = describe(0).logical_cpus.max(1);
        if quota < seen as f64 {
            warnings.push(Warning::Quota(quota, seen));
        }
    }
    warnings
}

fn reading() -> Option<Reading> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let (busy, stolen, total) = cpu_ticks(&stat)?;
    let khz = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq").ok();
    Some(Reading {
        at: Instant::now(),
        busy,
        stolen,
        total,
        ours: own_ticks(),
        mhz: khz.and_then(|khz| Some(khz.trim().parse::<u64>().ok()? / 1000)),
    })
}

/// Returns `(busy, stolen, total)` from the first line of `/proc/stat` (see `man 5 proc_stat`). The fields are user,
/// nice, system, idle, iowait, irq, softirq, steal.
fn cpu_ticks(stat: &str) -> Option<(u64, u64, u64)> {
    let words = stat.lines().next()?.strip_prefix("cpu ")?.split(' ');
    let ticks: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
    let at = |place: usize| ticks.get(place).copied().unwrap_or(0);
    let busy = at(0) + at(1) + at(2) + at(5) + at(6);
    Some((busy, at(7), busy + at(3) + at(4) + at(7)))
}

/// Returns the ticks used by this process and by its children, whether running or ended.
fn own_ticks() -> u64 {
    let me = std::process::id();
    let children = fs::read_to_string(format!("/proc/{me}/task/{me}/children")).unwrap_or_default();
    let processes = children.split_whitespace().chain(["self"]);
    processes.map(ticks_of).sum()
}

/// Adds up a process's utime, stime, cutime and cstime: fields 14 to 17 of `stat`. The second field may have blanks.
fn ticks_of(process: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(11).take(4);
    ticks.filter_map(|word| word.parse::<u64>().ok()).sum()
}

/// Returns the number of processors that the control group may use, or `None` if there is no limit.
fn cpu_quota() -> Option<f64> {
    let text = fs::read_to_string("/sys/fs/cgroup/cpu.max").ok()?;
    let (quota, period) = text.trim().split_once(' ')?;
    Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?)
}

/// Returns the default for `--threads`: the number of processors that quota and affinity allow this process.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Describes the host for `environment.toml`.
pub fn describe(threads: usize) -> Host {
    let what = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing())
        .with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(what).ok();
    let cpus = system.as_ref().map_or(&[][..], System::cpus);
    let known = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
    Host {
        cpu: known(cpus.first().map(|cpu| cpu.brand().trim().to_owned())),
        logical_cpus: cpus.len(),
        threads,
        memory_bytes: system.as_ref().map_or(0, System::total_memory),
        os: known(System::long_os_version().ok()),
        kernel: known(System::kernel_version().ok()),
    }
}

/// An optional x86-64 processor feature: its name and three flags. The flags say whether this program was compiled for
/// the feature, whether the processor has it, and whether it speeds up integer code such as the baselines.
type Feature = (&'static str, bool, bool, bool);

fn features() -> Vec<Feature> {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! features {
            ($($matters:literal [$($name:tt)*])*) => {
                vec![$($(
                    ($name, cfg!(target_feature = $name), std::arch::is_x86_feature_detected!($name), $matters)
                ),*),*]
            };
        }
        features! {
            true ["sse4.2" "popcnt" "avx" "avx2" "bmi1" "bmi2" "lzcnt"]
            false ["fma"]
            true ["avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512vpopcntdq" "avx512bitalg"
                "avx512vbmi" "avx512vbmi2"]
            false ["avx512vnni" "avx512ifma" "gfni" "vaes" "vpclmulqdq"]
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}

/// Returns a feature that the program was compiled for but the processor lacks. Searches would then crash.
pub fn missing_feature() -> Option<&'static str> {
    let mut all = features().into_iter();
    all.find_map(|(name, compiled, there, _)| (compiled && !there).then_some(name))
}

/// Lists features of this processor that would speed up the baselines, but that the build does not use.
pub fn unused_features() -> String {
    let mut all = features();
    all.retain(|(_, compiled, there, matters)| *matters && *there && !compiled);
    all.iter().map(|it| it.0).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(busy: u64, stolen: u64, total: u64, ours: u64, mhz: Option<u64>) -> Reading {
        Reading {
            at: Instant::now(),
            busy,
            stolen,
            total,
            ours,
            mhz,
        }
    }

    #[test]
    fn the_first_line_of_proc_stat_is_read() {
        let stat = "cpu  100 5 20 800 10 1 2 7 0 0\ncpu0 50 2 10 400 5 0 1 3 0 0\n";
        assert_eq!(cpu_ticks(stat), Some((128, 7, 945)));
        assert_eq!(cpu_ticks("intr 1 2"), None);
    }

    #[test]
    fn a_clock_before_1970_is_written_as_1970() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(utc(before), "1970-01-01T00:00:00.000Z");
        let after = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert_eq!(utc(after), "9999-12-31T23:59:59.000Z");
    }

    #[test]
    fn our_own_work_is_not_a_busy_host() {
        let quiet = between(&at(0, 0, 0, 0, None), &at(1000, 0, 2000, 990, None));
        let is_load = |one: &Warning| matches!(one, Warning::Busy(_) | Warning::Stolen(_));
        assert!(!quiet.iter().any(is_load));
        let busy = between(&at(0, 0, 0, 0, None), &at(1900, 60, 2000, 1000, None));
        assert!(busy.contains(&Warning::Busy(0.45)));
        assert!(busy.contains(&Warning::Stolen(0.03)));
    }

    #[test]
    fn a_changed_clock_is_told() {
        let warnings = between(&at(0, 0, 0, 0, Some(3000)), &at(0, 0, 100, 0, Some(2000)));
        assert!(warnings.contains(&Warning::Clock(3000, 2000)));
    }
}
