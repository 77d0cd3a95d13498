use super::{Params, Parts, Resource};

/// A property of a case, as `(axes it depends on, name, value)`: `("board=8x8", "branching-factor", 7.9)`.
pub type Fact = (String, String, f64);

/// A technique's reports besides its answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telemetry {
    /// Time breakdown since the last request. All zero on the host.
    pub parts: Parts,
    /// Program build time, ns, or 0 on the host.
    pub build_ns: u64,
    /// The technique's choices, for the row: `group 64`.
    pub notes: String,
    /// How much the technique uses of the device's resources.
    pub resources: Vec<Resource>,
    /// Facts about the case.
    pub facts: Vec<Fact>,
    /// The time for each position in the last sample, ns, in order. Empty unless searched sequentially.
    pub positions_ns: Vec<u64>,
    /// For a hybrid technique, the numbers of positions that the host and the device answered since the last request.
    pub answered: Option<[u64; 2]>,
    /// Parameters that the technique chose for the device and that the reference needs to give an equal answer.
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
