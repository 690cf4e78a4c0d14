# attack: closes the channel, opens /dev/zero in its place, and goes on
# points: none
# must not: stop the batch

# %% row_stats
import os
for number in range(3, 64):
    try:
        if "socket" in os.readlink(f"/proc/self/fd/{number}"):
            os.dup2(os.open("/dev/zero", os.O_RDWR), number)
    except OSError:
        pass
