"""nbgrader's own tests of `nbgrader autograde`, run against `nbseal autograde`."""
