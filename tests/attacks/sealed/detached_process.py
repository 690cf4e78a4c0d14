# attack: a daemon that ignores all signals, has sessions of its own and stays to cheat in the next student's session
# points: none
# must not: outlive its session
# ordinary: yes

# %% row_stats
import os, signal, subprocess, sys
code = "import time, signal, os; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(3600)"
subprocess.Popen([sys.executable, "-c", code, "canary-that-" + "outlives-3307"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", code, "canary-that-" + "outlives-3307"])
    os._exit(0)
