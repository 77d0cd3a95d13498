//! Tests the program without the repository: installed from the crate, and from the Debian package.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::place::{Ended, ended};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Runs a shell command in a folder, without the system's OpenCL.
#[track_caller]
fn sh(folder: &Path, line: &str) -> Ended {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", line])
        .current_dir(folder)
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .env("OPENCL_VENDOR_PATH", "/nonexistent")
        .env("PLYBENCH_ALLOW_DIRTY", "1");
    ended(&mut shell)
}

fn text(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).expect("a file of the repository")
}

/// The launcher, with a replaced folder of programs and a replaced list of CPU flags.
struct Launcher {
    folder: tempfile::TempDir,
}

impl Launcher {
    /// Creates the launcher and its programs. Each program prints its level and its arguments.
    fn new(levels: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().display().to_string();
        let script = text("scripts/launcher");
        for own in ["/usr/lib/plybench", "/proc/cpuinfo"] {
            assert!(script.contains(own), "{own}");
        }
        let script = script
            .replace("/usr/lib/plybench", &path)
            .replace("/proc/cpuinfo", &format!("{path}/cpuinfo"));
        fs::write(folder.path().join("launcher"), script).expect("the launcher");
        for level in levels {
            let program = folder.path().join(format!("x86-64-{level}/bench"));
            fs::create_dir_all(program.parent().expect("a folder")).expect("a folder");
            let line = format!("#!/bin/sh\necho {level} $# \"$@\"\nexit 3\n");
            fs::write(&program, line).expect("a program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its rights");
        }
        Self { folder }
    }

    fn run(&self, flags: &str) -> Ended {
        let mut cpu = "processor\t: 0\nvmx flags\t: vnmi\n".to_owned();
        if !flags.is_empty() {
            cpu += &format!("flags\t\t: {flags}\nbugs\t\t: \n");
        }
        fs::write(self.folder.path().join("cpuinfo"), cpu.repeat(2)).expect("a list of flags");
        sh(self.folder.path(), "sh launcher run 'a b'")
    }
}

const V2: &str = "fpu cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3";
const V3: &str = "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave";
const V4: &str = "avx512f avx512dq avx512cd avx512bw avx512vl";
const ICELAKE: &str = "avx512vbmi avx512_vbmi2 avx512_bitalg avx512_vpopcntdq";

#[test]
fn starts_the_best_program_that_the_processor_can_run() {
    let all = Launcher::new(&["v2", "v3", "v4", "icelake"]);
    let some = Launcher::new(&["v2", "v4"]);
    let cascade_lake = format!("{V2} {V3} {V4} avx512_vnni");
    let ice_lake = format!("{cascade_lake} {ICELAKE}");
    for (flags, best, best_of_some) in [
        (V2.to_owned(), "v2", "v2"),
        (format!("{V2} avx avx2"), "v2", "v2"),
        (format!("{V2} {V3}"), "v3", "v2"),
        (format!("{V2} {V3} avx512f"), "v3", "v2"),
        (cascade_lake, "v4", "v4"),
        (ice_lake, "icelake", "v4"),
    ] {
        for (launcher, level) in [(&all, best), (&some, best_of_some)] {
            let ended = launcher.run(&flags);
            ended.ends(3).prints(&format!("{level} 2 run a b\n"));
        }
    }
}

#[test]
fn names_why_no_program_starts() {
    let old = "fpu cx16 lahf_lm pni popcnt sse4_1 ssse3";
    for (levels, flags, why) in [
        (&["v2", "v3"][..], old, "this processor lacks sse4_2, which"),
        (&["v4"], V2, "this processor lacks abm, which"),
        (&[], V2, "no program is in /"),
        (&["v2"], "", "lists no processor flags"),
    ] {
        let ended = Launcher::new(levels).run(flags);
        ended.ends(1).says("bench: ").says(why);
    }
}

/// The launcher checks the features that rustc enables, except for some that every x86-64 CPU has.
#[test]
#[cfg(target_arch = "x86_64")]
fn asks_for_the_features_that_each_level_uses() {
    let script = text("scripts/launcher");
    let flags = |level: &str| -> Vec<String> {
        let (needs, _) = script.split_once("fail()").expect("the function needs");
        let line = format!("{needs}\nneeds {level}");
        let ended = sh(Path::new("/"), &line);
        ended.ends(0);
        ended.out.split_whitespace().map(str::to_owned).collect()
    };
    let linux = |feature: &str| match feature {
        "cmpxchg16b" => "cx16".to_owned(),
        "lzcnt" => "abm".to_owned(),
        "sse3" => "pni".to_owned(),
        "avx512bitalg" | "avx512vbmi2" | "avx512vpopcntdq" => feature.replace("512", "512_"),
        _ => feature.replace('.', "_"),
    };
    for level in ["v2", "v3", "v4", "icelake"] {
        let package = text("scripts/package");
        let arm = package.lines().find(|line| {
            let (names, _) = line.split_once(')').unwrap_or_default();
            names.trim().split(" | ").any(|name| name == level)
        });
        let (_, options) = arm
            .and_then(|arm| arm.split_once('"'))
            .expect("its options");
        let options = options.split('"').next().expect("a quoted text");
        let options = options.replace("$1", level);
        let rustc = format!("rustc --print cfg {options}");
        let ended = sh(Path::new("/"), &rustc);
        ended.ends(0);
        let asked = flags(level);
        let lines = ended.out.lines();
        let features = lines.filter_map(|line| line.strip_prefix("target_feature=\""));
        let mut count = 0;
        for feature in features.map(|it| it.trim_end_matches('"')) {
            if !["fxsr", "sse", "sse2"].contains(&feature) {
                assert!(asked.contains(&linux(feature)), "{level}: {feature}");
                count += 1;
            }
        }
        // rustc's list lacks lahf_lm.
        assert_eq!(count + 1, asked.len(), "{level}: {asked:?}");
    }
}

/// The crate must contain everything that the program embeds.
#[test]
#[ignore = "builds the program again, which takes minutes"]
fn long_installs_from_the_crate_and_runs_in_an_empty_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (place, path) = (folder.path(), folder.path().display());
    let cargo = env!("CARGO");
    let package = format!(
        "cd '{ROOT}' && '{cargo}' package --no-verify --allow-dirty --offline --target-dir '{path}/target'"
    );
    sh(place, &package).ends(0);
    sh(
        place,
        "tar xzf target/package/plybench-*.crate && mv plybench-* crate",
    )
    .ends(0);
    let install = format!(
        "cd '{path}' && '{cargo}' install --path crate --root installed --debug --locked --offline --target-dir target"
    );
    sh(place, &install).ends(0);
    fs::remove_dir_all(place.join("crate")).expect("the sources are not needed any more");
    fs::create_dir(place.join("empty")).expect("a folder");
    let bench = |line: &str| {
        sh(
            &place.join("empty"),
            &format!("../installed/bin/bench {line}"),
        )
    };
    runs_what_is_built_in(&bench);
    let claims = place.join("empty/run/published/connect-four/claims.toml");
    assert_eq!(
        fs::read_to_string(claims).unwrap(),
        text("reports/published/connect-four/claims.toml")
    );
}

#[test]
#[ignore = "builds the program again, which takes minutes"]
fn long_a_debian_package_has_the_program_its_completions_and_its_licence() {
    if let Err(none) = Command::new("dpkg-deb").arg("--version").output() {
        return super::needed::skip(&format!("dpkg-deb: {none}"));
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path();
    let levels = if cfg!(target_arch = "x86_64") {
        "--levels v2"
    } else {
        ""
    };
    let build = format!(
        "CARGO_TARGET_DIR=target '{ROOT}/scripts/package' {levels} --out out && dpkg-deb --extract out/*.deb system"
    );
    sh(place, &build).ends(0);
    let control = sh(place, "dpkg-deb --field out/*.deb");
    control.ends(0);
    for field in [
        "Package: plybench\n",
        "Depends: libc6 (>= 2.",
        "\nRecommends: pocl-opencl-icd\n",
    ] {
        control.prints(field);
    }
    let sums = "cd system && dpkg-deb --info ../out/*.deb md5sums | md5sum --check --strict";
    sh(place, sums)
        .ends(0)
        .prints("usr/share/doc/plybench/copyright: OK");
    for file in [
        "bin/bench",
        "share/bash-completion/completions/bench",
        "share/zsh/vendor-completions/_bench",
        "share/fish/vendor_completions.d/bench.fish",
        "share/man/man1/bench.1.gz",
        "share/doc/plybench/docs/commands.md",
    ] {
        assert!(place.join("system/usr").join(file).is_file(), "{file}");
    }
    let licence = fs::read_to_string(place.join("system/usr/share/doc/plybench/copyright"));
    let licence = licence.expect("the licence");
    for part in [
        "License: MIT or Apache-2.0",
        "WITHOUT WARRANTY",
        "\n serde v1.",
    ] {
        assert!(licence.contains(part), "{part}: {licence}");
    }
    let launcher = fs::read_to_string(place.join("system/usr/bin/bench")).unwrap_or_default();
    let own = format!("{}/system/usr/lib/plybench", place.display());
    fs::write(
        place.join("bench"),
        launcher.replace("/usr/lib/plybench", &own),
    )
    .unwrap();
    let bench = |line: &str| sh(place, &format!("sh ./bench {line}"));
    bench("--help").ends(0).prints("Usage: bench ");
    runs_what_is_built_in(&bench);
    // The package contains the committed runs.
    let compare = bench("compare run nvidia-h200");
    compare.ends(0).prints("nvidia-h200");
}

/// Runs a built-in experiment by name, with its paper's claims.
#[track_caller]
fn runs_what_is_built_in(bench: &dyn Fn(&str) -> Ended) {
    let run = "run connect-four --technique '^serial$' --case depth=6 --case stage=first --passes 1 --min-samples 3 \
               --max-samples 3 --out run";
    // There is no OpenCL device.
    bench(run).ends(5);
    bench("report --check run").ends(0);
}
