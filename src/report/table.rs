//! Writes tables as CSV for programs, with one line per cell and unformatted numbers.

use super::analysis::Analysis;
use super::block::Block;
use super::format::{self, one_line};
use super::known::{Figure, Missing};
use crate::stats::Verdict;
use crate::words::{Case, Status};

/// Writes a table whose first columns are the axes of the case.
pub(super) fn csv(
    axes: &[String],
    columns: &str,
    lines: impl Iterator<Item = (Case, Vec<String>)>,
) -> Vec<u8> {
    const GROWS: &str = "a vector can grow, and a line has a field per column";
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = axes.iter().map(String::as_str);
    let head = head.chain(columns.split(','));
    writer.write_record(head).expect(GROWS);
    for (case, fields) in lines {
        let place = axes.iter().map(|axis| text(case.get(axis)));
        writer.write_record(place.chain(fields)).expect(GROWS);
    }
    writer.into_inner().expect(GROWS)
}

/// Formats a value so that parsing restores it. Returns an empty text for `None`.
fn text<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Writes one block. `ratio` is ours divided by published. `status` is `ok`, a verdict, or why the number is missing.
pub(crate) fn of_block(axes: &[String], block: &Block) -> Vec<u8> {
    const COLUMNS: &str = "technique,baseline,device,quantity,ours,low,high,published,ratio,\
        baseline_median_ns,status,reason,published_note,positions";
    let cells = block.cells.iter().flatten();
    let lines = cells.map(|cell| {
        let [ours, low, high, base_ns, status, reason] = fields(&cell.figure);
        let names = [&cell.technique, &cell.baseline, &cell.device];
        let mut line = names.map(String::clone).to_vec();
        line.push(format::column_name(&cell.quantity));
        let published = text(cell.paper());
        line.extend([ours, low, high, published, text(cell.ratio()), base_ns]);
        let note = cell.note().map_or(String::new(), one_line);
        line.extend([status, reason, note, text(cell.positions)]);
        (cell.case.clone(), line)
    });
    csv(axes, COLUMNS, lines)
}

/// Writes every cell with its ratios over the roles and `serial`, and its key for citations.
pub(crate) fn of_cells(analysis: &Analysis) -> Vec<u8> {
    const COLUMNS: &str = "technique,device,status,reason,median_ns,low_ns,high_ns,samples,units,nodes,nodes_per_s,\
        speedup_over_serial,speedup_low,speedup_high,node_overhead,rate_ratio,\
        over_best_one_core,over_best_one_core_low,over_best_one_core_high,over_best_one_core_status,best_one_core,\
        over_best_cpu,over_best_cpu_low,over_best_cpu_high,over_best_cpu_status,best_cpu,cell";
    let lines = analysis.cells.iter().map(|cell| {
        let mut line = vec![cell.technique.clone(), cell.device.clone()];
        if let Some((row, own)) = cell.row.as_ref().zip(cell.measured.as_ref()) {
            let known = |figure: &Figure| figure.as_ref().ok().map(|known| known.value);
            let [speedup, overhead] = [&own.over_serial, &own.node_overhead].map(known);
            let of_rates = speedup.zip(overhead).map(|(one, other)| one * other);
            let [ratio, low, high, ..] = fields(&own.over_serial);
            let is_ok = row.status == Status::Ok;
            let counts = [row.samples, row.units].map(|count| is_ok.then_some(count));
            line.extend([row.status.word().to_owned(), one_line(&row.reason)]);
            line.extend([row.median_ns, row.low_ns, row.high_ns].map(text));
            line.extend(counts.map(text));
            line.extend([text(row.nodes), text(known(&own.node_rate))]);
            line.extend([ratio, low, high, text(overhead), text(of_rates)]);
            for ratio in &own.over_roles {
                let [value, low, high, _, status, _] = fields(&ratio.result);
                line.extend([value, low, high, status, ratio.baseline.clone()]);
            }
            line.push(row.key.clone());
        } else {
            let missing = match cell.planned {
                true => Missing::NOT_MEASURED,
                false => Missing::NOT_IN_RUN,
            };
            line.push(missing.gap.to_owned());
            line.resize(COLUMNS.split(',').count(), String::new());
        }
        (cell.case.clone(), line)
    });
    csv(&analysis.data.experiment.axes, COLUMNS, lines)
}

pub(crate) fn of_ratios(analysis: &Analysis) -> Vec<u8> {
    const COLUMNS: &str = "technique,device,over,baseline,threads,invocation,passes,baseline_samples,samples,speedup,\
        low,high,status,reason";
    let lines = analysis.ratios.iter().map(|ratio| {
        let (cell, over, baseline) = (&ratio.cell, &ratio.over, &ratio.baseline);
        let names = [&cell.technique, &cell.device, over, baseline];
        let mut line = names.map(String::clone).to_vec();
        let threads = text(Some(ratio.threads).filter(|threads| *threads > 0));
        line.extend([threads, ratio.invocation.clone()]);
        let [before, after] = ratio.samples;
        line.extend([ratio.passes, before, after].map(|count| count.to_string()));
        let [value, low, high, _, status, reason] = fields(&ratio.result);
        line.extend([value, low, high, status, reason]);
        (Case::parse(&ratio.cell.case).unwrap_or_default(), line)
    });
    csv(&analysis.data.experiment.axes, COLUMNS, lines)
}

/// Returns the value, both ends of the interval, the baseline's median, the status and the reason.
fn fields(figure: &Figure) -> [String; 6] {
    let (value, interval, baseline_ns, status, reason) = match figure {
        Ok(own) => {
            let status = own.verdict.map_or("ok", Verdict::word);
            (Some(own.value), own.interval, own.baseline_ns, status, "")
        }
        Err(why) => (None, why.interval, None, why.gap, why.reason.as_str()),
    };
    let (low, high) = interval.unzip();
    let [value, low, high] = [value, low, high].map(text);
    let (status, reason) = (status.to_owned(), one_line(reason));
    [value, low, high, text(baseline_ns), status, reason]
}
