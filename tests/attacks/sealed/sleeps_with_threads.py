# attack: threads that live and tests that hang, so that every test is run again in a session of its own
# points: none
# must not: get more than its time by being run again and again
# ordinary: yes

# %% row_stats
import threading, time
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
import sys
frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "channel"):
    frame = frame.f_back

async def late(self, request):
    return {"how": "timed out", "threads": 7}, b""

async def slow(self, request):
    time.sleep(7)
    return {"status": "ok"}, b"[]"

type(frame.f_locals["self"])._test = late

# %% influence
time.sleep(5)
