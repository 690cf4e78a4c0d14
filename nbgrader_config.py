"""How nbgrader sees this course: https://nbgrader.readthedocs.io/en/stable/configuration/config_options.html"""

import os
import sys

c = get_config()  # noqa: F821 - nbgrader provides it

# nbgrader starts `alembic` by name: it is beside Python, also where nobody activated the environment.
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]

c.CourseDirectory.course_id = "deep-networks"

# The instructor's version with hidden tests, and what students get. `python -m grading release` makes the second.
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"

# Scores are kept in gradebook.db beside this file, or where COURSE_DB says,
# for example postgresql://user:password@host/gradebook.
if os.environ.get("COURSE_DB"):
    c.CourseDirectory.db_url = os.environ["COURSE_DB"]

# What a student finds in place of a solution. It raises, so that an unfinished task never passes by accident.
c.ClearSolutions.code_stub = {"python": 'raise NotImplementedError("TODO: write your solution here")'}
c.ClearSolutions.text_stub = "TODO: write your answer here"

# `nbgrader autograde` and Formgrader execute submissions in this project's engine: warm, confined, test cells sealed.
# The switch: GRADING_ENGINE=nbgrader in the environment, or "nbgrader" here, returns to nbgrader's own Execute.
ENGINE = os.environ.get("GRADING_ENGINE", "sealed")

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # for grading/, wherever nbgrader was started

# What was handed in is rebuilt on the released notebook before anything else looks at it.
c.Autograde.exporter_class = "grading.repair.exporter.RepairingExporter"

if ENGINE == "sealed":
    c.Autograde.sanitize_preprocessors = [
        "grading.restoring.TrustOnlySource",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.DeduplicateIds",
        "nbgrader.preprocessors.OverwriteKernelspec",
        "nbgrader.preprocessors.OverwriteCells",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.Autograde.autograde_preprocessors = [
        "grading.writer.SealedExecute",
        "nbgrader.preprocessors.IgnorePattern",
        "nbconvert.preprocessors.ClearMetadataPreprocessor",
        "nbgrader.preprocessors.LimitOutput",
        "grading.writer.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]

# What students get back: labels, verdicts and named mistakes, and nothing of a hidden test.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "grading.feedback.StripHidden",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
c.StripHidden.sealed = ENGINE == "sealed"

# What students wrote is shown in Formgrader and in feedback with all that acts or loads taken out (docs/security.md).
c.HTMLExporter.preprocessors = ["grading.safe_notebook.SafeToLookAt"]
c.HTMLExporter.filters = {name: f"grading.safe_html.{name}" for name in ("markdown2html", "clean_html", "strip_files_prefix")}
c.HTMLExporter.sanitize_html = True
