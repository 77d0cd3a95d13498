//! The cache of built programs.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::workers_args::CacheArgs;
use crate::opencl::Cache;

const OFF: &str = "off";

/// The cache of the arguments and environment, created; `None` if off. Warns once of a folder that is not writable.
pub fn chosen(args: &CacheArgs) -> Option<PathBuf> {
    if args.no_cache {
        return None;
    }
    let folder = folder(args)?;
    if let Err(error) = Cache::new(&folder).prepare() {
        eprintln!(
            "bench: {}: built programs cannot be kept there ({error}); --cache DIR names another \
             folder, --no-cache does without",
            folder.display()
        );
    }
    Some(folder)
}

pub fn folder(args: &CacheArgs) -> Option<PathBuf> {
    args.cache.as_deref().map_or_else(users, given)
}

fn given(text: &OsStr) -> Option<PathBuf> {
    (!text.is_empty() && text != OFF).then(|| PathBuf::from(text))
}

/// The user's cache, by the XDG base directory specification.
fn users() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let caches =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(caches.join("plybench").join("programs"))
}
