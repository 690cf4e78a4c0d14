"""Rebuilding what was handed in on the notebook that was released.

A submission may come back as almost anything: downloaded from Colab, saved by another editor, cut
off, its cells split, merged, retyped or without their marks. Nothing of it is trusted but what the
student wrote: `reading` takes cells out of any file that still holds some, `matching` finds out
which of the released cells each one is, `rebuilding` puts the student's answers and extra cells
into a fresh copy of the released notebook. A notebook in which every cell is where it was released
passes through unchanged.

`submission.repaired` is the way in, for `nbseal autograde` and, by `exporter`, for `nbgrader
autograde`.
"""
