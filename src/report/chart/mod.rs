//! Charts as SVG.

mod axis;
mod canvas;
pub(crate) mod lines;
pub(crate) mod shares;

pub(crate) use canvas::DrawError;
