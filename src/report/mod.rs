//! Tables, charts and pages, made only from run folders: the same folder gives the same bytes anywhere.
//!
//! - `tables/<id>.csv`, one per table, technique, baseline and device, numbers unformatted; `tables/cells.csv` and
//!   `tables/ratios.csv`; `tables/claims.csv` if there are claims
//! - `charts/<id>.svg`, the experiment's charts and a time breakdown per device technique (a new report removes only
//!   the files in these two folders that `.report-files` lists)
//! - `report.md`, GitHub-flavoured Markdown, and `index.html`, a self-contained page
//!
//! The site of several runs ([`make`]) has a page per run and a landing page.
//!
//! A speedup is a ratio of medians with its interval, over a technique of the same host or device, or over a role: best
//! one core and best CPU, the fastest techniques of the host that answer the same question.

mod about;
mod analysis;
mod block;
pub mod chart;
mod claims;
mod closing;
mod command;
pub mod compare;
pub mod complexity;
mod csv_table;
mod data;
mod directions;
mod document;
mod error;
mod figure;
mod files;
mod grid;
mod headline;
mod known;
mod ladder;
mod limit;
mod markdown;
mod matches;
mod names;
mod naming;
mod number;
mod page;
mod pairs;
mod paper;
mod passes;
mod pictures;
mod positions;
mod published;
mod ratios;
mod sections;
mod series;
mod site;
mod summary;
mod table;
mod terminal;
mod write;

pub use analysis::{Analysis, analyse};
pub use closing::closing_summary;
pub(crate) use closing::over_best_cpu;
pub use data::RunData;
pub use error::ReportError;
pub use files::Files;
pub use known::{Few, MARKS, meaning};
pub use passes::mark_of;
pub use site::{Made, Site, make};
pub use terminal::peaks_text;
pub use write::{ReportPaths, write_from};
