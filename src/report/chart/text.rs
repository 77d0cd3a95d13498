//! Widths of texts, and line breaking.

use crate::report::series::distinct;

pub(super) const LABEL: f64 = 12.5;

/// Estimated width of a text in pixels, for wide fonts (Verdana, DejaVu Sans): the reader's font is unknown.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars()
        .map(|letter| match letter {
            'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' | '!' => 0.36,
            'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' | 'I' => 0.44,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.98,
            letter if letter.is_uppercase() => 0.74,
            _ => 0.63,
        })
        .sum::<f64>()
        * size
}

pub(super) fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> f64 {
    let widths = texts.into_iter().map(|text| width(text.as_ref(), LABEL));
    widths.fold(0.0, f64::max)
}

pub(crate) const BOLD: f64 = 1.12;

/// The text, cut with `…` if it is wider than `most` pixels.
pub(crate) fn fitted(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    while !kept.is_empty() && width(&kept.iter().collect::<String>(), size) + size > most {
        kept.pop();
    }
    format!("{}…", kept.iter().collect::<String>().trim_end())
}

/// Texts that are cut so that they still differ: without the words that all begin with.
pub(super) fn fitted_apart(texts: &[String], size: f64, most: f64) -> Vec<String> {
    let cut = |from: usize| -> Vec<String> {
        let tails = texts.iter().map(|text| (from, &text[from..]));
        let marked = tails.map(|(from, tail)| match from {
            0 => tail.to_owned(),
            _ => format!("…{tail}"),
        });
        marked.map(|text| fitted(&text, size, most)).collect()
    };
    let whole = cut(0);
    let (Some(first), true) = (
        texts.first(),
        distinct(&whole).len() < distinct(texts).len(),
    ) else {
        return whole;
    };
    let is_common = |end: &usize| texts.iter().all(|text| text.starts_with(&first[..*end]));
    let ends = first.match_indices([' ', ':', ',', '-']);
    let ends = ends.map(|(at, sign)| at + sign.len());
    cut(ends.take_while(is_common).last().unwrap_or(0))
}

/// Breaks a text at blanks into lines that fit; a longer word gets a line.
pub(crate) fn broken(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text
        .split([' ', '\n', '\t'])
        .filter(|word| !word.is_empty())
    {
        match lines.last_mut() {
            Some(line) if fits(&format!("{line} {word}")) => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

pub(crate) fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let lines = broken(text, |line| width(line, size) <= most);
    lines.iter().map(|line| fitted(line, size, most)).collect()
}

/// The places of a legend's keys from its upper left corner: each name stands `before` right of its place, and the keys
/// flow into lines of this width, `row` apart.
pub(super) fn flow<'n>(
    names: impl Iterator<Item = &'n str>,
    before: f64,
    most: f64,
    row: f64,
) -> Vec<(f64, f64)> {
    const AFTER: f64 = 16.0;
    let (mut x, mut y) = (0.0, 0.0);
    let places = names.map(|name| {
        let own = before + width(name, LABEL) + AFTER;
        if x > 0.0 && x + own - AFTER > most {
            (x, y) = (0.0, y + row);
        }
        x += own;
        (x - own, y)
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_its_width() {
        assert_eq!(fitted("short", 12.0, 100.0), "short");
        let cut = fitted("a rather long name of a device", 12.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0) <= 110.0, "{cut}");
    }

    #[test]
    fn a_title_is_broken_at_blanks() {
        let lines = wrapped("one two three four five six", 12.0, 80.0);
        assert!(lines.len() > 1);
        assert_eq!(lines.join(" "), "one two three four five six");
    }
}
