//! Draws charts as SVG.

mod axis;
pub mod canvas;
pub(crate) mod dots;
pub(crate) mod lines;
pub(crate) mod text;

pub(crate) use canvas::{NARROW, WIDTH};
