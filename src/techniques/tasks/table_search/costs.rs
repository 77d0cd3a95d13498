//! Whether the host or the device goes on with a position: by what both have needed so far.

use std::time::Duration;

/// Plies left at the first decision between host and device: by then, the host has done a few per cent of its work.
pub(super) const MOST_LEFT: u32 = 6;

/// How much of the host's time the device may need, to be worth a second beginning.
const WORTH: f64 = 0.9;

/// What a search of the host is like before one of its iterations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    /// Plies by which the last iteration was less deep: 2, 4 or 6.
    pub(super) left: u32,
    /// Nodes of all iterations so far.
    pub(super) nodes: u64,
}

/// Times of host and device for the rest of a search to one depth, learnt from the positions that they answered.
///
/// Positions are told apart only by the nodes of their first iterations. So the times of an earlier search of the
/// same position count no more than those of any other.
#[derive(Clone, Debug, Default)]
pub(super) struct Costs {
    /// By the plies left: 2, 4 and 6.
    by_left: [Both; MOST_LEFT as usize / 2],
    /// Whether the device lacked room for the nodes of a position.
    no_room: bool,
}

/// Times after one number of plies left.
#[derive(Clone, Debug, Default)]
struct Both {
    host: Line,
    device: Line,
}

impl Costs {
    fn at(&mut self, stage: Stage) -> &mut Both {
        &mut self.by_left[stage.left as usize / 2 - 1]
    }

    /// Whether the host goes on: yes, unless the device is predicted to need at most [`WORTH`] of the time for the
    /// rest on the host. A device that has never answered is not used, because it may be a hundred times as slow;
    /// neither is one that has lacked room.
    pub(super) fn host_goes_on(&self, stage: Stage) -> bool {
        if self.no_room {
            return true;
        }
        let Both { host, device } = &self.by_left[stage.left as usize / 2 - 1];
        match (host.at(stage.nodes), device.at(stage.nodes)) {
            (Some(host), Some(device)) => device > host + WORTH.ln(),
            _ => true,
        }
    }

    /// Learns how long the host took from a stage to the end.
    pub(super) fn host_took(&mut self, stage: Stage, rest: Duration) {
        self.at(stage).host.learn(stage.nodes, rest);
    }

    /// Learns how long the device took for the whole.
    pub(super) fn device_took(&mut self, stage: Stage, time: Duration) {
        self.at(stage).device.learn(stage.nodes, time);
    }

    /// Learns that the device had no room for a position.
    pub(super) fn device_has_no_room(&mut self) {
        self.no_room = true;
    }

    /// Whether the device may be asked at all.
    pub(super) fn knows_device(&self) -> bool {
        !self.no_room && self.by_left.iter().any(|both| both.device.weight > 0.0)
    }
}

/// What is left of an observation after each later one: some fifty count.
const KEPT: f64 = 0.98;

/// Weight of the assumption that ten times the nodes take ten times the time (a slope of 1), as a number of
/// observations whose nodes differ from their mean by a factor of e.
const TRUST: f64 = 4.0;

/// A line through logarithms: of a time over nodes, by least squares.
#[derive(Clone, Debug, Default)]
struct Line {
    weight: f64,
    /// Means.
    nodes: f64,
    time: f64,
    /// Sums of squares and of products about the means.
    squares: f64,
    products: f64,
}

impl Line {
    /// The logarithm of the time, ns; `None` before the first observation.
    fn at(&self, nodes: u64) -> Option<f64> {
        let slope = (self.products + TRUST) / (self.squares + TRUST);
        (self.weight > 0.0).then(|| self.time + slope * (log(nodes) - self.nodes))
    }

    fn learn(&mut self, nodes: u64, time: Duration) {
        let nodes = log(nodes) - self.nodes;
        let time = log(time.as_nanos() as u64) - self.time;
        self.weight = KEPT * self.weight + 1.0;
        self.nodes += nodes / self.weight;
        self.time += time / self.weight;
        let about = nodes * (1.0 - 1.0 / self.weight);
        self.squares = KEPT * self.squares + nodes * about;
        self.products = KEPT * self.products + time * about;
    }
}

fn log(number: u64) -> f64 {
    (number.max(1) as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(nodes: u64) -> Stage {
        Stage { left: 4, nodes }
    }

    /// Positions that take such times, µs, on host and device, by their nodes.
    fn teach(costs: &mut Costs, host: impl Fn(u64) -> u64, device: impl Fn(u64) -> u64) {
        for nodes in [50, 900, 200, 5_000, 400, 100, 2_000, 800, 12_000] {
            costs.host_took(stage(nodes), Duration::from_micros(host(nodes)));
            costs.device_took(stage(nodes), Duration::from_micros(device(nodes)));
        }
    }

    #[test]
    fn whoever_is_predicted_to_be_sooner_answers() {
        let mut costs = Costs::default();
        teach(&mut costs, |nodes| 2 * nodes, |nodes| 1_000 + nodes / 4);
        for nodes in [1, 10, 50, 200] {
            assert!(costs.host_goes_on(stage(nodes)), "{nodes}");
        }
        for nodes in [2_000, 12_000, 100_000] {
            assert!(!costs.host_goes_on(stage(nodes)), "{nodes}");
        }
    }

    #[test]
    fn a_device_that_is_always_slower_or_hardly_faster_answers_nothing() {
        for device in [95, 100, 300, 100_000] {
            let mut costs = Costs::default();
            teach(&mut costs, |nodes| nodes, |nodes| nodes * device / 100);
            for nodes in [1, 100, 10_000, 1_000_000] {
                assert!(costs.host_goes_on(stage(nodes)), "{device} {nodes}");
            }
        }
        let mut costs = Costs::default();
        teach(&mut costs, |nodes| nodes, |nodes| nodes / 2);
        assert!(!costs.host_goes_on(stage(1_000)));
    }

    #[test]
    fn a_device_of_which_nothing_is_known_is_not_asked() {
        let mut costs = Costs::default();
        assert!(costs.host_goes_on(stage(1_000_000)));
        teach(&mut costs, |nodes| 100 * nodes, |_| 1);
        assert!(!costs.host_goes_on(stage(1_000)));
        assert!(costs.knows_device());
        let later = Stage {
            left: 2,
            ..stage(1_000)
        };
        assert!(
            costs.host_goes_on(later),
            "nothing is known two plies from the end"
        );
        costs.device_has_no_room();
        assert!(costs.host_goes_on(stage(1_000)) && !costs.knows_device());
    }

    /// As where another program slows the host down, and then ends.
    #[test]
    fn what_was_long_ago_is_forgotten() {
        let mut costs = Costs::default();
        teach(&mut costs, |nodes| 10 * nodes, |_| 1_000);
        assert!(!costs.host_goes_on(stage(500)));
        for _ in 0..20 {
            teach(&mut costs, |nodes| nodes, |_| 1_000);
        }
        assert!(costs.host_goes_on(stage(500)));
        assert!(!costs.host_goes_on(stage(5_000)));
    }

    #[test]
    fn a_line_is_found_whatever_its_slope() {
        for slope in [0.0, 0.5, 1.0, 1.5] {
            let mut line = Line::default();
            for round in 0..40 {
                let nodes = 10_u64.pow(1 + round % 5);
                let time = 1e4 * (nodes as f64).powf(slope);
                line.learn(nodes, Duration::from_nanos(time as u64));
            }
            let found = line.at(3_000).unwrap();
            let expected = 1e4_f64.ln() + slope * 3_000_f64.ln();
            approx::assert_abs_diff_eq!(found, expected, epsilon = 0.1);
        }
    }
}
