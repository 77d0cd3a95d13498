/// A number of bytes for readers: `3.1 GiB`, `48.0 KiB`, `17 B`.
pub fn bytes_in_words(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    if unit == "B" {
        format!("{bytes} B")
    } else {
        format!("{value:.1} {unit}")
    }
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
