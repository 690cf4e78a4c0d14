# attack: a session of a plain test writes the gradebook, the solutions and the notebook that is being graded
# points: none
# must not: change anything outside its scratch

# %% double
import glob, os, sqlite3
course = os.path.dirname(os.path.realpath("utils.py"))
for name in (f"{course}/gradebook.db", "../../../gradebook.db"):
    try:
        with sqlite3.connect(name) as db:
            db.execute("update grade set auto_score = 300")
    except sqlite3.Error:
        pass
for name in ("tasks.ipynb", "../../../source/numbers/tasks.ipynb", f"{course}/source/numbers/tasks.ipynb", "timestamp.txt", "tasks.html"):
    try:
        open(name, "w").write("{}")
    except OSError:
        pass
