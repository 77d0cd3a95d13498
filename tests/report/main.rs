//! Tests reports of fabricated runs, which need no OpenCL and no clock, and reports of the committed runs.

// The lint exempts tests, but not the functions that they share.
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
mod site;
mod tables;
mod together;
mod views;
