//! Putting a part of the report into a page that people write.

use std::path::Path;

use super::runs::Runs;
use super::summary;
use crate::report::markdown;

/// The marks around a part of a page.
struct Marks {
    begin: &'static str,
    end: &'static str,
}

/// Where the results go.
const RESULTS: Marks = Marks {
    begin: "<!-- reports:begin -->",
    end: "<!-- reports:end -->",
};
/// Where the list of runs goes.
const LIST: Marks = Marks {
    begin: "<!-- runs:begin -->",
    end: "<!-- runs:end -->",
};

/// The page with the parts that it has marks for. The error is one line.
pub(super) fn into(page: &Path, runs: &Runs, chart: Option<&Path>) -> Result<String, String> {
    let shown = page.display();
    let mut text = crate::words::read_text(page)
        .map_err(|error| format!("--insert {shown}: cannot be read: {error}"))?;
    let wrong = |problem| format!("--insert {shown}: {problem}");
    if !text.contains(LIST.begin) || text.contains(RESULTS.begin) {
        let items = summary::results(runs, page, chart);
        text = between(&text, &RESULTS, &markdown::part(&items)).map_err(wrong)?;
    }
    if text.contains(LIST.begin) {
        let items = summary::list(runs, page);
        text = between(&text, &LIST, &markdown::part(&items)).map_err(wrong)?;
    }
    Ok(text)
}

/// The text with what stands between the marks replaced.
fn between(text: &str, marks: &Marks, block: &str) -> Result<String, String> {
    let Marks { begin, end } = *marks;
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
        let Marks { begin, end } = RESULTS;
        let text = format!("# A\n\n{begin}\nold\n{end}\n\nB\n");
        let once = between(&text, &RESULTS, "\nnew\n").unwrap();
        assert_eq!(once, format!("# A\n\n{begin}\n\nnew\n\n{end}\n\nB\n"));
        assert_eq!(between(&once, &RESULTS, "\nnew\n").unwrap(), once);
    }

    #[test]
    fn a_page_without_marks_is_refused() {
        let Marks { begin, end } = RESULTS;
        assert_eq!(
            between("x", &RESULTS, "y").unwrap_err(),
            format!("has no line {begin}")
        );
        assert_eq!(
            between(&format!("{end} {begin}"), &RESULTS, "y").unwrap_err(),
            format!("has no line {end}")
        );
        let twice = format!("{begin}{end}{begin}{end}");
        assert!(
            between(&twice, &RESULTS, "y")
                .unwrap_err()
                .contains("more than one")
        );
    }
}
