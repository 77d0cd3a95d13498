//! From a TOML file to an [`Experiment`], or to an error that says what is wrong and where.

mod experiment;

pub use experiment::{
    Budget, ChartSpec, Experiment, Quantity, Sampling, TableSpec, TechniqueChoice,
};
