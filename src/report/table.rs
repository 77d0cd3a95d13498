//! Tables as CSV, for programs: one line per cell, numbers unformatted.

use super::analysis::Analysis;
use super::block::Block;
use super::command;
use super::csv_table::{Csv, text};
use super::data::RunData;
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
        let names = [&cell.technique, &cell.baseline, &cell.device, &quantity];
        let published = text(cell.published.as_ref().map(|published| published.value));
        let note = cell.note().map_or(String::new(), one_line);
        let ratio = text(cell.ratio());
        let own = [
            ours,
            low,
            high,
            published,
            ratio,
            base_ns,
            status,
            reason,
            note,
            text(cell.positions),
        ];
        csv.line(&cell.case, names.into_iter().chain(&own))?;
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
        match cell.row.as_ref().zip(cell.measured.as_ref()) {
            None => {
                let missing = if cell.planned {
                    Missing::NOT_MEASURED
                } else {
                    Missing::NOT_IN_RUN
                };
                record.push(missing.gap.word().to_owned());
                record.resize(COLUMNS.split(',').count() - 1, String::new());
            }
            Some((row, measured)) => {
                let known = |figure: &Figure| text(figure.as_ref().ok().map(|known| known.value));
                let (speedup, overhead) = (&measured.over_serial, &measured.node_overhead);
                let both = speedup.as_ref().ok().zip(overhead.as_ref().ok());
                let of_rates = both.map(|(speedup, overhead)| speedup.value * overhead.value);
                let [ratio, low, high, ..] = fields(speedup);
                let counts = [row.samples, row.units].map(Some);
                let counts = counts.map(|count| count.filter(|_| row.status == Status::Ok));
                record.extend([row.status.word().to_owned(), one_line(&row.reason)]);
                record.extend([row.median_ns, row.low_ns, row.high_ns].map(text));
                record.extend(counts.map(text));
                record.extend([text(row.nodes), known(&measured.node_rate)]);
                record.extend([ratio, low, high, known(overhead), text(of_rates)]);
                for ratio in &measured.over_roles {
                    let [value, low, high, _, status, _] = fields(&ratio.result);
                    record.extend([value, low, high, status, ratio.baseline.clone()]);
                }
                record.push(row.key.clone());
            }
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

/// The node of each cell; `None` if the invocations name none.
pub(crate) fn of_nodes(data: &RunData) -> Result<Option<Vec<u8>>, csv::Error> {
    const COLUMNS: &str = "case,technique,device,node,address,shard,invocation";
    let environment = &data.environment;
    if environment.invocations.iter().all(|it| it.node.is_none()) {
        return Ok(None);
    }
    let mut csv = Csv::new(&[], COLUMNS)?;
    for row in &data.measurements {
        let invocation = environment.invocation(&row.invocation);
        let invocation = invocation.filter(|it| it.node.is_some());
        let node = invocation.and_then(|it| it.node.as_deref());
        let shard = invocation.and_then(|it| it.selection.shard);
        let shard = shard.map_or(String::new(), |shard| shard.to_string());
        let [case, technique] = [row.cell.case.as_str(), &row.cell.technique];
        let [device, address] = [row.cell.device.as_str(), &row.address];
        let place = [case, technique, device, node.unwrap_or_default()].into_iter();
        let record = place.chain([address, shard.as_str(), &row.invocation]);
        csv.line(&Case::default(), record)?;
    }
    Ok(Some(csv.finish()?))
}

fn fields(figure: &Figure) -> [String; 6] {
    let (value, interval, baseline) = match figure {
        Ok(known) => (Some(known.value), known.interval, known.baseline_ns),
        Err(why) => (None, why.interval, why.baseline_ns),
    };
    let (status, reason) = match figure {
        Ok(known) => (known.verdict.map_or("ok", Verdict::word), String::new()),
        Err(why) => (why.gap.word(), one_line(&why.reason)),
    };
    let (low, high) = interval.unzip();
    let [value, low, high] = [value, low, high].map(text);
    [value, low, high, text(baseline), status.to_owned(), reason]
}
