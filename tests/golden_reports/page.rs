//! Reads a Markdown page: table rows by their labels, and sentences by their words.

use super::golden::{COLUMNS, Golden};

/// Maximum length of a word in an entry. Longer words, such as the list of a match's games, are truncated.
const LONG: usize = 60;

/// Adds the content of a page, except commands and pictures. Sentences without a number are added only if `every` is
/// set.
pub fn add(golden: &mut Golden, page: &str, text: &str, every: bool) {
    let (mut section, mut heading, mut title) = (String::new(), String::new(), String::new());
    let (mut fence, mut head, mut sides) = (false, Vec::new(), None);
    for line in text.lines() {
        if line.starts_with("```") {
            fence = !fence;
        } else if fence || line.starts_with("![") || line.starts_with("## ") {
        } else if line.starts_with("| ---") {
            sides = Some(fields(line));
        } else if line.starts_with('|') {
            let fields = fields(line);
            match &sides {
                None => head = fields,
                Some(sides) => {
                    let group = group(page, [&section, &heading, &title, &head[0]]);
                    row(golden, &group, &head, sides, &fields);
                }
            }
        } else if line.is_empty() {
            if sides.take().is_some() {
                title.clear();
            }
        } else if let Some(id) = line.strip_prefix("<a id=\"") {
            section = id.split('"').next().unwrap_or_default().to_owned();
            (heading, title) = (String::new(), String::new());
        } else if let Some(own) = line.strip_prefix("### ") {
            (heading, title) = (plain(own), String::new());
        } else if let Some(own) = line.strip_prefix("<details><summary>") {
            title = plain(own.trim_end_matches("</summary>"));
        } else if line == "</details>" {
            title.clear();
        } else if let Some(own) = bold(line) {
            title = plain(own);
        } else {
            let group = group(page, [&section, &heading, &title, ""]);
            for sentence in plain(line).split_inclusive(". ").map(str::trim) {
                let (words, numbers) = parted(sentence);
                if every || !numbers.is_empty() {
                    golden.add(&group, &words, &[&numbers.join(" ")]);
                }
            }
        }
    }
}

/// Returns the name of a group: the page, and the headings above the line.
fn group(page: &str, parts: [&str; 4]) -> String {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    match parts.is_empty() {
        true => page.to_owned(),
        false => format!("{page}: {}", parts.join(" / ")),
    }
}

/// Converts a page of the site to Markdown: its tables, titles and texts. A number's hint precedes the number.
pub fn of_html(html: &str) -> String {
    let html = html.split_once("<main>").unwrap().1;
    let changes = [
        (r"<svg[^€]*?</svg>", ""),
        ("<section id=\"([^\"]*)\"[^>]*>", "\n<a id=\"$1\"></a>\n"),
        ("<h3>(.*?)</h3>", "\n### $1\n"),
        ("<label[^>]*>(.*?)</label>", "\n**$1**\n"),
        ("</tr></thead>", "\n| --- | ---: |"),
        ("<tr>", "\n| "),
        ("<td[^>]* title=\"([^\"]*)\"[^>]*>", "$1: "),
        ("</t[dh]>", " | "),
        ("</(p|li|h2|table|div)>", "\n"),
        ("<(?:/|[b-z]|a h)[^>]*>", ""),
    ];
    let change = |text: String, (from, to): (&str, &str)| {
        let from = regex_lite::Regex::new(from).unwrap();
        from.replace_all(&text, to).into_owned()
    };
    let text = changes.into_iter().fold(html.to_owned(), change);
    text.replace(" | \n", " |\n")
}

fn bold(line: &str) -> Option<&str> {
    let inside = line.strip_prefix("**")?.strip_suffix("**")?;
    (!inside.contains("**")).then_some(inside)
}

/// Adds a table row. Its labels are up to three words before its first number.
fn row(golden: &mut Golden, group: &str, head: &[String], sides: &[String], fields: &[String]) {
    let words = sides.iter().take_while(|side| !side.ends_with(':')).count();
    let labels = words.min(3).min(fields.len() - 1);
    let [head, fields] =
        [head, fields].map(|own| own.iter().map(String::as_str).collect::<Vec<_>>());
    let (labelled, mut texts) = (&fields[..labels], fields[labels..].to_vec());
    texts.extend(
        labelled
            .iter()
            .filter_map(|own| Some(own.split_once("<details>")?.1)),
    );
    let label: Vec<&str> = labelled
        .iter()
        .filter_map(|own| own.split("<details>").next())
        .collect();
    golden.add(group, COLUMNS, &head[labels..]);
    golden.add(group, &label.join("; "), &texts);
}

fn fields(line: &str) -> Vec<String> {
    let inside = line
        .strip_prefix("| ")
        .and_then(|own| own.strip_suffix(" |"));
    inside.unwrap_or(line).split(" | ").map(plain).collect()
}

/// Removes escapes and link targets.
fn plain(text: &str) -> String {
    let (mut out, mut letters) = (String::new(), text.chars().peekable());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.extend(letters.next()),
            '[' if text.contains("](") => {}
            ']' if letters.peek() == Some(&'(') => {
                letters.by_ref().find(|letter| *letter == ')');
            }
            letter => out.push(letter),
        }
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        .iter()
        .fold(out, |text, (from, to)| text.replace(from, to))
}

fn parted(sentence: &str) -> (String, Vec<String>) {
    let mut numbers = Vec::new();
    let words = sentence.split(' ').map(|word| {
        let number = word.trim_matches(|letter| "()[]{}*`,;:.±×~<>≥≤\"'".contains(letter));
        let is_number = |letter: char| letter.is_ascii_digit() || ",.%–-−‡§†x^".contains(letter);
        let begins = number
            .trim_start_matches(['-', '−'])
            .starts_with(|own: char| own.is_ascii_digit());
        // A board such as `8x8` is not a number.
        let is_board = number.contains('x') && !number.ends_with('x');
        if !begins || is_board || !number.chars().all(is_number) {
            let cut: String = word.chars().take(LONG).collect();
            return if cut == word { cut } else { cut + "…" };
        }
        numbers.push(number.to_owned());
        word.replacen(number, "#", 1)
    });
    (words.collect::<Vec<_>>().join(" "), numbers)
}

#[test]
fn reads_rows_by_label_and_sentences_by_words() {
    let page = "<a id=\"first\"></a>\n\n## Summary\n\nIt is 1.45 times faster (8x8, depth 12). No number.\n\n\
        **ours**\n\n| board | 1 |\n| --- | ---: |\n| [8\\_8](a/b) | **1.36**<br>[1.3–1.4] |\n\nAfter -2.\n";
    let mut golden = Golden::default();
    add(&mut golden, "page", page, false);
    let wanted = r##"{
"page: first": {
"After #.": "-2",
"It is # times faster (8x8, depth #).": "1.45 12"
},
"page: first / ours / board": {
"8_8": "**1.36**<br>[1.3–1.4]",
"columns": "1"
}
}
"##;
    assert_eq!(golden.json(), wanted);
}
