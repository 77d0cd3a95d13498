use std::ops::RangeInclusive;
use std::time::Duration;

const DURATIONS: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(30 * 24 * 3600);

pub(super) const DURATIONS_ALLOWED: &str =
    "a time from \"1ms\" to \"30days\", such as \"20s\" or \"5m\"";

/// Parses a time of an experiment file or `--budget`: `20s`, `5m`, `1h 30m`. The error lists the allowed forms.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .ok()
        .filter(|duration| DURATIONS.contains(duration))
        .ok_or_else(|| format!("must be {DURATIONS_ALLOWED}"))
}
