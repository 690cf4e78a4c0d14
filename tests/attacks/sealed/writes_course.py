# attack: writes to utils.py, data/, solutions/, Python's packages, sitecustomize and .pth files
# points: none
# must not: change a file outside its scratch
# ordinary: yes

# %% before row_stats
import os, site, sys
course = os.path.dirname(os.path.realpath("utils.py"))
targets = [f"{course}/utils.py", f"{course}/data/names.txt", f"{course}/planted.py", f"{course}/solutions/planted.py", f"{course}/nbgrader_config.py",
           f"{sys.prefix}/planted.pth", os.path.expanduser("~/.bashrc"), os.path.expanduser("~/planted"), "/etc/cron.d/planted"]
targets += [f"{folder}/{name}" for folder in site.getsitepackages() for name in ("planted.pth", "sitecustomize.py", "torch/__init__.py")]
for name in targets:
    for attempt in (lambda: open(name, "a").write("\nimport os\n"), lambda: os.truncate(name, 0), lambda: os.unlink(name),
                    lambda: os.chmod(name, 0o777), lambda: os.utime(name, (0, 0)), lambda: os.rename(name, name + "x"),
                    lambda: os.link(name, "linked"), lambda: os.symlink("/etc/passwd", name)):
        try:
            attempt()
        except OSError:
            pass
