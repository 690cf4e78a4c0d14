"""pytest plugin: every `autograde` of nbgrader's tests goes through our command, everything else
stays nbgrader's."""

import os
import subprocess
import sys

COMMAND = [sys.executable, "-m", "nbseal", "autograde"]
# Three of these tests have sources that fail in their own tests, by which nbseal would not grade.
ALL_THE_SAME = ["--SealedExecute.require_full_marks=False"]


def pytest_collection_modifyitems(items) -> None:
    for module in {item.module for item in items}:
        if hasattr(module, "run_nbgrader"):
            module.run_nbgrader = _through_our_command(module.run_nbgrader)


def _through_our_command(run_nbgrader):
    def run(arguments, retcode=0, env=None, stdout=False):
        if arguments[0] != "autograde":
            return run_nbgrader(arguments, retcode=retcode, env=env, stdout=stdout)
        # In a process of its own, as a person calls it, in the folder and with the
        # nbgrader_config.py of the test.
        done = subprocess.run(
            COMMAND + arguments[1:] + ALL_THE_SAME,
            capture_output=True,
            text=True,
            env=env or os.environ,
        )
        said = f"{done.stdout}\n{done.stderr}"
        assert done.returncode == retcode, (
            f"exit code {done.returncode}, expected {retcode}:\n{said}"
        )
        return done.stdout if stdout else said

    return run
