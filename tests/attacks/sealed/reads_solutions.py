# attack: reads the instructor's notebook by every road there is
# points: none
# must not: read solutions/, whoever grades
# ordinary: yes

# %% before row_stats
import glob, os
roads = ["../../../solutions", "../../solutions", "../solutions", "/work/main/solutions", "/proc/self/cwd/../../../solutions",
         "/proc/1/root/work/main/solutions", "/proc/1/cwd/../../../solutions"]
real = os.path.realpath("utils.py")
roads += [os.path.join(os.path.dirname(real), "solutions"), os.path.join(os.path.dirname(real), "submitted")]
found = [name for road in roads for name in glob.glob(road + "/**/*.ipynb", recursive=True)]
for place, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(place, name) not in ("/proc", "/usr", "/sys")]
    found += [os.path.join(place, name) for name in files if name == "layer_norm.ipynb"]
for name in found:
    text = open(name).read()
    if "BEGIN SOLUTION" in text or "HIDDEN" in text or "classmate" in text:
        print("plun" + "der:", name, text[:3000])
