"""`nbseal report`: a graded class as one page for its instructor, and its grades as CSV files.

gathering.py reads the gradebook and autograded notebooks into the records of records.py;
analysis.py computes on those; figures.py draws; page.py and page.html.j2 put it together;
command.py is the command line.
"""

from nbseal.pages.report.command import command

__all__ = ["command"]
