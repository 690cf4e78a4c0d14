"""`nbseal report`: a graded class as one page for its instructor, and its grades as CSV files.

gathering.py reads the gradebook and autograded notebooks into the records of records.py;
analysis.py computes on those; page.py and page.html.j2 show them; command.py is the command line.
"""

from nbseal.pages.report.command import command

__all__ = ["command"]
