"""Which tests run in one process, one after the other: those that share a costly fixture.

A file's tests do; where a file grades several classes, those of one class do, so that two processes
share the work.
"""

import re

from xdist.scheduler import LoadScopeScheduling

# The first part of a test's parameters that names the class it looks at.
CLASSES = {
    "test_grading.py": r"\[(\d\d_\w+)",
    "test_tasks.py": r"\[(\d\d_\w+)",
    "test_attacks.py": r"\[(\w+-\w+)\]",
}


class BySharedClass(LoadScopeScheduling):
    """xdist's scheduler for scopes, with ours."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        pattern = CLASSES.get(file.rpartition("/")[2])
        found = re.search(pattern, nodeid) if pattern else None
        return f"{file} {found[1]}" if found else file
