//! Repeats sessions with a worker, and sessions of `bench` with a program.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use super::golden::{Block, by_type};
use super::place::Place;

/// Time after which a silent worker makes the test fail.
const PATIENCE: Duration = Duration::from_secs(60);

/// Repeats a session: sends a block's requests to a worker, or runs a program.
pub fn repeated((line, block): (&String, &Block)) -> (String, Block) {
    let is_run = line.contains(" run ");
    let found = if is_run {
        with_program(line)
    } else {
        with_worker(line, block)
    };
    (line.clone(), found)
}

/// Sends requests to a worker, each after the reply to the previous request.
fn with_worker(line: &str, block: &Block) -> Block {
    let place = Place::new();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    ours.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut shell = place.shell(line);
    let mut worker = shell
        .stdin(OwnedFd::from(theirs))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(shell);
    let mut replies = BufReader::new(ours.try_clone().unwrap());
    let mut reply = || {
        let mut text = String::new();
        replies.read_line(&mut text).unwrap();
        let mut value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        by_type("", &mut value, &|key| {
            key.ends_with("_ns") || ["timer", "quirks", "round-trip-ns"].contains(&key)
        });
        value
    };
    let mut found = Block::from([("00 reply".to_owned(), reply())]);
    for (key, request) in block.iter().filter(|(key, _)| key.ends_with("request")) {
        writeln!(ours, "{request}").unwrap();
        found.insert(key.clone(), request.clone());
        found.insert(key.replace("request", "reply"), reply());
    }
    ours.shutdown(Shutdown::Both).unwrap();
    found.insert(
        "99 exit code".to_owned(),
        worker.wait().unwrap().code().into(),
    );
    found
}

/// Returns the requests that `bench` sends to a program, and the types of the replies.
fn with_program(line: &str) -> Block {
    let place = Place::new();
    let ended = place.run(line);
    let lines = |name: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(place.path().join(name));
        let text = text.unwrap_or_else(|_| panic!("{line}: {}", ended.err));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let (mut found, mut last) = (Block::new(), Value::Null);
    for (mut request, mut reply) in lines("requests").into_iter().zip(lines("replies")) {
        by_type("", &mut request, &|key| key == "id");
        if request != last {
            last.clone_from(&request);
            by_type("", &mut reply, &|key| key != "answers");
            let number = found.len() / 2 + 1;
            found.insert(format!("{number:02} request"), request);
            found.insert(format!("{number:02} reply"), reply);
        }
    }
    found
}
