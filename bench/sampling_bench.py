#!/usr/bin/env python3
"""What sampling costs, against no profiler and against `perf record -g`: a fixed job at two stack depths, in turns.

usage: bench/sampling_bench.py [--rate HZ] [--repeats N]      as root, after a release build, on a quiet machine

Prints, for each depth, the median of the paired ratios of the job's CPU time (profiled / bare) with their range, and, for
profile, the run time of its BPF programs per sample and its own CPU per sample.
"""

import argparse
import json
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROFILE = ROOT / "build" / "release" / "bin" / "profile"
ROUNDS = 1_500_000_000
ATTACH_SECONDS = 1.5


def build(folder):
    job = pathlib.Path(folder) / "deep_stack"
    source = ROOT / "bench" / "deep_stack.c"
    subprocess.run(["cc", "-O1", "-fno-omit-frame-pointer", "-o", job, source], check=True)
    return job


def run_job(job, depth, profiler):
    """CPU ns of one run of the job, and how long its profiler, if any, was attached before it began to work."""
    process = subprocess.Popen(
        [job, str(depth), str(ROUNDS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    attached = None
    if profiler:
        command = profiler(process.pid)
        attached = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(ATTACH_SECONDS)
    process.stdin.write("\n")
    process.stdin.flush()
    cpu_ns = int(process.stdout.readline())
    process.wait()
    if attached:
        attached.send_signal(signal.SIGINT)
        attached.wait()
    return cpu_ns


def own_cost(folder):
    report = json.loads((pathlib.Path(folder) / "run" / "report.json").read_text())
    samples = max(1, report["metric"]["samples"])
    overhead = report["run"]["overhead"]
    return overhead["probe_ns"] / samples, overhead["collector_cpu_ns"] / samples


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rate", type=int, default=999)
    options.add_argument("--repeats", type=int, default=5)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        job = build(folder)
        rate = str(asked.rate)
        profilers = {
            "profile": lambda pid: [PROFILE, "--pid", str(pid), "-F", rate, "--duration", "60",
                                    "-o", f"{folder}/run"],
            "perf record -g": lambda pid: ["perf", "record", "-q", "-F", rate, "-g", "-o",
                                           f"{folder}/perf.data", "-p", str(pid)],
        }  # fmt: skip
        print(f"{'frames':>6}  {'profiler':<15} {'job CPU':>8}  {'range':<14} {'BPF/sample':>11} {'tool/sample':>12}")
        for depth in 11, 63:
            ratios = {name: [] for name in profilers}
            costs = []
            for _ in range(asked.repeats):
                bare_ns = run_job(job, depth, None)
                for name, profiler in profilers.items():
                    ratios[name].append(run_job(job, depth, profiler) / bare_ns)
                costs.append(own_cost(folder))
            for name, values in ratios.items():
                line = f"{depth:>6}  {name:<15} {statistics.median(values):>8.3f}  {min(values):.3f}-{max(values):.3f}"
                if name == "profile":
                    probe_ns, tool_ns = (statistics.median(column) for column in zip(*costs))
                    line += f"   {probe_ns / 1000:>8.1f} us {tool_ns / 1000:>9.1f} us"
                print(line, flush=True)


if __name__ == "__main__":
    main()
