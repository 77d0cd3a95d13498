//! Built programs, kept on disk from one process to the next.
//!
//! An entry is a file named by its key: SHA-256 of all that decides what a driver makes of a source.
//! It says so itself, in two lines before the driver's binary:
//!
//! ```text
//! plybench-program 1 <SHA-256 of all that follows>
//! {"key":…,"kernel":…,"device":…,"options":…}
//! ```
//!
//! Both are checked before the driver sees a byte, because a damaged binary aborts rusticl 22. An
//! entry that is foreign, damaged or refused counts as absent, and the next build replaces it.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::info::{DeviceInfo, DeviceKind};

/// How every entry begins; the number is the format's.
const MAGIC: &str = "plybench-program 1 ";
/// Ending of the files that hold entries.
const ENTRY: &str = "program";
/// Ending of the marks beside entries that a process is loading.
const LOADING: &str = "loading";
/// Beginning of the names of files that are being written.
const UNFINISHED: &str = ".unfinished-";
/// Bytes of entries, at most: a whole run of every experiment on a device leaves some 20 MiB.
const MOST: u64 = 1 << 30;
/// Hexadecimal digits of a key.
const KEY_DIGITS: usize = 64;

/// Beginnings of the variables by which users tell drivers how to compile.
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

/// What an entry says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// Its key.
    key: String,
    /// The kernel file that the program was built from.
    kernel: String,
    /// The device's name.
    device: String,
    /// The build options.
    options: String,
}

impl Header {
    /// That of a program: `source` with all that it includes.
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

/// SHA-256 of all that decides what the driver makes of a source, in hexadecimal.
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

/// What the host's processor can do, where it is the device: a folder may be shared by hosts whose
/// processors have one name and are not given the same instructions.
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

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A folder of built programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    /// Bytes of entries, at most.
    most: u64,
}

/// One program in a [`Cache`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CachedProgram {
    /// The kernel file that it was built from: `reversi/pv_split.cl`.
    pub kernel: String,
    /// The device's name.
    pub device: String,
    /// The build options.
    pub options: String,
    /// Size of the file, bytes.
    pub bytes: u64,
}

/// What a [`Cache`] holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contents {
    /// Programs that can be used, by kernel file, device and options.
    pub programs: Vec<CachedProgram>,
    /// Files that are damaged, of another version, or were being written or loaded by a process that
    /// died. They are never used.
    pub leftovers: u64,
    /// Size of all of them, bytes.
    pub bytes: u64,
}

impl Cache {
    /// The programs in that folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Cache {
        Cache {
            folder: folder.into(),
            most: MOST,
        }
    }

    /// The same with room for fewer bytes.
    #[cfg(test)]
    fn of_bytes(self, most: u64) -> Cache {
        Cache { most, ..self }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder and a file in it, which goes again.
    ///
    /// # Errors
    ///
    /// What the system says where programs cannot be stored. Those that are there can still be used.
    pub fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        self.unfinished().map(drop)
    }

    /// What it holds; nothing where there is no folder.
    ///
    /// # Errors
    ///
    /// What the system says where the folder cannot be read.
    pub fn contents(&self) -> io::Result<Contents> {
        let mut contents = Contents::default();
        for path in self.files()? {
            // Another process may take it away meanwhile.
            let Ok(bytes) = fs::read(&path) else { continue };
            let size = bytes.len() as u64;
            contents.bytes += size;
            match read(&bytes).filter(|(header, _)| path == self.entry(&header.key)) {
                Some((header, _)) => contents.programs.push(CachedProgram {
                    kernel: header.kernel,
                    device: header.device,
                    options: header.options,
                    bytes: size,
                }),
                None => contents.leftovers += 1,
            }
        }
        let order = |program: &CachedProgram| {
            let CachedProgram {
                kernel,
                device,
                options,
                bytes,
            } = program;
            (kernel.clone(), device.clone(), options.clone(), *bytes)
        };
        contents.programs.sort_by_key(order);
        Ok(contents)
    }

    /// Removes every program, and what was left of unfinished ones; other files stay.
    ///
    /// # Errors
    ///
    /// What the system says of the first that cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        for path in self.files()? {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Has `make` make a program of the stored binary. `None`: there is none, or it is of no use.
    ///
    /// A mark stands beside the entry meanwhile. A process that finds one does not touch the entry:
    /// an earlier one died over it, or has it in hands this moment, and a build is safe either way.
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
            // A folder that is only to be read from.
            Err(_) => false,
        };
        let made = make(binary);
        if made.is_some() {
            // What was used last goes last. A folder that is only to be read from is not tidied either.
            let _ = fs::File::open(self.entry(&header.key))
                .and_then(|file| file.set_modified(SystemTime::now()));
        }
        if marked {
            // Where this fails, the next process builds once.
            let _ = fs::remove_file(&mark);
        }
        made
    }

    /// Stores a binary, atomically, in place of whatever was there.
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

    /// Removes the entries that were used the longest ago, but for `kept`, where there are more bytes than
    /// there is room for. A process that has one in hands has read it already.
    fn make_room(&self, kept: &Path) -> io::Result<()> {
        let mut entries = Vec::new();
        let mut bytes = 0;
        for path in self.files()? {
            // Another process may take it away meanwhile.
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

    /// Every file of ours in the folder.
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

/// Whether a cache makes files of that name: it may lie in a folder with others.
fn is_ours(name: &str) -> bool {
    let is_key =
        |text: &str| text.len() == KEY_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match name.rsplit_once('.') {
        Some((key, ENTRY | LOADING)) => is_key(key),
        _ => name.starts_with(UNFINISHED),
    }
}

/// An entry's header and binary, if it is whole and of this format.
fn read(bytes: &[u8]) -> Option<(Header, &[u8])> {
    let (first, rest) = line(bytes)?;
    let sum = first.strip_prefix(MAGIC.as_bytes())?;
    if sum != hexadecimal(&Sha256::digest(rest)).as_bytes() {
        return None;
    }
    let (header, binary) = line(rest)?;
    Some((serde_json::from_slice(header).ok()?, binary))
}

/// The first line without its end, and what follows.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
