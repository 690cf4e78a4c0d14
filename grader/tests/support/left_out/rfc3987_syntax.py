"""Stands before a package that takes two seconds of every command that imports jsonschema, for web
addresses in other scripts. jsonschema does without where it cannot be imported, as `nbseal` does."""

raise ImportError("left out of tests, see support/quick_start.py")
