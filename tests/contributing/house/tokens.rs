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

/// A comment, a string, a character, a lifetime, a word or another letter.
const TOKEN: &str = r###"(?s)//[^\n]*|/\*.*?\*/|[bc]?r"[^"]*"|[bc]?r#".*?"#|[bc]?r##".*?"##|"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'|'\w+|::|\w+|\S"###;

fn split(text: &str) -> Vec<&str> {
    let token = regex_lite::Regex::new(TOKEN).expect("a pattern");
    let tokens = token.find_iter(text).map(|found| found.as_str());
    let is_code = |token: &&str| !token.starts_with("//") && !token.starts_with("/*");
    tokens.filter(is_code).collect()
}
