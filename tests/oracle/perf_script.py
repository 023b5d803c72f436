"""Reads the text of `perf script -F comm,pid,tid,time,event,ip,sym,dso`: for each sample its time
and frame names.
"""

import re
import shutil
import subprocess

FIELDS = "comm,pid,tid,time,event,ip,sym,dso"
# The name of a task may hold anything: what follows it decides.
HEADER = re.compile(r"\s+\d+/\d+\s+(?P<time>\d+\.\d+):\s+\S.*:\s*$")
FRAME = re.compile(r"^\s+[0-9a-f]+ (?P<symbol>.*) \((?P<module>[^()]*(?:\([^()]*\)[^()]*)*)\)$")


def find_perf():
    return shutil.which("perf")


def record(pid, rate, seconds, path):
    """A running `perf record` on a pid, its times on the monotonic clock."""
    return subprocess.Popen(
        [
            find_perf(),
            "record",
            "-q",
            "-F",
            str(rate),
            "-g",
            "-k",
            "CLOCK_MONOTONIC",
            "-o",
            str(path),
            "-p",
            str(pid),
            "--",
            "sleep",
            str(seconds),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def samples(path):
    """(seconds, [frame names, leaf first]) of each sample in a perf.data file."""
    done = subprocess.run(
        [find_perf(), "script", "-i", str(path), "-F", FIELDS, "--ns", "--max-stack", "512"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=True,
    )
    return parse(done.stdout)


def parse(text):
    found, stack = [], None
    for line in text.splitlines():
        if not line.strip():
            stack = None
            continue
        if stack is None:
            header = HEADER.search(line)
            if header:
                stack = []
                found.append((float(header["time"]), stack))
            continue
        frame = FRAME.match(line)
        if frame:
            stack.append(frame["symbol"])
    return found
