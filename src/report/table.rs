//! Tables as CSV, for programs: one line per cell, numbers unformatted.

use super::analysis::Analysis;
use super::block::Block;
use super::command;
use super::csv_table::{Csv, text};
use super::known::{Figure, Missing};
use super::naming;
use super::paper::one_line;
use crate::stats::Verdict;
use crate::words::{Case, Status};

/// One block. `ratio` is ours over published. `status` is `ok` or a verdict for a number, else why it is missing.
pub(crate) fn of_block(axes: &[String], block: &Block) -> Result<Vec<u8>, csv::Error> {
    const COLUMNS: &str = "technique,baseline,device,quantity,ours,low,high,published,ratio,\
        baseline_median_ns,status,reason,published_note,positions";
    let mut csv = Csv::new(axes, COLUMNS)?;
    let cells = block.cells.iter().flatten();
    for cell in cells.filter(|cell| cell.figure != Err(Missing::ELSEWHERE)) {
        let [ours, low, high, base_ns, status, reason] = fields(&cell.figure);
        let quantity = naming::column_name(&cell.quantity);
        let published = text(cell.published.as_ref().map(|published| published.value));
        let (ratio, positions) = (text(cell.ratio()), text(cell.positions));
        let note = cell.note().map_or(String::new(), one_line);
        let place = [&cell.technique, &cell.baseline, &cell.device, &quantity];
        let ours = [&ours, &low, &high, &published, &ratio, &base_ns];
        let rest = [&status, &reason, &note, &positions];
        csv.line(&cell.case, place.into_iter().chain(ours).chain(rest))?;
    }
    csv.finish()
}

/// Every cell with its ratios over the roles and `serial`, its key, to cite, and the command that repeats it.
pub(crate) fn of_cells(analysis: &Analysis) -> Result<Vec<u8>, csv::Error> {
    const COLUMNS: &str = "technique,device,status,reason,median_ns,low_ns,high_ns,samples,units,nodes,nodes_per_s,\
        speedup_over_serial,speedup_low,speedup_high,node_overhead,rate_ratio,\
        over_best_one_core,over_best_one_core_low,over_best_one_core_high,over_best_one_core_status,best_one_core,\
        over_best_cpu,over_best_cpu_low,over_best_cpu_high,over_best_cpu_status,best_cpu,cell,command";
    let mut csv = Csv::new(&analysis.data.experiment.axes, COLUMNS)?;
    for cell in &analysis.cells {
        let mut record = vec![cell.technique.clone(), cell.device.clone()];
        if let Some((row, own)) = cell.row.as_ref().zip(cell.measured.as_ref()) {
            let known = |figure: &Figure| figure.as_ref().ok().map(|known| known.value);
            let [speedup, overhead] = [&own.over_serial, &own.node_overhead].map(known);
            let of_rates = speedup.zip(overhead).map(|(one, other)| one * other);
            let [ratio, low, high, ..] = fields(&own.over_serial);
            let counts = [row.samples, row.units].map(Some);
            let counts = counts.map(|count| count.filter(|_| row.status == Status::Ok));
            record.extend([row.status.word().to_owned(), one_line(&row.reason)]);
            record.extend([row.median_ns, row.low_ns, row.high_ns].map(text));
            record.extend(counts.map(text));
            record.extend([text(row.nodes), text(known(&own.node_rate))]);
            record.extend([ratio, low, high, text(overhead), text(of_rates)]);
            for ratio in &own.over_roles {
                let [value, low, high, _, status, _] = fields(&ratio.result);
                record.extend([value, low, high, status, ratio.baseline.clone()]);
            }
            record.push(row.key.clone());
        } else {
            let missing = match cell.planned {
                true => Missing::NOT_MEASURED,
                false => Missing::NOT_IN_RUN,
            };
            record.push(missing.gap.word().to_owned());
            record.resize(COLUMNS.split(',').count() - 1, String::new());
        }
        record.push(command::of_cell(&analysis.data, cell));
        csv.line(&cell.case, record)?;
    }
    csv.finish()
}

pub(crate) fn of_ratios(analysis: &Analysis) -> Result<Vec<u8>, csv::Error> {
    const COLUMNS: &str = "technique,device,over,baseline,threads,invocation,passes,baseline_samples,samples,speedup,\
        low,high,status,reason";
    let mut csv = Csv::new(&analysis.data.experiment.axes, COLUMNS)?;
    for ratio in &analysis.ratios {
        let case = Case::parse(&ratio.case).unwrap_or_default();
        let [value, low, high, _, status, reason] = fields(&ratio.result);
        let threads = text(Some(ratio.threads).filter(|threads| *threads > 0));
        let [passes, before, after] =
            [ratio.passes, ratio.samples[0], ratio.samples[1]].map(|count| count.to_string());
        let [technique, device] = [&ratio.technique, &ratio.device];
        let names = [technique, device, &ratio.over, &ratio.baseline];
        let counts = [&threads, &ratio.invocation, &passes, &before, &after];
        let own = [value, low, high, status, reason];
        csv.line(&case, names.into_iter().chain(counts).chain(&own))?;
    }
    csv.finish()
}

fn fields(figure: &Figure) -> [String; 6] {
    let (value, interval, baseline_ns, status, reason) = match figure {
        Ok(own) => {
            let status = own.verdict.map_or("ok", Verdict::word);
            (
                Some(own.value),
                own.interval,
                own.baseline_ns,
                status,
                String::new(),
            )
        }
        Err(why) => {
            let (status, reason) = (why.gap.word(), one_line(&why.reason));
            (None, why.interval, why.baseline_ns, status, reason)
        }
    };
    let (low, high) = interval.unzip();
    let [value, low, high] = [value, low, high].map(text);
    [
        value,
        low,
        high,
        text(baseline_ns),
        status.to_owned(),
        reason,
    ]
}
