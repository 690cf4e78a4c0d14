# attack: a hundred thousand displays with one display id in a cell, each of which updates all before it
# points: none
# must not: occupy the grader with its outputs for minutes
# ordinary: yes

# %% row_stats
import json, sys
frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "channel"):
    frame = frame.f_back
one = {"msg_type": "display_data", "content": {"data": {}, "transient": {"display_id": "a"}}}
text = ("[" + ",".join([json.dumps(one, separators=(",", ":"))] * 80_000) + "]").encode()

async def cell(self, request):
    return {"status": "ok"}, text

type(frame.f_locals["self"])._cell = cell
