"""A course as small as it can be: the second import and the last line are all that nbseal takes."""

import nbseal

c = get_config()  # noqa: F821 - nbgrader provides it

c.CourseDirectory.course_id = "demo"
nbseal.configure(c)
