# attack: ipykernel_launcher.py, sitecustomize.py, usercustomize.py, conftest.py and a grading package beside the notebook
# points: none
# must not: be run by whatever starts workers or grades
# ordinary: yes

# %% file ipykernel_launcher.py
open("/tmp/plunder-launcher", "w").write("x"); raise SystemExit(0)

# %% file sitecustomize.py
import os; os._exit(0)

# %% file usercustomize.py
import os; os._exit(0)

# %% file conftest.py
import os; os._exit(0)

# %% file nbgrader_config.py
c = get_config()
c.Autograde.autograde_preprocessors = []
c.CourseDirectory.db_url = "sqlite:////tmp/other.db"

# %% file grading/__init__.py
import os; os._exit(0)

# %% file grading/worker.py
import os; os._exit(0)

# %% file a.pth
import os; os._exit(0)
