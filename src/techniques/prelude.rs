//! The names that most techniques use: `use crate::techniques::prelude::*;`.

pub use rayon::ThreadPool;

pub use super::hard::Trial;
pub(crate) use super::list::{choices, whole_numbers};
pub use super::tasks::{Searcher, Searching, prepare_search};
pub use super::{Prepared, Sampler, Setup, Technique};
pub use crate::games::{Game, OrderedGame};
pub use crate::opencl::{
    Access, Buffer, BuildNeeds, Defines, Device, DeviceKind, KernelPlan, LaunchBudget, OclPrm,
    Outcome, Outcomes, Runner, SEARCHED_WORDS, WorkGroup, local_memory,
};
pub use crate::search::{Found, Sibling, Siblings, SplitNode, Window};
pub use crate::words::{
    Answer, Case, Counters, Counts, DEVICES, Fault, ParamEntry, Params, Tally, Task,
    TechniqueEntry, Telemetry, Value,
};
