//! Whether the host or the device goes on with a position: by what both have needed so far.

use std::time::Duration;

/// Plies that the host lacks where it is first asked whether it goes on: what it has done until then is a few per
/// cent of the whole.
pub(super) const MOST_LEFT: u32 = 6;

/// How much of the host's time the device may need, to be worth a second beginning.
const WORTH: f64 = 0.9;

/// What a search of the host is like before one of its iterations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    /// Plies by which the last iteration was less deep than the whole search: 2, 4 or 6.
    pub(super) left: u32,
    /// Nodes of all iterations so far.
    pub(super) nodes: u64,
}

/// What host and device need for the rest of a search, learnt from positions that they have answered.
///
/// A position is told from others by the nodes of its first iterations alone, so that what is known of one
/// that was searched before decides no more than any other.
#[derive(Clone, Debug, Default)]
pub(super) struct Costs([Both; MOST_LEFT as usize / 2]);

/// Times after one number of plies left.
#[derive(Clone, Debug)]
struct Both {
    host: Line,
    device: Line,
}

impl Default for Both {
    fn default() -> Both {
        Both {
            // Ten times the nodes at first, ten times the time.
            host: Line::new(1.0),
            // A launch takes some time however little it does, and more work fills more of a device.
            device: Line::new(0.7),
        }
    }
}

impl Costs {
    fn at(&mut self, stage: Stage) -> &mut Both {
        &mut self.0[stage.left as usize / 2 - 1]
    }

    /// Whether the host goes on: where its rest is predicted to take no longer than the whole on the device, or
    /// nothing is known of one of them.
    pub(super) fn host_goes_on(&self, stage: Stage) -> bool {
        let Both { host, device } = &self.0[stage.left as usize / 2 - 1];
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
}

/// What is left of an observation after each later one: some twenty count.
const KEPT: f64 = 0.95;

/// The weight of the slope taken for granted: as of so many observations whose nodes differ by a factor of e from
/// their mean.
const TRUST: f64 = 4.0;

/// A line through logarithms: of a time over nodes, by least squares.
#[derive(Clone, Debug)]
struct Line {
    /// The slope before anything is known of it.
    slope: f64,
    weight: f64,
    /// Means.
    nodes: f64,
    time: f64,
    /// Sums of squares and of products about the means.
    squares: f64,
    products: f64,
}

impl Line {
    fn new(slope: f64) -> Line {
        Line {
            slope,
            weight: 0.0,
            nodes: 0.0,
            time: 0.0,
            squares: 0.0,
            products: 0.0,
        }
    }

    /// The logarithm of the time, ns; `None` before the first observation.
    fn at(&self, nodes: u64) -> Option<f64> {
        let slope = (self.products + TRUST * self.slope) / (self.squares + TRUST);
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
