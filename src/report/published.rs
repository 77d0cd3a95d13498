//! The numbers that a paper printed, from `published/` of the run folder or `reports/published/`.
//!
//! The files are in long form, one number a row, in the column `value`. The other columns say where
//! it belongs: an axis or a parameter of a technique by its name, `technique`, `baseline`,
//! `quantity`; and what it is: `unit` (`s`, `ms`, `us`, `ns`) for a time, `note` where something is
//! odd about it. A column that is none of these is for readers. Lines that begin with `#` are
//! comments. A number without a unit is in the one in which this program keeps the quantity: ratios
//! as they are, times in ns, rates a second. An empty `value` is a cell that the paper left empty.

use std::path::{Path, PathBuf};

use crate::config::{Quantity, TechniqueChoice, TimeUnit};
use crate::words::Case;

/// How the name of a technique ends that is the paper's program.
pub(crate) const AS_PUBLISHED: &str = "-as-published";
/// How the name of a technique ends that stands for the one without: the paper's program, and one whose kernels the host
/// enqueues.
const IN_PLACE: [&str; 2] = [AS_PUBLISHED, "-by-host"];

/// One number of a paper.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Published {
    /// In the unit in which this program keeps the quantity.
    pub value: f64,
    /// What is odd about it; empty for most.
    pub note: String,
    /// Not printed so: the ratio of two times that were.
    pub derived: bool,
}

/// What a cell of a report is about, as far as a paper may have a number for it.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub quantity: &'a Quantity,
    /// The label of the baseline, and its entry in the experiment.
    pub baseline: Option<&'a TechniqueChoice>,
    /// `None` for facts.
    pub technique: Option<&'a TechniqueChoice>,
    /// Axes and their values; those that it lacks are not compared.
    pub case: &'a Case,
}

/// One published table.
#[derive(Clone, Debug)]
pub(crate) struct PublishedTable {
    /// Where it was found, as a reader may look it up: `published/reversi/table-2.csv`.
    pub source: String,
    columns: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    /// By the table's columns, `value`, `unit` and `note` left out.
    place: Vec<String>,
    value: f64,
    /// Whether its unit is one of time.
    is_time: bool,
    note: String,
}

/// Where a file about a paper is, and how a reader may look it up: in the run folder's `published/`,
/// or else in `reports/published/` under the current directory. `None` where it is in neither.
fn locate(run_folder: &Path, name: &str) -> Option<(PathBuf, String)> {
    let places = [
        (run_folder.join("published"), "published"),
        (PathBuf::from("reports/published"), "reports/published"),
    ];
    places.into_iter().find_map(|(folder, shown)| {
        let path = folder.join(name);
        path.is_file().then(|| (path, format!("{shown}/{name}")))
    })
}

/// What a file about a paper says; `None` where there is none. What is wrong with it goes to `warnings`.
pub(crate) fn read<T>(
    run_folder: &Path,
    name: &str,
    warnings: &mut Vec<String>,
    parse: impl FnOnce(&str, &str) -> Result<T, String>,
) -> Option<T> {
    let (path, source) = locate(run_folder, name)?;
    let text = crate::words::read_text(&path).map_err(|error| error.to_string());
    let read = text.and_then(|text| parse(&text, &source));
    let read = read.map_err(|error| warnings.push(format!("{source}: {error}")));
    read.ok()
}

/// Reads a file of numbers, whose lines that begin with `#` are comments.
pub(crate) fn reader(text: &str) -> csv::Reader<&[u8]> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.comment(Some(b'#')).trim(csv::Trim::All);
    reader.from_reader(text.as_bytes())
}

/// The paper's number for one cell: the first that the tables print for it. A speed-up that none
/// prints is the baseline's time over the technique's, where they print both.
pub(crate) fn find(tables: &[PublishedTable], wanted: Wanted<'_>) -> Option<Published> {
    let printed = |wanted: Wanted<'_>| tables.iter().find_map(|table| table.row(wanted));
    if let Some(row) = printed(wanted) {
        return Some(Published {
            value: row.value,
            note: row.note.clone(),
            derived: false,
        });
    }
    let itself = wanted.technique.map(|own| &own.label) == wanted.baseline.map(|own| &own.label);
    if *wanted.quantity != Quantity::Speedup || itself {
        return None;
    }
    let time = |technique: Option<&TechniqueChoice>| {
        printed(Wanted {
            quantity: &Quantity::Time,
            baseline: None,
            technique: Some(technique?),
            case: wanted.case,
        })
        // Without a unit it may be anything.
        .filter(|row| row.is_time && row.value > 0.0)
    };
    let (own, base) = (time(wanted.technique)?, time(wanted.baseline)?);
    // The paper's program and ours in its place.
    if std::ptr::eq(own, base) {
        return None;
    }
    let mut notes = [&own.note, &base.note].map(String::as_str).to_vec();
    notes.retain(|note| !note.is_empty());
    notes.dedup();
    Some(Published {
        value: base.value / own.value,
        note: notes.join("; "),
        derived: true,
    })
}

impl PublishedTable {
    /// Reads the file that a table or chart names. The error is a warning: a report without it is still a report.
    pub(crate) fn find(run_folder: &Path, name: &str) -> Result<Self, String> {
        let (path, source) = locate(run_folder, name).ok_or_else(|| {
            format!(
                "published table {name}: neither in the run folder's published/ nor in \
                 reports/published/; the paper's numbers are missing from this report"
            )
        })?;
        let text = crate::words::read_text(&path);
        let text = text.map_err(|error| format!("published table {source}: {error}"))?;
        Self::parse(&text, source)
    }

    /// Reads the text of a published table.
    pub(crate) fn parse(text: &str, source: String) -> Result<Self, String> {
        let mut reader = reader(text);
        let wrong = |what: String| format!("published table {source}: {what}");
        let unread = |error: csv::Error| wrong(error.to_string());
        let header = reader.headers().map_err(unread)?.clone();
        let at = |name: &str| header.iter().position(|own| own == name);
        let value_at = at("value").ok_or_else(|| wrong("no column `value`".to_owned()))?;
        let (unit_at, note_at) = (at("unit"), at("note"));
        let pick = |record: &csv::StringRecord| -> Vec<String> {
            let others = [Some(value_at), unit_at, note_at];
            let fields = record.iter().enumerate();
            let own = fields.filter(|(at, _)| !others.contains(&Some(*at)));
            own.map(|(_, text)| text.to_owned()).collect()
        };
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(unread)?;
            let field = |at: Option<usize>| at.and_then(|at| record.get(at)).unwrap_or_default();
            let text = field(Some(value_at));
            if text.is_empty() {
                continue;
            }
            let line = record.position().map_or(0, csv::Position::line);
            let unit = match field(unit_at) {
                "" => None,
                word => Some(TimeUnit::parse(word).ok_or_else(|| {
                    let words = TimeUnit::WORDS.join(", ");
                    wrong(format!("line {line}: unit `{word}`; allowed: {words}"))
                })?),
            };
            // Scaled as text, so that 0.00019 s are 190,000 ns and not a little more.
            let exponent = unit.map_or(String::new(), |unit| format!("e{}", unit.exponent()));
            let value = format!("{text}{exponent}").parse::<f64>().ok();
            rows.push(Row {
                value: value
                    .filter(|value| value.is_finite())
                    .ok_or_else(|| wrong(format!("line {line}: value `{text}` is not a number")))?,
                place: pick(&record),
                is_time: unit.is_some(),
                note: field(note_at).to_owned(),
            });
        }
        Ok(PublishedTable {
            columns: pick(&header),
            source,
            rows,
        })
    }

    /// The row for one cell. A column on which the cell has no place is not compared, and neither
    /// is an empty field. A time of which the table does not say what it is, is a whole one.
    fn row(&self, wanted: Wanted<'_>) -> Option<&Row> {
        self.rows.iter().find(|row| {
            let fits = |(column, own): (&String, &String)| own.is_empty() || wanted.is(column, own);
            let is_like = match row.is_time {
                true if self.columns.iter().any(|name| name == "quantity") => true,
                true => wanted.quantity.is_whole_time(),
                false => true,
            };
            is_like && self.columns.iter().zip(&row.place).all(fits)
        })
    }
}

impl Wanted<'_> {
    /// Whether the cell has this value in a column, or nothing to compare with it. A paper's number is held against the
    /// technique of that name, and against those that are named after it ([`IN_PLACE`]).
    fn is(&self, column: &str, value: &str) -> bool {
        let named = |choice: &TechniqueChoice| {
            let technique = choice.technique.as_str();
            let in_place = |end: &&str| technique.strip_suffix(*end) == Some(value);
            choice.label == value || technique == value || IN_PLACE.iter().any(in_place)
        };
        match column {
            "technique" => self.technique.is_none_or(named),
            "baseline" => self.baseline.is_none_or(named),
            "quantity" => self.quantity.is_called(value),
            name => {
                let params = self.technique.map(|choice| &choice.params);
                let own = self.case.get(name);
                own.or_else(|| params.and_then(|params| params.get(name)))
                    .is_none_or(|own| own.to_string() == value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Value;

    const TEXT: &str =
        "# Table 2\nboard,depth,value,note\n8x8,1,0.136,\n8x8,2,,\n16x8,1,0.246,odd\n";

    fn case(board: &str, depth: i64) -> Case {
        Case(vec![
            ("board".into(), Value::Text(board.into())),
            ("depth".into(), Value::Int(depth)),
        ])
    }

    fn choice(name: &str, split: Option<i64>) -> TechniqueChoice {
        TechniqueChoice {
            technique: name.into(),
            label: format!("our-{name}"),
            params: split
                .map(|split| ("split".to_owned(), Value::Int(split)))
                .into_iter()
                .collect(),
            opponent: None,
            measured: true,
            only: Case::default(),
        }
    }

    fn wanted<'a>(
        quantity: &'a Quantity,
        technique: &'a TechniqueChoice,
        baseline: Option<&'a TechniqueChoice>,
        case: &'a Case,
    ) -> Wanted<'a> {
        Wanted {
            quantity,
            baseline,
            technique: Some(technique),
            case,
        }
    }

    #[test]
    fn a_number_is_found_by_its_axes() {
        let tables = [PublishedTable::parse(TEXT, "t".into()).unwrap()];
        let own = choice("x", None);
        let at = |board, depth| {
            let case = case(board, depth);
            find(&tables, wanted(&Quantity::Speedup, &own, None, &case))
        };
        assert_eq!(at("8x8", 1).unwrap().value, 0.136);
        assert_eq!(at("16x8", 1).unwrap().note, "odd");
        assert_eq!(at("8x8", 2), None);
        assert_eq!(at("8x8", 3), None);
    }

    #[test]
    fn times_are_read_in_their_unit_and_are_no_speedups() {
        let text = "technique,split,value,unit\nx,1,0.00019,s\nx,2,10.912,us\ny,,3,\n";
        let tables = [PublishedTable::parse(text, "t".into()).unwrap()];
        let case = case("8x8", 1);
        let of = |quantity: &Quantity, name: &str, split| {
            let own = choice(name, split);
            find(&tables, wanted(quantity, &own, None, &case)).map(|found| found.value)
        };
        assert_eq!(of(&Quantity::Time, "x", Some(1)), Some(190_000.0));
        assert_eq!(of(&Quantity::Time, "x", Some(2)), Some(10_912.0));
        assert_eq!(of(&Quantity::Time, "x", Some(3)), None);
        assert_eq!(of(&Quantity::Speedup, "x", Some(1)), None);
        assert_eq!(of(&Quantity::Speedup, "y", None), Some(3.0));
    }

    #[test]
    fn a_speedup_that_is_not_printed_is_the_ratio_of_the_times() {
        let old = "technique,board,value,unit,note\nold,8x8,4,s,\nold,16x16,9,s,slow\n";
        let new = "technique,board,value,unit,note\nnew,8x8,500,ms,\nnew,16x16,3,s,fast\n";
        let tables = [old, new].map(|text| PublishedTable::parse(text, "t".into()).unwrap());
        let (old, new, other) = (choice("old", None), choice("new", None), choice("z", None));
        let at = |board, base| {
            let case = case(board, 1);
            find(&tables, wanted(&Quantity::Speedup, &new, Some(base), &case))
        };
        let found = at("8x8", &old).unwrap();
        assert_eq!((found.value, found.derived), (8.0, true));
        let found = at("16x16", &old).unwrap();
        assert_eq!((found.value, found.note.as_str()), (3.0, "fast; slow"));
        assert_eq!(at("8x8", &other), None);
        assert_eq!(at("8x8", &new), None, "not over itself");
        let printed = "technique,baseline,value\nnew,old,7.9\nnew,z,2\n";
        let printed = PublishedTable::parse(printed, "t".into()).unwrap();
        let tables = [tables[0].clone(), tables[1].clone(), printed];
        let case = case("8x8", 1);
        let of = |base| find(&tables, wanted(&Quantity::Speedup, &new, Some(base), &case));
        let found = of(&old).unwrap();
        assert_eq!((found.value, found.derived), (7.9, false));
        assert_eq!(of(&other).unwrap().value, 2.0);
    }

    #[test]
    fn a_number_is_held_against_the_papers_own_program_too() {
        let text = "technique,value,unit\nnaive,3,s\nbase,6,s\n";
        let tables = [PublishedTable::parse(text, "t".into()).unwrap()];
        let case = case("8x8", 1);
        let own = |name: &str| choice(name, None);
        let time = |name| find(&tables, wanted(&Quantity::Time, &own(name), None, &case));
        assert_eq!(time("naive-as-published"), time("naive"));
        assert_eq!(time("naive-by-host"), time("naive"));
        assert!(time("naive").is_some() && time("naive-too").is_none());
        let ratio = |over: &str| {
            let (mine, over) = (own("naive"), own(over));
            find(
                &tables,
                wanted(&Quantity::Speedup, &mine, Some(&over), &case),
            )
        };
        assert_eq!(ratio("base-as-published").unwrap().value, 2.0);
        assert_eq!(ratio("naive-as-published"), None, "the same number");
    }

    #[test]
    fn a_table_of_several_quantities_names_them() {
        let text = "quantity,technique,value,unit\ntime,x,2,s\npart:upload,x,5,us\nspeedup,x,3,\n";
        let tables = [PublishedTable::parse(text, "t".into()).unwrap()];
        let (own, case) = (choice("x", None), case("8x8", 1));
        let of = |word: &str| {
            let quantity = Quantity::parse(word).unwrap();
            find(&tables, wanted(&quantity, &own, None, &case)).map(|found| found.value)
        };
        assert_eq!(of("time"), Some(2e9));
        assert_eq!(of("part:upload"), Some(5e3));
        assert_eq!(of("part:kernel"), None);
        assert_eq!(of("speedup"), Some(3.0));
        assert_eq!(of("node-overhead"), None);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_by_line() {
        let refused = |text: &str| PublishedTable::parse(text, "t".into()).unwrap_err();
        assert_eq!(
            refused("board,value\n8x8,0.1\n16x8,fast\n"),
            "published table t: line 3: value `fast` is not a number"
        );
        assert_eq!(
            refused("board,value,unit\n8x8,0.1,min\n"),
            "published table t: line 2: unit `min`; allowed: s, ms, us, ns"
        );
        assert_eq!(
            refused("board,depth\n"),
            "published table t: no column `value`"
        );
    }
}
