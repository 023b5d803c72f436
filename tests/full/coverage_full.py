#!/usr/bin/env python3
"""How often the printed 95 % interval holds the truth: 100 short runs of a server with known
shares.

Accepted from 87 hits of 100 on: with intervals that cover 95 %, fewer happen once in a thousand
such tests. The rule for intervals is a little wide, so that 98 are to be expected. Seeds are fixed;
what is left to chance is when samples fall. RUNS=N in the environment runs fewer.
"""

import os

import paths  # noqa: F401
import harness
from harness import Target, check, profiled, target

RUNS = int(os.environ.get("RUNS", "100"))
SECONDS = 2
ACCEPTED = 0.87
TRUTH = {"known.a": 0.50, "known.b": 0.30, "known.c": 0.15, "known.d": 0.05}


def one_run(seed):
    """{category: its row in the report}"""
    rules = harness.TARGET_SOURCES / "known_shares.toml"
    with Target(target("known_shares"), "--seed", seed) as server, profiled(
        server.pid, "--rules", rules, duration=SECONDS
    ) as run:
        # 3: few samples, on a busy machine; their intervals have to hold as well.
        check(run.code in (0, 3), run)
        few = f"seed {seed}: {run.samples} samples have no interval; the target got no CPU"
        check(run.samples >= 20, few)
        return {row["name"]: row for row in run.report["categories"]}


def test_the_printed_intervals_hold_the_truth():
    """In >= 87 of 100 runs the interval of each category holds its known share."""
    held = {(name, kind): 0 for name in TRUTH for kind in ("passes_through", "spent_in")}
    width = dict.fromkeys(held, 0.0)
    for seed in range(1, RUNS + 1):
        rows = one_run(seed)
        for name, kind in held:
            low, high = rows[name][f"{kind}_interval"] if name in rows else (0, 0)
            held[name, kind] += low <= TRUTH[name] <= high
            width[name, kind] += (high - low) / 2 / RUNS
    print(f"  {RUNS} runs of {SECONDS} s            truth   interval holds it  mean half-width")
    for (name, kind), hits in held.items():
        print(
            f"  {name} {kind:14} {100 * TRUTH[name]:5.1f} %   {hits:6} of {RUNS}     "
            f"{100 * width[name, kind]:5.2f} points"
        )
    for key, hits in held.items():
        check(hits >= ACCEPTED * RUNS, f"{key}: the truth was met in {hits} of {RUNS} runs")


if __name__ == "__main__":
    harness.main(globals())
