"""`nbseal mutants`: do a notebook's tests notice when the reference solution goes wrong?

Each mutant is the reference solution with one small slip in one solved region (expressions,
statements: what a hand gets wrong; branches: right here and wrong there). All are graded by the
engine like submissions, and `study` says which the tests did not notice, and what the others were
told.
"""

from nbseal.authoring.mutants.command import command

__all__ = ["command"]
