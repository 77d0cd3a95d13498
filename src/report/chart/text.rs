//! Estimates the widths of texts and breaks lines.

pub(super) const LABEL: f64 = 12.5;

/// Estimates the width of a text in pixels. Assumes a wide font (Verdana, DejaVu Sans), because the font is unknown.
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

/// Cuts off a text with `…` if it is wider than `most` pixels.
pub(crate) fn fitted(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    while !kept.is_empty() && width(&kept, size) + size > most {
        kept.pop();
    }
    format!("{}…", kept.trim_end())
}

/// Cuts labels to fit. Labels that would look equal lose their beginning instead of their end.
pub(super) fn fitted_apart(texts: &[String], most: f64) -> Vec<String> {
    let cut: Vec<String> = texts.iter().map(|text| fitted(text, LABEL, most)).collect();
    let each = texts.iter().zip(&cut).map(|(text, short)| {
        let is_cut_alike = short != text && cut.iter().filter(|own| *own == short).count() > 1;
        let mut ends = text
            .char_indices()
            .map(|(at, _)| format!("…{}", &text[at..]));
        let end = ends.find(|end| is_cut_alike && width(end, LABEL) <= most);
        end.unwrap_or_else(|| short.clone())
    });
    each.collect()
}

/// Breaks a text at spaces into lines that fit. A word that does not fit has a line to itself.
pub(crate) fn broken(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_ascii_whitespace() {
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
