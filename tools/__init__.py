"""This course's own tools: each is run by `make`, or as `python -m tools.NAME` in its folder."""
