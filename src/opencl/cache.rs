//! Built programs, kept on disk from one process to the next.
//!
//! An entry is a file named by its key: SHA-256 of everything that determines the driver's binary for a source. Two
//! lines before the binary identify the entry:
//!
//! ```text
//! plybench-program 1 <SHA-256 of all that follows>
//! {"key":…,"kernel":…,"device":…,"options":…}
//! ```
//!
//! Both are checked first, because a damaged binary aborts rusticl 22. A refused entry counts as absent, and the next
//! build replaces it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files::hexadecimal;
use super::info::{DeviceInfo, DeviceKind};

/// First bytes of an entry; the number is the format version.
const MAGIC: &str = "plybench-program 1 ";
const ENTRY: &str = "program";
/// Extension of the marker files of entries being loaded.
const LOADING: &str = "loading";
const UNFINISHED: &str = ".unfinished-";
/// Limit of the cache, bytes: all experiments on a device store about 20 MiB.
const MOST: u64 = 1 << 30;
const KEY_DIGITS: usize = 64;

/// Prefixes of environment variables that configure drivers' compilers.
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    key: String,
    kernel: String,
    device: String,
    options: String,
}

impl Header {
    /// The header of a program; `source` includes all of its included files.
    pub(super) fn of(info: &DeviceInfo, kernel: &str, source: &str, options: &str) -> Header {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            Some((name, value.to_string_lossy().into_owned()))
        });
        Header {
            key: key(info, source, options, variables, &processor(info)),
            kernel: kernel.to_owned(),
            device: info.name.clone(),
            options: options.to_owned(),
        }
    }
}

/// SHA-256 of everything that determines the driver's binary for a source, in hexadecimal.
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

/// The host's features, for a device that is its processor: processors of one name may differ in instruction sets.
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

/// A folder of built programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    most: u64,
}

impl Cache {
    /// A cache in this folder, which need not exist.
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

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates the folder and checks that it is writable. If this fails, stored programs can still be used.
    pub fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        self.unfinished().map(drop)
    }

    /// Passes the stored binary to `make`; `None` if there is none, or it cannot be used. A marker stands beside the
    /// entry meanwhile: a process that finds one builds instead, because the loader may have died.
    pub(super) fn load<T>(
        &self,
        header: &Header,
        make: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Option<T> {
        let bytes = fs::read(self.entry(&header.key)).ok()?;
        let binary = read(&bytes)
            .filter(|(found, _)| found == header)
            .map(|(_, binary)| binary)?;
        let mark = self.mark(&header.key);
        let marked = match fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&mark)
        {
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return None,
            // The folder is read-only.
            Err(_) => false,
        };
        let made = make(binary);
        if made.is_some() {
            // The modification time records the last use, for eviction. In a read-only folder nothing is evicted.
            let _ = fs::File::open(self.entry(&header.key))
                .and_then(|file| file.set_modified(SystemTime::now()));
        }
        if marked {
            let _ = fs::remove_file(&mark);
        }
        made
    }

    /// Stores a binary atomically, replacing any earlier one.
    pub(super) fn store(&self, header: &Header, binary: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut rest = serde_json::to_vec(header)?;
        rest.push(b'\n');
        rest.extend_from_slice(binary);
        let mut file = self.unfinished()?;
        writeln!(file, "{MAGIC}{}", hexadecimal(&Sha256::digest(&rest)))?;
        file.write_all(&rest)?;
        let entry = self.entry(&header.key);
        file.persist(&entry)?;
        match fs::remove_file(self.mark(&header.key)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.make_room(&entry)
    }

    /// Removes the least recently used entries, except `kept`, until the limit is met.
    fn make_room(&self, kept: &Path) -> io::Result<()> {
        let mut entries = Vec::new();
        let mut bytes = 0;
        for path in self.files()? {
            let Ok(about) = fs::metadata(&path) else {
                continue;
            };
            bytes += about.len();
            if path != kept && path.extension().is_some_and(|ending| ending == ENTRY) {
                entries.push((about.modified()?, path, about.len()));
            }
        }
        entries.sort();
        for (_, path, size) in entries {
            if bytes <= self.most {
                break;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => bytes -= size,
            }
        }
        Ok(())
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

    fn files(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(is_ours) && entry.file_type()?.is_file() {
                files.push(entry.path());
            }
        }
        Ok(files)
    }
}

/// True if a name is the cache's: the folder may hold other files.
fn is_ours(name: &str) -> bool {
    let is_key =
        |text: &str| text.len() == KEY_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match name.rsplit_once('.') {
        Some((key, ENTRY | LOADING)) => is_key(key),
        _ => name.starts_with(UNFINISHED),
    }
}

/// An entry's header and binary, if it is intact and of this format.
fn read(bytes: &[u8]) -> Option<(Header, &[u8])> {
    let (first, rest) = line(bytes)?;
    let sum = first.strip_prefix(MAGIC.as_bytes())?;
    if sum != hexadecimal(&Sha256::digest(rest)).as_bytes() {
        return None;
    }
    let (header, binary) = line(rest)?;
    Some((serde_json::from_slice(header).ok()?, binary))
}

fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
