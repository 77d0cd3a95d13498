//! Headless Chromium, asked for the document that it makes of a page.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::needed::skip;

/// What stands before all else in the copy of a page.
const LISTEN: &str = include_str!("listen.js");
/// What the page is looked at with; stands after all else.
const CHECK: &str = include_str!("check.js");
/// What `check.js` writes its findings between.
const OPEN: &str = "<script type=\"application/json\" class=\"found\">";
const CLOSE: &str = "</script>";
/// Names that the browser goes by; Ubuntu's own `chromium` is a snap, which cannot read temporary files.
const NAMES: [&str; 4] = [
    "chromium",
    "google-chrome-stable",
    "google-chrome",
    "chromium-browser",
];

/// The widths that a page is looked at in, CSS pixels: a phone's and a desktop's.
pub const WIDTHS: [u32; 2] = [390, 1280];

/// What was found in one width.
#[derive(Debug, Deserialize)]
pub struct Found {
    pub width: u32,
    /// How tall the page is with its folds closed, CSS pixels.
    pub height: u32,
    /// Where the section of the results ends, where the page has one.
    pub results: Option<u32>,
    pub dark: bool,
    pub counts: Counts,
    /// Targets of links that are not places of the page itself.
    pub links: Vec<String>,
    /// What is wrong, a line each.
    pub findings: Vec<String>,
}

/// How much was looked at.
#[derive(Debug, Deserialize)]
pub struct Counts {
    pub texts: usize,
    pub links: usize,
    pub charts: usize,
    pub labels: usize,
    pub scrollers: usize,
    pub scrolling: usize,
}

/// The browser; `None`, said aloud, where it is not installed. In continuous integration that is an error.
pub fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = places.into_iter().find(|place| place.is_file());
    if found.is_none() {
        skip(&format!(
            "no browser, none of {} is installed",
            NAMES.join(", ")
        ));
    }
    found
}

/// Looks at a page in every width, by day or by night.
pub fn look(browser: &Path, page: &Path, dark: bool) -> Vec<Found> {
    let text = std::fs::read_to_string(page).unwrap();
    let (start, rest) = text.split_once("<head>").expect("a page with a head");
    let (body, end) = rest.rsplit_once("</body>").expect("a page with a body");
    let listen = format!("<head><script>{LISTEN}</script>");
    let check = format!("<script>{CHECK}</script></body>");
    let copy = page.with_file_name("copy-with-check.html");
    std::fs::write(&copy, [start, &listen, body, &check, end].concat()).unwrap();
    let frame = |width| {
        format!(
            "<iframe src=\"{}\" style=\"border:0;width:{width}px;height:900px\"></iframe>",
            copy.file_name().unwrap().to_string_lossy()
        )
    };
    let around = page.with_file_name("frames.html");
    let head =
        "<!DOCTYPE html><meta charset=utf-8><meta name=color-scheme content='light dark'><body>";
    std::fs::write(&around, format!("{head}{}", WIDTHS.map(frame).concat())).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let mut command = Command::new(browser);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--enable-logging=stderr",
            "--window-size=1400,900",
            // The check writes into the page around its frame.
            "--allow-file-access-from-files",
            // A page that asks the network for anything gets nothing.
            "--host-resolver-rules=MAP * ~NOTFOUND",
        ])
        .arg(format!(
            "--blink-settings=preferredColorScheme={}",
            u8::from(!dark)
        ))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", around.display()));
    let output = command.output().expect("the browser starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let document = String::from_utf8_lossy(&output.stdout);
    let places = document.split(OPEN).skip(1);
    let json = places.filter_map(|rest| Some(rest.split_once(CLOSE)?.0));
    let mut found: Vec<Found> = json
        .map(|json| serde_json::from_str(json).expect("what the check writes"))
        .collect();
    found.sort_by_key(|found| found.width);
    let views: Vec<(u32, bool)> = found.iter().map(|it| (it.width, it.dark)).collect();
    let asked = WIDTHS.map(|width| (width, dark));
    assert_eq!(views, asked, "{}: the browser said\n{said}", page.display());
    // What the browser itself says, as far as it came to say it before its end; not told by frame.
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    let lines = console.map(|line| format!("said on the console: {line}"));
    found[0].findings.extend(lines);
    found
}
