# attack: replies with wrong tokens, wrong types, negative numbers, strange keys and replies to what was not asked
# points: none
# must not: gain a point or stop the batch with replies of a wrong form

# %% row_stats
import sys
frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "channel"):
    frame = frame.f_back
kind = type(frame.f_locals["self"])

async def cell(self, request):
    for strange in ({"did": None}, {"did": [request["token"]]}, {"did": {"a": 1}}, {"ready": True}, {"end": "completed", "token": None}):
        self.channel.send(strange)
    return {"status": ["error"], "ename": {"a": 1}, "evalue": None, "traceback": 5}, b"\xff\xfe not json"

async def test(self, request):
    token = request["token"]
    for strange in ({"ready": token}, {"ready": token}, {"answer": None, "token": token, "outline": {"tensor": -1}},
                    {"answer": ["the mean of each row"], "token": token, "outline": {"dict": [[[], []]]}},
                    {"answer": {"a": 1}, "token": token, "outline": {"tensor": "__class__"}},
                    {"end": "completed", "token": token, "error": "text", "used": {"a": 1}},
                    {"end": "completed", "token": token, "error": {"ename": 5, "evalue": [], "traceback": {}}, "used": [[], {}]}):
        self.channel.send(strange, b"not safetensors")
    return {"how": "completed", "threads": -5, "passed": True, "score": 100}, b"x"

kind._cell, kind._test = cell, test

# %% layer_norm
"cells after this one are answered by `cell`"
