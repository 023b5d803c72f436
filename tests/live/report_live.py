#!/usr/bin/env python3
"""The saved file is the source of all the rest: rendering it again gives what the run gave, byte
for byte.
"""

import json
import re

import harness
from harness import Target, check, profile, profiled, target


def test_every_format_is_made_again_from_the_saved_file():
    """`profile report FILE` is the run's own text, report.json and stacks.folded."""
    with Target(target("known_shares"), "--threads", 2) as server, profiled(
        server.pid, duration=2
    ) as run:
        check(run.code == 0, run)
        saved = run.folder / "profile.pb.gz"
        text = profile("report", saved)
        check(text.out == run.out, f"the text differs\n{run}\n--- report\n{text}")
        check(
            profile("report", saved, "--format", "text").out == text.out, "text is not the default"
        )
        check(
            profile("report", saved, "--format", "json").out
            == (run.folder / "report.json").read_text(),
            "report.json differs",
        )
        check(
            profile("report", saved, "--json").out == (run.folder / "report.json").read_text(),
            "--json differs",
        )
        check(
            profile("report", saved, "--format", "folded").out
            == (run.folder / "stacks.folded").read_text(),
            "stacks.folded differs",
        )
        check(text.code == run.code == 0 and not text.lines, text)


def test_the_exit_code_is_the_same_from_the_saved_file():
    """A result that was not to be trusted is not to be trusted later either."""
    with Target(target("idle"), 30) as idle, profiled(idle.pid, duration=1) as run:
        check(run.code == 3, run)
        check(profile("report", run.folder / "profile.pb.gz").code == 3, "trusted when read again")


def test_json_on_stdout():
    """--json prints the report's JSON in place of the text."""
    with Target(target("known_shares")) as server:
        run = profile("--pid", server.pid, "--duration", 1, "--json")
        check(run.code == 0 and json.loads(run.out)["metric"]["samples"] > 100, run)


def test_the_text_fits_80_columns():
    """Where stdout is no terminal a line has at most 80 columns and no colour."""
    with Target(target("known_shares")) as server, profiled(server.pid, duration=1) as run:
        lines = run.out.replace(str(run.folder), "").splitlines()
        check(max(map(len, lines)) <= 80, max(lines, key=len))
        check("\033" not in run.out + run.err, "colour in a pipe")


def test_the_column_spent_in_sums_to_100():
    """The shares of the table, as printed, sum to the total, as printed."""
    with Target(target("known_shares")) as server, profiled(server.pid, duration=1) as run:
        total = re.search(r"^ *total +([\d.]+) %", run.out, re.MULTILINE)
        check(total and total.group(1) == "100.0", f"no total of 100.0 %\n{run}")


def test_explain_names_the_rule():
    """`profile explain` says which category claimed a function and by which rule; an unknown one
    fails.
    """
    with Target(target("known_shares")) as server, profiled(server.pid, duration=1) as run:
        saved = run.folder / "profile.pb.gz"
        told = profile("explain", saved, "handle_a")
        check(told.code == 0 and "handle_a" in told.out and re.search(r"\w+\.toml", told.out), told)
        absent = profile("explain", saved, "no_such_function_anywhere")
        check(
            absent.code == 1
            and len(absent.lines) == 1
            and "no_such_function_anywhere" in absent.err,
            absent,
        )


def test_user_rules_come_first():
    """A category of --rules claims what the built-in rules would have claimed, in the run and when
    read again.
    """
    rules = harness.TARGET_SOURCES / "known_shares.toml"
    with Target(target("known_shares")) as server, profiled(
        server.pid, "--rules", rules, duration=1
    ) as run:
        for name in "a", "b", "c", "d":
            check(
                re.search(rf"^ *\S*known\.{name}\b|^ +{name}\b", run.out, re.MULTILINE),
                f"no category {name}\n{run}",
            )
        again = profile("report", run.folder / "profile.pb.gz", "--rules", rules, "--json")
        check(
            again.out == (run.folder / "report.json").read_text(),
            "another report with the same rules",
        )


if __name__ == "__main__":
    harness.main(globals())
