#!/usr/bin/env python3
"""Requests that cannot be met: one line says what, for which input and what to do; the exit code
says whose fault.
"""

import contextlib
import gzip
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib

import harness
from harness import PROFILE, Profiler, Target, check, profile, profiled, scratch, target

FAILED, USAGE, DOUBTFUL = 1, 2, 3
NOBODY = 65534


def refused(run, code, *patterns):
    """One line on stderr that holds all patterns, nothing on stdout, the given exit code."""
    check(run.code == code, f"exit code {code} expected\n{run}")
    check(len(run.lines) == 1, f"one line on stderr expected\n{run}")
    check(run.lines[0].startswith("profile: "), f"the line does not begin with the program\n{run}")
    for pattern in patterns:
        check(re.search(pattern, run.err), f"no '{pattern}' in the message\n{run}")
    check(run.out == "", f"a report of nothing\n{run}")


def one_line(run, code, *patterns):
    """A report, and one line on stderr that holds all patterns."""
    check(run.code == code, f"exit code {code} expected\n{run}")
    matching = [line for line in run.lines if all(re.search(pattern, line) for pattern in patterns)]
    check(len(matching) == 1 and len(run.lines) == 1, f"one line with {patterns} expected\n{run}")
    check(run.out != "", f"no report\n{run}")


def free_pid():
    """A pid that was, and is no more."""
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    return process.pid


@contextlib.contextmanager
def busy(seconds=30):
    with Target(target("exit_midway"), seconds) as process:
        yield process.pid


@contextlib.contextmanager
def runnable_by_anybody():
    """The profiler in a place that every user may enter."""
    with scratch() as folder:
        folder.chmod(0o755)
        copy = folder / "profile"
        shutil.copy2(PROFILE, copy)
        copy.chmod(0o755)
        yield copy


def test_no_such_pid():
    """A pid that nobody has is named."""
    highest = int(pathlib.Path("/proc/sys/kernel/pid_max").read_text())
    refused(profile("--pid", highest - 1), FAILED, str(highest - 1), "no such process")


def test_a_pid_beyond_every_pid():
    """A number that can be no pid is still a process that does not exist, or no number."""
    run = profile("--pid", 99999999999999999999)
    check(run.code in (FAILED, USAGE) and len(run.lines) == 1, run)


def test_a_pid_that_ended_before():
    """A process that ended is gone, whatever it was."""
    pid = free_pid()
    refused(profile("--pid", pid, "--duration", 1), FAILED, str(pid), "no such process")


def test_a_pid_that_ends_during_the_run():
    """What was measured before the end is kept, and the report says how long that was."""
    with Target(target("exit_midway"), 1, 1) as short, profiled(short.pid, duration=60) as run:
        check(run.code == 0, run)
        check(not run.lines, f"an ended target is no error\n{run}")
        check(run.samples > 100 and run.seconds < 60, run)


def test_a_process_of_another_user():
    """Without rights over a process, the owner and the remedy are named."""
    with busy() as pid, runnable_by_anybody() as program:
        command = [
            harness.need("setpriv"),
            f"--reuid={NOBODY}",
            f"--regid={NOBODY}",
            "--clear-groups",
        ]
        done = subprocess.run(
            [*command, str(program), "--pid", str(pid), "--duration", "1"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        refused(
            harness.Run(done.returncode, done.stdout, done.stderr, None, 0),
            FAILED,
            str(pid),
            "root|CAP_",
        )


def test_a_kernel_thread():
    """A kernel thread has no program to profile, and is called what it is."""
    refused(profile("--pid", 2, "--duration", 1), FAILED, "pid 2\\b", "kernel thread")


def test_a_zombie():
    """A process that ended, but was not waited for, has nothing left to profile."""
    process = subprocess.Popen(["/bin/true"])
    try:
        time.sleep(0.2)
        refused(profile("--pid", process.pid, "--duration", 1), FAILED, str(process.pid), "zombie")
    finally:
        process.wait()


def test_a_thread():
    """A thread's id is no process id."""
    with Target(target("known_shares"), "--threads", 1) as server:
        time.sleep(0.2)
        threads = {int(name) for name in os.listdir(f"/proc/{server.pid}/task")} - {server.pid}
        thread = threads.pop()
        refused(profile("--pid", thread, "--duration", 1), FAILED, str(thread), "thread")


def test_pid_0():
    """0 is no process."""
    refused(profile("--pid", 0), USAGE, r"pid 0|\b0\b")


def test_pids_that_are_no_numbers():
    """A pid is a positive number."""
    for text in "abc", "12x", "1e3":
        refused(profile("--pid", text), USAGE, re.escape(text))
    refused(profile("--pid=-5"), USAGE, "-5")
    refused(profile("--pid="), USAGE, "pid")


def test_no_target_at_all():
    """A request without a target is wrong usage."""
    run = profile("--duration", 1)
    check(run.code == USAGE and run.out == "" and len(run.lines) == 1, run)


def test_two_pids_of_which_one_is_gone():
    """The one that lives is profiled, the other gets a line, and that is no failure."""
    gone = free_pid()
    with busy() as pid, scratch() as base:
        run = profile(
            "--pid", gone, "--pid", pid, "--duration", 1, "-o", base / "run", folder=base / "run"
        )
        one_line(run, 0, str(gone), "no such process")
        check(run.samples > 100, run)


def test_two_pids_of_which_both_are_gone():
    """With nothing left to profile the request fails."""
    run = profile("--pid", free_pid(), "--pid", free_pid(), "--duration", 1)
    check(run.code == FAILED and run.out == "" and run.lines, run)


def test_an_unknown_event():
    """An event that nobody knows is named, with where to look."""
    with busy() as pid:
        refused(
            profile("--pid", pid, "-e", "no-such-event", "--duration", 1), USAGE, "no-such-event"
        )


def test_an_event_that_this_machine_cannot_count():
    """An event that was asked for by name is never replaced in silence."""
    if pathlib.Path("/sys/bus/event_source/devices/cpu").exists():
        raise harness.Skip("this machine has a hardware PMU")
    with busy() as pid:
        run = profile("--pid", pid, "-e", "instructions", "--duration", 1)
        refused(run, FAILED, "instructions")


def test_rates_that_are_none():
    """A rate is a positive number."""
    with busy() as pid:
        for rate in "0", "-5", "abc", "", "4.5.6":
            refused(
                profile("--pid", pid, f"-F{rate}" if rate else "--frequency=", "--duration", 1),
                USAGE,
            )


def test_an_absurd_rate_is_clamped():
    """More than the kernel's limit, or more than leaves the machine usable, is brought down, said
    once, and measured.
    """
    limit = int(pathlib.Path("/proc/sys/kernel/perf_event_max_sample_rate").read_text())
    asked = 10 * limit + 7
    with busy() as pid, profiled(pid, "-F", asked, duration=0.5) as run:
        check(run.code in (0, DOUBTFUL), run)
        opened = run.facts["rate_opened_hz"]
        check(0 < opened <= limit and run.facts["rate_asked_hz"] == asked, run)
        check(len(run.lines) == 1 and str(asked) in run.err and str(opened) in run.err, run)


def test_durations_that_are_none():
    """A window has a positive length, with a unit that exists."""
    with busy() as pid:
        for duration in "-3", "0", "abc", "10y", "-1s", "1e400", "nan":
            refused(profile("--pid", pid, f"--duration={duration}"), USAGE, re.escape(duration))


def test_durations_with_units():
    """500ms is half a second."""
    with busy() as pid, profiled(pid, duration="500ms") as run:
        check(450 <= run.facts["run_ms"] <= 1500, run)
        check(run.facts["asked_ms"] == 500, run)


def test_an_output_folder_that_cannot_be_made():
    """The text is worth having even where nothing can be written: it is printed, and the failure is
    named.
    """
    with busy() as pid, scratch() as base:
        (base / "file").write_text("in the way")
        (base / "dangling").symlink_to(base / "nothing")
        no_folder = base / "file" / "run", pathlib.Path("/proc/no-such/run"), pathlib.Path("/proc")
        for place in base / "file", base / "dangling", *no_folder:
            run = profile("--pid", pid, "--duration", 0.5, "-o", place)
            check(run.code == FAILED and len(run.lines) == 1, run)
            check(str(place) in run.err, f"{place} is not named\n{run}")
        check((base / "file").read_text() == "in the way", "a file was overwritten")


def test_empty_names():
    """An empty name names nothing, whichever file or folder it stands for."""
    with saved_run() as file:
        refused(profile("--pid", os.getpid(), "-o", ""), USAGE, "folder")
        refused(profile("report", ""), USAGE, "empty")
        refused(profile("explain", file, ""), USAGE, "''|empty")


def test_a_screen_that_cannot_be_written():
    """What was to be printed and could not be is a failure, named in one line."""
    with saved_run() as file, open("/dev/full", "wb") as full:
        reports = ["report", file], ["report", file, "--format", "json"]
        for arguments in *reports, ["--version"], ["--help"]:
            done = subprocess.run(
                [PROFILE, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
            check(done.returncode == FAILED, f"{arguments}: exit {done.returncode}\n{done.stderr}")
            check(
                re.search("(?i)^profile: .*no space", done.stderr) and done.stderr.count("\n") == 1,
                f"{arguments}: {done.stderr}",
            )


def test_messages_that_nobody_can_read():
    """Where stderr is full or closed, the exit code still tells what happened; files are whole."""
    with busy() as pid, scratch() as base:
        for number, stderr in enumerate(("2>/dev/full", "2>&-", "<&- >/dev/null 2>&-")):
            folder = base / f"run{number}"
            for code, arguments in (
                (FAILED, "report no-such-file"),
                (USAGE, "--no-such-option"),
                (0, f"--pid {pid} --duration 1 -o {folder}"),
            ):
                command = f'exec "$0" {arguments} >/dev/null {stderr}'
                done = subprocess.run(["sh", "-c", command, str(PROFILE)], check=False)
                check(done.returncode == code, f"{arguments} {stderr}: exit {done.returncode}")
            run = profile("report", folder / "profile.pb.gz")
            check(run.code == 0 and "brief_inner" in run.out, run)


def test_a_limit_on_file_sizes():
    """Files that may not grow are a failure in one line, and nothing is left of them."""
    with busy() as pid, scratch() as base:
        folder = base / "run"
        command = 'ulimit -f 1; exec "$0" --pid "$1" --duration 1 -o "$2"'
        done = subprocess.run(
            ["bash", "-c", command, str(PROFILE), str(pid), str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        check(done.returncode == FAILED and done.stderr.count("\n") == 1, done)
        check("large" in done.stderr and os.listdir(folder) == [], f"{done}, {os.listdir(folder)}")


def test_a_lost_terminal_ends_the_window():
    """SIGHUP reports what was measured, as an interrupt does."""
    with busy() as pid, scratch() as base:
        running = Profiler("--pid", pid, "--duration", "30", "-o", base / "run")
        time.sleep(2)
        running.process.send_signal(signal.SIGHUP)
        run = running.finish()
        check(run.code == 0 and "brief_inner" in run.out, run)
        check((base / "run" / "profile.pb.gz").exists(), run)


def test_a_full_output_folder():
    """On a full disk the text is still printed, and no partial file is left."""
    with busy() as pid, scratch() as base:
        small = base / "small"
        small.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "perfgap-test", str(small)],
            capture_output=True,
            text=True,
            check=False,
        )
        if mounted.returncode:
            raise harness.Skip(f"this machine mounts no tmpfs: {mounted.stderr.strip()}")
        try:
            (small / "run").mkdir()
            with contextlib.suppress(OSError), open(
                small / "ballast", "wb", buffering=0
            ) as ballast:
                while ballast.write(b"x" * 4096) == 4096:
                    pass
            run = profile("--pid", pid, "--duration", 1, "-o", small / "run")
            check(run.code == FAILED and len(run.lines) == 1, run)
            check(re.search("(?i)no space", run.err) and str(small / "run") in run.err, run)
            check("brief_inner" in run.out, f"the text is lost\n{run}")
            check(os.listdir(small / "run") == [], f"left behind: {os.listdir(small / 'run')}")
        finally:
            subprocess.run(["umount", str(small)], check=True)


def test_a_rules_file_with_an_error_in_line_7():
    """A mistake in a rules file is named by file and line, before anything is measured."""
    with busy() as pid, scratch() as base:
        rules = base / "rules.toml"
        good = '[[rule]]\ncategory = "app.user"\nfunction = "brief_.*"\n\n'
        good += '[[rule]]\ncategory = "app.lib"\n'
        for line_7 in 'symbl = "x"\n', 'function = "(unclosed"\n', "function = \n":
            rules.write_text(good + line_7)
            run = profile("--pid", pid, "--duration", 1, "--rules", rules)
            refused(run, FAILED, r"rules\.toml:7: ")
        rules.write_bytes(b"\xff\xfe\x00broken")
        refused(profile("--pid", pid, "--duration", 1, "--rules", rules), FAILED, "rules.toml")
        refused(
            profile("--pid", pid, "--duration", 1, "--rules", base / "none.toml"),
            FAILED,
            "none.toml",
        )


@contextlib.contextmanager
def saved_run():
    with busy() as pid, profiled(pid, duration=1) as run:
        check(run.code == 0, run)
        yield run.folder / "profile.pb.gz"


def test_a_truncated_file():
    """A file cut short says so, with how much there is; what is whole in it may be kept."""
    with saved_run() as file, scratch() as base:
        whole = file.read_bytes()
        for size in 0, 5, 20, len(whole) // 2, len(whole) - 4:
            cut = base / "cut.pb.gz"
            cut.write_bytes(whole[:size])
            run = profile("report", cut)
            check(run.code in (FAILED, DOUBTFUL), f"{size} of {len(whole)} bytes\n{run}")
            check(
                len(run.lines) == 1 and "cut.pb.gz" in run.err,
                f"{size} of {len(whole)} bytes\n{run}",
            )
            explained = profile("explain", cut, "brief_inner")
            check(explained.code in (FAILED, DOUBTFUL), explained)
            if size >= 20:
                check("truncated" in run.err, f"{size} of {len(whole)} bytes\n{run}")


def test_files_that_are_no_profile():
    """Not there, a folder, no gzip, gzip of something else, a damaged profile: each is named."""
    with saved_run() as file, scratch() as base:
        whole = file.read_bytes()
        contents = {
            "text.pb.gz": b"this is a text\n" * 100,
            "other.pb.gz": gzip.compress(b"this is a text, well compressed\n" * 100),
            "empty.pb.gz": gzip.compress(b""),
            "damaged.pb.gz": whole[:40] + bytes(byte ^ 0x55 for byte in whole[40:80]) + whole[80:],
        }
        for name, content in contents.items():
            (base / name).write_bytes(content)
            refused(profile("report", base / name), FAILED, re.escape(name))
            refused(profile("explain", base / name, "main"), FAILED, re.escape(name))
        refused(profile("report", base), FAILED, re.escape(str(base)))
        refused(profile("report", "/dev/zero"), FAILED, "/dev/zero", "device")
        refused(profile("report", base / "absent.pb.gz"), FAILED, "absent.pb.gz")


def write_bomb(path, gigabytes):
    """A small gzip file that unpacks to gigabytes of legal pprof: empty strings."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = pack.compress(b"\x32\x00" * (8 << 20)) + pack.flush(zlib.Z_FULL_FLUSH)
    with open(path, "wb") as file:
        file.write(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
        for _ in range(gigabytes * 64):
            file.write(block)
        file.write(zlib.compressobj(9, zlib.DEFLATED, -15).flush() + b"\0" * 8)


def test_a_file_that_unpacks_to_gigabytes():
    """A few megabytes that unpack to gigabytes are refused, not loaded."""
    with scratch() as base:
        bomb = base / "bomb.pb.gz"
        write_bomb(bomb, gigabytes=5)
        check(bomb.stat().st_size < 16 << 20, "the bomb is too large to be one")
        refused(profile("report", bomb), FAILED, "bomb.pb.gz", "GiB|GB|gigabytes|bytes")


def test_an_unknown_format():
    """A format that does not exist is wrong usage, and the choices are named."""
    with saved_run() as file:
        refused(profile("report", file, "--format", "pdf"), USAGE, "pdf", "json")


def test_options_that_do_not_exist():
    """An unknown option is named."""
    with busy() as pid:
        refused(profile("--pid", pid, "--frobnicate"), USAGE, "frobnicate")


def test_interrupt_ends_the_window():
    """Ctrl-C ends the window early: the report is whole, says how long it measured, and that is no
    failure.
    """
    with busy() as pid, scratch() as base:
        running = Profiler("--pid", pid, "--duration", 30, "-o", base / "run", folder=base / "run")
        time.sleep(2)
        running.interrupt()
        run = running.finish()
        check(run.code == 0, run)
        check(not run.lines, f"an interrupt is no error\n{run}")
        report = run.facts
        check(report["end_reason"] == "interrupted" and report["run_ms"] < 10000, run)
        check(
            re.search(r"\d[\d.]* of 30(\.0)? s", run.out),
            f"the report does not say how long it measured\n{run}",
        )
        names = sorted(path.name for path in run.folder.iterdir())
        check(names == ["profile.pb.gz", "report.json", "stacks.folded"], names)


def test_interrupt_at_once_is_doubtful():
    """Too few samples to trust, for whatever reason, is exit 3 with the reason."""
    with busy() as pid:
        running = Profiler("--pid", pid, "--duration", "30", "-F", "20")
        time.sleep(2)
        running.interrupt()
        run = running.finish()
        check(run.code == DOUBTFUL and re.search("(?i)few samples|samples", run.out), run)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("these tests need root")
        sys.exit(77)
    harness.main(globals())
