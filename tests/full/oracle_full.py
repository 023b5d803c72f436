#!/usr/bin/env python3
"""Beside `perf record` on the same server in the same seconds: the inclusive shares of frames do
not differ.

Frames with >= 100 samples on both sides are compared; Holm's correction keeps the chance of any
false alarm at 5 %.
"""

import re
import time

import paths  # noqa: F401
import comparison
import harness
import perf_script
import pprof
from harness import LOAD_CPU, Load, Server, check, profiled

SECONDS, RATE, FEWEST_SAMPLES, FEWEST_FRAMES = 12, 499, 100, 10
EXPECTED = {
    "fastify": ("entry_SYSCALL_64_after_hwframe", "Builtins_RunMicrotasks", "uv_run"),
    "hono": ("entry_SYSCALL_64_after_hwframe", "do_syscall_64", "uv_run"),
}


def plain(name):
    """A name as both tools can spell it: no parameters, no template arguments, no place in the
    source, no tier, no compiler's or linker's suffix.
    """
    script = re.match(r"(?:JS|Script|Eval|Function):[~^+*]*'?(?P<name>.*?)(?: \S+:\d+:\d+)?$", name)
    if script:
        return script_name(script["name"].strip())
    name = name.replace("(anonymous namespace)", "{anonymous}")
    shorter = None
    while name != shorter:
        shorter, name = name, re.sub(r"\([^()]*\)(?: const)?|<[^<>]*>", "", name)
    return re.sub(r"\.(?:part|isra|constprop|cold)\b.*|@@.*|^__GI_", "", name).strip()


def script_name(name):
    return f"JS {name or '(anonymous)'}"


def ours_of(run):
    """(seconds since the start, names, count) of the saved file's samples."""
    saved = pprof.read(run.folder / "profile.pb.gz")
    column = saved.column("samples")
    for sample in saved.samples:
        names = {
            script_name(name) if module == "[jit]" else plain(name)
            for name, module in zip(sample.stack, sample.modules)
        }
        yield sample.labels["t"] / 1000, names, sample.values[column]


def monotonic_start(run):
    """The start of our window on the clock that perf used."""
    return run.facts["start_unix_ns"] / 1e9 - (time.time() - time.monotonic())


def compare(name, command, folder, path):
    data = folder / f"perf-{name}.data"
    with Server(*command, cwd=folder) as server, Load(server.url(path)):
        perf = perf_script.record(server.pid, RATE, SECONDS + 4, data)
        try:
            time.sleep(1)
            with profiled(server.pid, "-F", RATE, duration=SECONDS, cpu=LOAD_CPU) as run:
                perf.wait(60)
                check(run.code == 0, run)
                start, length = monotonic_start(run), run.facts["run_ms"] / 1000
                ours = comparison.count_windows(ours_of(run), 0, length)
        finally:
            harness.stop(perf)
        recorded = [
            (at, {plain(frame) for frame in stack}, 1) for at, stack in perf_script.samples(data)
        ]
        theirs = comparison.count_windows(recorded, start, start + length)
        data.unlink()
    judge(name, ours, theirs)


def judge(name, ours, theirs):
    rows = []
    for frame in sorted(set(ours[0]) & set(theirs[0])):
        a, b = (comparison.share_of(side[0][frame], side[1]) for side in (ours, theirs))
        if frame != "[unknown]" and min(a.hits, b.hits) >= FEWEST_SAMPLES:
            rows.append((frame, a, b, comparison.p_value(a, b)))
    adjusted = comparison.holm([row[3] for row in rows])
    print(
        f"  {name}: {sum(ours[1])} samples of ours, {sum(theirs[1])} of perf, "
        f"{len(rows)} frames compared"
    )
    print("      ours    perf   difference      p   Holm  frame")
    for (frame, a, b, p), corrected in sorted(
        zip(rows, adjusted), key=lambda item: -item[0][1].share
    ):
        print(
            f"    {100 * a.share:5.1f} % {100 * b.share:5.1f} %   "
            f"{100 * (a.share - b.share):+5.1f} points "
            f"{p:6.3f} {corrected:6.3f}  {frame[:70]}"
        )
    for side, other, who in (ours, theirs, "us"), (theirs, ours, "perf"):
        alone = [
            f for f, hits in side[0].items() if sum(hits) >= FEWEST_SAMPLES and f not in other[0]
        ]
        if alone:
            print(f"    named by {who} alone: {', '.join(sorted(alone))[:300]}")
    compared = {row[0] for row in rows}
    check(len(rows) >= FEWEST_FRAMES, f"only {len(rows)} frames could be compared")
    check(set(EXPECTED[name]) <= compared, f"not compared: {set(EXPECTED[name]) - compared}")
    differing = [row[0] for row, corrected in zip(rows, adjusted) if corrected < 0.05]
    check(not differing, f"{name}: shares differ: {differing}")


def test_the_statistics():
    """The test used here gives the textbook's values: t quantiles, Holm, a share with clumped
    windows.
    """
    for t, df in (12.7062, 1), (4.3027, 2), (3.1824, 3), (2.2622, 9):
        check(abs(comparison.student_two_sided(t, df) - 0.05) < 1e-5, f"t {t}, df {df}")
    check([round(p, 3) for p in comparison.holm([0.01, 0.04, 0.03])] == [0.03, 0.06, 0.06], "Holm")
    hits = [20, 31, 18, 25, 29, 16, 33, 22, 27, 19]
    share = comparison.share_of(hits, [498, 501, 499, 500, 502, 497, 500, 499, 501, 503])
    binomial = share.share * (1 - share.share) / 5000
    check(
        abs(share.variance / binomial - 1.4869) < 1e-4, f"design effect {share.variance / binomial}"
    )


def test_perf_script_is_read():
    """Blanks, brackets and colons in names do not move the fields of a sample."""
    text = (
        "odd name: 1/2 [x] 42/43  12.500000001: cpu-clock:ppp: \n"
        "\t    7f00 operator new(unsigned long) (/usr/lib/libx (deleted))\n"
        "\t    12ab JS:*'run file:///a b.js:1:2 (/tmp/perf-42.map)\n\n"
    )
    check(
        perf_script.parse(text)
        == [(12.500000001, ["operator new(unsigned long)", "JS:*'run file:///a b.js:1:2"])],
        perf_script.parse(text),
    )


def need_perf():
    if not perf_script.find_perf():
        raise harness.Skip("perf is not installed")


def test_fastify_agrees_with_perf():
    """Fastify /json: promises, JSON and the socket write."""
    need_perf()
    folder = harness.node_targets()
    compare(
        "fastify",
        [harness.node_binary(folder), "--perf-basic-prof", "fastify.mjs"],
        folder,
        "/json",
    )


def test_hono_agrees_with_perf():
    """Hono /: mostly the kernel's network path."""
    need_perf()
    folder = harness.node_targets()
    compare("hono", [harness.node_binary(folder), "--perf-basic-prof", "hono.ts"], folder, "/")


if __name__ == "__main__":
    harness.main(globals())
