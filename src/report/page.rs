//! The report as one HTML page that needs nothing else: style and charts inside, no script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::grid::{Document, Entry, Grid, Item, Link, Tone};
use super::prose::{self, Prose, Span};

const STYLE: &str = include_str!("page.css");

/// The page, by name in the run folder.
pub(super) const PAGE: &str = "index.html";

/// The whole page.
pub(crate) fn render(document: &Document) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (document.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (document.title) }
                    @for line in &document.lead { p { (line) } }
                }
                nav aria-label="Sections" {
                    @for section in &document.sections {
                        a href={ "#" (section.id) } { (section.title) }
                    }
                }
                main {
                    @for section in &document.sections {
                        section id=(section.id) {
                            h2 { (section.title) }
                            (items(&section.items))
                        }
                    }
                }
                footer { (document.made_from) }
            }
        }
    }
    .into_string()
}

fn items(items: &[Item]) -> Markup {
    html! {
        @for item in items {
            @match item {
                Item::Text(text) => (prose(text)),
                Item::Heading(text) => h3 { (text) },
                Item::Table(grid) => (table(grid)),
                Item::Chart(chart) => figure class="scroll" tabindex="0" { (PreEscaped(&chart.svg)) },
                Item::List(lines) => ul { @for line in lines { li { (line) } } },
                Item::Commands(lines) => pre class="scroll" tabindex="0" { code { (lines.join("\n")) } },
                Item::Folded(summary, inside) => details {
                    summary { (summary) }
                    (self::items(inside))
                },
            }
        }
    }
}

fn table(grid: &Grid) -> Markup {
    html! {
        div class="scroll" tabindex="0" {
            table {
                thead {
                    tr {
                        @for (column, name) in grid.head.iter().enumerate() {
                            th scope="col" class=[grid.is_word(column).then_some("word")] { (unbroken(name)) }
                        }
                    }
                }
                tbody {
                    @for row in &grid.rows {
                        tr {
                            @for (column, entry) in row.iter().enumerate() {
                                @if column == 0 {
                                    th scope="row" class=(row_class(entry)) { (lines(entry)) }
                                } @else {
                                    td class=[class(entry)] data-again[entry.command.is_some()] {
                                        (lines(entry))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn lines(entry: &Entry) -> Markup {
    html! {
        @match &entry.link {
            Some(link) => a href=(href(link)) { (entry.main) },
            None => (entry.main),
        }
        @for line in &entry.small { small { (line) } }
        @if let Some(command) = &entry.command {
            details class="again" { summary { "command" } code { (command) } }
        }
    }
}

/// A column's name whose arrows stay with their words: `board ↓ depth →` breaks in the middle.
fn unbroken(name: &str) -> String {
    name.replace(" ↓", "\u{a0}↓").replace(" →", "\u{a0}→")
}

/// Relative, so that the folders can be moved together.
fn href(link: &Link) -> String {
    let (file, section) = match link {
        Link::Section(id) => (String::new(), Some(id)),
        Link::Run { folder, section } | Link::Whole { folder, section } => {
            (format!("{folder}{}", PAGE), section.as_ref())
        }
    };
    section.map_or(file.clone(), |id| format!("{file}#{id}"))
}

fn row_class(entry: &Entry) -> &'static str {
    /// Names of more characters than this are broken into lines on a phone, where they would leave no
    /// room for the numbers.
    const NAME: usize = 18;
    match (entry.tone, is_long(entry)) {
        (Tone::Bad, _) => "bad word",
        (_, true) => "word long",
        _ if entry.main.chars().count() > NAME => "word name",
        _ => "word",
    }
}

/// Whether an entry is broken into lines: a sentence, or words of more than so many characters.
fn is_long(entry: &Entry) -> bool {
    const LONG: usize = 36;
    entry.word && (entry.main.chars().count() > LONG || entry.main.ends_with('.'))
}

fn class(entry: &Entry) -> Option<&'static str> {
    if is_long(entry) {
        return Some("word long");
    }
    match (entry.tone, entry.word) {
        (Tone::Plain, false) => None,
        (Tone::Plain, true) => Some("word"),
        (Tone::Faster, false) => Some("faster"),
        (Tone::Faster, true) => Some("faster word"),
        (Tone::Slower, false) => Some("slower"),
        (Tone::Slower, true) => Some("slower word"),
        (Tone::Tie, false) => Some("tie"),
        (Tone::Tie, true) => Some("tie word"),
        (Tone::Few, false) => Some("few"),
        (Tone::Few, true) => Some("few word"),
        (Tone::Missing, false) => Some("missing"),
        (Tone::Missing, true) => Some("missing word"),
        (Tone::Bad, false) => Some("bad"),
        (Tone::Bad, true) => Some("bad word"),
    }
}

fn prose(text: &str) -> Markup {
    html! {
        @for part in prose::read(text) {
            @match part {
                Prose::Paragraph(spans) => p { (self::spans(&spans)) },
                Prose::List(items) => ul { @for spans in items { li { (self::spans(&spans)) } } },
            }
        }
    }
}

fn spans(spans: &[Span<'_>]) -> Markup {
    html! {
        @for span in spans {
            @match span {
                Span::Plain(text) => (text),
                Span::Code(text) => code { (text) },
                Span::Bold(text) => strong { (text) },
                Span::Break => " ",
            }
        }
    }
}
