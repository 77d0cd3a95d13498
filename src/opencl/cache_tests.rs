use super::super::info::example;
use super::*;

const SOURCE: &str = "kernel void a(void) {}\n";
const OPTIONS: &str = "-cl-std=CL1.2 -DN=1";
const BINARY: &[u8] = b"\x7fELF\n\0\x01binary\nof a driver";

fn program(source: &str, options: &str) -> String {
    key_of(&example(0, 0, "device"), source, options)
}

fn made() -> (tempfile::TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path().join("programs"));
    cache.store(&program(SOURCE, OPTIONS), BINARY).unwrap();
    (folder, cache)
}

fn stored(cache: &Cache, key: &str) -> Option<Vec<u8>> {
    cache.load(key, |binary| Some(binary.to_vec()))
}

fn only(cache: &Cache) -> PathBuf {
    let entries = cache.entries().unwrap();
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries[0].1.clone()
}

#[test]
fn what_was_used_the_longest_ago_makes_room() {
    let (_folder, cache) = made();
    let size = fs::metadata(only(&cache)).unwrap().len();
    let first = program(SOURCE, OPTIONS);
    let second = program("kernel void b(void) {}\n", OPTIONS);
    let third = program("kernel void c(void) {}\n", OPTIONS);
    let cache = cache.of_bytes(2 * size);
    cache.store(&second, BINARY).unwrap();
    let age = |key: &str, seconds| {
        let at = SystemTime::now() - std::time::Duration::from_secs(seconds);
        let file = fs::File::open(cache.entry(key)).unwrap();
        file.set_modified(at).unwrap();
    };
    age(&first, 100);
    age(&second, 50);
    // This use makes the first entry more recent than the second.
    assert!(stored(&cache, &first).is_some());
    let unfinished = cache.folder().join(".unfinished-of-another");
    fs::write(&unfinished, "").unwrap();
    cache.store(&third, BINARY).unwrap();
    assert!(stored(&cache, &first).is_some() && stored(&cache, &third).is_some());
    assert_eq!(stored(&cache, &second), None);
    assert!(unfinished.exists(), "another process writes it");
    // An entry above the size limit stays until the next entry is stored.
    let cache = cache.of_bytes(1);
    cache.store(&second, BINARY).unwrap();
    assert!(stored(&cache, &second).is_some());
    assert_eq!(stored(&cache, &first), None);
}

#[test]
fn another_source_or_option_is_another_program() {
    let (_folder, cache) = made();
    let found = stored(&cache, &program("kernel void b(void) {}\n", OPTIONS));
    assert_eq!(found, None);
    assert_eq!(
        stored(&cache, &program(SOURCE, "-cl-std=CL1.2 -DN=2")),
        None
    );
    // The parts of the key are delimited, not only concatenated.
    let moved = program(&format!("2{SOURCE}"), "-cl-std=CL1.2 -DN=");
    assert_ne!(moved, program(SOURCE, "-cl-std=CL1.2 -DN=2"));
}

#[test]
fn each_word_of_device_driver_and_platform_counts() {
    let none = || std::iter::empty();
    let of = |info: &DeviceInfo| key(info, SOURCE, OPTIONS, none(), "");
    let info = example(0, 0, "device");
    let changes: [fn(&mut DeviceInfo); 7] = [
        |info| info.platform.push('x'),
        |info| info.platform_version.push('x'),
        |info| info.vendor.push('x'),
        |info| info.name.push('x'),
        |info| info.driver.push('x'),
        |info| info.version.push('x'),
        |info| info.c_version.push('x'),
    ];
    for change in changes {
        let mut other = info.clone();
        change(&mut other);
        assert_ne!(of(&info), of(&other), "{other:?}");
    }
    // Neither the index nor the label of the device affects the key.
    let mut elsewhere = info.clone();
    (elsewhere.platform_index, elsewhere.label) = (7, "#2".into());
    assert_eq!(of(&info), of(&elsewhere));
}

#[test]
fn what_a_driver_reads_from_the_environment_counts_and_nothing_else_does() {
    let info = example(0, 0, "device");
    let with = |variables: &[(&str, &str)]| {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        key(&info, SOURCE, OPTIONS, variables, "")
    };
    let plain = with(&[]);
    assert_eq!(plain, with(&[("PATH", "/bin"), ("HOME", "/root")]));
    let cbs = with(&[("POCL_WORK_GROUP_METHOD", "cbs")]);
    assert_ne!(plain, cbs);
    assert_ne!(cbs, with(&[("POCL_WORK_GROUP_METHOD", "loopvec")]));
    let both = [("POCL_WORK_GROUP_METHOD", "cbs"), ("LP_NUM_THREADS", "1")];
    assert_eq!(with(&both), with(&[both[1], both[0]]), "in any order");
    assert_ne!(
        plain,
        key(&info, SOURCE, OPTIONS, std::iter::empty(), "flags: avx512f")
    );
}

#[test]
fn an_entry_cut_off_anywhere_or_with_one_byte_changed_counts_as_absent() {
    let (_folder, cache) = made();
    let key = program(SOURCE, OPTIONS);
    let path = only(&cache);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(stored(&cache, &key), None, "cut off at {length}");
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, &changed).unwrap();
        assert_eq!(stored(&cache, &key), None, "changed at {at}");
    }
    let mut longer = whole.clone();
    longer.push(0);
    fs::write(&path, &longer).unwrap();
    assert_eq!(stored(&cache, &key), None);
    cache.store(&key, BINARY).unwrap();
    assert_eq!(stored(&cache, &key).as_deref(), Some(BINARY));
}

#[test]
fn foreign_bytes_under_the_name_of_an_entry_are_never_shown_to_the_driver() {
    let (_folder, cache) = made();
    let own = program(SOURCE, OPTIONS);
    let other = program(SOURCE, "-cl-std=CL1.2 -DN=2");
    for bytes in [&b""[..], BINARY, b"plybench-program 1 \n{}\n", b"\n\n\n"] {
        fs::write(cache.entry(&other), bytes).unwrap();
        let found = cache.load(&other, |_| -> Option<()> { panic!("shown") });
        assert_eq!(found, None);
    }
    // Store a valid entry of another program under this key.
    fs::copy(cache.entry(&own), cache.entry(&other)).unwrap();
    let found = cache.load(&other, |_| -> Option<()> { panic!("shown") });
    assert_eq!(found, None);
}

#[test]
fn an_entry_that_a_process_died_over_is_built_again() {
    let (_folder, cache) = made();
    let key = program(SOURCE, OPTIONS);
    let died = std::panic::catch_unwind(|| cache.load(&key, |_| -> Option<()> { panic!("dies") }));
    assert!(died.is_err());
    let found = cache.load(&key, |_| -> Option<()> { panic!("shown") });
    assert_eq!(found, None);
    assert!(cache.mark(&key).exists());
    cache.store(&key, BINARY).unwrap();
    assert_eq!(stored(&cache, &key).as_deref(), Some(BINARY));
    // If the driver refuses an entry, no marker is left.
    assert_eq!(cache.load(&key, |_| -> Option<()> { None }), None);
    assert!(!cache.mark(&key).exists());
}

#[test]
fn two_writers_and_a_reader_never_meet_a_part_of_an_entry() {
    let (_folder, cache) = made();
    let key = program(SOURCE, OPTIONS);
    let long = |byte: u8| vec![byte; 300_000];
    cache.store(&key, &long(b'a')).unwrap();
    std::thread::scope(|threads| {
        for byte in [b'a', b'b'] {
            let (cache, key) = (&cache, &key);
            threads.spawn(move || {
                for _ in 0..50 {
                    cache.store(key, &long(byte)).unwrap();
                }
            });
        }
        for _ in 0..50 {
            let bytes = fs::read(cache.entry(&key)).unwrap();
            let binary = read(&key, &bytes).expect("whole");
            assert!(binary == long(b'a') || binary == long(b'b'));
        }
    });
    only(&cache);
}
