//! Replaces a worker process in tests: answers from a script, on a simulated clock.

use std::cell::Cell as Shared;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use super::clock::Clock;
use super::executor::{Executor, Lost, Outcome};
use super::protocol::{CellSpec, Opened, Prepared, Reply, Request, Sampled};
use crate::words::{Answer, Counters, Fault, MatchScore, Params, Parts, Searched, resource};

/// A clock that advances only while the fake works.
#[derive(Clone, Default)]
pub struct FakeClock(Rc<Shared<Duration>>);

impl FakeClock {
    fn advance(&self, by: Duration) {
        self.0.set(self.0.get() + by);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Duration {
        self.0.get()
    }
}

/// Describes how a technique behaves.
#[derive(Clone)]
pub struct Script {
    /// Cost per position in ns, as a function of the depth.
    pub ns_per_unit: fn(depth: i64) -> u64,
    /// Cost factor in thousandths, as a function of the parameters.
    pub share: fn(&Params) -> u64,
    /// Time that the preparation takes.
    pub set_up: Duration,
    /// True for parameters with which its answers are wrong.
    pub wrong: fn(&Params) -> bool,
    /// Number of positions in the whole line of play.
    pub line: u64,
    /// Number of nodes per position, as a function of the request's number.
    pub nodes: fn(request: u64) -> u64,
    /// The answer for each position, as value and best move.
    pub says: (i64, &'static str),
    /// The fault with which its preparation fails, if any.
    pub prepare_fault: Option<Fault>,
    /// The fault with which its preparation fails, as a function of the parameters.
    pub prepare_with: fn(&Params) -> Option<Fault>,
    /// How the worker is lost, if at all, and the number of the sample request, from 1, at which this happens.
    pub lost_at: Option<(u64, Lost)>,
    /// The number of openings in a match, or `None` for searches.
    pub openings: Option<u64>,
    /// True if the technique wins every game in a match. Otherwise, it wins one of two games.
    pub wins: bool,
    /// True if the times of the parts add up to more than the total, as with a broken timer.
    pub broken_timer: bool,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            ns_per_unit: |depth| 1_000 * 4_u64.pow(depth as u32),
            share: |_| 1_000,
            set_up: Duration::from_millis(1),
            wrong: |_| false,
            line: 60,
            nodes: |_| 10,
            says: (12, "d3"),
            prepare_fault: None,
            prepare_with: |_| None,
            lost_at: None,
            openings: None,
            wins: false,
            broken_timer: false,
        }
    }
}

/// A fake worker for one device.
pub struct FakeExecutor {
    pub clock: FakeClock,
    pub scripts: HashMap<&'static str, Script>,
    /// The value of a move other than the reference's.
    pub other_move_value: i64,
    /// How the worker is lost when it is asked for the value of a move, if at all.
    pub lost_at_value: Option<Lost>,
    pub asked: Vec<String>,
    ready: HashMap<usize, (String, i64, u64, bool)>,
    /// The parameters of every cell ever prepared.
    params: HashMap<usize, Params>,
    requests: HashMap<String, u64>,
    generation: u64,
    pub opened: Opened,
    jitter: u64,
}

impl FakeExecutor {
    pub fn new(clock: &FakeClock, scripts: &[(&'static str, Script)]) -> Self {
        Self {
            clock: clock.clone(),
            scripts: scripts.iter().cloned().collect(),
            other_move_value: 12,
            lost_at_value: None,
            asked: Vec::new(),
            ready: HashMap::new(),
            params: HashMap::new(),
            requests: HashMap::new(),
            generation: 0,
            opened: Opened {
                timer: "trusted".into(),
                ..Opened::default()
            },
            jitter: 0,
        }
    }

    fn script(&self, technique: &str) -> Script {
        self.scripts.get(technique).cloned().unwrap_or_default()
    }

    fn prepare(&mut self, spec: &CellSpec, deadline: Duration) -> Outcome<Prepared> {
        self.asked
            .push(format!("prepare {} {}", spec.technique, spec.case));
        let script = self.script(&spec.technique);
        if let Some(fault) = script
            .prepare_fault
            .or_else(|| (script.prepare_with)(&spec.params))
        {
            return Ok(Err(fault));
        }
        let units = spec
            .positions
            .map_or(script.line, |most| script.line.min(most as u64));
        let depth = spec.case.int("depth").unwrap_or(0);
        self.ready
            .insert(spec.cell, (spec.technique.clone(), depth, units, false));
        self.params.insert(spec.cell, spec.params.clone());
        if script.set_up > deadline {
            self.clock.advance(deadline);
            self.ready.clear();
            self.generation += 1;
            return Err(Lost::Timeout(deadline));
        }
        self.clock.advance(script.set_up);
        Ok(Ok(Prepared {
            units,
            build_ns: 1_000,
            setup_ns: 1_000_000,
            notes: "fake".into(),
            facts: vec![("board=8x8".into(), "positions".into(), script.line as f64)],
            resources: vec![(resource::GROUP.to_owned(), 64)],
            shape: Params::new(),
        }))
    }

    fn limit(&mut self, cell: usize, units: usize) -> Result<u64, Lost> {
        let Some(ready) = self.ready.get_mut(&cell) else {
            return Err(Lost::Crashed("limit of a cell that is not ready".into()));
        };
        let line = self
            .scripts
            .get(ready.0.as_str())
            .map_or(60, |script| script.line);
        let units = line.min(units as u64);
        // Like a worker, the fake sends an answer again only if the answer changed.
        ready.3 &= ready.2 == units;
        ready.2 = units;
        Ok(ready.2)
    }

    fn sample(
        &mut self,
        cell: usize,
        (first, count): (u64, u64),
        budget: Duration,
        deadline: Duration,
    ) -> Outcome<Vec<Sampled>> {
        let Some((technique, depth, units, answered)) = self.ready.get(&cell).cloned() else {
            return Err(Lost::Crashed("sample of a cell that is not ready".into()));
        };
        self.asked.push(format!("sample {technique} x{count}"));
        let script = self.script(&technique);
        let requests = self.requests.entry(technique.clone()).or_default();
        *requests += 1;
        let request = *requests;
        if let Some((at, lost)) = &script.lost_at
            && at == requests
        {
            self.ready.clear();
            self.generation += 1;
            self.clock.advance(deadline);
            return Err(lost.clone());
        }
        let params = self.params.get(&cell).cloned().unwrap_or_default();
        let mut samples = Vec::new();
        let start = self.clock.now();
        for number in 0..count {
            // Like a worker, the fake ends a batch when the budget is used up.
            if number > 0 && self.clock.now() - start >= budget {
                break;
            }
            // Add a little noise, so that intervals are not empty.
            self.jitter = (self.jitter * 7 + 3) % 11;
            let of_all = (script.ns_per_unit)(depth) * units * (script.share)(&params) / 1000;
            let total_ns = of_all * (995 + self.jitter) / 1000;
            let at_ns = (self.clock.now() - start).as_nanos() as u64;
            self.clock.advance(Duration::from_nanos(total_ns));
            let kernel_ns = if script.broken_timer {
                total_ns * 2
            } else {
                total_ns / 2
            };
            let on_device = technique.starts_with("device");
            let parts = match on_device {
                true => Parts {
                    kernel_ns,
                    launches: 3,
                    longest_launch_ns: kernel_ns / 2,
                    ..Parts::default()
                },
                false => Parts::default(),
            };
            let counters = Counters::of_search((script.nodes)(request) * units, 6 * units);
            let mut sampled = Sampled::of(total_ns, &parts, counters);
            sampled.sample.at_ns = at_ns;
            samples.push(Sampled {
                answer: (script.openings.is_some() || !answered && number == 0).then(|| {
                    if let Some(openings) = script.openings {
                        let opening = (first + number) % openings;
                        return Answer::Match(pair_of_games(opening, script.wins));
                    }
                    let (mut value, best) = script.says;
                    value += i64::from((script.wrong)(&params));
                    let one = Searched {
                        value,
                        best: Some(best.into()),
                        by_move: Vec::new(),
                    };
                    Answer::Searched(vec![one; units as usize])
                }),
                ..sampled
            });
        }
        if let Some(ready) = self.ready.get_mut(&cell) {
            ready.3 = true;
        }
        Ok(Ok(samples))
    }

    fn value_of(&mut self, unit: usize, best: &str) -> Outcome<i64> {
        self.asked.push(format!("value of {best} in {unit}"));
        if let Some(lost) = self.lost_at_value.take() {
            self.ready.clear();
            self.generation += 1;
            return Err(lost);
        }
        Ok(Ok(self.other_move_value))
    }
}

impl Executor for FakeExecutor {
    fn ask(&mut self, request: Request, deadline: Duration) -> Result<Reply, Lost> {
        Ok(match request {
            Request::Prepare(spec) => Reply::Prepared(self.prepare(&spec, deadline)?),
            Request::Limit { cell, units } => Reply::Limited(self.limit(cell, units)?),
            Request::Sample {
                cell,
                count,
                first,
                budget_ns,
            } => {
                let budget = Duration::from_nanos(budget_ns);
                Reply::Samples(self.sample(cell, (first, count), budget, deadline)?)
            }
            Request::ValueOf { unit, best, .. } => Reply::Value(self.value_of(unit, &best)?),
            Request::Forget { cell } => {
                self.ready.remove(&cell);
                Reply::Forgotten
            }
        })
    }

    fn retire(&mut self) {
        self.ready.clear();
        self.generation += 1;
    }

    fn opened(&self) -> Option<&Opened> {
        Some(&self.opened)
    }

    fn generation(&self) -> u64 {
        self.generation
    }
}

/// Returns two games with this opening. The first is won. The second is won if `wins` is set, otherwise lost.
fn pair_of_games(opening: u64, wins: bool) -> MatchScore {
    let second = if wins { 1 } else { -1 };
    MatchScore {
        opening,
        wins: 1 + u64::from(wins),
        losses: u64::from(!wins),
        games: vec![(1, format!("a{opening}")), (second, format!("b{opening}"))],
        ..MatchScore::default()
    }
}
