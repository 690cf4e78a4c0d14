"""nbgrader's own tests of `nbgrader autograde`, run against `python -m grading autograde`."""
