use super::{Params, Parts, Resource};

/// A property of a case: `(axes it depends on, name, value)`, such as `("board=8x8", "branching-factor", 7.9)`.
pub type Fact = (String, String, f64);

/// A technique's reports beside its answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telemetry {
    /// Time breakdown since the last request; all zero on the host.
    pub parts: Parts,
    /// Program build time, ns; 0 on the host.
    pub build_ns: u64,
    /// Its choices, for the row: `group 64`.
    pub notes: String,
    /// Its use of the device's resources.
    pub resources: Vec<Resource>,
    /// Facts about the case.
    pub facts: Vec<Fact>,
    /// The time of each position of the last sample, ns, in order; empty unless searched sequentially.
    pub positions_ns: Vec<u64>,
    /// Positions that host and device answered since the last request, for a hybrid technique.
    pub answered: Option<[u64; 2]>,
    /// Parameters that the technique chose for the device and the reference needs for an equal answer.
    pub shape: Params,
}

impl Telemetry {
    /// The telemetry of a host technique: notes alone.
    pub fn noted(notes: String) -> Telemetry {
        Telemetry {
            notes,
            ..Telemetry::default()
        }
    }
}
