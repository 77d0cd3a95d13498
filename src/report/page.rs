//! Renders a report as one self-contained HTML page without scripts.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use pulldown_cmark::{Event, Parser};

use super::grid::{Document, Entry, Grid, Item, Section, Tone};

const STYLE: &str = include_str!("page.css");

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub(super) const PAGE: &str = "index.html";

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
                    @for (name, path) in &document.links { a href=(path) { (name) } }
                    @for section in document.sections.iter().filter(|section| !section.folded) {
                        a href={ "#" (section.id) } { (section.title) }
                    }
                }
                main { @for own in &document.sections { (section(own)) } }
                footer {
                    (document.made_from) " "
                    a href=(REPOSITORY) { "Repository" } " · "
                    a href={ (REPOSITORY) "#cite" } { "Cite" } " · "
                    a href={ (REPOSITORY) "/blob/main/docs/SUBMIT.md" } { "Send in your own results" }
                }
            }
        }
    }
    .into_string()
}

fn section(section: &Section) -> Markup {
    html! {
        section id=(section.id) class=[section.folded.then_some("folded")] {
            @if section.folded {
                details { summary { h2 { (section.title) } } (items(&section.items)) }
            } @else {
                h2 { (section.title) } (items(&section.items))
            }
        }
    }
}

fn items(items: &[Item]) -> Markup {
    html! {
        @for item in items {
            @match item {
                Item::Text(text) => (prose(text)),
                Item::Heading(text) => h3 { (text) },
                Item::Table(grid) => (table(grid)),
                Item::Beside(tables) => div class="beside" {
                    @for (title, grid) in tables { div { h3 { (title) span class="swipe" { " · swipe for the other tables →" } } (table(grid)) } }
                },
                Item::Chart(chart) => {
                    figure class="scroll wide" tabindex="0" { (PreEscaped(&chart.svg)) }
                    figure class="scroll narrow" tabindex="0" { (PreEscaped(&chart.narrow)) }
                },
                Item::List(lines) => ul { @for line in lines { li { (line) } } },
                Item::Commands(lines) => pre class="scroll" tabindex="0" { code { (lines.join("\n")) } },
                Item::Folded(summary, inside) => details { summary { (summary) } (self::items(inside)) },
            }
        }
    }
}

fn table(grid: &Grid) -> Markup {
    let hover = |entry: &Entry| {
        let has_hint = !entry.word && !entry.small.is_empty();
        has_hint.then(|| entry.small.join("; "))
    };
    let label = |column: usize| grid.head.get(column).filter(|_| grid.is_cards);
    html! {
        div class="scroll" tabindex="0" {
            table class=[grid.is_cards.then_some("stack")] {
                thead { tr {
                    @for (column, name) in grid.head.iter().enumerate() {
                        // Keeps each arrow with the name before it, so that `board ↓ depth →` breaks after `↓`.
                        @let name = name.replace(" ↓", "\u{a0}↓").replace(" →", "\u{a0}→");
                        th scope="col" class=[grid.is_word(column).then_some("word")] { (name) }
                    }
                } }
                tbody {
                    @for row in &grid.rows { tr {
                        @for (column, entry) in row.iter().enumerate() {
                            @if column == 0 {
                                th scope="row" class=[class(entry, true)] { (lines(entry, false)) }
                            } @else {
                                td class=[class(entry, false)] title=[hover(entry)] data-label=[label(column)] data-cell=[&entry.cell] {
                                    (lines(entry, grid.is_cards))
                                }
                            }
                        }
                    } }
                }
            }
        }
    }
}

/// Renders an entry's lines. A card also shows the interval of a ratio, because a phone cannot hover.
fn lines(entry: &Entry, is_card: bool) -> Markup {
    let is_ratio = !matches!(entry.tone, Tone::Plain | Tone::Missing | Tone::Bad);
    html! {
        @match &entry.link {
            Some(link) => a href=(link) { (entry.main) },
            None => (entry.main),
        }
        @if entry.word {
            @for line in &entry.small { small { (line) } }
        } @else if let Some(interval) = entry.small.first().filter(|_| is_card && is_ratio) {
            small { (interval) }
        }
        @if let Some((title, lines)) = &entry.fold {
            details class="more" { summary { (title) } @for line in lines { p { (line) } } }
        }
    }
}

/// Returns the CSS classes of a cell or a row's heading. Long texts wrap, and long names get more width on a phone.
fn class(entry: &Entry, is_heading: bool) -> Option<String> {
    /// In the order of [`Tone`].
    const TONES: [&str; 7] = ["", "faster", "slower", "tie", "few", "missing", "bad"];
    const NAME: usize = 18;
    const LONG: usize = 36;
    let length = entry.main.chars().count();
    let size = match entry.word {
        true if length > LONG || entry.main.ends_with('.') => "long",
        true if is_heading && length > NAME => "name",
        _ => "",
    };
    let tone = TONES[entry.tone as usize];
    let is_toned = size != "long" && (!is_heading || entry.tone == Tone::Bad);
    let word = if entry.word { "word" } else { "" };
    let mut classes = vec![if is_toned { tone } else { "" }, word, size];
    classes.retain(|class| !class.is_empty());
    Some(classes.join(" ")).filter(|classes| !classes.is_empty())
}

/// Renders a text in Markdown. HTML in the text is shown literally.
fn prose(text: &str) -> PreEscaped<String> {
    let events = Parser::new(text).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        event => event,
    });
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, events);
    PreEscaped(out)
}
