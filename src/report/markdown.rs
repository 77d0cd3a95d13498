//! Renders a report as GitHub-flavoured Markdown. Charts are links into `charts/`.

use super::grid::{Document, Entry, Grid, Item, Tone};

pub(super) const MARKDOWN: &str = "report.md";

pub(crate) fn render(document: &Document) -> String {
    let mut out = format!("# {}\n\n", escaped(&document.title));
    out += &list(&document.lead);
    for section in &document.sections {
        let (id, title) = (&section.id, escaped(&section.title));
        out += &format!("\n<a id=\"{id}\"></a>\n\n## {title}\n");
        out += &part(&section.items);
    }
    out
}

pub(crate) fn part(items: &[Item]) -> String {
    let shown = items.iter().map(|item| format!("\n{}", self::item(item)));
    shown.filter(|text| !text.trim().is_empty()).collect()
}

fn item(item: &Item) -> String {
    match item {
        Item::Text(text) => {
            let lines: Vec<String> = text.trim().lines().map(of_text).collect();
            lines.join("\n") + "\n"
        }
        Item::Heading(text) => format!("### {}\n", escaped(text)),
        Item::Table(grid) => table(grid),
        Item::Beside(tables) => {
            let named = |(title, grid): &(String, Grid)| {
                format!("**{}**\n\n{}", escaped(title), table(grid))
            };
            tables.iter().map(named).collect::<Vec<_>>().join("\n")
        }
        Item::Chart(chart) => format!("![{}](charts/{}.svg)\n", escaped(&chart.title), chart.id),
        Item::List(lines) => list(lines),
        Item::Commands(lines) => {
            // A name in a command may contain a fence.
            let lines: Vec<String> = lines.iter().map(|it| it.replace('\n', " ")).collect();
            let text = lines.join("\n");
            let mut fence = "```".to_owned();
            while text.contains(&fence) {
                fence.push('`');
            }
            format!("{fence}sh\n{text}\n{fence}\n")
        }
        Item::Folded(summary, inside) => {
            let (summary, inside) = (escaped(summary), part(inside));
            format!("<details><summary>{summary}</summary>\n{inside}\n</details>\n")
        }
    }
}

fn list(lines: &[String]) -> String {
    let lines = lines.iter().map(|line| format!("- {}\n", escaped(line)));
    lines.collect()
}

/// Escapes a line of Markdown text, so that no name in it can start a code block or an HTML element.
fn of_text(line: &str) -> String {
    if line.trim_start().starts_with("```") {
        return escaped(line);
    }
    let parts = line.split('`').enumerate().map(|(at, part)| match at % 2 {
        0 => part.replace('<', "&lt;"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

fn table(grid: &Grid) -> String {
    let side = |column| if grid.is_word(column) { "---" } else { "---:" };
    let head = grid.head.iter().map(|name| escaped(name)).collect();
    let sides = (0..grid.head.len()).map(|column| side(column).to_owned());
    let rows = grid.rows.iter().map(|row| row.iter().map(cell).collect());
    let lines = [head, sides.collect()].into_iter().chain(rows);
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    lines.map(line).collect()
}

fn cell(entry: &Entry) -> String {
    let mut text = escaped(&entry.main);
    if let Some(link) = &entry.link {
        text = format!("[{text}]({link})");
    }
    // Markdown does not have colours, so certain speedups and errors are bold.
    if matches!(entry.tone, Tone::Faster | Tone::Bad) {
        text = format!("**{text}**");
    }
    for line in &entry.small {
        text += &format!("<br>{}", escaped(line));
    }
    if let Some((title, lines)) = &entry.fold {
        let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        let (title, lines) = (escaped(title), lines.join("<br>"));
        text += &format!("<details><summary>{title}</summary>{lines}</details>");
    }
    text
}

/// Escapes a text, so that Markdown shows it unchanged, even inside a table.
fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for letter in text.chars() {
        match letter {
            '&' => shown += "&amp;",
            '<' => shown += "&lt;",
            '>' => shown += "&gt;",
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' => shown.extend(['\\', letter]),
            '\n' | '\r' => shown.push(' '),
            letter => shown.push(letter),
        }
    }
    shown
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
    fn a_cell_may_lead_somewhere_and_have_more_folded() {
        let entry = Entry::word("a").link("m/x#b");
        let entry = entry.fold("why", vec!["b|c".into()]);
        let expected = "[a](m/x#b)<details><summary>why</summary>b\\|c</details>";
        assert_eq!(cell(&entry), expected);
    }
}
