# attack: ignores interrupts, blocks all signals, and never returns
# points: none
# must not: run beyond its time

# %% row_stats
import signal
signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
while True:
    try:
        while True:
            pass
    except BaseException:
        continue
