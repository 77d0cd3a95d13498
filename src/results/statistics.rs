use super::{Environment, MeasurementRow, SampleRow};
use crate::stats::{self, Summary};
use crate::words::Status;

/// What of a row's statistics its samples do not have, of those that not every reader computes again: mean,
/// quartiles and interval, and the opponent's time. Of a row without an answer, a number.
pub fn unlike_its_samples(
    row: &MeasurementRow,
    samples: &[&SampleRow],
    environment: &Environment,
    seed: u64,
) -> Option<String> {
    if row.status != Status::Ok {
        let numbers = [
            row.median_ns,
            row.mean_ns,
            row.min_ns,
            row.nodes,
            row.playouts,
        ];
        let has_some = row.samples > 0 || numbers.iter().any(Option::is_some);
        let status = row.status.word();
        return has_some.then(|| format!("the status is {status}, and there are numbers"));
    }
    let times: Vec<u64> = samples.iter().map(|sample| sample.total_ns).collect();
    let summary = Summary::of(&times, seed)?;
    let opponents: Vec<u64> = samples.iter().map(|sample| sample.opponent_ns).collect();
    let opponent = stats::median(&opponents).filter(|ns| *ns > 0);
    for (name, own, again) in [
        ("mean_ns", row.mean_ns, Some(summary.mean)),
        ("q1_ns", row.q1_ns, Some(summary.q1)),
        ("q3_ns", row.q3_ns, Some(summary.q3)),
        ("opponent_ns", row.opponent_ns, opponent),
    ] {
        if own != again {
            return Some(differs(name, own, again));
        }
    }
    if environment.invocations.is_empty() {
        return None; // Format 1 made its intervals otherwise.
    }
    let times = samples
        .iter()
        .map(|sample| (sample.pass(), sample.total_ns));
    let interval = stats::passes::interval(&stats::passes::medians_of(times), None);
    let again = interval.map(|(_, (low, high))| (low as u64, high.ceil() as u64));
    for (name, own, again) in [
        ("low_ns", row.low_ns, again.map(|(low, _)| low)),
        ("high_ns", row.high_ns, again.map(|(_, high)| high)),
    ] {
        if !is_near(own, again) {
            return Some(differs(name, own, again));
        }
    }
    None
}

/// Whether two ends of an interval are equal but for what another system's logarithm makes of them.
fn is_near(own: Option<u64>, again: Option<u64>) -> bool {
    match (own, again) {
        (Some(own), Some(again)) => own.abs_diff(again) <= 1 + again / 1_000_000_000,
        (own, again) => own == again,
    }
}

fn differs(name: &str, own: Option<u64>, again: Option<u64>) -> String {
    let shown = |value: Option<u64>| value.map_or("nothing".to_owned(), |value| value.to_string());
    format!(
        "{name} is {} in the row, {} by its samples",
        shown(own),
        shown(again)
    )
}
