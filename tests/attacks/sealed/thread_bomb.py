# attack: starts threads without end, each of which allocates and spins
# points: none
# must not: outlive its time or its memory

# %% row_stats
import threading
def spin():
    block = bytearray(1 << 20)
    while True:
        pass
try:
    while True:
        threading.Thread(target=spin, daemon=True).start()
except RuntimeError as error:
    print(error)
