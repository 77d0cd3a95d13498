"""Plybench as a ReFrame test with one shard per node, for Slurm, Flux, PBS, LSF and ReFrame's other schedulers.

UNTESTED: it follows ReFrame 4's documentation and has not been run.

    PLYBENCH_SHARDS=20 reframe -C site.py -c scripts/cluster/reframe.py -r \
        -S bench=/shared/bench -S config=/shared/reversi.toml -S folder=/shared/reversi

The site's configuration file defines the systems. Each job runs one shard, and the last test merges the shards.
"""

import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function, variable

SHARDS = int(os.environ.get("PLYBENCH_SHARDS", "4"))


class Plybench(rfm.RunOnlyRegressionTest):
    """Defines the options of both tests."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    bench = variable(str, value="bench")
    config = variable(str)
    folder = variable(str)


@rfm.simple_test
class Shard(Plybench):
    """Runs a shard on a node, with a GPU if the system's configuration defines that resource."""

    shard = parameter(range(1, SHARDS + 1))
    num_tasks = 1
    exclusive_access = True
    extra_resources = {"gpu": {"num_gpus_per_node": 1}}

    @run_before("run")
    def command(self):
        self.executable = self.bench
        shard = f"{self.shard}/{SHARDS}"
        self.executable_opts = [
            "run", self.config, "--shard", shard, "--out", f"{self.folder}/shards"
        ]

    @sanity_function
    def ended(self):
        return sn.assert_eq(self.job.exitcode, 0)


@rfm.simple_test
class Merge(Plybench):
    """Merges all shards into a run folder with a report."""

    @run_after("init")
    def after_all(self):
        for variant in range(Shard.num_variants):
            self.depends_on(Shard.variant_name(variant))

    @run_before("run")
    def command(self):
        self.executable = self.bench
        self.executable_opts = [
            "merge", "--replace", f"{self.folder}/merged", f"{self.folder}/shards"
        ]

    @sanity_function
    def ended(self):
        return sn.assert_eq(self.job.exitcode, 0)
