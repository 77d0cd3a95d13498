//! Stores built programs on disk for later processes.
//!
//! Each file is one entry. Its name is the key: the SHA-256 of everything that determines the driver's binary for a
//! source. The file contains the SHA-256 of key and binary (32 bytes), then the binary. The hash is checked first,
//! because a damaged binary aborts rusticl 22. A rejected entry is treated as missing, and the next build replaces it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::files::hexadecimal;
use super::info::{DeviceInfo, DeviceKind};

/// The beginning of the text that is hashed for a key. The number is the version of the format.
const MAGIC: &str = "plybench-program 2 ";
const ENTRY: &str = "program";
/// Extension of the marker files for entries that are being loaded.
const LOADING: &str = "loading";
const UNFINISHED: &str = ".unfinished-";
/// Maximum size of the cache, in bytes. All experiments on a device together store about 20 MiB.
const MOST: u64 = 1 << 30;
const SUM_BYTES: usize = 32;

/// Prefixes of the environment variables that configure drivers' compilers.
const DRIVERS_VARIABLES: [&str; 9] = [
    "POCL_",
    "RUSTICL_",
    "LP_",
    "GALLIVM_",
    "CL_CONFIG_",
    "IGC_",
    "AMD_",
    "CUDA_",
    "OCLGRIND_",
];

/// Returns a program's cache key. `source` includes the text of all included files.
pub(super) fn key_of(info: &DeviceInfo, source: &str, options: &str) -> String {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        Some((name, value.to_string_lossy().into_owned()))
    });
    key(info, source, options, variables, &processor(info))
}

/// Returns the SHA-256 of everything that determines the driver's binary for a source, in hexadecimal.
fn key(
    info: &DeviceInfo,
    source: &str,
    options: &str,
    variables: impl Iterator<Item = (String, String)>,
    processor: &str,
) -> String {
    let mut variables: Vec<String> = variables
        .filter(|(name, _)| DRIVERS_VARIABLES.iter().any(|own| name.starts_with(own)))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    variables.sort();
    let pointer = usize::BITS.to_string();
    let parts = [
        MAGIC,
        &pointer,
        &info.platform,
        &info.platform_version,
        &info.vendor,
        &info.name,
        &info.driver,
        &info.version,
        &info.c_version,
        processor,
        options,
        source,
    ];
    let mut sum = Sha256::new();
    for part in parts
        .into_iter()
        .chain(variables.iter().map(String::as_str))
    {
        sum.update((part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    hexadecimal(&sum.finalize())
}

/// Returns the host CPU's features for a CPU device, because CPUs of the same name may differ in instruction sets.
fn processor(info: &DeviceInfo) -> String {
    if info.kind != DeviceKind::Cpu {
        return String::new();
    }
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = told.lines();
    lines
        .find(|line| line.starts_with("flags") || line.starts_with("Features"))
        .unwrap_or_default()
        .to_owned()
}

/// A folder that contains built programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    most: u64,
}

impl Cache {
    /// Creates a cache in this folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Cache {
        Cache {
            folder: folder.into(),
            most: MOST,
        }
    }

    #[cfg(test)]
    fn of_bytes(self, most: u64) -> Cache {
        Cache { most, ..self }
    }

    /// Returns the cache's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates the folder and checks that it is writable. If this fails, stored programs can still be loaded.
    pub fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        self.unfinished().map(drop)
    }

    /// Passes the stored binary to `make`, or returns `None` if it is missing or unusable. Until `make` returns, a
    /// marker file exists. Processes that find it build the program, because this one may have crashed.
    pub(super) fn load<T>(&self, key: &str, make: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let bytes = fs::read(self.entry(key)).ok()?;
        let binary = read(key, &bytes)?;
        let mark = self.mark(key);
        let marked = match fs::File::create_new(&mark) {
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return None,
            // The folder is read-only.
            Err(_) => false,
        };
        let made = make(binary);
        if made.is_some() {
            // The modification time records the last use, for eviction. In a read-only folder, nothing is evicted.
            let _ = fs::File::open(self.entry(key))
                .and_then(|file| file.set_modified(SystemTime::now()));
        }
        if marked {
            let _ = fs::remove_file(&mark);
        }
        made
    }

    /// Stores a binary atomically, replacing any earlier one.
    pub(super) fn store(&self, key: &str, binary: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = self.unfinished()?;
        file.write_all(&sum(key, binary))?;
        file.write_all(binary)?;
        let entry = self.entry(key);
        file.persist(&entry)?;
        remove(&self.mark(key))?;
        self.make_room(&entry)
    }

    /// Removes the least recently used entries, except `kept`, until the cache is within its size limit.
    fn make_room(&self, kept: &Path) -> io::Result<()> {
        let mut entries = self.entries()?;
        entries.sort();
        let mut bytes: u64 = entries.iter().map(|(.., size)| size).sum();
        for (_, path, size) in entries {
            if bytes > self.most && path != kept {
                remove(&path)?;
                bytes -= size;
            }
        }
        Ok(())
    }

    /// Returns the last use, path and size of each entry and unfinished file. The folder may contain other files.
    fn entries(&self) -> io::Result<Vec<(SystemTime, PathBuf, u64)>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if (is_entry(&path) || is_unfinished(&path))
                && let Ok(about) = fs::symlink_metadata(&path)
                && about.is_file()
            {
                entries.push((about.modified()?, path, about.len()));
            }
        }
        Ok(entries)
    }

    fn unfinished(&self) -> io::Result<tempfile::NamedTempFile> {
        tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(&self.folder)
    }

    fn entry(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.{ENTRY}"))
    }

    fn mark(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.{LOADING}"))
    }
}

/// True for a file that a killed process has left behind, or that another process is writing.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes())
}

fn is_entry(path: &Path) -> bool {
    let key = path.file_stem().unwrap_or_default().as_encoded_bytes();
    let is_key = key.len() == 2 * SUM_BYTES && key.iter().all(u8::is_ascii_hexdigit);
    is_key && path.extension().is_some_and(|ending| ending == ENTRY)
}

/// Removes a file, if it exists.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

fn sum(key: &str, binary: &[u8]) -> [u8; SUM_BYTES] {
    Sha256::new()
        .chain_update(key)
        .chain_update(binary)
        .finalize()
        .into()
}

/// Returns the binary in an entry if the entry is intact and has this key.
fn read<'b>(key: &str, entry: &'b [u8]) -> Option<&'b [u8]> {
    let (found, binary) = entry.split_first_chunk()?;
    (*found == sum(key, binary)).then_some(binary)
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
