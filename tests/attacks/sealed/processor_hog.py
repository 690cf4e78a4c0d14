# attack: sixty processes, each in a session of its own, use all processors while others are graded
# points: none
# must not: make another student's cells run out of time
# ordinary: yes

# %% row_stats
import os, time
for _ in range(50):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
time.sleep(7)
