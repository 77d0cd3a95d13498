//! Types that the whole program shares, such as task, case, answer, counters and status. Imports no other module.

/// Implements the conversion of an enum's variants to words.
macro_rules! worded {
    ($name:ident { $($variant:ident $word:literal)* }) => {
        impl $name {
            /// All variants, in the order used in help texts and reports.
            #[allow(dead_code)]
            pub const ALL: [$name; [$($word),*].len()] = [$($name::$variant),*];

            /// Returns the word used in files, in reports and on the command line.
            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }
    };
}
pub(crate) use worded;

mod answer;
mod case;
mod catalogue;
mod devices;
mod fault;
mod file;
mod lines;
mod measure;
mod paths;
mod question;
mod reason;
mod selection;
mod shard;
mod shell;
mod timer;

pub use answer::{Answer, Chosen, MatchScore, Searched, Tally};
pub use case::{Case, Params, Value};
pub use catalogue::{
    AxisEntry, Catalogue, Counts, GameEntry, KERNELS, Kind, PROGRAM, ParamEntry, TechniqueEntry,
    TechniqueRecord, Understood, is_brought,
};
pub use devices::{DEVICES, Devices, Place};
pub use fault::Fault;
pub use file::{read_file, read_text};
pub use lines::{LastWords, for_each_line};
pub use measure::{
    Counters, Fact, Parts, Resource, Status, Task, Telemetry, cost_fs, is_zero, resource,
};
pub use paths::{home_in, recorded_path, without_homes};
pub use question::Question;
pub use reason::{Extent, Limit, Reason, Warning, counted};
pub use selection::Selection;
pub use shard::Shard;
pub use shell::{program_name, shell_line};
pub use timer::Timer;
