//! Tables as CSV, for programs: one line a cell, numbers unformatted.

use super::block::Block;
use super::command;
use super::data::{Index, SERIAL};
use super::figure::{self, Figure};
use super::headline::Headline;
use super::known::{Known, Missing};
use super::naming;
use super::pairs;
use super::paper::one_line;
use super::rate;
use super::ratios::{self, ROLES, Ratio};
use crate::words::{Case, Status};

pub(super) type Csv = csv::Writer<Vec<u8>>;

/// One block: the axes, then `technique, baseline, device, quantity, ours, low, high, published,
/// ratio, baseline_median_ns, status, reason, published_note`.
///
/// `ours`, `low`, `high` and `published` are in the unit that `quantity` names; `ratio` is ours
/// over published, `published_note` what is odd about the published number. `status` is `ok`, `faster`, `slower` or `tie` where there is a number, else why
/// there is none.
pub(crate) fn of_block(index: &Index<'_>, block: &Block) -> Result<Vec<u8>, csv::Error> {
    let axes = &index.data.experiment.axes;
    let mut csv = writer(
        axes,
        &[
            "technique",
            "baseline",
            "device",
            "quantity",
            "ours",
            "low",
            "high",
            "published",
            "ratio",
            "baseline_median_ns",
            "status",
            "reason",
            "published_note",
        ],
    )?;
    let elsewhere = Figure::Missing(Missing::elsewhere());
    let cells = block.cells.iter().flatten();
    for cell in cells.filter(|cell| cell.figure != elsewhere) {
        let mut record = place(axes, &cell.case);
        record.push(cell.technique.clone());
        record.push(cell.baseline.clone());
        record.push(cell.device.clone());
        record.push(naming::column_name(&cell.quantity));
        let result = match &cell.figure {
            Figure::Known(known) => Ok(known.clone()),
            Figure::Missing(missing) => Err(missing.clone()),
        };
        let [ours, low, high, baseline, status, reason] = fields(&result);
        let published = cell.published.as_ref().map(|published| published.value);
        record.extend([
            ours,
            low,
            high,
            text(published),
            text(cell.ratio()),
            baseline,
            status,
            reason,
            cell.note().map_or(String::new(), one_line),
        ]);
        csv.write_record(&record)?;
    }
    finish(csv)
}

/// The headline: one line for each family, device (or the host) and role.
pub(crate) fn of_headline(
    index: &Index<'_>,
    headlines: &[Headline],
) -> Result<Vec<u8>, csv::Error> {
    let axes = &index.data.experiment.axes;
    let mut csv = writer(
        axes,
        &[
            "technique",
            "over",
            "baseline",
            "threads",
            "device",
            "median_ns",
            "positions",
            "speedup",
            "low",
            "high",
            "baseline_median_ns",
            "status",
            "reason",
        ],
    )?;
    for headline in headlines {
        let Some(best) = &headline.best else { continue };
        for ratio in &best.ratios {
            let mut record = place(axes, &best.case);
            record.push(best.technique.clone());
            record.extend(ratio.columns());
            record.push(headline.device.clone());
            record.push(best.median_ns.to_string());
            record.push(text(best.positions));
            record.extend(fields(&ratio.result));
            csv.write_record(&record)?;
        }
    }
    finish(csv)
}

/// Every cell, with its ratios over the roles, its speed-up over `serial` and the two factors of that; then its
/// id, to cite, and the command that measures it again, baselines beside it.
pub(crate) fn of_cells(index: &Index<'_>) -> Result<Vec<u8>, csv::Error> {
    let axes = &index.data.experiment.axes;
    let of_roles: Vec<String> = ROLES.into_iter().flat_map(ratios::names).collect();
    let mut columns: Vec<&str> = vec![
        "technique",
        "device",
        "status",
        "reason",
        "median_ns",
        "low_ns",
        "high_ns",
        "samples",
        "units",
        "nodes",
        "nodes_per_s",
        "speedup_over_serial",
        "speedup_low",
        "speedup_high",
        "node_overhead",
        "rate_ratio",
    ];
    columns.extend(of_roles.iter().map(String::as_str));
    columns.extend(["cell", "command"]);
    let mut csv = writer(axes, &columns)?;
    for (case, cell, row) in index.whole() {
        let mut record = place(axes, case);
        record.extend([cell.technique.to_owned(), cell.device.to_owned()]);
        match row {
            None => {
                let missing = if index.is_asked(&case.to_string(), cell.technique) {
                    Missing::not_measured()
                } else {
                    Missing::not_in_run()
                };
                record.extend(
                    std::iter::once(missing.status.to_owned()).chain(blank(13 + of_roles.len())),
                );
            }
            Some(row) => {
                let known =
                    |result: Result<Known, Missing>| text(result.ok().map(|known| known.value));
                let speedup = figure::speedup(index, row, SERIAL);
                let [ratio, low, high, ..] = fields(&speedup);
                record.extend([row.status.word().to_owned(), one_line(&row.reason)]);
                record.extend([row.median_ns, row.low_ns, row.high_ns].map(text));
                let measured = row.status == Status::Ok;
                record.extend([row.samples, row.units].map(|n| text(Some(n).filter(|_| measured))));
                record.push(text(row.nodes));
                record.push(known(rate::of_nodes(index, row)));
                record.extend([ratio, low, high]);
                record.push(known(figure::node_overhead(index, row, SERIAL)));
                record.push(known(figure::rate_ratio(index, row, SERIAL)));
                for role in ROLES {
                    record.extend(values(&figure::ratio(index, row, role)));
                }
            }
        }
        record.push(row.map_or_else(String::new, |row| row.cell.clone()));
        record.push(command::of_cell(index, case, &cell));
        csv.write_record(&record)?;
    }
    finish(csv)
}

/// Every ratio: a line a ratio.
pub(crate) fn of_ratios(index: &Index<'_>) -> Result<Vec<u8>, csv::Error> {
    let axes = &index.data.experiment.axes;
    let columns = [
        "technique",
        "device",
        "over",
        "baseline",
        "threads",
        "invocation",
        "passes",
        "baseline_samples",
        "samples",
        "speedup",
        "low",
        "high",
        "status",
        "reason",
    ];
    let mut csv = writer(axes, &columns)?;
    for ratio in &pairs::ratios(index).all {
        let case = Case::parse(&ratio.case).unwrap_or_default();
        let [value, low, high, _, status, reason] = fields(&ratio.result);
        let [baseline_samples, samples] = ratio.samples.map(|count| count.to_string());
        let mut record = place(axes, &case);
        record.extend([&ratio.technique, &ratio.device].map(Clone::clone));
        record.extend(ratio.columns());
        record.extend([ratio.invocation.clone(), ratio.passes.to_string()]);
        record.extend([baseline_samples, samples, value, low, high, status, reason]);
        csv.write_record(&record)?;
    }
    finish(csv)
}

pub(super) fn writer(axes: &[String], columns: &[&str]) -> Result<Csv, csv::Error> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(
        axes.iter()
            .map(String::as_str)
            .chain(columns.iter().copied()),
    )?;
    Ok(csv)
}

pub(super) fn finish(csv: Csv) -> Result<Vec<u8>, csv::Error> {
    csv.into_inner().map_err(|error| error.into_error().into())
}

pub(super) fn place(axes: &[String], case: &Case) -> Vec<String> {
    axes.iter()
        .map(|axis| case.get(axis).map_or(String::new(), ToString::to_string))
        .collect()
}

fn blank(count: usize) -> impl Iterator<Item = String> {
    std::iter::repeat_n(String::new(), count)
}

/// Value, low, high, the baseline's median, status and reason.
pub(crate) fn fields(result: &Result<Known, Missing>) -> [String; 6] {
    let (value, interval, baseline, status, reason) = match result {
        Ok(known) => {
            let status = known.verdict.map_or("ok", |verdict| verdict.word());
            (
                Some(known.value),
                known.interval,
                known.baseline_ns,
                status,
                String::new(),
            )
        }
        Err(missing) => (
            None,
            missing.interval,
            missing.baseline_ns,
            missing.status,
            one_line(&missing.reason),
        ),
    };
    let (low, high) = interval.unzip();
    [
        text(value),
        text(low),
        text(high),
        text(baseline),
        status.to_owned(),
        reason,
    ]
}

/// What stands under [`names`](ratios::names).
pub(super) fn values(ratio: &Ratio) -> [String; 5] {
    let [value, low, high, _, status, _] = fields(&ratio.result);
    [value, low, high, status, ratio.baseline.clone()]
}

/// The shortest text that reads back as the same value; nothing where there is none.
pub(super) fn text<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
