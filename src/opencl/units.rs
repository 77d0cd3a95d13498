/// Formats a number of bytes for readers: `3.1 GiB`, `48.0 KiB`, `17 B`.
pub fn bytes_in_words(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1024.0 && unit + 1 < units.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    let digits = usize::from(unit > 0);
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_well() {
        assert_eq!(bytes_in_words(0), "0 B");
        assert_eq!(bytes_in_words(1023), "1023 B");
        assert_eq!(bytes_in_words(48 * 1024), "48.0 KiB");
        assert_eq!(bytes_in_words(3 * (1 << 30) + (1 << 27)), "3.1 GiB");
        assert_eq!(bytes_in_words(u64::MAX), "16777216.0 TiB");
    }
}
