//! Draws the pictures of `reports/pictures` anew: `cargo run --release --example picture`.
//!
//! Annexation: the post's example of eight playouts on seven cells, on board 0 with seed 1, and a playout on a board of
//! about 200 cells. Reversi: the paper's Figures 2 and 3.

mod annexation;
mod launches;
mod reversi;

use std::path::PathBuf;

use plybench::report::chart::canvas::{NARROW, WIDTH};

/// Every picture: its path below `reports/pictures`, and its content.
fn all() -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let mut all = annexation::all()?;
    // For a screen and for a phone.
    for (whole, levels, squares) in [
        (WIDTH, "reversi/two-levels.svg", "reversi/squares.svg"),
        (
            NARROW,
            "reversi/two-levels-narrow.svg",
            "reversi/squares-narrow.svg",
        ),
    ] {
        all.push((levels, reversi::two_levels(whole)?.into()));
        all.push((squares, reversi::squares(whole)?.into()));
    }
    Ok(all)
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("reports")
}

fn main() -> anyhow::Result<()> {
    for (name, content) in all()? {
        let path = folder().join("pictures").join(name);
        std::fs::write(&path, content)?;
        println!("{}", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_pictures_are_these() {
        for (name, content) in super::all().unwrap() {
            let path = super::folder().join("pictures").join(name);
            assert!(std::fs::read(path).unwrap() == content, "{name}");
        }
    }
}
