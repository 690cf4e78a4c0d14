# attack: prints without end, to stdout, stderr, their descriptors and from subprocesses
# points: none
# must not: fill the notebook or stop the batch

# %% row_stats
import os, subprocess, sys
for _ in range(20_000):
    print("x" * 1000)
    print("y" * 1000, file=sys.stderr)
for _ in range(100):
    os.write(1, b"z" * 100_000)
subprocess.run("head -c 20000000 /dev/zero", shell=True)
