//! The tokens of a Rust file, without its comments and without what only tests compile.

/// Begins items, in which a comma ends nothing.
const ITEMS: [&str; 14] = [
    "pub",
    "use",
    "mod",
    "fn",
    "struct",
    "enum",
    "union",
    "trait",
    "impl",
    "const",
    "static",
    "type",
    "unsafe",
    "macro_rules",
];

/// A file's tokens, and the modules that it declares for tests alone.
pub struct Tokens<'t> {
    pub all: Vec<&'t str>,
    pub tests: Vec<&'t str>,
}

impl<'t> Tokens<'t> {
    /// Reads a file.
    pub fn of(text: &'t str) -> Tokens<'t> {
        let whole = split(text);
        let (mut all, mut tests) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < whole.len() {
            if is_for_tests(&whole[at..]) {
                let item = after_attributes(&whole, at);
                let end = after_item(&whole, item);
                if let [.., "mod", name, ";"] = whole[item..end] {
                    tests.push(name);
                }
                at = end;
            } else {
                all.push(whole[at]);
                at += 1;
            }
        }
        Tokens { all, tests }
    }
}

/// Whether a token is a name or a keyword.
pub fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The place after the bracket that closes the one at `at`.
pub fn after_group(tokens: &[&str], at: usize) -> usize {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

fn is_for_tests(tokens: &[&str]) -> bool {
    let rest = match tokens {
        ["#", "[", "cfg", "(", rest @ ..] => rest,
        _ => return false,
    };
    matches!(rest, ["test", ")", ..] | ["all", "(", "test", ..])
}

fn after_attributes(tokens: &[&str], at: usize) -> usize {
    let mut at = at;
    while tokens.get(at) == Some(&"#") {
        at = after_group(tokens, at + 1);
    }
    at
}

/// The place after the item, the field or the statement that begins at `at`.
fn after_item(tokens: &[&str], at: usize) -> usize {
    let is_item = tokens.get(at).is_some_and(|first| ITEMS.contains(first));
    let mut is_use = false;
    let mut at = at;
    while at < tokens.len() {
        match tokens[at] {
            ";" => return at + 1,
            "," if !is_item => return at + 1,
            "}" => return at,
            "{" if !is_use => return after_group(tokens, at),
            "(" | "[" | "{" => at = after_group(tokens, at),
            token => {
                is_use |= token == "use";
                at += 1;
            }
        }
    }
    at
}

fn split(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, after) = rest.split_at(length(rest));
        if !token.starts_with("//") && !token.starts_with("/*") {
            tokens.push(token);
        }
        rest = after.trim_start();
    }
    tokens
}

/// Bytes of the first token.
fn length(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return comment(text);
    }
    if text.starts_with("::") {
        return 2;
    }
    if let Some(length) = raw_string(text) {
        return length;
    }
    match text.chars().next() {
        Some('"') => quoted(text, '"'),
        Some('\'') => {
            let mut inside = text[1..].chars();
            match (inside.next(), inside.next()) {
                (Some('\\'), _) | (_, Some('\'')) => quoted(text, '\''),
                // A lifetime.
                _ => 1 + word(&text[1..]),
            }
        }
        Some(first) if first.is_alphanumeric() || first == '_' => word(text),
        first => first.map_or(0, char::len_utf8),
    }
}

fn word(text: &str) -> usize {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.find(|letter| !is_part(letter)).unwrap_or(text.len())
}

fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn raw_string(text: &str) -> Option<usize> {
    let inside = ["br", "cr", "r"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))?;
    let opened = inside.trim_start_matches('#');
    let hashes = inside.len() - opened.len();
    let body = opened.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let closed = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(text.len() - body.len() + closed)
}

fn comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 {
            break;
        }
    }
    at
}
