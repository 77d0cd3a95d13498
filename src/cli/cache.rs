//! The cache of built programs.

use std::path::PathBuf;

use super::run_args::CacheArgs;
use crate::opencl::Cache;

/// The cache of the arguments and environment, created; `None` if off. Warns once of a folder that is not writable.
pub fn chosen(args: &CacheArgs) -> Option<PathBuf> {
    if args.no_cache {
        return None;
    }
    let folder = folder(args)?;
    if let Err(error) = Cache::new(&folder).prepare() {
        let folder = folder.display();
        eprintln!(
            "bench: {folder}: built programs cannot be kept there ({error}); --cache DIR names another \
             folder, --no-cache does without"
        );
    }
    Some(folder)
}

pub fn folder(args: &CacheArgs) -> Option<PathBuf> {
    match args.cache.as_deref() {
        Some(text) => (!text.is_empty() && text != "off").then(|| PathBuf::from(text)),
        None => users(),
    }
}

/// The user's cache, by the XDG base directory specification.
fn users() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let usual = || Some(absolute("HOME")?.join(".cache"));
    let caches = absolute("XDG_CACHE_HOME").or_else(usual)?;
    Some(caches.join("plybench").join("programs"))
}
