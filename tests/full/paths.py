"""Makes the modules of the live tests and of the oracle importable from here."""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
for folder in "live", "oracle":
    sys.path.insert(0, str(TESTS / folder))
