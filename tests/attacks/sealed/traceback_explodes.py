# attack: every reply says that its traceback is one text of millions of characters, which would become as many lines
# points: none
# must not: use up the grader's memory

# %% row_stats
import sys
frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "channel"):
    frame = frame.f_back

async def cell(self, request):
    return {"status": "error", "ename": "E", "evalue": "x" * 1_000_000, "traceback": "\x1b[1mline " * 250_000}, b"[]"

type(frame.f_locals["self"])._cell = cell
