# attack: takes memory until there is none: tensors, shared mappings, files in /dev/shm and /tmp, and children that do the same
# points: none
# must not: take more than its share or bring down the worker
# ordinary: yes

# %% row_stats
import mmap, os
def fill():
    kept = []
    while True:
        try:
            kept.append(torch.ones(1 << 22))
            shared = mmap.mmap(-1, 16 << 20)
            shared[::4096] = b"x" * len(range(0, 16 << 20, 4096))
            kept.append(shared)
        except (RuntimeError, OSError, MemoryError, ValueError):
            break
for _ in range(4):
    if os.fork() == 0:
        fill()
        os._exit(0)
fill()
