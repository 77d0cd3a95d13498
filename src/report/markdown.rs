//! The report as GitHub-flavoured Markdown. Charts are links into `charts/`.

use std::fmt::Write as _;

use super::grid::{Document, Entry, Grid, Item, Link, Tone};
use super::prose::{Span, spans};

/// The Markdown, by name in the run folder.
pub(super) const MARKDOWN: &str = "report.md";

/// The whole report. Each section has an anchor, for links name it by its id.
pub(crate) fn render(document: &Document) -> String {
    let mut out = format!("# {}\n", escaped(&document.title));
    out.push('\n');
    for line in &document.lead {
        push(&mut out, format_args!("- {}\n", escaped(line)));
    }
    for section in &document.sections {
        push(&mut out, format_args!("\n<a id=\"{}\"></a>\n", section.id));
        push(&mut out, format_args!("\n## {}\n", escaped(&section.title)));
        items(&mut out, &section.items, "");
    }
    out
}

/// Parts of a report for a page in another folder; `to` is the way from there to the report's own,
/// empty or with a slash at its end.
pub(crate) fn part(items: &[Item], to: &str) -> String {
    let mut out = String::new();
    self::items(&mut out, items, to);
    out
}

fn items(out: &mut String, items: &[Item], to: &str) {
    for item in items {
        out.push('\n');
        match item {
            Item::Text(text) if text.is_empty() => {
                out.pop();
            }
            Item::Text(text) => {
                let lines: Vec<String> = text.trim().lines().map(of_text).collect();
                push(out, format_args!("{}\n", lines.join("\n")));
            }
            Item::Heading(text) => push(out, format_args!("### {}\n", escaped(text))),
            Item::Table(grid) => table(out, grid, to),
            Item::Beside(tables) | Item::Switch(tables) => {
                for (at, (title, grid)) in tables.iter().enumerate() {
                    let break_before = if at == 0 { "" } else { "\n" };
                    push(
                        out,
                        format_args!("{break_before}**{}**\n\n", escaped(title)),
                    );
                    table(out, grid, to);
                }
            }
            Item::Cards(cards) => {
                for card in cards {
                    let title = format!("[{}]({})", escaped(&card.title), href(&card.link, to));
                    let lines: Vec<String> = card.lines.iter().map(|line| escaped(line)).collect();
                    push(out, format_args!("- {title}: {}\n", lines.join(" ")));
                }
            }
            Item::Chart(chart) => {
                push(
                    out,
                    format_args!(
                        "![{}]({to}charts/{}.svg)\n",
                        escaped(&chart.title),
                        chart.id
                    ),
                );
            }
            Item::List(lines) => {
                for line in lines {
                    push(out, format_args!("- {}\n", escaped(line)));
                }
            }
            Item::Commands(lines) => {
                // A name in a command may have a fence of its own.
                let lines: Vec<String> = lines.iter().map(|it| it.replace('\n', " ")).collect();
                let text = lines.join("\n");
                let mut fence = "```".to_owned();
                while text.contains(&fence) {
                    fence.push('`');
                }
                push(out, format_args!("{fence}sh\n{text}\n{fence}\n"));
            }
            Item::Folded(summary, inside) => {
                push(
                    out,
                    format_args!("<details><summary>{}</summary>\n", escaped(summary)),
                );
                self::items(out, inside, to);
                out.push_str("\n</details>\n");
            }
        }
    }
}

/// A line of a text, which is Markdown already, but for the names in it: none may begin a block of code or an
/// element of HTML.
fn of_text(line: &str) -> String {
    if line.trim_start().starts_with("```") {
        return escaped(line);
    }
    let spans = spans(line).into_iter().map(|span| match span {
        Span::Plain(text) => text.replace('<', "&lt;"),
        Span::Bold(text) => format!("**{}**", text.replace('<', "&lt;")),
        Span::Code(text) => format!("`{text}`"),
        Span::Break => String::new(),
    });
    spans.collect()
}

fn table(out: &mut String, grid: &Grid, to: &str) {
    let head: Vec<String> = grid.head.iter().map(|name| escaped(name)).collect();
    push(out, format_args!("| {} |\n|", head.join(" | ")));
    for column in 0..grid.head.len() {
        out.push_str(if grid.is_word(column) {
            " --- |"
        } else {
            " ---: |"
        });
    }
    out.push('\n');
    for row in &grid.rows {
        let cells: Vec<String> = row.iter().map(|entry| cell(entry, to)).collect();
        push(out, format_args!("| {} |\n", cells.join(" | ")));
    }
}

fn cell(entry: &Entry, to: &str) -> String {
    let mut text = escaped(&entry.main);
    if let Some(link) = &entry.link {
        text = format!("[{text}]({})", href(link, to));
    }
    // Markdown has no colours: bold is what is faster for sure, and what went wrong.
    if matches!(entry.tone, Tone::Faster | Tone::Bad) {
        text = format!("**{text}**");
    }
    for line in &entry.small {
        text += "<br>";
        text += &escaped(line);
    }
    if let Some((title, lines)) = &entry.fold {
        let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        text += &format!(
            "<details><summary>{}</summary>{}</details>",
            escaped(title),
            lines.join("<br>")
        );
    }
    text
}

fn href(link: &Link, to: &str) -> String {
    let (file, section) = match link {
        Link::Section(id) => (String::new(), Some(id)),
        Link::Page { folder, section } => (format!("{to}{folder}{MARKDOWN}"), section.as_ref()),
        Link::File(path) => (format!("{to}{path}"), None),
    };
    section.map_or(file.clone(), |id| format!("{file}#{id}"))
}

/// Text that Markdown shows as it stands, also inside a table.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' => {
                out.push('\\');
                out.push(letter);
            }
            '\n' | '\r' => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_break_its_table() {
        let entry = Entry::word("a|b").small("<x>\ny");
        assert_eq!(cell(&entry, ""), "a\\|b<br>&lt;x&gt; y");
    }

    #[test]
    fn a_cell_may_lead_somewhere_and_have_more_folded() {
        let link = Link::Page {
            folder: "m/x/".into(),
            section: Some("table-2".into()),
        };
        let entry = Entry::word("a").link(link).fold("why", vec!["b|c".into()]);
        assert_eq!(
            cell(&entry, "reports/"),
            "[a](reports/m/x/report.md#table-2)<details><summary>why</summary>b\\|c</details>"
        );
        let entry = Entry::word("a").link(Link::Section("b".into()));
        assert_eq!(cell(&entry, "reports/"), "[a](#b)");
        let entry = Entry::word("a").link(Link::File("b.csv".into()));
        assert_eq!(cell(&entry, "reports/"), "[a](reports/b.csv)");
    }

    #[test]
    fn numbers_stand_to_the_right() {
        let mut grid = Grid::new(["board", "1"]);
        grid.rows.push(vec![
            Entry::word("8x8"),
            Entry::number("1.36").tone(Tone::Faster),
        ]);
        grid.rows.push(vec![
            Entry::word("9x9"),
            Entry::number("0.136").tone(Tone::Slower),
        ]);
        let mut out = String::new();
        table(&mut out, &grid, "");
        assert_eq!(
            out,
            "| board | 1 |\n| --- | ---: |\n| 8x8 | **1.36** |\n| 9x9 | 0.136 |\n"
        );
    }
}
