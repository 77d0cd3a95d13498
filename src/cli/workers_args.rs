//! The arguments of the commands that start workers or build programs.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::opencl::LaunchLimit;

/// Where built programs are kept, for the commands that need some.
#[derive(Args, Clone, Debug, Default)]
pub struct CacheArgs {
    /// Keep built programs in this folder; `off` keeps none [default: plybench/programs in the
    /// user's cache folder]
    #[arg(long, value_name = "DIR", env = "PLYBENCH_CACHE")]
    pub cache: Option<OsString>,
    /// Build every program anew and keep none, so that build times are those of the compiler
    #[arg(long)]
    pub no_cache: bool,
}

/// How the workers of a command start.
#[derive(Args, Clone, Debug, Default)]
pub struct WorkersArgs {
    /// Threads of the parallel techniques of the host [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Take kernels from this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub kernels: Option<PathBuf>,
    /// End each launch of a kernel within this time, for example 20ms; `off` for no limit. A technique of a paper,
    /// which cannot be split, is skipped if it is predicted to take longer [default: 50ms on GPUs, off on CPUs]
    #[arg(long, value_name = "TIME")]
    pub launch_limit: Option<LaunchLimit>,
    #[command(flatten)]
    pub cache: CacheArgs,
}
