#!/usr/bin/env python3
"""Targets that end, exec, sleep, write their own maps or run in the vDSO: each must be told as it
is.
"""

import os
import pathlib
import re
import shlex
import time

import harness
from harness import Profiler, Target, check, check_share, profiled, scratch, share, target

SECONDS = float(
    os.environ.get("CASE_SECONDS", "2")
)  # length of one case; the full tests use longer ones
ATTACH = 1  # seconds for which a target waits, so that the profiler sees all of its work
TOLERANCE = 4  # points


def test_an_idle_target_is_called_idle():
    """No samples is an answer: exit 3, idle by name, no share printed as a number, nothing that is
    not a number.
    """
    with Target(target("idle"), 60) as idle, profiled(idle.pid, duration=SECONDS) as run:
        check(run.code == 3, run)
        check("idle" in run.out.lower(), f"not called idle\n{run}")
        check("n/a" in run.out, f"shares are not shown as n/a\n{run}")
        check(not re.search(r"\bnan\b|\binf\b", run.out, re.IGNORECASE), run)
        check(run.samples == 0 and run.report["utilisation"]["verdict"] == "idle", run)
        check(
            all(row["spent_in_share"] is None for row in run.report["categories"]),
            "a share of nothing",
        )
        check(run.folded == {}, "folded stacks of an idle process")


def test_a_target_that_ends_midway_is_named_and_not_waited_for():
    """A process gone before the window's end keeps its names, sets the run's length, and is no
    failure.
    """
    with Target(target("exit_midway"), SECONDS, ATTACH) as short, profiled(
        short.pid, duration=60
    ) as run:
        check(run.code == 0, run)
        check_share(run, 100 - TOLERANCE, 100, "brief_outer", "brief_inner")
        check(run.facts["end_reason"] == "target ended", run)
        check(run.facts["run_ms"] < run.facts["asked_ms"] and run.seconds < 60, run)
        check(re.search(r"\bended\b", run.out), f"the report does not say so\n{run}")
        cpu = sum(thread["use"]["cpu_ns"] for thread in run.facts["threads"]) / 1e9
        check(0.9 * SECONDS < cpu < 1.1 * SECONDS, f"{cpu} s of CPU accounted, not {SECONDS}")


def test_an_exec_midway_splits_the_time_between_two_programs():
    """After an exec the names come from the new program alone, and the report says that there was
    one.
    """
    with Target(target("exec_midway"), 2 * SECONDS, ATTACH) as both, profiled(
        both.pid, duration=60
    ) as run:
        check(run.code == 0, run)
        for phase in "phase_one", "phase_two":
            check_share(run, 50 - TOLERANCE, 50 + TOLERANCE, phase)
        check(share(run, "phase_one", "phase_two") == 0, "a stack holds both programs")
        check_share(run, 0, 0.5, re.compile(r"\+0x|^\[?unknown"))
        check("renamed after exec" in run.out, f"the report does not show the exec\n{run}")


def perfmap(spelling, pattern):
    with Target(target("perfmap_jit"), SECONDS + 10, spelling, SECONDS / 2) as jit, profiled(
        jit.pid, duration=SECONDS
    ) as run:
        check(run.code == 0, run)
        check_share(run, 100 - TOLERANCE, 100, "call_jit", re.compile(pattern))
        one_frame = [
            frames for frames in run.folded if sum(bool(re.search(pattern, f)) for f in frames) > 1
        ]
        check(not one_frame, f"one function is several frames: {one_frame[:1]}")


def test_a_plain_perf_map_is_read():
    """Lines as the kernel's documentation has them name the code."""
    perfmap("plain", r"^jit_gen\d+$")


def test_addresses_with_0x_are_read():
    """0x before numbers changes nothing."""
    perfmap("0x", r"^jit_gen\d+$")


def test_padded_capital_addresses_are_read():
    """Leading zeros and capitals change nothing."""
    perfmap("upper", r"^jit_gen\d+$")


def test_a_name_with_blanks_is_one_frame():
    """A name ends at the end of its line, not at a blank."""
    perfmap("space", r"^void jit_gen\d+\(int, long\) app\.js:1:2$|^jit_gen\d+$")


def test_a_name_with_semicolons_is_one_frame():
    """';' separates frames in folded stacks, so within a name it is written ':'."""
    perfmap("semi", r"^Lorg/demo/Gen\d+:::run$")


def written_map(jit):
    """The map of a JIT, once its first line is whole."""
    path = pathlib.Path(f"/tmp/perf-{jit.pid}.map")
    while not path.read_text(encoding="ascii").endswith("\n"):
        time.sleep(0.01)
    return path


def perfmap_changed(change):
    """The run of a JIT whose map, in the middle of it, `change(map)` gives a name of ours."""
    with Target(target("perfmap_jit"), 60, "plain", 60) as jit:
        path = written_map(jit)
        line = path.read_text(encoding="ascii").splitlines()[-1]
        with scratch() as base:
            folder = base / "run"
            running = Profiler("--pid", jit.pid, "--duration", 4, "-o", folder, folder=folder)
            time.sleep(2)
            change(path, line.rpartition(" ")[0] + " jit_renamed_meanwhile\n")
            run = running.finish()
            check(run.code == 0, run)
            check_share(run, 100 - TOLERANCE, 100, "call_jit", "jit_renamed_meanwhile")
        path.unlink()


def test_a_perf_map_written_anew_is_read_again():
    """The names at the end of the run count, though the same file was emptied and filled again."""
    perfmap_changed(lambda path, line: path.write_text(line, encoding="ascii"))


def test_a_perf_map_in_the_place_of_another_is_read():
    """The names at the end of the run count, though another file has the path by then."""

    def replace(path, line):
        other = path.with_suffix(".new")
        other.write_text(line, encoding="ascii")
        other.rename(path)

    perfmap_changed(replace)


def test_a_perf_map_of_an_earlier_process_is_not_believed():
    """A map last written before the process began names nothing, and the report says so."""
    with Target(target("perfmap_jit"), 60, "plain", 60) as jit:
        path = written_map(jit)
        os.utime(path, (0, 10**9))
        with profiled(jit.pid, duration=SECONDS) as run:
            check_share(run, 0, 0, re.compile("^jit_gen"))
            check(re.search(f"{path}: older than the process", run.out), run)
        path.unlink()


def test_a_perf_map_inside_a_container_is_found():
    """In another pid and mount namespace the map carries the inner pid and lies in the target's own
    /tmp.
    """
    # In a chroot on no mount point of its own, no mount can be made private.
    mount_points = [line.split()[4] for line in open("/proc/self/mountinfo", encoding="utf-8")]
    if "/" not in mount_points:
        raise harness.Skip("this machine's root is no mount point, which a container needs")
    program = shlex.quote(target("perfmap_jit"))
    inside = f"exec 9<{program}; mount -t tmpfs none /tmp; exec /proc/self/fd/9 60 plain 1"
    unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inside]
    with Target(*unshare, ready=r"pid=1 map=/tmp/perf-1.map", grace=0) as outer:
        with open(f"/proc/{outer.pid}/task/{outer.pid}/children", encoding="ascii") as file:
            jit = int(file.read())
        with profiled(jit, duration=SECONDS) as run:
            check(run.code == 0, run)
            check_share(run, 100 - TOLERANCE, 100, "call_jit", re.compile(r"^jit_gen\d+$"))


def test_the_vdso_is_named():
    """Code that the kernel maps into each process has a module and, by its own symbol table, a
    name.
    """
    with Target(target("vdso"), 60) as reader, profiled(reader.pid, duration=SECONDS) as run:
        check_share(run, 90, 100, re.compile(r"__vdso_clock_gettime|\[vdso\]"))


def test_a_library_loaded_and_deleted_during_the_run_is_named():
    """Code mapped after attach is named, from the mapping itself where the file has no name any
    more.
    """
    with Target(target("late_library"), target("late_plugin.so"), 60) as late, profiled(
        late.pid, duration=SECONDS + 1
    ) as run:
        check(run.code == 0, run)
        for work in "own_work", "plugin_work":
            check_share(run, 50 - TOLERANCE, 50 + TOLERANCE, work)


if __name__ == "__main__":
    harness.main(globals())
