"""All that an nbgrader_config.py needs to say so that a course is graded by nbseal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traitlets.config import Config

ENGINES = ("sealed", "nbgrader")
# what takes the place of a part of Formgrader's own templates
FORMGRADER_TEMPLATES = os.path.join(os.path.dirname(__file__), "pages", "formgrader_templates")


def configure(c: Config, *, course_files: Sequence[str] = (), engine: str | None = None) -> None:
    """Let `nbgrader autograde`, Formgrader, `nbgrader generate_feedback` and `nbseal` grade this
    course in sealed sessions.

        c = get_config()
        import nbseal
        nbseal.configure(c, course_files=["utils.py", "data"])

    course_files: files and folders of the course's folder that every notebook may read, beside
    those that lie in its own.
    engine: "nbgrader" returns to nbgrader's own execution; if not given, what the environment's
    GRADING_ENGINE says, else
        "sealed". Raises ValueError for any other.
    """
    engine = engine or os.environ.get("GRADING_ENGINE", "sealed")
    if engine not in ENGINES:
        raise ValueError(f"the engine {engine!r} is not known: say one of {', '.join(ENGINES)}.")
    # nbgrader starts `alembic` by name: it is beside Python, also where nobody activated the
    # environment.
    os.environ["PATH"] = (
        os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", os.defpath)
    )

    # What was handed in is rebuilt on the released notebook before anything else looks at it.
    c.Autograde.exporter_class = "nbseal.autograde.exporter.RepairingExporter"
    if engine == "sealed":
        c.SealedExecute.course_files = list(course_files)
        c.Autograde.sanitize_preprocessors = [
            "nbseal.autograde.sanitizing.TrustOnlySource",
            "nbgrader.preprocessors.ClearOutput",
            "nbgrader.preprocessors.DeduplicateIds",
            "nbgrader.preprocessors.OverwriteKernelspec",
            "nbgrader.preprocessors.OverwriteCells",
            "nbgrader.preprocessors.CheckCellMetadata",
        ]
        c.Autograde.autograde_preprocessors = [
            "nbseal.autograde.writing.SealedExecute",
            "nbgrader.preprocessors.IgnorePattern",
            "nbconvert.preprocessors.ClearMetadataPreprocessor",
            "nbgrader.preprocessors.LimitOutput",
            "nbseal.autograde.scoring.SaveAutoGrades",
            "nbgrader.preprocessors.AssignLatePenalties",
            "nbgrader.preprocessors.CheckCellMetadata",
        ]

    # What students get back: labels, verdicts and named mistakes, and nothing of a hidden test.
    c.GenerateFeedback.exporter_class = "nbseal.pages.feedback_page.FeedbackExporter"
    c.GenerateFeedback.preprocessors = [
        "nbgrader.preprocessors.GetGrades",
        "nbseal.pages.feedback.StripHidden",
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]
    c.StripHidden.sealed = engine == "sealed"

    # What students wrote is shown in Formgrader and in feedback with all that acts or loads taken
    # out.
    c.HTMLExporter.preprocessors = ["nbseal.pages.safe_notebook.SafeToLookAt"]
    c.HTMLExporter.filters = {
        name: f"nbseal.pages.safe_html.{name}"
        for name in ("markdown2html", "clean_html", "strip_files_prefix")
    }
    c.HTMLExporter.extra_template_basedirs.prepend([FORMGRADER_TEMPLATES])
    c.HTMLExporter.sanitize_html = True
