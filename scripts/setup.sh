# shellcheck shell=bash
#
# Functions that scripts/bench, scripts/test and .ci/run share. Each `ensure_…` function installs one requirement. Only
# apt-get installs packages, after a message with their names and the reason. It never removes another package, so an
# installed OpenCL driver stays as it is. Source this file instead of running it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
case $target in /*) ;; *) target=$PWD/$target ;; esac

# Prints a line for the user. Standard output is reserved for the program.
say() { printf 'plybench: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# True if the version $1 is at least $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

ensure_rust() {
    if ! command -v cargo >/dev/null && [ -x "$HOME/.cargo/bin/cargo" ]; then
        PATH=$HOME/.cargo/bin:$PATH
    fi
    if ! command -v cargo >/dev/null; then
        die "Rust is missing. Install it with
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh
and run this again."
    fi
    local needed found
    needed=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$root/Cargo.toml")
    found=$(cargo --version | cut -d ' ' -f 2)
    at_least "${found%%-*}" "$needed" && return
    if command -v rustup >/dev/null; then
        die "Rust $found is too old, $needed is needed. Update it with
    rustup update stable"
    fi
    die "Rust $found is too old, $needed is needed. Install a newer one beside it with
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
}

# Runs a command as root.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        # Without a terminal, sudo cannot read a password.
        sudo -n "$@"
    fi
}

# The maximum total time that a script waits for the locks of apt and dpkg, and the interval between checks, in seconds.
# unattended-upgrades holds the locks for minutes after a boot.
lock_patience=600
lock_step=15

# held_lock LOG: prints the lock that made apt-get fail, and the process that holds it.
held_lock() {
    local lock holder inode pid
    # apt before 1.9.11 prints the second form, without the process.
    lock=$(sed -nE '/^E: Could not get lock (.*)(\. It is held by .*| - open \(11: .*)$/{s//\1/p;q}' "$1")
    [ -n "$lock" ] || return 1
    holder=$(sed -nE '/^E: Could not get lock .* It is held by (process .*)$/{s//\1/p;q}' "$1")
    if [ -z "$holder" ] && inode=$(stat -c %i "$lock" 2>/dev/null); then
        pid=$(awk -v inode=":$inode\$" '$2 != "->" && $6 ~ inode { print $5; exit }' \
            /proc/locks 2>/dev/null) || pid=
        [ ! -e "/proc/$pid/comm" ] || holder="process $pid ($(cat "/proc/$pid/comm"))"
    fi
    printf '%s is held by %s\n' "$lock" "${holder:-another process}"
}

# apt_get LOG ARGUMENT…: runs apt-get, and writes its output to LOG. If another process holds a lock, prints a message
# and waits. apt's DPkg::Lock::Timeout prints nothing without a terminal, and covers only dpkg's locks: with it,
# `apt-get update` still fails immediately (seen with apt 2.6.1).
apt_get() {
    local log=$1 held
    shift
    # held_lock needs untranslated messages.
    until as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o DPkg::Lock::Timeout=0 "$@" >"$log" 2>&1; do
        held=$(held_lock "$log") || return 1
        [ "$lock_patience" -gt 0 ] || return 1
        say "apt is busy: $held; waiting for it, at most" \
            "$((lock_patience / 60)) min $((lock_patience % 60)) s more"
        sleep "$lock_step"
        lock_patience=$((lock_patience - lock_step))
    done
}

# apt_install WHY PACKAGE…: installs packages, or prints why it cannot.
apt_install() {
    local why=$1
    shift
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        say "cannot install $* ($why): not root, and there is no sudo"
        return 1
    fi
    say "installing $* with apt-get: $why"
    local install=(install --no-install-recommends --no-remove --no-upgrade "$@")
    local log held result=0
    log=$(mktemp)
    { apt-cache show "$@" >/dev/null 2>&1 && apt_get "$log" "${install[@]}"; } ||
        # The package lists are missing, or so old that the server has newer files.
        { ! held_lock "$log" >/dev/null && apt_get "$log" update &&
            apt_get "$log" "${install[@]}"; } || result=1
    if [ "$result" -ne 0 ] && held=$(held_lock "$log"); then
        say "cannot install $* ($why): $held, also after 10 minutes.
    Let that process end, or stop it (sudo systemctl stop unattended-upgrades), and run this again."
    elif [ "$result" -ne 0 ]; then
        say "cannot install $* ($why); apt-get said"
        tail -n 5 "$log" | sed 's/^/    /' >&2
    fi
    rm -f "$log"
    return "$result"
}

# True if a C program can be linked, which every cargo build needs.
can_link() {
    local dir result=0
    dir=$(mktemp -d)
    printf 'int main(void) { return 0; }\n' >"$dir/main.c"
    cc "$dir/main.c" -o "$dir/main" >/dev/null 2>&1 || result=1
    rm -rf "$dir"
    return "$result"
}

ensure_linker() {
    can_link && return
    if command -v apt-get >/dev/null; then
        apt_install "Rust needs a C linker" gcc libc6-dev || true
    fi
    can_link || die "a C linker is missing. Install it with
    Debian, Ubuntu: sudo apt-get install gcc libc6-dev
    Fedora:         sudo dnf install gcc
    Arch:           sudo pacman -S gcc
    macOS:          xcode-select --install"
}

# build PROFILE: builds the program as target/release/bench or target/debug/bench. Prints nothing if cargo has nothing
# to do.
build() {
    local profile=$1 binary quiet=()
    local flags=(--locked --bin bench --target-dir "$target")
    [ "$profile" = release ] && flags+=(--release)
    binary=$(binary "$profile")
    if [ -x "$binary" ] && [ -z "$(newer_sources "$binary")" ]; then
        quiet=(--quiet)
    else
        say "this machine: $(this_machine)"
        say "building the program for its processor: the first time takes 3 minutes on 2 cores"
    fi
    (cd "$root" && env -u CARGO_BUILD_TARGET cargo build ${quiet[@]+"${quiet[@]}"} "${flags[@]}" >&2)
}

# Prints the CPU, the vendors of the graphics cards, and the installed OpenCL drivers.
this_machine() {
    local cpu device cards='' drivers='' file
    cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
    for device in /sys/bus/pci/devices/*; do
        case $(cat "$device/class" "$device/vendor" 2>/dev/null) in
        0x03*0x10de) cards+=', an NVIDIA card' ;;
        0x03*0x1002) cards+=', an AMD card' ;;
        0x03*0x8086) cards+=', an Intel card' ;;
        esac
    done
    for file in "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd; do
        [ ! -e "$file" ] || drivers+=", $(basename "$file" .icd)"
    done
    drivers=${drivers#, }
    printf '%s, %s threads%s; OpenCL drivers: %s\n' "${cpu:-unknown processor}" \
        "$(getconf _NPROCESSORS_ONLN)" "$cards" "${drivers:-none}"
}

binary() { printf '%s/%s/bench\n' "$target" "$1"; }

newer_sources() {
    find "$root/src" "$root/cl" "$root/build.rs" "$root/Cargo.toml" "$root/Cargo.lock" \
        -newer "$1" -print 2>/dev/null | head -n 1
}

# Builds for this machine's CPU, because a generic baseline would make every device look faster. User flags that name a
# CPU take precedence.
build_for_this_machine() {
    case ${RUSTFLAGS-} in
    *target-cpu*) ;;
    *) export RUSTFLAGS="${RUSTFLAGS:+$RUSTFLAGS }-C target-cpu=native" ;;
    esac
    build release
}

# True if the program finds an OpenCL device.
has_device() { "$1" devices --json >/dev/null 2>&1; }

has_loader() {
    ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1' ||
        /sbin/ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1'
}

# ensure_device BINARY: if there is no OpenCL device, installs what is missing: first the loader, which an installed
# driver may lack, then pocl, which turns the CPU into a device. Without a device, the CPU baselines still run, so
# nothing here stops the script.
ensure_device() {
    local binary=$1
    has_device "$binary" && return
    if [ -n "${OCL_ICD_VENDORS-}${OCL_ICD_FILENAMES-}" ]; then
        say "no OpenCL device was found where OCL_ICD_VENDORS or OCL_ICD_FILENAMES points"
        carry_on
        return
    fi
    if ! command -v apt-get >/dev/null; then
        # The error message of the program names the commands for this machine.
        "$binary" devices >/dev/null || true
        carry_on
        return
    fi
    if ! has_loader; then
        apt_install "programs find OpenCL drivers through it" ocl-icd-libopencl1 || {
            carry_on
            return
        }
        has_device "$binary" && return
    fi
    if dpkg-query -W -f '${Status}' pocl-opencl-icd 2>/dev/null | grep -q ' installed$'; then
        say "pocl is installed, but no OpenCL device shows; see 'bench devices'"
        carry_on
        return
    fi
    apt_install "there is no OpenCL device, and pocl makes the processor one" pocl-opencl-icd ||
        carry_on
}

carry_on() { say "going on without an OpenCL device: the CPU baselines still run"; }
