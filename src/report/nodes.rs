//! Of a run in shards: which rows share a node, and which were asked for and are not there.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::asked::Asked;
use super::data::{HOST, Index, RunData};
use super::grid::{Entry, Grid, Item};
use super::number::Unit;
use super::table::Csv;
use crate::results::Invocation;
use crate::words::Case;

/// Name of the table of every row's node.
pub(crate) const TABLE: &str = "nodes";
/// More nodes than this are in the table of rows alone.
const SHOWN: usize = 40;

impl RunData {
    /// The cases and techniques that the folder's commands asked for and that have no row on any device: the run
    /// was ended before it came to them.
    pub fn not_measured(&self) -> Vec<(String, String)> {
        let asked = Asked::new(&self.experiment, &self.environment.given());
        let rows = self.measurements.iter();
        let rows = rows.map(|row| (row.case.as_str(), row.technique.as_str()));
        let rows: HashSet<(&str, &str)> = rows.collect();
        let mut missing = Vec::new();
        for case in &self.experiment.cases {
            let name = case.to_string();
            for choice in self.experiment.techniques.iter() {
                let is_asked = choice.takes(case) && asked.has(&name, &choice.label);
                if is_asked && !rows.contains(&(name.as_str(), choice.label.as_str())) {
                    missing.push((name.clone(), choice.label.clone()));
                }
            }
        }
        missing
    }
}

/// What a node has of the run.
#[derive(Default)]
struct Share<'a> {
    shards: BTreeSet<&'a str>,
    addresses: BTreeSet<&'a str>,
    cases: BTreeSet<&'a str>,
    rows: usize,
}

/// The rows of the table, and the CSV of every cell.
type Nodes = (Vec<Item>, Vec<u8>);

/// A node a row, and the CSV with the node of each cell; `None` where the invocations name none.
pub(crate) fn nodes(index: &Index<'_>) -> Result<Option<Nodes>, csv::Error> {
    const COLUMNS: &str = "case,technique,device,node,address,shard,invocation";
    let environment = &index.data.environment;
    if environment.invocations.iter().all(|it| it.node.is_none()) {
        return Ok(None);
    }
    let mut shares: BTreeMap<&str, Share<'_>> = BTreeMap::new();
    let mut csv = Csv::new(&[], COLUMNS)?;
    for row in &index.data.measurements {
        let invocation = environment.invocation(&row.invocation);
        let invocation = invocation.filter(|it| it.node.is_some());
        let text = |of: fn(&Invocation) -> &Option<String>| {
            let text = invocation.and_then(|it| of(it).as_deref());
            text.unwrap_or_default()
        };
        let (node, shard) = (text(|it| &it.node), text(|it| &it.shard));
        let [case, technique] = [row.case.as_str(), &row.technique];
        let [device, address] = [row.device.as_str(), &row.address];
        let place = [case, technique, device, node].into_iter();
        let record = place.chain([address, shard, &row.invocation]);
        csv.line(&Case::default(), record)?;
        let share = shares.entry(node).or_default();
        share.shards.insert(shard);
        share.cases.insert(case);
        if device != HOST {
            share.addresses.insert(address);
        }
        share.rows += 1;
    }
    Ok(Some((shown(&shares), csv.finish()?)))
}

fn shown(shares: &BTreeMap<&str, Share<'_>>) -> Vec<Item> {
    let addresses = "addresses of its devices";
    let mut grid = Grid::new(["node", "shards", "cases", "rows", addresses]);
    let list = |all: &BTreeSet<&str>| {
        let all: Vec<&str> = all.iter().copied().filter(|it| !it.is_empty()).collect();
        Entry::word(all.join(", "))
    };
    let count = |number: usize| Entry::word(Unit::Count.show(number as f64));
    for (node, own) in shares.iter().take(SHOWN) {
        let counts = [own.cases.len(), own.rows].map(count);
        let rest = std::iter::once(list(&own.shards)).chain(counts);
        grid.row(Entry::word(*node), rest.chain([list(&own.addresses)]));
    }
    let more = match shares.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" {more} more nodes are in it."),
    };
    let text = format!(
        "Compare rows of one node: two nodes differ in their processors, clocks and other load. \
         `tables/{TABLE}.csv` has the node of each row.{more}"
    );
    let heading = Item::Heading("Nodes".to_owned());
    vec![heading, Item::Table(grid), Item::Text(text)]
}
