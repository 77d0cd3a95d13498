//! Measures SIMT efficiency (parameter `efficiency`), the share of busy lanes among lanes in lockstep.

use super::Setup;
use super::tasks::{Play, Searcher};
use crate::techniques::prelude::*;
use crate::words::{Resource, resource};

/// Counts nodes (or steps) and slots of lanes. Each lane has one slot per node of the slowest lane in lockstep with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Number of work-items per group, and number of work-items in lockstep (warp or SIMD width).
    group: usize,
    width: usize,
    entered: u64,
    room: u64,
}

impl Lanes {
    /// Creates a counter for the groups of a kernel on a device. Returns `None` if the parameter is off.
    pub fn asked_for(
        params: &Params,
        device: &Device,
        run: &Runner,
    ) -> Result<Option<Lanes>, Fault> {
        let width = width_of(device, run.kernel.preferred_multiple());
        let is_counted = EFFICIENCY.given(params, false, read_efficiency)?;
        Ok(is_counted.then(|| Lanes::of(run.items, width)))
    }

    /// Creates a counter for groups of `group` work-items. Every `width` consecutive work-items run in lockstep.
    pub fn of(group: usize, width: usize) -> Lanes {
        Lanes {
            group,
            width,
            entered: 0,
            room: 0,
        }
    }

    /// Adds a launch. `nodes` contains the number of nodes for each work-item, in order.
    pub fn add(&mut self, nodes: &[u64]) {
        let groups = nodes.chunks(self.group);
        for lanes in groups.flat_map(|group| group.chunks(self.width)) {
            let longest = lanes.iter().max().copied().unwrap_or(0);
            self.entered += lanes.iter().sum::<u64>();
            self.room += longest * self.width as u64;
        }
    }

    /// Adds two sums that a kernel counted: the number of nodes entered, and the number of slots.
    pub fn add_up(&mut self, entered: u64, room: u64) {
        self.entered += entered;
        self.room += room;
    }

    /// Returns the number of nodes entered, and the number of slots.
    pub fn counted(&self) -> (u64, u64) {
        (self.entered, self.room)
    }

    /// Returns the entered nodes divided by the slots, in millionths, or `None` if nothing was counted.
    fn efficiency(&self) -> Option<Resource> {
        let ppm = (self.entered * 1_000_000).checked_div(self.room)?;
        Some((resource::SIMT_EFFICIENCY.to_owned(), ppm))
    }

    /// Returns the efficiency since the last call, and resets the counts.
    pub fn drain(lanes: &mut Option<Lanes>) -> Option<Resource> {
        let lanes = lanes.as_mut()?;
        let efficiency = lanes.efficiency();
        (lanes.entered, lanes.room) = (0, 0);
        efficiency
    }

    /// Returns telemetry with the device's resources, and the efficiency if it was counted.
    pub fn telemetry(lanes: Option<&Lanes>, run: &mut Runner) -> Telemetry {
        let mut telemetry = run.telemetry_and_resources();
        telemetry
            .resources
            .extend(lanes.and_then(Lanes::efficiency));
        telemetry
    }
}

/// Returns the number of lanes in lockstep: `multiple`, or 1 on a CPU, which runs work-items one after another.
fn width_of(device: &Device, multiple: usize) -> usize {
    match device.info().kind {
        DeviceKind::Cpu => 1,
        _ => multiple.max(1),
    }
}

choices! {
    /// The parameter `efficiency`.
    pub EFFICIENCY, read_efficiency -> bool: "efficiency", {"true" => true, "false" => false}, "false",
        "`true` (one more search during preparation, which measures the share of busy lanes) or `false`";
}

/// Creates a search with `made`. If the parameter is on, also creates a second search, whose kernel counts busy lanes
/// for the device's lockstep width. The timed kernel does not count busy lanes. `depth` is the depth of the case.
pub fn counted<P: Play>(
    setup: &Setup<'_>,
    depth: u32,
    made: impl Fn(Option<usize>) -> Searching<P>,
) -> Searching<P> {
    let search = made(None)?;
    if !EFFICIENCY.given(setup.params, false, read_efficiency)? {
        return Ok(search);
    }
    let device = setup.on_device()?;
    Ok(Box::new(Counted {
        search,
        counting: made(Some(width_of(device, device.preferred_multiple())))?,
        depth,
        lanes: Vec::new(),
    }))
}

/// Wraps a search and a second search, which counts the busy lanes for the first position.
struct Counted<P: Play> {
    search: Box<dyn Searcher<P>>,
    counting: Box<dyn Searcher<P>>,
    depth: u32,
    lanes: Vec<Resource>,
}

impl<P: Play> Searcher<P> for Counted<P> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.search.load(positions)?;
        if let [first, ..] = positions {
            self.counting.load(std::slice::from_ref(first))?;
            self.counting.search(0, self.depth)?;
            self.lanes = self.counting.telemetry().resources;
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<P::Move>, Fault> {
        self.search.search(index, depth)
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut telemetry = self.search.telemetry();
        telemetry.resources.extend(self.lanes.iter().cloned());
        telemetry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_those_beside_each_other_counts_for_all() {
        let mut lanes = Lanes::of(6, 4);
        assert_eq!(lanes.efficiency(), None);
        // The groups have bundles of 4 and 2 work-items, and of 1 work-item. Each bundle occupies 4 lanes.
        lanes.add(&[10, 5, 4, 1, 8, 2, 3]);
        assert_eq!((lanes.entered, lanes.room), (33, 4 * (10 + 8 + 3)));
        let mut serial = Lanes::of(6, 1);
        serial.add(&[10, 5, 4, 1, 8, 2, 3]);
        assert_eq!(serial.efficiency().unwrap().1, 1_000_000);
    }
}
