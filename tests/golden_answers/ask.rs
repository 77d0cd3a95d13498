//! Reads requests and sends them to the techniques. Only this file and `answers` call the program.

use std::path::PathBuf;

use plybench::games::checkers::{JUMP_INSIDE, ROTATIONS, STEP_INSIDE, Square};
use plybench::opencl::Device;
use plybench::techniques::{Sampler, Setup, Technique, registry};
use plybench::words::{Answer, Case, Counters, Fault, Params, Searched, Task};

use super::answers::{any_of, in_words};
use super::file::Fields;

/// The status of a failed technique starts with this word.
pub const FAILED: &str = "failed: ";

/// A request, from a line of the file of requests.
pub struct Ask {
    pub game: &'static str,
    pub task: Task,
    case: Vec<&'static str>,
    options: Vec<&'static str>,
    seed: u64,
    opponent: Option<&'static str>,
    small_trees: bool,
    /// The name of the position and its notation.
    position: Option<(&'static str, &'static str)>,
}

pub fn techniques(game: &str, task: Task) -> Vec<&'static Technique> {
    let catalogue = registry::catalogue();
    let able = catalogue
        .of_game(game)
        .filter(|it| it.tasks.contains(&task));
    able.map(|it| registry::find(game, it.name).unwrap())
        .collect()
}

fn params(words: &[&str]) -> Params {
    let case = Case::parse(&words.join(" ")).unwrap();
    case.0.into_iter().collect()
}

impl Ask {
    pub fn all() -> impl Iterator<Item = Ask> {
        let lines = include_str!("asks.txt").lines();
        lines.filter(|line| !line.starts_with('#')).map(Ask::read)
    }

    fn read(line: &'static str) -> Ask {
        let (line, position) = match line.split_once(" @") {
            Some((line, position)) => (line, position.split_once(' ')),
            None => (line, None),
        };
        let mut words = line.split(' ');
        let (task, game) = (words.next().unwrap(), words.next().unwrap());
        let task = Task::ALL.into_iter().find(|it| it.word() == task);
        let mut ask = Ask {
            game,
            task: task.unwrap_or_else(|| panic!("{line}")),
            case: Vec::new(),
            options: Vec::new(),
            seed: 1,
            opponent: None,
            small_trees: false,
            position,
        };
        for word in words {
            match word.split_once('=').unwrap() {
                ("seed", seed) => ask.seed = seed.parse().unwrap(),
                ("against", opponent) => ask.opponent = Some(opponent),
                ("trees", _) => ask.small_trees = true,
                _ => match word.strip_prefix('+') {
                    Some(option) => ask.options.push(option),
                    None => ask.case.push(word),
                },
            }
        }
        ask
    }

    fn params(&self, technique: &str) -> Vec<&'static str> {
        let params = match (technique, self.small_trees) {
            _ if !matches!(self.task, Task::Choose | Task::Match) => "",
            ("mcts-block" | "mcts-block-rayon", false) => "groups=3 group=1 lanes=16 nodes=4096",
            ("mcts-block" | "mcts-block-rayon", true) => "groups=2 group=3 lanes=1 nodes=300",
            ("mcts" | "mcts-batched-serial" | "mcts-batched-rayon", false) => {
                "leaves=64 playouts=4"
            }
            ("mcts" | "mcts-batched-serial" | "mcts-batched-rayon", true) => "leaves=7 playouts=3",
            _ => "",
        };
        params.split_whitespace().collect()
    }

    pub fn key(&self, technique: &str) -> String {
        let Ask { game, task, .. } = self;
        let mut words = vec![format!("{game}/{technique} {task}")];
        let params = self.params(technique);
        let more = [&self.case, &self.options, &params].into_iter().flatten();
        words.extend(more.map(|word| (*word).to_owned()));
        if self.seed != 1 {
            words.push(format!("seed={}", self.seed));
        }
        words.extend(self.opponent.map(|name| format!("against={name}")));
        words.extend(self.position.map(|(name, _)| format!("@{name}")));
        words.join(" ")
    }

    /// Returns the answer of a technique. If the counters of a search vary, `best` has the correct moves.
    pub fn answer(&self, technique: &Technique, device: &Device, best: Option<&Fields>) -> Fields {
        self.with(technique, device, &mut |sampler| {
            let (answer, counters) = self.sample(sampler)?;
            Ok(match best {
                Some(best) => any_of(best, in_words(&answer, &Counters::default())),
                None => in_words(&answer, &counters),
            })
        })
    }

    /// Returns all best moves of each position, which the host finds with full windows.
    pub fn best_moves(&self, device: &Device) -> Fields {
        let serial = registry::find(self.game, "serial").unwrap();
        let names = self.names();
        self.with(serial, device, &mut |sampler| {
            let (Answer::Searched(found), _) = sampler.sample()? else {
                panic!("{}: not searched", self.key("serial"))
            };
            let mut best = |(unit, one): (usize, &Searched)| {
                let mut moves = names.clone();
                moves.retain(|name| sampler.value_of(unit, name) == Ok(one.value));
                if moves.is_empty() {
                    "-".to_owned()
                } else {
                    moves.join(",")
                }
            };
            let best: Vec<String> = found.iter().enumerate().map(&mut best).collect();
            Ok(Fields::from([("best".to_owned(), best.join(" ").into())]))
        })
    }

    /// Prepares a technique and passes it to `then`. If the preparation fails, the answer is the fault's status.
    fn with(
        &self,
        technique: &Technique,
        device: &Device,
        then: &mut dyn FnMut(&mut dyn Sampler) -> Result<Fields, Fault>,
    ) -> Fields {
        let case = Case::parse(&self.case.join(" ")).unwrap();
        let (own, options) = (
            params(&self.params(technique.entry.name)),
            params(&self.options),
        );
        let kernels = std::env::var_os("PLYBENCH_GOLDEN_KERNELS").map(PathBuf::from);
        let (other, none) = (
            |name| registry::find(self.game, name).unwrap(),
            Params::new(),
        );
        let setup = Setup {
            task: self.task,
            case: &case,
            options: &options,
            params: &own,
            seed: self.seed,
            threads: 2,
            device: Some(device),
            kernels: kernels.as_deref(),
            position: self.position.map(|(_, text)| text),
            positions: None,
            opponent: self.opponent.map(|name| (other(name), &none)),
        };
        let refused = (technique.entry.check)(&case, &own).map_err(Fault::Input);
        let prepared = refused.and_then(|()| (technique.prepare)(&setup));
        let done = prepared.and_then(|mut sampler| then(&mut *sampler));
        let status = |status: &str| Fields::from([("status".to_owned(), status.into())]);
        done.unwrap_or_else(|fault| match fault {
            Fault::Unsupported(_) => status("unsupported"),
            Fault::Input(_) => status("refused"),
            fault => status(&format!("{FAILED}{fault}")),
        })
    }

    /// Takes one sample. For a match, plays the games from two openings.
    fn sample(&self, sampler: &mut dyn Sampler) -> Result<(Answer, Counters), Fault> {
        let (mut answer, mut counters) = sampler.sample()?;
        if let Answer::Match(score) = &mut answer {
            sampler.begin(1);
            let (other, more) = sampler.sample()?;
            if let Answer::Match(other) = &other {
                score.add(other);
            }
            counters += more;
        }
        Ok((answer, counters))
    }

    /// Lists every column of Connect Four, every square of a board, or every step and capture of checkers.
    fn names(&self) -> Vec<String> {
        if self.game == "checkers" {
            return of_checkers();
        }
        let board = self
            .case
            .iter()
            .find_map(|word| word.strip_prefix("board="));
        let Some((width, height)) = board.and_then(|it| it.split_once('x')) else {
            return (1..=7).map(|column| column.to_string()).collect();
        };
        let (width, height): (u8, u8) = (width.parse().unwrap(), height.parse().unwrap());
        let letter = |number: u8| char::from(b'a' + number).to_string();
        let file = |file: u8| match file {
            0..26 => letter(file),
            _ => letter(file / 26 - 1) + &letter(file % 26),
        };
        let rank = |rank: u8| (0..width).map(move |it| format!("{}{rank}", file(it)));
        (1..=height).flat_map(rank).collect()
    }
}

/// Lists every step, and every path of one to four jumps.
fn of_checkers() -> Vec<String> {
    let number = |bit| Square::all().find(|it| it.bit() == bit).unwrap().number();
    let ends = |from: u32, inside: [u32; 4], squares: u32| {
        let ways = (0..4).filter(move |way| from & inside[*way] != 0);
        ways.map(move |way| from.rotate_left(squares * ROTATIONS[way]))
    };
    let mut paths: Vec<_> = Square::all()
        .map(|it| (it.bit(), it.number().to_string()))
        .collect();
    let steps = paths.iter().flat_map(|(from, name)| {
        ends(*from, STEP_INSIDE, 1).map(move |to| format!("{name}-{}", number(to)))
    });
    let mut names: Vec<String> = steps.collect();
    for _ in 0..4 {
        let longer = paths.iter().flat_map(|(from, name)| {
            ends(*from, JUMP_INSIDE, 2).map(move |to| (to, format!("{name}x{}", number(to))))
        });
        paths = longer.collect();
        names.extend(paths.iter().map(|(_, name)| name.clone()));
    }
    names
}
