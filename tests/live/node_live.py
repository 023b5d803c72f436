#!/usr/bin/env python3
"""A Node server under load, for a few seconds: JS functions are named, stacks reach the root,
shares are explained.
"""

import re

import harness
from harness import Load, Server, check, profiled


def rows(run):
    return {row["name"]: row for row in run.report["categories"]}


def test_hono_under_load():
    """A short run already shows what the server does: kernel, loop, parser, libraries, the
    handler's own work.
    """
    folder = harness.node_targets()
    command = [harness.node_binary(folder), "--perf-basic-prof", "hono.ts"]
    with Server(*command, cwd=folder) as server, Load(server.url()), profiled(
        server.pid, duration=3
    ) as run:
        check(run.code == 0, run)
        spent = {name: 100 * row["spent_in"] / run.total for name, row in rows(run).items()}
        check(spent.get("sys", 0) > 10, f"system calls are {spent.get('sys')} %\n{run}")
        check(spent["unattributed"] <= 5 and spent["unsymbolised"] <= 2, run)
        names = {row["name"] for row in run.report["functions"]}
        check(any("parserOnIncoming" in name for name in names), f"no JS function is named\n{run}")
        check("uv_run" in names, f"no native function is named\n{run}")
        check(
            not any(re.match(r"JS:|Builtin:", name) for name in names),
            "raw names of the perf map are shown",
        )


if __name__ == "__main__":
    harness.main(globals())
