#!/usr/bin/env python3
"""Real servers under load for ten seconds: what the tables must show on Node, on redis and on
Go.
"""

import subprocess
import time

import paths  # noqa: F401
import harness
from harness import LOAD_CPU, SERVER_CPU, Load, Server, Target, check, need, profiled, target

SECONDS = 10


class Table:
    """The category table of a run, in percent."""

    def __init__(self, run):
        self.run, self.report = run, run.report
        self.rows = {row["name"]: row for row in self.report["categories"]}

    def spent(self, name):
        row = self.rows.get(name)
        return 100 * row["spent_in"] / self.run.total if row else 0.0

    def passes(self, name):
        row = self.rows.get(name)
        return 100 * row["passes_through"] / self.run.total if row else 0.0

    @property
    def top(self):
        """Roll-ups and undivided categories, largest first, but not the two for what has no
        category.
        """
        parts = [row for row in self.report["categories"] if "." not in row["name"]]
        named = [row for row in parts if row["name"] not in ("unattributed", "unsymbolised")]
        return [row["name"] for row in sorted(named, key=lambda row: -row["spent_in"])]

    @property
    def root_reached(self):
        stacks = self.report["stacks"]
        return 100 * stacks["complete_samples"] / stacks["with_user_stack_samples"]

    def show(self, title):
        largest = "  ".join(f"{name} {self.spent(name):.1f} %" for name in self.top[:6])
        print(
            f"  {title}: {self.run.samples} samples, root reached {self.root_reached:.1f} %, "
            f"unattributed {self.spent('unattributed'):.2f} %, "
            f"unsymbolised {self.spent('unsymbolised'):.2f} %\n"
            f"    {largest}"
        )


def check_sums(table):
    rows = table.report["categories"]
    exact = sum(row["spent_in"] for row in rows if not row["is_rollup"])
    check(exact == table.run.total, f"spent in sums to {exact} of {table.run.total}")
    check("100.0 %" in table.run.out, table.run)


def functions(table):
    return {row["name"]: row for row in table.report["functions"]}


def test_hono_on_node():
    """Root reached in >= 95 %, spent in sums to 100.0 %, unattributed <= 3 %, unsymbolised <= 1 %,
    JS named.
    """
    folder = harness.node_targets()
    command = [harness.node_binary(folder), "--perf-basic-prof", "hono.ts"]
    with Server(*command, cwd=folder) as server, Load(server.url()), profiled(
        server.pid, duration=SECONDS, cpu=LOAD_CPU
    ) as run:
        table = Table(run)
        table.show("Hono on Node")
        check(run.code == 0, run)
        check(table.root_reached >= 95, run)
        check_sums(table)
        check(table.spent("unattributed") <= 3 and table.spent("unsymbolised") <= 1, run)
        names = functions(table)
        for part in "parserOnIncoming", "responseViaCache":
            check(any(part in name for name in names), f"{part} is not named\n{run}")
        check(table.top[0] == "sys" or table.spent("sys") > 15, run)


def test_jitless_fastify_is_interpretation():
    """Without a JIT the interpreter is the largest category of user code."""
    folder = harness.node_targets()
    command = [harness.node_binary(folder), "--jitless", "fastify.mjs"]
    with Server(*command, cwd=folder) as server, Load(server.url("/json")), profiled(
        server.pid, duration=SECONDS, cpu=LOAD_CPU
    ) as run:
        table = Table(run)
        table.show("Fastify, node --jitless")
        check_sums(table)
        user = [name for name in table.top if name not in ("sys", "kernel", "idle")]
        check(user[0] == "interp", f"the largest user category is {user[0]}\n{run}")


def test_redis():
    """A native server, stripped: system calls are the largest category, exported names resolve,
    none is made up.
    """
    redis, port = need("redis-server"), 3924
    server = Target(
        redis,
        "--port",
        port,
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        ready="Ready to accept connections",
        cpu=SERVER_CPU,
    )
    load = [
        need("redis-benchmark"),
        "-p",
        str(port),
        "-c",
        "50",
        "-t",
        "get",
        "-q",
        "-n",
        "100000000",
    ]
    with server:
        client = subprocess.Popen(
            harness.pin(LOAD_CPU, load), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            time.sleep(1)
            with profiled(server.pid, duration=SECONDS, cpu=LOAD_CPU) as run:
                table = Table(run)
                table.show("redis")
                check_sums(table)
                check(table.top[0] == "sys", f"the largest category is {table.top[0]}\n{run}")
                check(table.passes("sys.net") > 30, run)
                named = [
                    row
                    for row in table.report["functions"]
                    if row["module"].startswith("redis") and "+0x" not in row["name"]
                ]
                check(len(named) >= 10, f"{len(named)} functions of redis are named\n{run}")
        finally:
            harness.stop(client)


def test_go():
    """A Go server: goroutines end at runtime.goexit in >= 90 % of the samples, system calls have
    their share.
    """
    source, program = harness.TARGET_SOURCES / "go" / "server.go", target("go_server")
    subprocess.run(
        [need("go"), "build", "-o", program, str(source)],
        check=True,
        env={**harness.os.environ, "GO111MODULE": "off", "GOFLAGS": ""},
    )
    with Server(program) as server, Load(server.url("/json")), profiled(
        server.pid, duration=SECONDS, cpu=LOAD_CPU
    ) as run:
        table = Table(run)
        table.show("Go net/http")
        check_sums(table)
        goexit = harness.share(run, "runtime.goexit") + harness.share(run, "runtime.goexit.abi0")
        print(f"    runtime.goexit {goexit:.1f} %, passes through sys {table.passes('sys'):.1f} %")
        check(goexit >= 90, run)
        check(30 <= table.passes("sys") <= 80, run)
        check(any(name.startswith("net/http.") for name in functions(table)), run)


if __name__ == "__main__":
    harness.main(globals())
