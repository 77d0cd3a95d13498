//! The report as GitHub-flavoured Markdown. Charts are links into `charts/`.

use std::fmt::Write as _;

use super::grid::{Document, Entry, Grid, Item, Tone};

/// The whole report.
pub(crate) fn render(document: &Document) -> String {
    let mut out = format!("# {}\n", escaped(&document.title));
    out.push('\n');
    for line in &document.lead {
        push(&mut out, format_args!("- {}\n", escaped(line)));
    }
    for section in &document.sections {
        push(&mut out, format_args!("\n## {}\n", escaped(&section.title)));
        items(&mut out, &section.items);
    }
    out
}

fn items(out: &mut String, items: &[Item]) {
    for item in items {
        out.push('\n');
        match item {
            Item::Text(text) if text.is_empty() => {
                out.pop();
            }
            // The texts are Markdown already.
            Item::Text(text) => push(out, format_args!("{}\n", text.trim())),
            Item::Heading(text) => push(out, format_args!("### {}\n", escaped(text))),
            Item::Table(grid) => table(out, grid),
            Item::Chart(chart) => {
                push(
                    out,
                    format_args!("![{}](charts/{}.svg)\n", escaped(&chart.title), chart.id),
                );
            }
            Item::List(lines) => {
                for line in lines {
                    push(out, format_args!("- {}\n", escaped(line)));
                }
            }
            Item::Commands(lines) => push(out, format_args!("```sh\n{}\n```\n", lines.join("\n"))),
            Item::Folded(summary, inside) => {
                push(
                    out,
                    format_args!("<details><summary>{}</summary>\n", escaped(summary)),
                );
                self::items(out, inside);
                out.push_str("\n</details>\n");
            }
        }
    }
}

fn table(out: &mut String, grid: &Grid) {
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
        let cells: Vec<String> = row.iter().map(cell).collect();
        push(out, format_args!("| {} |\n", cells.join(" | ")));
    }
}

fn cell(entry: &Entry) -> String {
    let mut text = escaped(&entry.main);
    if matches!(
        entry.tone,
        Tone::Faster | Tone::Slower | Tone::Tie | Tone::Bad
    ) {
        text = format!("**{text}**");
    }
    for line in &entry.small {
        text += "<br>";
        text += &escaped(line);
    }
    text
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
        assert_eq!(cell(&entry), "a\\|b<br>&lt;x&gt; y");
    }

    #[test]
    fn numbers_stand_to_the_right() {
        let mut grid = Grid::new(["board", "1"]);
        grid.rows.push(vec![
            Entry::word("8x8"),
            Entry::number("0.136").tone(Tone::Slower),
        ]);
        let mut out = String::new();
        table(&mut out, &grid);
        assert_eq!(out, "| board | 1 |\n| --- | ---: |\n| 8x8 | **0.136** |\n");
    }
}
