//! `bench cache`, and which cache of built programs the other commands use.

use std::ffi::OsStr;
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use serde_json::json;

use super::args::CacheCommandArgs;
use super::exit::{Exit, Failure, print_json};
use super::workers_args::CacheArgs;
use crate::opencl::{Cache, Contents};
use crate::words::counted;

/// What turns the cache off in place of a folder.
const OFF: &str = "off";

/// Lists the cache's programs, or clears it.
pub fn run(args: &CacheCommandArgs) -> Result<Exit, Failure> {
    let folder = args.cache.as_deref();
    let folder = folder.map_or_else(users, given).ok_or_else(|| {
        Failure::usage(anyhow!(
            "no cache: PLYBENCH_CACHE is {OFF}, or neither XDG_CACHE_HOME nor HOME is set; \
             --cache DIR names a folder"
        ))
    })?;
    let cache = Cache::new(folder);
    let at = || format!("{}", cache.folder().display());
    let contents = cache
        .contents()
        .with_context(|| format!("{}: cannot be read", at()))
        .map_err(Failure::files)?;
    if args.clear {
        let cleared = cache.clear();
        let failed = || format!("{}: cannot be cleared", at());
        cleared.with_context(failed).map_err(Failure::files)?;
    }
    if args.json {
        let said = json!({
            "folder": cache.folder(), "cleared": args.clear, "bytes": contents.bytes,
            "leftovers": contents.leftovers, "programs": contents.programs,
        });
        print_json(&said)?;
        return Ok(Exit::Good);
    }
    if !args.clear {
        print!("{}", lines(&contents));
    }
    let verb = if args.clear { "removed " } else { "" };
    println!("{}: {verb}{}", at(), summary(&contents));
    Ok(Exit::Good)
}

fn lines(contents: &Contents) -> String {
    let programs = &contents.programs;
    let widest = programs.iter().map(|it| it.kernel.len()).max();
    let widest = widest.unwrap_or(0);
    let line = |it: &crate::opencl::CachedProgram| {
        let size = kibibytes(it.bytes);
        format!(
            "{:widest$}  {size:>9}  {}  {}\n",
            it.kernel, it.device, it.options
        )
    };
    programs.iter().map(line).collect()
}

fn summary(contents: &Contents) -> String {
    let programs = counted(contents.programs.len(), "program");
    let more = match contents.leftovers {
        0 => String::new(),
        left => format!(" and {left} unusable"),
    };
    format!("{programs}{more}, {}", kibibytes(contents.bytes))
}

fn kibibytes(bytes: u64) -> String {
    format!("{:.1} KiB", bytes as f64 / 1024.0)
}

/// The cache that a command's arguments and environment choose, made ready; `None`: programs are
/// built anew. A folder that cannot be written is warned of, once, and used as far as it goes.
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

/// The folder that a command's arguments and environment name, whether programs are kept in it or not.
pub fn folder(args: &CacheArgs) -> Option<PathBuf> {
    args.cache.as_deref().map_or_else(users, given)
}

/// What `--cache` or `PLYBENCH_CACHE` says.
fn given(text: &OsStr) -> Option<PathBuf> {
    (!text.is_empty() && text != OFF).then(|| PathBuf::from(text))
}

/// The user's own, by the XDG base directory specification.
fn users() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let caches =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(caches.join("plybench").join("programs"))
}
