#!/usr/bin/env python3
"""The live cases at full length: what holds for two seconds must hold for six."""

import os

os.environ.setdefault("CASE_SECONDS", "6")

import paths  # noqa: E402, F401
import cases_live  # noqa: E402
import harness  # noqa: E402

if __name__ == "__main__":
    harness.main(vars(cases_live))
