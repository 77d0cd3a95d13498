use super::{MeasurementRow, SampleRow};
use crate::stats::{self, Summary};
use crate::words::Status;

/// A column of medians: name, field of a row, field of a sample.
type MedianColumn = (
    &'static str,
    fn(&mut MeasurementRow) -> &mut Option<u64>,
    fn(&SampleRow) -> u64,
);

/// The medians that every reader recomputes.
pub(super) const MEDIANS: [MedianColumn; 13] = [
    ("median_ns", |row| &mut row.median_ns, |s| s.total_ns),
    ("upload_ns", |row| &mut row.upload_ns, |s| s.upload_ns),
    ("queue_ns", |row| &mut row.queue_ns, |s| s.queue_ns),
    ("kernel_ns", |row| &mut row.kernel_ns, |s| s.kernel_ns),
    ("download_ns", |row| &mut row.download_ns, |s| s.download_ns),
    ("host_ns", |row| &mut row.host_ns, |s| s.host_ns),
    ("launches", |row| &mut row.launches, |s| s.launches),
    ("bytes_up", |row| &mut row.bytes_up, |s| s.bytes_up),
    ("bytes_down", |row| &mut row.bytes_down, |s| s.bytes_down),
    ("nodes", |row| &mut row.nodes, |s| s.nodes),
    ("leaves", |row| &mut row.leaves, |s| s.leaves),
    ("playouts", |row| &mut row.playouts, |s| s.playouts),
    ("plies", |row| &mut row.plies, |s| s.plies),
];
/// The times of a device's parts among them.
pub(super) const PARTS: std::ops::RangeInclusive<usize> = 1..=5;

impl MeasurementRow {
    /// Fills in count and statistics of its samples. `trusted`: the times of a device's parts are trusted.
    pub fn sum_up(&mut self, samples: &[&SampleRow], trusted: bool) {
        let column = |of: fn(&SampleRow) -> u64| -> Option<u64> {
            let values: Vec<u64> = samples.iter().map(|sample| of(sample)).collect();
            stats::median(&values)
        };
        for (at, (_, place, of)) in MEDIANS.into_iter().enumerate() {
            let is_told = trusted || !PARTS.contains(&at);
            *place(self) = column(of).filter(|_| is_told);
        }
        self.samples = samples.len() as u64;
        self.opponent_ns = column(|sample| sample.opponent_ns).filter(|ns| *ns > 0);
        let times: Vec<u64> = samples.iter().map(|sample| sample.total_ns).collect();
        let summary = Summary::without_interval(&times);
        self.mean_ns = summary.as_ref().map(|it| it.mean);
        self.q1_ns = summary.as_ref().map(|it| it.q1);
        self.q3_ns = summary.as_ref().map(|it| it.q3);
        self.min_ns = summary.as_ref().map(|it| it.min);
        (self.low_ns, self.high_ns) = interval(samples).unzip();
    }
}

/// The 95 % interval of the median, ns, from the samples' passes; `None` if there are too few.
fn interval(samples: &[&SampleRow]) -> Option<(u64, u64)> {
    let samples = samples.iter();
    let times = samples.map(|sample| (sample.pass(), sample.total_ns));
    let (_, (low, high)) = stats::passes::interval(&stats::passes::medians_of(times), None)?;
    Some((low as u64, high.ceil() as u64))
}

/// The first of the rarely recomputed statistics of a row that its samples contradict: mean, quartiles, interval, the
/// opponent's time. A row that is not `ok` must have no numbers.
pub fn unlike_its_samples(row: &MeasurementRow, samples: &[&SampleRow]) -> Option<String> {
    if row.status != Status::Ok {
        let mut bare = row.clone();
        bare.sum_up(&[], false);
        let has_some = bare != *row || !row.score.is_empty();
        let status = row.status.word();
        return has_some.then(|| format!("the status is {status}, and there are numbers"));
    }
    if samples.is_empty() {
        return None;
    }
    let mut again = row.clone();
    again.sum_up(samples, true);
    for (name, own, again) in [
        ("mean_ns", row.mean_ns, again.mean_ns),
        ("q1_ns", row.q1_ns, again.q1_ns),
        ("q3_ns", row.q3_ns, again.q3_ns),
        ("opponent_ns", row.opponent_ns, again.opponent_ns),
    ] {
        if own != again {
            return Some(differs(name, own, again));
        }
    }
    for (name, own, again) in [
        ("low_ns", row.low_ns, again.low_ns),
        ("high_ns", row.high_ns, again.high_ns),
    ] {
        if !is_near(own, again) {
            return Some(differs(name, own, again));
        }
    }
    None
}

/// True if two ends of an interval are equal up to another system's logarithm.
fn is_near(own: Option<u64>, again: Option<u64>) -> bool {
    match (own, again) {
        (Some(own), Some(again)) => own.abs_diff(again) <= 1 + again / 1_000_000_000,
        (own, again) => own == again,
    }
}

pub(super) fn differs(name: &str, own: Option<u64>, again: Option<u64>) -> String {
    let shown = |value: Option<u64>| value.map_or("nothing".to_owned(), |value| value.to_string());
    format!(
        "{name} is {} in the row, {} by its samples",
        shown(own),
        shown(again)
    )
}
