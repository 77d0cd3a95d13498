//! Prepares paths for a run's records, so that none of them reveals a user's name.

use std::path::Path;

/// Finds the first home-directory path in a line.
pub fn home_in(line: &str) -> Option<&str> {
    let begins = ["/home/", "/Users/", "/root/", "\\Users\\"];
    let at = begins.iter().filter_map(|begin| line.find(begin)).min()?;
    let rest = &line[at..];
    let end = rest.find([' ', '"', '\'', ',']).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Prepares a word for the records. An absolute path, even after `=`, becomes relative to `folder` or a bare file name.
pub fn recorded_path(word: &str, folder: Option<&Path>) -> String {
    if let Some((option, path)) = word.split_once('=')
        && Path::new(path).is_absolute()
    {
        return format!("{option}={}", recorded_path(path, folder));
    }
    let path = Path::new(word);
    if path.is_absolute() {
        let below = folder.and_then(|folder| path.strip_prefix(folder).ok());
        let kept = below.or(path.file_name().map(Path::new));
        return kept.map_or(String::new(), |path| path.to_string_lossy().into_owned());
    }
    without_homes(word, "")
}

/// Replaces each path in a home directory with `mark` and the file name.
pub fn without_homes(text: &str, mark: &str) -> String {
    let mut text = text.to_owned();
    while let Some(home) = home_in(&text).map(str::to_owned) {
        let file = home.rsplit(['/', '\\']).next().unwrap_or_default();
        text = text.replace(&home, &format!("{mark}{file}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn records_paths_without_homes() {
        for (word, recorded) in [
            ("/home/ada/runs/my/flat.cl", "my/flat.cl"),
            ("/home/ada/other/flat.cl", "flat.cl"),
            ("--net=/home/ada/net.bin", "--net=net.bin"),
            ("print('/home/ada/x.py')", "print('x.py')"),
            ("mine.py", "mine.py"),
            ("--batch", "--batch"),
        ] {
            let folder = Some(Path::new("/home/ada/runs"));
            assert_eq!(recorded_path(word, folder), recorded);
        }
    }
}
