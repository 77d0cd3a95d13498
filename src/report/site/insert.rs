//! Putting a part of the report into a page that people write.

use std::path::Path;

use super::runs::Runs;
use super::summary;
use crate::report::markdown;

/// The marks around a part of a page: around the results, and around the list of runs.
type Marks = [&'static str; 2];

const RESULTS: Marks = ["<!-- reports:begin -->", "<!-- reports:end -->"];
const LIST: Marks = ["<!-- runs:begin -->", "<!-- runs:end -->"];

/// The page with the parts that it has marks for. The error is one line.
pub(super) fn into(page: &Path, runs: &Runs, chart: Option<&Path>) -> Result<String, String> {
    let shown = page.display();
    let wrong = |problem| format!("--insert {shown}: {problem}");
    let text = crate::words::read_text(page);
    let mut text = text.map_err(|error| wrong(format!("cannot be read: {error}")))?;
    if !text.contains(LIST[0]) || text.contains(RESULTS[0]) {
        let items = summary::results(runs, page, chart);
        text = between(&text, RESULTS, &markdown::part(&items)).map_err(wrong)?;
    }
    if text.contains(LIST[0]) {
        let items = summary::list(runs, page);
        text = between(&text, LIST, &markdown::part(&items)).map_err(wrong)?;
    }
    Ok(text)
}

/// The text with what stands between the marks replaced.
fn between(text: &str, [begin, end]: Marks, block: &str) -> Result<String, String> {
    let missing = |mark: &str| format!("has no line {mark}");
    let (before, rest) = text.split_once(begin).ok_or_else(|| missing(begin))?;
    let (_, after) = rest.split_once(end).ok_or_else(|| missing(end))?;
    if after.contains(begin) || after.contains(end) {
        return Err(format!("has more than one {begin} or {end}"));
    }
    Ok(format!("{before}{begin}\n{block}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let [begin, end] = RESULTS;
        let text = format!("# A\n\n{begin}\nold\n{end}\n\nB\n");
        let once = between(&text, RESULTS, "\nnew\n").unwrap();
        assert_eq!(once, format!("# A\n\n{begin}\n\nnew\n\n{end}\n\nB\n"));
        assert_eq!(between(&once, RESULTS, "\nnew\n").unwrap(), once);
    }

    #[test]
    fn a_page_without_marks_is_refused() {
        let [begin, end] = RESULTS;
        assert_eq!(
            between("x", RESULTS, "y").unwrap_err(),
            format!("has no line {begin}")
        );
        assert_eq!(
            between(&format!("{end} {begin}"), RESULTS, "y").unwrap_err(),
            format!("has no line {end}")
        );
        let twice = format!("{begin}{end}{begin}{end}");
        assert!(
            between(&twice, RESULTS, "y")
                .unwrap_err()
                .contains("more than one")
        );
    }
}
