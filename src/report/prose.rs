//! The markup of an experiment's texts: paragraphs, lists, `code`, **bold**.

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Prose<'a> {
    Paragraph(Vec<Span<'a>>),
    List(Vec<Vec<Span<'a>>>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Span<'a> {
    Plain(&'a str),
    Code(&'a str),
    Bold(&'a str),
    Break,
}

/// Blank lines end a paragraph, `- ` begins a list item, indented lines continue it, `**` encloses bold text.
pub(crate) fn read(text: &str) -> Vec<Prose<'_>> {
    let mut prose = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            open = false;
            continue;
        }
        if let Some(item) = trimmed.strip_prefix("- ") {
            match prose.last_mut() {
                Some(Prose::List(items)) => items.push(spans(item)),
                _ => prose.push(Prose::List(vec![spans(item)])),
            }
            open = true;
            continue;
        }
        let goes_on = match prose.last_mut() {
            Some(Prose::Paragraph(paragraph)) if open => Some(paragraph),
            Some(Prose::List(items)) if open && line.starts_with(' ') => items.last_mut(),
            _ => None,
        };
        match goes_on {
            Some(before) => {
                before.push(Span::Break);
                before.extend(spans(trimmed));
            }
            None => prose.push(Prose::Paragraph(spans(trimmed))),
        }
        open = true;
    }
    prose
}

/// The spans of one line. An unpaired mark, and any mark inside code, is literal.
pub(crate) fn spans(line: &str) -> Vec<Span<'_>> {
    type Make<'a> = fn(&'a str) -> Span<'a>;
    let marks: [(&str, Make<'_>); 2] = [("`", Span::Code), ("**", Span::Bold)];
    let mut spans = Vec::new();
    let mut rest = line;
    // The first mark that is closed.
    while let Some((at, mark, make)) = marks
        .iter()
        .filter_map(|(mark, make)| Some((rest.find(mark)?, *mark, *make)))
        .filter(|(at, mark, _)| rest[at + mark.len()..].contains(mark))
        .min_by_key(|(at, ..)| *at)
    {
        if at > 0 {
            spans.push(Span::Plain(&rest[..at]));
        }
        let inside = &rest[at + mark.len()..];
        let (text, after) = inside.split_once(mark).unwrap_or((inside, ""));
        spans.push(make(text));
        rest = after;
    }
    if !rest.is_empty() {
        spans.push(Span::Plain(rest));
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_and_code() {
        let text = "One `a`\ntwo.\n\n- x\n  y\n- z\nAfter.";
        assert_eq!(
            read(text),
            [
                Prose::Paragraph(vec![
                    Span::Plain("One "),
                    Span::Code("a"),
                    Span::Break,
                    Span::Plain("two.")
                ]),
                Prose::List(vec![
                    vec![Span::Plain("x"), Span::Break, Span::Plain("y")],
                    vec![Span::Plain("z")]
                ]),
                Prose::Paragraph(vec![Span::Plain("After.")]),
            ]
        );
        assert_eq!(spans("a `b"), [Span::Plain("a `b")]);
    }

    #[test]
    fn what_stands_between_two_stars_is_bold() {
        assert_eq!(
            spans("**Rules.** a `**` b ** c"),
            [
                Span::Bold("Rules."),
                Span::Plain(" a "),
                Span::Code("**"),
                Span::Plain(" b ** c"),
            ]
        );
        assert_eq!(spans("2 ** 3"), [Span::Plain("2 ** 3")]);
    }
}
