#!/usr/bin/env python3
"""Other programs read what is written: `go tool pprof` opens the saved file, folded stacks obey
their grammar.
"""

import re
import subprocess
import unicodedata

import paths  # noqa: F401
import harness
import pprof
from harness import Target, check, need, profiled, target

NANOSECONDS = {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "mins": 60e9}


def nanoseconds(text):
    number, unit = re.match(r"([\d.]+)([a-zµ]*)$", text).groups()
    return float(number) * NANOSECONDS[unit or "ns"]


def pprof_top(path):
    """(total ns, {function: (flat ns, cumulative ns)}) by `go tool pprof -top`."""
    done = subprocess.run(
        [
            need("go"),
            "tool",
            "pprof",
            "-top",
            "-unit=ns",
            "-nodefraction=0",
            "-nodecount=100000",
            str(path),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**harness.os.environ, "PPROF_BINARY_PATH": "/nonexistent"},
    )
    check(done.returncode == 0, done.stderr)
    total = re.search(r"of ([\d.]+[a-zµ]*) total", done.stdout)
    check(total, done.stdout[:2000])
    rows = re.findall(r"^ *(\S+) +\S+% +\S+% +(\S+) +\S+%  (.*)$", done.stdout, re.MULTILINE)
    return nanoseconds(total[1]), {
        name: (nanoseconds(flat), nanoseconds(whole)) for flat, whole, name in rows
    }


def test_go_tool_pprof_shows_our_totals():
    """`go tool pprof -top` opens the file, with our total, and our self and total time of each
    function.
    """
    with Target(target("known_shares")) as server, profiled(server.pid, duration=3) as run:
        total, rows = pprof_top(run.folder / "profile.pb.gz")
        print(f"  go tool pprof: total {total:.0f} ns, ours {run.total} ns, {len(rows)} functions")
        check(total == run.total, f"total {total}, ours {run.total}")
        for row in run.report["functions"]:
            if row["name"].startswith("handle_"):
                flat, whole = rows[row["name"]]
                print(
                    f"    {row['name']}: {flat:.0f} / {whole:.0f} ns, "
                    f"ours {row['self']} / {row['total']} ns"
                )
                check((flat, whole) == (row["self"], row["total"]), row)


def check_folded(data, total):
    """The grammar of folded stacks, strictly."""
    text = data.decode("utf-8")
    check(text.endswith("\n") and "\n\n" not in text, "lines end in one newline each")
    lines = data.split(b"\n")[:-1]
    check(lines == sorted(lines), "lines are not sorted bytewise")
    stacks, weights = [], 0
    for line in text.split("\n")[:-1]:
        match = re.fullmatch(r"(?P<stack>[^\n]+) (?P<weight>[1-9]\d*)", line)
        check(match, f"no stack and count: {line!r}")
        weights += int(match["weight"])
        stacks.append(match["stack"])
        for frame in match["stack"].split(";"):
            check(frame and frame == frame.strip(), f"an empty or padded frame in {line!r}")
            check(
                not any(unicodedata.category(c) == "Cc" for c in frame),
                f"a control character in {line!r}",
            )
            check(not re.search(r" \d+$", frame), f"a frame that reads as a count in {line!r}")
    check(len(set(stacks)) == len(stacks), "a stack has two lines")
    check(weights == total, f"weights sum to {weights}, not to {total}")
    return stacks


def test_folded_stacks_with_hostile_names():
    """Names with ';', control characters, broken UTF-8 or a number at the end cannot break folded
    stacks.
    """
    with Target(target("perfmap_jit"), 30, "hostile") as jit, profiled(jit.pid, duration=3) as run:
        check(run.code == 0, run)
        stacks = check_folded((run.folder / "stacks.folded").read_bytes(), run.total)
        leaves = {stack.split(";")[-1] for stack in stacks if ";call_jit;" in stack}
        print("  folded names of hostile functions: " + "  ".join(sorted(map(repr, leaves))))
        for part in (
            "semi:colon::x_12",
            "bell",
            "esc",
            "broken",
            "digits_4711",
            "padded",
            'quote"back\\slash<b>&amp:',
            "reversed",
        ):
            check(any(part in leaf for leaf in leaves), f"'{part}' is missing among {leaves}")
        check("\033" not in run.out, "an escape sequence of the target reached the terminal")
        saved = pprof.read(run.folder / "profile.pb.gz")
        check(saved.total("cpu") == run.total, "the saved file holds another total")
        pprof_top(run.folder / "profile.pb.gz")


def test_folded_stacks_of_a_node_server():
    """The grammar holds on the names of a real JIT and C++ program."""
    folder = harness.node_targets()
    command = [harness.node_binary(folder), "--perf-basic-prof", "hono.ts"]
    with harness.Server(*command, cwd=folder) as server, harness.Load(server.url()), profiled(
        server.pid, duration=3
    ) as run:
        stacks = check_folded((run.folder / "stacks.folded").read_bytes(), run.total)
        print(f"  Hono on Node: {len(stacks)} folded stacks")
        total, _ = pprof_top(run.folder / "profile.pb.gz")
        check(total == run.total, f"total {total}, ours {run.total}")


if __name__ == "__main__":
    harness.main(globals())
