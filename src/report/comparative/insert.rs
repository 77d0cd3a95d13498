//! Putting a part of the report into a page that people write.

use std::path::Path;

use super::parts::{README, way_from_page};
use crate::report::grid::Item;
use crate::report::markdown;

const BEGIN: &str = "<!-- reports:begin -->";
const END: &str = "<!-- reports:end -->";

/// The page with the items between its two marks. The error is one line.
pub(super) fn into(page: &Path, items: &[Item], out: &Path) -> Result<String, String> {
    let shown = page.display();
    let text = crate::words::read_text(page)
        .map_err(|error| format!("--insert {shown}: cannot be read: {error}"))?;
    let to = way_from_page(page, out);
    let block = format!(
        "{}\nWhere a device helps, what became of the papers' claims, and the command of each cell: \
         [{to}{README}]({to}{README}).\n",
        markdown::part(items, &to)
    );
    between(&text, &block).map_err(|problem| format!("--insert {shown}: {problem}"))
}

/// The text with what stands between the marks replaced.
fn between(text: &str, block: &str) -> Result<String, String> {
    let missing = |mark: &str| format!("has no line {mark}");
    let (before, rest) = text.split_once(BEGIN).ok_or_else(|| missing(BEGIN))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| missing(END))?;
    if after.contains(BEGIN) || after.contains(END) {
        return Err(format!("has more than one {BEGIN} or {END}"));
    }
    Ok(format!("{before}{BEGIN}\n{block}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let text = format!("# A\n\n{BEGIN}\nold\n{END}\n\nB\n");
        let once = between(&text, "\nnew\n").unwrap();
        assert_eq!(once, format!("# A\n\n{BEGIN}\n\nnew\n\n{END}\n\nB\n"));
        assert_eq!(between(&once, "\nnew\n").unwrap(), once);
    }

    #[test]
    fn a_page_without_marks_is_refused() {
        assert_eq!(
            between("x", "y").unwrap_err(),
            format!("has no line {BEGIN}")
        );
        assert_eq!(
            between(&format!("{END} {BEGIN}"), "y").unwrap_err(),
            format!("has no line {END}")
        );
        let twice = format!("{BEGIN}{END}{BEGIN}{END}");
        assert!(between(&twice, "y").unwrap_err().contains("more than one"));
    }
}
