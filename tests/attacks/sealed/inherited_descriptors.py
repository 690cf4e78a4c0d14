# attack: reads and writes every descriptor that it finds open, but for the one it must have
# points: none
# must not: find a descriptor that leads out of its session

# %% before row_stats
import os, stat
for number in range(256):
    try:
        about, target = os.fstat(number), os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        continue
    if stat.S_ISREG(about.st_mode) and not target.startswith(("/tmp/", "/dev/shm")) and "(deleted)" not in target:
        print("plun" + "der:", number, target)
    if stat.S_ISDIR(about.st_mode):
        print("plun" + "der:", number, target, os.listdir(number)[:20])
sockets = [n for n in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}") is False]
