# attack: a forked process competes for what the channel brings and forges answers, each claimed twice
# points: none
# must not: gain a point, or confuse whose answers are whose

# %% row_stats
import os, socket
number = next(n for n in range(3, 256) if os.path.islink(f"/proc/self/fd/{n}") and "socket" in os.readlink(f"/proc/self/fd/{n}"))
for _ in range(3):
    if os.fork() == 0:
        line = socket.socket(fileno=number)
        for _ in range(20):
            data = line.recv(1 << 16)
            line.sendall(data)
        os._exit(0)
