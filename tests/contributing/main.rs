//! Checks that the worked example of CONTRIBUTING.md compiles and gives the same answers as `serial`. If there is no
//! OpenCL device, this test prints a message and passes. `house` checks imports against docs/layout.md.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

// The example uses `crate::` and `super::`, as any file in src/techniques/reversi does. This file re-exports those
// modules, so the same text compiles in both places.
use plybench::{config, games, opencl, techniques, words};

use games::reversi::{Colour, Position, Size};
use techniques::{Sampler, Setup, Technique, registry};
use words::{Answer, Case, Counters, Params, Task};

mod house;
#[path = "../needed/mod.rs"]
mod needed;

mod reversi {
    pub use plybench::techniques::reversi::{device_board, hard, tasks};

    pub mod leaf_batch;
}

use reversi::leaf_batch::TECHNIQUE;

const PAGE: &str = include_str!("../../CONTRIBUTING.md");
const KERNEL_FILE: &str = include_str!("reversi/leaf_batch.cl");
const MODULE: &str = "leaf_batch";

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the page's code blocks in this language, each with its final newline.
fn blocks(language: &str) -> Vec<&'static str> {
    let opening = format!("\n```{language}\n");
    let inside = |(start, _): (usize, &str)| {
        let text = &PAGE[start + opening.len()..];
        &text[..text.find("```\n").unwrap()]
    };
    PAGE.match_indices(&opening).map(inside).collect()
}

/// Returns the lines in the game's list of modules, `techniques! { … }`.
fn registry_lines() -> Vec<String> {
    let list = fs::read_to_string(root("src/techniques/reversi/mod.rs")).unwrap();
    let (_, rest) = list.split_once("\ntechniques! {\n").unwrap();
    let (lines, _) = rest.split_once("}\n").unwrap();
    // Skip techniques without their own module, because their lines look different.
    let is_common = |line: &&str| line.starts_with("    = ") || line.starts_with("    trees(");
    let lines = lines.lines().filter(|line| !is_common(line));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_page_links_the_files_that_are_compiled_here() {
    for file in ["leaf_batch.rs", "leaf_batch.cl"] {
        let link = format!("[`{file}`](tests/contributing/reversi/{file})");
        assert!(PAGE.contains(&link), "{link}");
    }
}

#[test]
fn the_registry_line_is_one_like_those_that_are_there() {
    let line = format!("    {MODULE},");
    assert!(blocks("rust").contains(&format!("{line}\n").as_str()));
    let lines = registry_lines();
    assert!(!lines.is_empty());
    for there in lines {
        let module = there
            .strip_prefix("    ")
            .and_then(|rest| rest.strip_suffix(','));
        let module = module.unwrap_or_else(|| panic!("`{there}` is not like `{line}`"));
        // A file with several techniques lists their names in parentheses.
        let (module, names) = match module.split_once('(') {
            Some((module, names)) => (module, names.strip_suffix(')').unwrap()),
            None => (module, "TECHNIQUE"),
        };
        let file = root(&format!("src/techniques/reversi/{module}.rs"));
        let text = fs::read_to_string(&file).unwrap();
        for name in names.split(", ") {
            let part = format!("\npub const {name}: Technique =");
            assert!(text.contains(&part), "{module}: {name}");
        }
    }
    assert_eq!(TECHNIQUE.entry.name, MODULE.replace('_', "-"));
}

#[test]
fn the_smoke_test_runs_it_and_an_experiment_takes_its_entry() {
    let name = TECHNIQUE.entry.name;
    let entry = format!("[[technique]]\nname = \"{name}\"\n");
    assert!(blocks("toml").contains(&entry.as_str()));
    // A reader who has followed the page already has the entry and the technique in the checkout.
    let text = fs::read_to_string(root("configs/reversi.toml")).unwrap();
    let text = format!("{}\n{entry}", text.replace(&entry, ""));
    let mut catalogue = registry::catalogue();
    catalogue.techniques.retain(|entry| entry.name != name);
    let unknown = config::parse(&text, "reversi.toml", &catalogue).unwrap_err();
    assert!(unknown.to_string().contains(name), "{unknown}");
    catalogue.techniques.push(TECHNIQUE.of("reversi").entry);
    let experiment = config::parse(&text, "reversi.toml", &catalogue).unwrap();
    assert_eq!(experiment.techniques.last().unwrap().technique, name);
    for suite in ["configs/smoke.toml:smoke", "scripts/oclgrind.toml:oclgrind"] {
        let place = root(&format!("{suite}-reversi"));
        let loaded = config::load(&place, &catalogue).unwrap();
        let mut choices = loaded[0].1.techniques.iter();
        assert!(choices.any(|choice| choice.technique == name), "{suite}");
    }
}

/// Creates a folder with all kernels of the repository and the example's kernel.
fn kernels() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for group in ["common", "reversi"] {
        fs::create_dir(folder.path().join(group)).unwrap();
        for entry in fs::read_dir(root("cl").join(group)).unwrap() {
            let file = entry.unwrap();
            let copy = folder.path().join(group).join(file.file_name());
            fs::copy(file.path(), copy).unwrap();
        }
    }
    let file = folder.path().join("reversi/leaf_batch.cl");
    fs::write(file, KERNEL_FILE).unwrap();
    folder
}

fn setup<'a>(
    task: Task,
    (case, none): (&'a Case, &'a Params),
    device: Option<&'a opencl::Device>,
    position: Option<&'a str>,
) -> Setup<'a> {
    Setup {
        task,
        case,
        options: none,
        params: none,
        seed: 1,
        threads: 2,
        device,
        kernels: None,
        position,
        positions: None,
        opponent: None,
    }
}

fn prepare(technique: &Technique, setup: &Setup<'_>) -> Box<dyn Sampler> {
    (technique.prepare)(setup).unwrap_or_else(|fault| panic!("{}: {fault}", technique.entry.name))
}

fn answer_of(name: &str, setup: &Setup<'_>) -> (Answer, Counters) {
    let technique = registry::find("reversi", name).unwrap();
    prepare(technique, setup).sample().unwrap()
}

/// Returns a position with discs all over the board and with more legal moves than a work-group has work-items.
fn scattered_discs(size: Size) -> String {
    let mut position = Position::start(size);
    for square in size.all() {
        match (5 * size.x(square) + 3 * size.y(square)) % 11 {
            0 | 4 => position.put(square, Colour::Black),
            2 | 7 | 8 => position.put(square, Colour::White),
            _ => {}
        }
    }
    assert!(position.legal_moves().len() > 40, "{size}");
    position.to_string()
}

#[test]
fn the_example_answers_as_serial_does() {
    let Some(devices) = needed::devices() else {
        return;
    };
    let device = opencl::open(opencl::select(&devices, &[]).unwrap()[0]).unwrap();
    let kernels = kernels();
    let none = Params::new();
    let asks = [
        // Whole games up to a full board, including passes.
        (Task::Game, "board=4x4 depth=1", None),
        (Task::Game, "board=4x4 depth=4", None),
        (Task::Game, "board=6x6 depth=3", None),
        (Task::Game, "board=8x8 depth=1", None),
        (Task::Game, "board=8x8 depth=4", None),
        // A rank fills one word, one and a quarter words, or two words.
        (Task::Search, "board=32x20 depth=2", Some("32x20")),
        (Task::Search, "board=40x20 depth=1", Some("40x20")),
        (Task::Search, "board=64x64 depth=1", Some("64x64")),
    ];
    for (task, case, scattered) in asks {
        let position = scattered.map(|board| scattered_discs(board.parse().unwrap()));
        let parsed = Case::parse(case).unwrap();
        let setup = Setup {
            kernels: Some(kernels.path()),
            ..setup(task, (&parsed, &none), Some(&device), position.as_deref())
        };
        let mut sampler = prepare(&TECHNIQUE, &setup);
        let (answer, counters) = sampler.sample().unwrap();
        assert_eq!(answer, answer_of("serial", &setup).0, "{case}");
        assert_eq!(counters, answer_of("rayon", &setup).1, "{case}");
        // A position needs at most one batch, and at least half of the positions need one.
        let told = sampler.telemetry();
        let launches = told.parts.launches;
        let units = sampler.units();
        let holds = launches > 0 && 2 * launches >= units && launches <= units;
        assert!(holds, "{case}: {launches} launches for {units} positions");
        // Repeat the search, as the next sample of the same cell does.
        assert_eq!(sampler.sample().unwrap(), (answer, counters), "{case}");
        assert!(told.build_ns > 0 && told.notes.starts_with("group "));
    }
}

#[test]
fn the_example_refuses_what_it_cannot_do() {
    let case = Case::parse("board=8x8 depth=2").unwrap();
    let none = Params::new();
    let setup = setup(Task::Search, (&case, &none), None, Some("f5d6c3"));
    let fault = (TECHNIQUE.prepare)(&setup).err();
    let expected = Some(words::Fault::Unsupported("no OpenCL device".into()));
    assert_eq!(fault, expected);
}
