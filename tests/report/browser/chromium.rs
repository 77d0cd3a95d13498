//! Opens a page in headless Chromium and reads the document that it dumps.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::needed::skip;

/// A script that a copy of the page runs before everything else.
const LISTEN: &str = include_str!("listen.js");
/// A script that checks the page. It runs after everything else.
const CHECK: &str = include_str!("check.js");
/// The tags that enclose the findings of `check.js`.
const OPEN: &str = "<script type=\"application/json\" class=\"found\">";
const CLOSE: &str = "</script>";
/// Possible names of the browser. Ubuntu's `chromium` is a snap, which cannot read temporary files.
const NAMES: [&str; 4] = [
    "chromium",
    "google-chrome-stable",
    "google-chrome",
    "chromium-browser",
];

/// The widths of a phone and a desktop, in CSS pixels.
pub const WIDTHS: [u32; 2] = [390, 1280];

/// The findings for one width of the page.
#[derive(Debug, Deserialize)]
pub struct Found {
    pub width: u32,
    /// The height of the page in CSS pixels, with all folds closed.
    pub height: u32,
    /// The position at which the results section ends, in CSS pixels, if the page has one.
    pub results: Option<u32>,
    pub dark: bool,
    pub counts: Counts,
    /// Targets of links to other pages.
    pub links: Vec<String>,
    /// The problems of the page, one per line.
    pub findings: Vec<String>,
}

/// Number of elements that were checked, by kind.
#[derive(Debug, Deserialize)]
pub struct Counts {
    pub texts: usize,
    pub links: usize,
    pub charts: usize,
    pub labels: usize,
    pub scrollers: usize,
    pub scrolling: usize,
}

/// Finds the browser. If it is missing, prints a message and returns `None`, but fails in continuous integration.
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

/// Checks a page at every width, in the light or dark theme.
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
            // The check writes to the page around its frame.
            "--allow-file-access-from-files",
            // Block network access: no host name resolves.
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
        .map(|json| serde_json::from_str(json).expect("findings of the check"))
        .collect();
    found.sort_by_key(|found| found.width);
    let views: Vec<(u32, bool)> = found.iter().map(|it| (it.width, it.dark)).collect();
    let asked = WIDTHS.map(|width| (width, dark));
    assert_eq!(views, asked, "{}: the browser said\n{said}", page.display());
    // The browser also prints console messages, but may exit before it has printed all. They do not name the frame.
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    let lines = console.map(|line| format!("said on the console: {line}"));
    found[0].findings.extend(lines);
    found
}
