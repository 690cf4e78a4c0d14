"""`nbseal demo`: a small class of its own, graded on this machine."""

from nbseal.authoring.demo.command import command

__all__ = ["command"]
