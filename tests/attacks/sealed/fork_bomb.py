# attack: forks without end
# points: none
# must not: slow the class down beyond its own time, or leave a process behind
# ordinary: yes

# %% row_stats
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
