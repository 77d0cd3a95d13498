use serde_json::Value;

use super::{MeasurementRow, Sample};
use crate::stats;
use crate::words::Status;

impl MeasurementRow {
    /// Fills in the number of samples and their statistics. `trusted` is true if the times of the parts can be trusted.
    pub fn sum_up(&mut self, samples: &[&Sample], trusted: bool) {
        let column = |of: fn(&Sample) -> u64| -> Option<u64> {
            let values: Vec<u64> = samples.iter().map(|sample| of(sample)).collect();
            stats::median(&values)
        };
        macro_rules! medians {
            ($is_kept:expr; $($name:ident)*) => {
                $(self.$name = column(|sample| sample.$name).filter($is_kept);)*
            };
        }
        medians!(|_| trusted; upload_ns queue_ns kernel_ns download_ns host_ns);
        medians!(|_| true; launches bytes_up bytes_down nodes leaves playouts plies);
        medians!(|ns| *ns > 0; opponent_ns);
        self.samples = samples.len() as u64;
        let times: Vec<u64> = samples.iter().map(|sample| sample.total_ns).collect();
        let quartiles = stats::quartiles(&times);
        [self.q1_ns, self.median_ns, self.q3_ns] = quartiles.map_or([None; 3], |own| own.map(Some));
        self.mean_ns = stats::mean(&times);
        self.min_ns = times.iter().min().copied();
        (self.low_ns, self.high_ns) = interval(samples).unzip();
    }
}

/// Returns the median's 95 % interval, ns, computed from the passes. Returns `None` if there are too few passes.
fn interval(samples: &[&Sample]) -> Option<(u64, u64)> {
    let samples = samples.iter();
    let times = samples.map(|sample| (sample.pass(), sample.total_ns));
    let (_, (low, high)) = stats::passes::interval(&stats::passes::medians_of(times), None)?;
    Some((low as u64, high.ceil() as u64))
}

/// Describes the first column that contradicts the samples, if any. A row that is not `ok` must have no numbers.
pub fn unlike_its_samples(row: &MeasurementRow, samples: &[&Sample]) -> Option<String> {
    let mut again = row.clone();
    if row.status != Status::Ok {
        again.sum_up(&[], false);
        let status = row.status.word();
        let has_some = again != *row || !row.score.is_empty();
        return has_some.then(|| format!("the status is {status}, but there are numbers"));
    }
    if samples.is_empty() {
        return Some("the status is ok, but there are no samples".to_owned());
    }
    let (own, count) = (row.samples, samples.len() as u64);
    if own != count {
        return Some(format!("{own} samples in the row, {count} in samples.csv"));
    }
    again.sum_up(samples, row.kernel_ns.is_some());
    let columns = [row, &again].map(|row| serde_json::to_value(row).unwrap_or_default());
    let columns = columns.each_ref().map(Value::as_object);
    let [Some(own), Some(again)] = columns else {
        return None;
    };
    let mut pairs = own.iter().zip(again.values());
    let ((name, own), again) = pairs.find(|((name, own), again)| !is_equal(name, own, again))?;
    let shown = |value: &Value| match value {
        Value::Null => "nothing".to_owned(),
        value => value.to_string(),
    };
    Some(format!(
        "{name} is {} in the row, but {} by its samples",
        shown(own),
        shown(again)
    ))
}

/// True if two values in a column are equal. Interval ends may differ slightly, because systems' logarithms differ.
fn is_equal(name: &str, own: &Value, again: &Value) -> bool {
    let end = |value: &Value| {
        value
            .as_u64()
            .filter(|_| ["low_ns", "high_ns"].contains(&name))
    };
    match (end(own), end(again)) {
        (Some(own), Some(again)) => own.abs_diff(again) <= 1 + again / 1_000_000_000,
        _ => own == again,
    }
}
