# attack: links beside the notebook that lead to the solutions, the gradebook and /, and files written through them
# points: none
# must not: have a link followed by the trusted side, in or out
# ordinary: yes

# %% change
def change(nb, folder):
    import os
    course = folder.parents[2]
    for number, target in enumerate([course / "solutions", course / "gradebook.db", "/", "/etc/passwd", course / "utils.py",
                                     course / "solutions" / folder.name / "layer_norm.ipynb", "../../../solutions"]):
        os.symlink(target, folder / f"link{number}")

# %% before row_stats
import os
for name in sorted(os.listdir(".")):
    if name.startswith("link"):
        try:
            names = os.listdir(name) if os.path.isdir(name) else open(name).read()
            if "BEGIN SOLUTION" in str(names) or "layer_norm.ipynb" in str(names) or "SQLite" in str(names):
                print("plun" + "der:", names)
        except (OSError, UnicodeDecodeError):
            pass
course = os.path.dirname(os.path.realpath("utils.py"))
for number, target in enumerate([course, course + "/gradebook.db", "/", "../../..", course + "/nbgrader_config.py"]):
    os.symlink(target, f"out{number}")
os.makedirs("deep/er", exist_ok=True)
open("deep/er/file.txt", "w").write("fine")
