//! Reports: of made-up runs (no OpenCL, no clock) and of the runs that are committed.

// The lint's own exception for tests does not reach their helpers.
#![allow(clippy::unwrap_used)]

mod browser;
mod claims;
mod closing;
mod compare;
mod devices;
mod fixture;
mod folder;
#[path = "../needed/mod.rs"]
mod needed;
mod pages;
mod published;
mod ratios;
mod recompute;
mod site;
mod tables;
mod together;
mod views;
