#!/usr/bin/env python3
"""Servers that work in child processes: descendants are counted, or named where they are not to
be.
"""

import re

import harness
from harness import Target, check, check_share, profiled, target


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return {int(child) for child in file.read().split()}


def test_descendants_are_counted():
    """--pid of a launcher profiles the children that do its work, and says that it is one."""
    with Target(target("known_shares"), "--workers", 2) as server, profiled(
        server.pid, duration=2
    ) as run:
        check(run.code == 0, run)
        check_share(run, 99, 100, "serve")
        counted = {process["pid"] for process in run.facts["processes"] if process["counted"]}
        workers = children(server.pid)
        check(len(workers) == 2 and workers <= counted, f"workers {workers}, counted {counted}")
        check(
            re.search(rf"(?i)launcher.*\b{server.pid}\b", run.out), f"not called a launcher\n{run}"
        )
        check(any(str(worker) in run.out for worker in workers), f"no busy child is named\n{run}")


def test_without_children_the_busy_child_is_named():
    """--no-children measures the named pid alone; the child that does the work is named, not
    counted.
    """
    with Target(target("known_shares"), "--workers", 1) as server, profiled(
        server.pid, "--no-children", duration=2
    ) as run:
        check(
            run.code == 3, f"nothing ran in the launcher, yet the result counts as trusted\n{run}"
        )
        check(sum(run.folded.values()) == 0, "samples of a child")
        (worker,) = children(server.pid)
        check(
            re.search(rf"(?i)launcher.*\b{server.pid}\b", run.out), f"not called a launcher\n{run}"
        )
        check(re.search(rf"\b{worker}\b", run.out), f"child {worker} is not named\n{run}")


def test_a_child_born_later_is_counted():
    """A child forked during the run is sampled from its birth."""
    with Target(target("known_shares"), "--late", "child") as server, profiled(
        server.pid, duration=3
    ) as run:
        check(run.code == 0, run)
        check_share(run, 99, 100, "serve")
        (worker,) = children(server.pid)
        born = [p for p in run.facts["processes"] if p["pid"] == worker]
        check(born and born[0]["began_ms"] > 0, f"child {worker} was not seen being born\n{run}")


def test_a_process_whose_first_thread_ended_is_named():
    """What lives on in other threads is profiled, with its command and its functions."""
    with Target(target("leader_ends"), 30) as server, profiled(server.pid, duration=2) as run:
        check(run.code == 0, run)
        check_share(run, 99, 100, "survivor", "survivor_work")
        check("leader_ends" in run.out, f"the command is not named\n{run}")


def test_another_process_is_never_counted():
    """Samples belong to the wanted pids alone, however busy the others are."""
    with Target(target("known_shares")) as server, Target(
        target("exit_midway"), 30
    ) as stranger, profiled(server.pid, duration=1.5) as run:
        check_share(run, 0, 0, re.compile("^brief_"))
        pids = {process["pid"] for process in run.facts["processes"]}
        check(stranger.pid not in pids, f"the stranger {stranger.pid} is listed: {pids}")


if __name__ == "__main__":
    harness.main(globals())
