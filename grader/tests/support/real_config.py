"""The small course's nbgrader_config.py, for a class to grade whose folders have nbgrader's names."""

from support.fixtures import TINY

REAL_CONFIG = (
    (TINY / "nbgrader_config.py")
    .read_text()
    .replace("c = get_config()", "")
    .replace(', "data"', "")  # which such a class has not
    + """
c.CourseDirectory.source_directory, c.CourseDirectory.release_directory = "source", "release"
"""
)
