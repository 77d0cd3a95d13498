use super::*;

/// Creates a root folder with PCI devices (class, vendor) and an `os-release` file.
fn root(devices: &[(&str, &str)], os_release: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |file: String, text: &str| {
        let file = root.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("etc/os-release".to_owned(), os_release);
    for (at, (class, vendor)) in devices.iter().enumerate() {
        let folder = format!("sys/bus/pci/devices/0000:00:0{at}.0");
        write(format!("{folder}/class"), &format!("{class}\n"));
        write(format!("{folder}/vendor"), &format!("{vendor}\n"));
    }
    write("dev/dri/card0".to_owned(), "");
    write("dev/dri/renderD128".to_owned(), "");
    root
}

fn told(root: &Path) -> Vec<String> {
    let text = on_linux(root, false, &|_| false);
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn names_the_drivers_of_the_gpus_once_and_pocl_last() {
    // An Intel network card, two NVIDIA cards and an AMD accelerator.
    let devices = [
        ("0x020000", "0x8086"),
        ("0x030000", "0x10de"),
        ("0x030200", "0x10de"),
        ("0x120000", "0x1002"),
    ];
    let debian = root(&devices, "NAME=\"x\"\nID=debian\n");
    assert_eq!(
        told(debian.path()),
        [
            "  NVIDIA GPU: sudo apt-get install nvidia-opencl-icd (from contrib and non-free)",
            "  AMD GPU: sudo apt-get install mesa-opencl-icd; export RUSTICL_ENABLE=radeonsi",
            "  CPU: sudo apt-get install pocl-opencl-icd",
        ]
    );
    let display = root(&[("0x030000", "0x8086")], "ID=arch");
    assert_eq!(
        told(display.path()),
        [
            "  Intel GPU: sudo pacman -S intel-compute-runtime",
            "  CPU: sudo pacman -S pocl"
        ]
    );
    let with_loader = on_linux(display.path(), true, &|_| false);
    let first = with_loader.lines().nth(1);
    assert_eq!(first, Some("  OpenCL loader: sudo pacman -S ocl-icd"));
}

#[test]
fn derived_distributions_use_the_commands_of_their_parent() {
    for (os_release, own) in [
        ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"", Some("Ubuntu")),
        ("ID_LIKE='rhel centos fedora'\nID=\"rocky\"", Some("Fedora")),
        ("VERSION_ID=debian\nID=manjaro\nID_LIKE=arch", Some("Arch")),
        ("ID=raspbian\r\nID_LIKE=debian\r\n", Some("Debian")),
        ("ID=nixos", None),
        ("", None),
    ] {
        let found = distribution(os_release);
        assert_eq!(found, own, "{os_release}");
    }
}

#[test]
fn an_unknown_distribution_gets_every_command() {
    let folder = root(&[("0x030000", "0x10de")], "ID=nixos");
    let lines = told(folder.path());
    assert_eq!(lines.len(), 7, "{lines:?}");
    assert_eq!(
        lines[1],
        "  NVIDIA GPU, Ubuntu: sudo ubuntu-drivers install"
    );
    assert_eq!(lines[6], "  CPU, Arch: sudo pacman -S pocl");
    let bare = tempfile::tempdir().unwrap();
    assert_eq!(told(bare.path()).len(), 3);
}

#[test]
fn a_gpu_that_the_user_may_not_open_comes_first() {
    let folder = root(&[("0x030000", "0x1002")], "ID=ubuntu");
    let text = on_linux(folder.path(), false, &|_| true);
    let node = folder
        .path()
        .join("dev/dri/renderD128")
        .display()
        .to_string();
    assert!(text.starts_with(&node), "{text}");
    assert!(
        text.contains("sudo usermod -aG render,video $USER"),
        "{text}"
    );
}

#[test]
fn errors_that_name_the_remedy_get_no_advice() {
    let unusable = NoDevices::Unusable("set POCL_CACHE_DIR".to_owned());
    assert_eq!(advice(&unusable.into()), None);
    let none = advice(&NoDevices::NoPlatform.into()).unwrap();
    let loader = advice(&NoDevices::NoLoader.into()).unwrap();
    assert!(none.contains("pocl"), "{none}");
    assert!(!none.contains("loader") && (loader.contains("loader") || !cfg!(target_os = "linux")));
}
