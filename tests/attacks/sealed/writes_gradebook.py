# attack: writes full marks into the gradebook, wherever it may be
# points: none
# must not: change the gradebook or any score
# ordinary: yes

# %% before row_stats
import glob, os, sqlite3
course = os.path.dirname(os.path.realpath("utils.py"))
for name in [f"{course}/gradebook.db", "../../../gradebook.db", "gradebook.db", "/work/main/gradebook.db",
             *glob.glob("/tmp/**/gradebook.db", recursive=True)]:
    try:
        with sqlite3.connect(name) as db:
            db.execute("update grade set auto_score = 300, manual_score = 300, extra_credit = 300")
            db.execute("update grade_cell set max_score = 300")
    except sqlite3.Error as error:
        print(name, error)

# %% file gradebook.db
this is no gradebook
