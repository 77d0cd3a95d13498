use super::{Params, Parts, Resource};

/// Something that is true of a case itself: `(axes it depends on, name, value)`, such as
/// `("board=8x8", "branching-factor", 7.9)`.
pub type Fact = (String, String, f64);

/// What a technique tells of itself beside its answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telemetry {
    /// Where the time went since this was asked for last; all zero on the host.
    pub parts: Parts,
    /// Program build time, ns; 0 on the host.
    pub build_ns: u64,
    /// What it chose or used, for the row: `group 64`.
    pub notes: String,
    /// What it takes of its device.
    pub resources: Vec<Resource>,
    /// What it knows of the case.
    pub facts: Vec<Fact>,
    /// Parameters that its reference needs to give the same answer: what was chosen for the device and decides
    /// what is right. None where the case and the parameters given do.
    pub shape: Params,
}

impl Telemetry {
    /// Of a technique of the host that has something to say.
    pub fn noted(notes: String) -> Telemetry {
        Telemetry {
            notes,
            ..Telemetry::default()
        }
    }
}
