use super::{Params, Parts, Resource};

/// A property of a case, as `(axes it depends on, name, value)`: `("board=8x8", "branching-factor", 7.9)`.
pub type Fact = (String, String, f64);

/// Information that a technique reports besides its answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telemetry {
    /// Time breakdown since the last request. All zero for host techniques.
    pub parts: Parts,
    /// Program build time, ns; 0 for host techniques.
    pub build_ns: u64,
    /// Choices that the technique made, for the row's notes: `group 64`.
    pub notes: String,
    /// The device resources that the technique uses.
    pub resources: Vec<Resource>,
    /// Facts about the case.
    pub facts: Vec<Fact>,
    /// Time for each position in the last sample, ns, in order. Empty unless positions are searched sequentially.
    pub positions_ns: Vec<u64>,
    /// For a hybrid technique, the numbers of positions that the host and the device answered since the last request.
    pub answered: Option<[u64; 2]>,
    /// Parameters that the technique chose for the device. The reference needs them to give the same answer.
    pub shape: Params,
}

impl Telemetry {
    /// Returns the telemetry of a host technique, which has only notes.
    pub fn noted(notes: String) -> Telemetry {
        Telemetry {
            notes,
            ..Telemetry::default()
        }
    }
}
