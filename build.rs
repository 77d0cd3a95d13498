//! Embeds the kernels in the program, with the hashes and the git revision that every run folder records. On Linux, it
//! also gives the linker an empty `libOpenCL.a`. `src/opencl/loader.rs` looks up the real loader at run time.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

#[path = "src/opencl/files.rs"]
mod files;

use files::{files_under, hash, measuring, of_techniques};

fn main() -> io::Result<()> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));

    if variable("CARGO_CFG_TARGET_OS") == "linux" {
        // The `ocl` crate links with -lOpenCL. An archive without members satisfies the linker, so a build needs no
        // OpenCL package. `opencl::loader` defines the functions.
        fs::write(out.join("libOpenCL.a"), "!<arch>\n")?;
        println!("cargo:rustc-link-search=native={}", out.display());
    }

    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=cl");
    let kernels = files_under(&root.join("cl"))?;
    fs::write(out.join("kernels.rs"), table(&root.join("cl"), &kernels))?;
    set("PLYBENCH_KERNEL_HASH", &hash(&of_techniques(kernels)));
    // Hash these files too, because another version of a dependency or another profile changes the compiled program.
    let mut sources = measuring(files_under(&root.join("src"))?);
    for name in ["Cargo.lock", "Cargo.toml"] {
        println!("cargo:rerun-if-changed={name}");
        sources.push((name.to_owned(), fs::read(root.join(name))?));
    }
    set("PLYBENCH_SOURCE_HASH", &hash(&sources));
    set(
        "PLYBENCH_REVISION",
        &revision(&root).unwrap_or_else(|| "unknown".to_owned()),
    );
    set(
        "PLYBENCH_PROFILE",
        &format!("{} {}", variable("PROFILE"), variable("OPT_LEVEL")),
    );
    set(
        "PLYBENCH_TARGET_FEATURES",
        &env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default(),
    );
    Ok(())
}

/// Returns an environment variable that cargo always sets for build scripts.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo did not set {name}"))
}

fn set(name: &str, value: &str) {
    println!("cargo:rustc-env={name}={value}");
}

/// Returns the table of embedded kernels as Rust source.
fn table(folder: &Path, files: &[(String, Vec<u8>)]) -> String {
    let mut text = String::from("&[\n");
    for (path, _) in files {
        let _ = writeln!(
            text,
            "    ({path:?}, include_str!({:?})),",
            folder.join(path)
        );
    }
    text.push_str("]\n");
    text
}

/// Returns the git revision of this checkout. Appends `-dirty` if a tracked file was changed.
///
/// Returns `None` if git is missing, or if the sources were unpacked inside another project's checkout.
fn revision(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        // Without optional locks, git does not rewrite its index, which cargo may watch.
        let output = Command::new("git")
            .arg("--no-optional-locks")
            .args(arguments)
            .current_dir(root)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let top = fs::canonicalize(git(&["rev-parse", "--show-toplevel"])?).ok()?;
    if top != fs::canonicalize(root).ok()? {
        return None;
    }
    // HEAD changes with every checkout of a branch, and its log changes with every commit. Without a log, watch the
    // index instead. Edits of `src` and `cl`, which make the tree dirty, are watched above.
    let place = |name: &str| {
        git(&["rev-parse", "--git-path", name])
            .map(|path| root.join(path))
            .filter(|p| p.exists())
    };
    for path in [place("HEAD"), place("logs/HEAD").or_else(|| place("index"))]
        .into_iter()
        .flatten()
    {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    git(&[
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ])
}
