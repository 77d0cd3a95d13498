//! What the blocks of a table and those of a chart are made from.

use crate::config::{ChartSpec, Quantity, TableSpec, TimeUnit};
use crate::words::Case;

/// What a block is made from: the common part of a table and a chart.
pub(crate) struct Shape<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub quantities: &'a [Quantity],
    pub rows: &'a [String],
    pub columns: &'a [String],
    pub fixed: &'a Case,
    pub techniques: &'a [String],
    pub baselines: &'a [String],
    pub unit: Option<TimeUnit>,
    pub published: &'a [String],
    pub published_baseline: Option<&'a str>,
}

impl<'a> From<&'a TableSpec> for Shape<'a> {
    fn from(spec: &'a TableSpec) -> Self {
        Shape {
            id: &spec.id,
            title: &spec.title,
            quantities: &spec.quantities,
            rows: &spec.rows,
            columns: &spec.columns,
            fixed: &spec.fixed,
            techniques: &spec.techniques,
            baselines: &spec.baselines,
            unit: spec.unit,
            published: &spec.published,
            published_baseline: spec.published_baseline.as_deref(),
        }
    }
}

impl<'a> From<&'a ChartSpec> for Shape<'a> {
    /// A chart is a table whose rows are its lines and whose columns are its points.
    fn from(spec: &'a ChartSpec) -> Self {
        Shape {
            id: &spec.id,
            title: &spec.title,
            quantities: std::slice::from_ref(&spec.quantity),
            rows: &spec.series,
            columns: std::slice::from_ref(&spec.x),
            fixed: &spec.fixed,
            techniques: &spec.techniques,
            baselines: &spec.baselines,
            unit: None,
            published: &spec.published,
            published_baseline: spec.published_baseline.as_deref(),
        }
    }
}
