//! The arguments of the commands that build programs.

use std::ffi::OsString;

use clap::Args;

/// Where built programs are kept, for the commands that need some.
#[derive(Args, Clone, Debug)]
pub struct CacheArgs {
    /// Keep built programs in this folder; `off` keeps none [default: plybench/programs in the
    /// user's cache folder]
    #[arg(long, value_name = "DIR", env = "PLYBENCH_CACHE")]
    pub cache: Option<OsString>,
    /// Build every program anew and keep none, so that build times are those of the compiler
    #[arg(long)]
    pub no_cache: bool,
}
