use std::path::Path;

use super::device_board::{Group, LocalNeed, Plan, pack, packed_len};
use super::tasks::DeviceSplit;
use crate::games::reversi::{Evaluation, Representation};
use crate::opencl::{Access, Buffer, Device, Outcomes, Runner, SEARCHED_WORDS};
use crate::search::{Sibling, Window};
use crate::techniques::lanes::Lanes;
use crate::techniques::tasks::{built_up_to, read_scores};
use crate::words::{Counters, Fault, Telemetry};

/// Siblings on an OpenCL device: one launch per principal-variation node, one work-group per sibling.
pub struct DeviceSiblings {
    run: Runner,
    positions: Buffer<u32>,
    outcomes: Outcomes,
    /// Per sibling, the steps of its group's walks, and the steps that the lanes had time for, if counted.
    walks: Option<Buffer<u64>>,
    lanes: Option<Lanes>,
    deepest: u32,
    packed: Vec<u32>,
}

impl DeviceSiblings {
    /// Builds the program. `deepest`: largest remaining depth of a sibling; `width`: lanes, if counted.
    pub fn new(
        evaluation: &Evaluation,
        device: &Device,
        group: Group,
        deepest: u32,
        kernels: Option<&Path>,
        width: Option<usize>,
    ) -> Result<DeviceSiblings, Fault> {
        let size = evaluation.size();
        let levels = deepest as usize + 1;
        let plan = Plan {
            path: "reversi/pv_split.cl",
            kernel: "pv_split",
            evaluation,
            group,
            levels: deepest,
            need: LocalNeed {
                boards: levels,
                moves: levels,
                per_item: 4,
                // A frame of five numbers per level, the job, the steps of a turn, and at most a number per work-item.
                other: 20 * levels + 8 + width.map_or(0, |_| 4 + 4 * size.squares()),
            },
            constants: vec![("LANES", width.unwrap_or(0).to_string())],
        };
        let mut run = plan.build(device, kernels)?;
        let most = size.squares();
        run.notes = format!(
            "group {}, run {}, local {} bytes, built with {}",
            run.items,
            most.div_ceil(run.items),
            run.local_bytes,
            run.options
        );
        let positions = device.buffer::<u32>(most * packed_len(size), Access::Read)?;
        let mut outcomes = Outcomes::new(device, "sibling", most, SEARCHED_WORDS)?;
        let weights = device.buffer::<i32>(most, Access::Read)?;
        run.queue.write(&weights, &evaluation.weights)?;
        run.set_from(0, &[&positions, &weights])?;
        outcomes.bind(&mut run.kernel, 6)?;
        let walks = width.map(|_| device.buffer::<u64>(2 * most, Access::Write));
        let walks = walks.transpose()?;
        if let Some(walks) = &walks {
            run.kernel.set_buffer(7, walks)?;
        }
        let lanes = width.map(|width| Lanes::of(run.items, width));
        Ok(DeviceSiblings {
            run,
            positions,
            outcomes,
            walks,
            lanes,
            deepest,
            packed: Vec::with_capacity(most * packed_len(size)),
        })
    }
}

impl DeviceSiblings {
    /// Share of full lanes in walks for moves since the last [`DeviceSplit::telemetry`]; `None` if not counted.
    pub fn lanes(&self) -> Option<&Lanes> {
        self.lanes.as_ref()
    }
}

impl DeviceSplit for DeviceSiblings {
    fn split<R: Representation>(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        (depth, _): (u32, u32),
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        built_up_to(self.deepest, depth, " below a sibling")?;
        self.packed.clear();
        for sibling in siblings {
            pack(game, &sibling.position, &mut self.packed);
        }
        let kernel = &mut self.run.kernel;
        kernel.set_from(2, &[&window.alpha, &window.beta, &(depth as i32)])?;
        kernel.set_scalar(5, self.outcomes.mark(siblings.len()))?;
        self.run.queue.write(&self.positions, &self.packed)?;
        self.run.launch_groups(siblings.len())?;
        let counters = read_scores(&mut self.outcomes, &mut self.run.queue, scores)?;
        if let (Some(walks), Some(lanes)) = (&self.walks, &mut self.lanes) {
            let mut counted = vec![0; 2 * siblings.len()];
            self.run.queue.read(walks, &mut counted)?;
            for pair in counted.chunks_exact(2) {
                lanes.add_up(pair[0], pair[1]);
            }
        }
        Ok(counters)
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut telemetry = self.run.telemetry();
        telemetry.resources.extend(Lanes::drain(&mut self.lanes));
        telemetry
    }
}
