//! Tests the kernels on a real device (usually pocl) against the host's rules and searches. Also tests how the crate
//! handles devices, drivers and missing OpenCL. Without a device, tests that need one print a message and pass.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod annexation;
mod checkers;
mod connect_four;
mod connect_four_prefix;
mod elsewhere;
mod enqueue;
mod gomoku;
mod gomoku_dynamic;
mod gomoku_groups;
mod launches;
mod opencl;
mod playouts;
mod reversi;
mod reversi_lanes;
mod shared_tree;
mod table_search;
mod trees;

#[path = "../needed/mod.rs"]
mod needed;

use needed::{Turn, best, device, device_with, opened};
use plybench::opencl::Device;
use plybench::techniques::{Sampler, Setup, hard, registry};
use plybench::words::{Answer, Case, Counters, Fault, Params, Searched, Task};

/// Returns a technique's default set-up: no options, no parameters, seed 1, one thread.
fn setup<'a>(task: Task, case: &'a Case, device: Option<&'a Device>) -> Setup<'a> {
    static NONE: Params = Params::new();
    Setup {
        task,
        case,
        options: &NONE,
        params: &NONE,
        seed: 1,
        threads: 1,
        device,
        kernels: None,
        position: None,
        positions: None,
        opponent: None,
    }
}

/// A request to a technique: game, task, case and settings.
#[derive(Clone, Debug)]
struct Ask<'a> {
    game: &'a str,
    name: &'a str,
    task: Task,
    case: String,
    options: Params,
    params: Params,
    seed: u64,
    threads: usize,
    position: Option<String>,
}

impl<'a> Ask<'a> {
    /// Creates a request for the game's start position, without options or parameters, with seed 1 and two threads.
    fn new(game: &'a str, name: &'a str, task: Task, case: &str) -> Ask<'a> {
        Ask {
            game,
            name,
            task,
            case: case.to_owned(),
            options: Params::new(),
            params: Params::new(),
            seed: 1,
            threads: 2,
            position: None,
        }
    }

    /// Returns the same request, but for another technique with these parameters.
    fn of<'b>(&self, name: &'b str, params: &Params) -> Ask<'b>
    where
        'a: 'b,
    {
        Ask {
            name,
            params: params.clone(),
            ..self.clone()
        }
    }

    fn made(&self, device: Option<&Device>) -> Result<Box<dyn Sampler>, Fault> {
        let technique = registry::find(self.game, self.name).unwrap();
        (technique.prepare)(&Setup {
            options: &self.options,
            params: &self.params,
            seed: self.seed,
            threads: self.threads,
            position: self.position.as_deref(),
            ..setup(self.task, &Case::parse(&self.case).unwrap(), device)
        })
    }

    fn ready(&self, device: &Device) -> Box<dyn Sampler> {
        let made = self.made(Some(device));
        made.unwrap_or_else(|fault| panic!("{self:?}: {fault}"))
    }

    fn sample(&self, device: &Device) -> (Answer, Counters) {
        self.ready(device).sample().unwrap()
    }
}

fn params(text: &str) -> Params {
    hard::read(text).unwrap()
}

fn searched(answer: Answer) -> Vec<Searched> {
    match answer {
        Answer::Searched(found) => found,
        other => panic!("not searched: {other:?}"),
    }
}

/// The best device. The lock prevents other tests from using its driver.
struct Held {
    device: Device,
    _turn: Turn,
}

impl std::ops::Deref for Held {
    type Target = Device;

    fn deref(&self) -> &Device {
        &self.device
    }
}

/// Opens the best device. Without a device, prints a message and returns `None`.
fn held() -> Option<Held> {
    device().map(|(_turn, device)| Held { device, _turn })
}
