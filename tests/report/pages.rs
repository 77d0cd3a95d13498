//! Tests a report's Markdown, web page and charts.

use plybench::report::RunData;
use plybench::results::{Invocation, Selection};
use plybench::words::{Limit, Reason, Timer, Warning};

use crate::fixture::*;

/// Fails unless every tag is closed in order and no text contains an unescaped `<` or `&`.
fn assert_well_formed(text: &str) {
    const VOID: [&str; 3] = ["meta", "br", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        if open.last() != Some(&"style") {
            for (at, _) in before.match_indices('&') {
                let entity = before[at..].split_once(';').map(|(name, _)| name);
                assert!(
                    entity.is_some_and(
                        |name| ["&amp", "&lt", "&gt", "&quot", "&apos"].contains(&name)
                    ),
                    "bare & in {before:?}"
                );
            }
        }
        let (tag, after) = after.split_once('>').expect("a tag that is never closed");
        rest = after;
        let name = tag.split_whitespace().next().unwrap_or_default();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "</{name}> out of turn");
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            let holds = name.chars().all(|c| c.is_ascii_alphanumeric());
            assert!(holds, "no tag: <{tag}>");
            open.push(name);
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
}

#[test]
fn the_page_is_well_formed_and_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(&eventful(folder.path()));
    assert_well_formed(&page);
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    // Ignore the links at the end of the page, because the browser does not load their targets.
    let without_names = without_names.replace("<a href=\"https://github.com/plybench/plybench", "");
    for foreign in ["http", "src=", "<script", "<link", "url(", "@import"] {
        assert!(!without_names.contains(foreign), "{foreign}");
    }
    assert!(page.contains("prefers-color-scheme: dark"));
    assert!(page.contains("Imagined &lt;GPU&gt; &amp; Sons"));
    assert!(!page.contains("Imagined <GPU>"));
}

#[test]
fn markdown_links_charts_that_exist_and_explains_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let text = markdown(&eventful(folder.path()));
    let charts: Vec<&str> = text
        .split("](charts/")
        .skip(1)
        .filter_map(|s| s.split(')').next())
        .collect();
    assert_eq!(charts.len(), 1);
    for chart in charts {
        let holds = folder.path().join("charts").join(chart).is_file();
        assert!(holds, "{chart}");
    }
    let part = "skipped<br>budget 60 s, predicted 310 s";
    assert!(text.contains(part), "{text}");
    assert!(text.contains("paper 2.00\\*<br>×2.00 |"), "{text}");
    assert!(text.contains("\n\n- 16x16, depth 1: odd\n"), "{text}");
    // In each table, all rows must have as many columns as the header.
    for block in text.split("\n\n").filter(|block| block.starts_with('|')) {
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        let head = columns(block.lines().next().unwrap());
        assert!(block.lines().all(|line| columns(line) == head), "{block}");
    }
}

#[test]
fn the_run_is_made_again_by_the_commands_that_made_it() {
    let (_folder, mut data) = fresh(eventful);
    let reproduce = |data: &RunData| {
        let text = markdown(data);
        let (_, section) = text.split_once("## Reproduce\n").unwrap();
        section.split_once("To repeat").unwrap().0.to_owned()
    };
    let first = "run configs/reversi.toml --case depth=1 --cell-budget 5s";
    let second = "run configs/reversi.toml --technique '^rayon$'";
    let made_by = |data: &mut RunData, selections: &[Selection]| {
        let own = data.environment.invocations.first().cloned();
        let own = own.unwrap_or_default();
        let invocation = |selection: &Selection| Invocation {
            selection: selection.clone(),
            ..own.clone()
        };
        data.environment.invocations = selections.iter().map(invocation).collect();
    };
    let one = Selection {
        cases: vec!["depth=1".into()],
        ..selection("--cell-budget 5s")
    };
    let other = Selection {
        technique: Some("^rayon$".into()),
        ..Selection::default()
    };
    made_by(&mut data, &[one.clone(), one.clone()]);
    let expected = format!(
        "\nThe commands of the run, at revision `abc1234`:\n\n```sh\n./scripts/bench {first}\n```\n\n"
    );
    assert_eq!(reproduce(&data), expected);
    made_by(&mut data, &[one.clone(), one, other]);
    let expected = format!(
        "\nThe commands of the run, at revision `abc1234`:\n\n\
             ```sh\n./scripts/bench {first}\n./scripts/bench {second}\n```\n\n"
    );
    assert_eq!(reproduce(&data), expected);
    made_by(&mut data, &[]);
    assert!(reproduce(&data).contains("```sh\n./scripts/bench run configs/reversi.toml\n```"));
}

#[test]
fn warnings_are_counted() {
    let (_folder, mut data) = fresh(eventful);
    for row in data.measurements.iter_mut().take(2) {
        row.cell.technique = "serial".into();
    }
    for (row, busy, half_width) in [(0, 0.89, 0.05), (1, 0.93, 0.06)] {
        let row = &mut data.measurements[row];
        let warnings = [Warning::Quota(1.5, 2), Warning::Busy(busy)];
        row.warnings = warnings.each_ref().map(Warning::to_string).join("; ");
        row.warning_codes = Some(warnings.into());
        let wide = Reason::Wide {
            half_width: Some(half_width),
            target: 0.02,
            limit: Limit::Passes(5),
        };
        row.reason = wide.to_string();
        row.reason_code = Some(wide);
    }
    data.measurements[1].cell.case = case("8x8", 2).to_string();
    data.measurements.swap_remove(6);
    data.environment.devices[0].timer = Timer::Untrusted("resolution 0".into());
    data.warnings
        .push("samples.csv: last line was cut off".into());
    let page = page(&data);
    let busy = "<strong>Busy host:</strong> other programs or the hypervisor took 89 to 93 % of the processor during 2 cells.";
    assert!(page.contains(busy), "{page}");
    for line in [
        "<li>samples.csv: last line was cut off</li>",
        "<li>Imagined &lt;GPU&gt; &amp; Sons: timer: resolution 0</li>",
        "<li>serial: 2 cells, for example CPU quota: 1.5 of 2 processors may be used (raise the quota or give --threads)</li>",
        "<li>serial: 2 cells, for example ±5.0 %, not ±2.0 %, after 5 passes</li>",
    ] {
        assert!(page.contains(line), "{line}");
    }
}

#[test]
fn a_run_that_has_just_begun_has_a_report() {
    let (_folder, data) = fresh(empty);
    let page = page(&data);
    assert_well_formed(&page);
    assert!(page.contains("Not finished: 15 of 15 cells are still to be measured."));
    assert!(page.contains("not measured"));
}

#[test]
fn a_table_may_have_the_id_of_a_chart_or_of_a_section() {
    let (folder, mut data) = fresh(eventful);
    data.experiment.tables[0].id = "missing".into();
    data.experiment.charts[0].id = "missing".into();
    let page = page(&data);
    for id in ["missing", "missing-2", "missing-3"] {
        let found = page.matches(&format!("<section id=\"{id}\"")).count();
        assert_eq!(found, 1, "{id}");
    }
    assert!(folder.path().join("charts/missing-2.svg").is_file());
}
