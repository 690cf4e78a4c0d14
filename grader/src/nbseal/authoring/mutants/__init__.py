"""`nbseal mutants`: do a task's probes notice when the reference solution goes wrong?

Each mutant is the reference solution with one small slip in one solved region (expressions,
statements: what a hand gets wrong; branches: right here and wrong there). `study` asks each by the
probes of its task file, and says which they did not notice, and which were told what is not true.
"""

from nbseal.authoring.mutants.command import command

__all__ = ["command"]
