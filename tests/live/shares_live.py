#!/usr/bin/env python3
"""A server with known shares, built in every way: the printed interval holds the truth, and the
totals agree.
"""

import re

import harness
import pprof
from harness import Target, check, check_share, profiled, share, target

TRUTH = {"handle_a": 50, "handle_b": 30, "handle_c": 15, "handle_d": 5}


def check_truth(run):
    """Within four standard errors of a share at this number of samples: fails by chance once in
    4,000 runs.
    """
    samples = run.samples
    check(samples >= 100, run)
    for name, truth in TRUTH.items():
        error = 400 * (truth / 100 * (1 - truth / 100) / samples) ** 0.5
        check_share(run, truth - error, truth + error, "serve", name)


def test_shares_of_a_plain_server():
    """Known shares come out, and samples are neither made up nor dropped: about rate x CPU time of
    them.
    """
    with Target(target("known_shares")) as server, profiled(server.pid, duration=3) as run:
        check(run.code == 0, run)
        check_truth(run)
        cpu = sum(thread["use"]["cpu_ns"] for thread in run.facts["threads"]) / 1e9
        expected = 499 * cpu
        check(
            abs(run.samples - expected) < 0.05 * expected, f"{expected:.0f} samples expected\n{run}"
        )


def test_totals_agree_in_every_output():
    """Totals in = totals out: the pprof file, the folded stacks and the category table hold the
    same sum.
    """
    with Target(target("known_shares")) as server, profiled(server.pid, duration=2) as run:
        saved = pprof.read(run.folder / "profile.pb.gz")
        total = saved.total("cpu")
        check(total > 0 and total == run.total, f"{total} in the file, {run.total} in the report")
        check(sum(run.folded.values()) == total, "the folded stacks hold another sum")
        spent = sum(row["spent_in"] for row in run.report["categories"] if not row["is_rollup"])
        check(spent == total, f"categories sum to {spent}, not {total}")
        check(saved.total("samples") == run.samples, "sample counts differ")


def test_shares_of_a_static_server():
    """A static program is named from its own symbol table, and its stacks end at a root."""
    with Target(target("known_shares_static")) as server, profiled(server.pid, duration=2) as run:
        check(run.code == 0, run)
        check_truth(run)


def test_a_stripped_server_is_not_named_after_a_neighbour():
    """An address outside every symbol's size is module+offset, though an exported function lies
    right before it.
    """
    with Target(target("known_shares_stripped")) as server, profiled(server.pid, duration=2) as run:
        check_share(run, 0, 0.5, re.compile("exported_before|exported_after|^handle_[abcd]$"))
        check_share(run, 90, 100, re.compile(r"^known_shares_stripped\+0x[0-9a-f]+$"))


def test_shares_of_threads():
    """All threads of a process are counted, each under its own name."""
    with Target(target("known_shares"), "--threads", 3) as server, profiled(
        server.pid, duration=2
    ) as run:
        check(run.code == 0, run)
        check_truth(run)
        names = {row["name"] for row in run.report["threads"]}
        check({"lane 0", "lane 1", "lane 2"} <= names, f"threads: {names}")
        check(share(run, "main") < 1, "a thread's stack goes through main()")


def test_a_thread_born_later_is_counted():
    """A thread that starts during the run is sampled from its start."""
    with Target(target("known_shares"), "--late", "thread") as server, profiled(
        server.pid, duration=3
    ) as run:
        check(run.code == 0, run)
        check_truth(run)


if __name__ == "__main__":
    harness.main(globals())
