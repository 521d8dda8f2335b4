"""`python -m rackrent` is the command `rackrent`."""

from rackrent.cli import run

run()
