"""nbseal: an autograder for nbgrader courses. See `nbseal --help`, and `nbseal.configure` for an
nbgrader_config.py."""

from nbseal.configure import configure

__all__ = ["configure"]
