"""How nbgrader sees this course:
https://nbgrader.readthedocs.io/en/stable/configuration/config_options.html"""

import os

import nbseal

c = get_config()  # noqa: F821 - nbgrader provides it

c.CourseDirectory.course_id = "deep-networks"

# The instructor's version with hidden tests, and what students get. `nbseal release` makes the
# second.
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"

# Scores are kept in gradebook.db beside this file, or where COURSE_DB says,
# for example postgresql://user:password@host/gradebook.
if os.environ.get("COURSE_DB"):
    c.CourseDirectory.db_url = os.environ["COURSE_DB"]

# What a student finds in place of a solution. It raises, so that an unfinished task never passes by
# accident.
c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("TODO: write your solution here")'
}
c.ClearSolutions.text_stub = "TODO: write your answer here"

# Exercises 04 and 05 train: 20 s of processor time are allowed, which take longer where a machine
# is busy.
c.Execute.timeout = 60

# `nbgrader autograde` and Formgrader execute submissions in nbseal's engine: warm, confined, test
# cells sealed. GRADING_ENGINE=nbgrader in the environment returns to nbgrader's own execution.
nbseal.configure(c, course_files=["utils.py", "data"])
