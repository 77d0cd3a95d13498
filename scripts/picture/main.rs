//! Draws the pictures in `reports/pictures` again: `cargo run --release --example picture`.
//!
//! For Annexation, it draws the post's example of eight playouts on seven cells, on board 0 with seed 1, and a playout
//! on a board of about 200 cells. For reversi, it draws the paper's Figures 2 and 3.

mod annexation;
mod launches;
mod reversi;

use std::path::PathBuf;

/// Returns every picture: its path below `reports/pictures`, and its content.
fn all() -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let mut all = annexation::all()?;
    all.push(("reversi/two-levels.svg", reversi::two_levels()?.into()));
    all.push(("reversi/squares.svg", reversi::squares()?.into()));
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
