"""All that an nbgrader_config.py needs to say so that a course is graded by nbseal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traitlets.config import Config

ENGINES = ("sealed", "nbgrader")
# what takes the place of nbgrader's own
INSTEAD = {
    "nbgrader.Execute": "nbseal.autograde.writing.SealedExecute",
    "nbgrader.SaveAutoGrades": "nbseal.autograde.scoring.SaveAutoGrades",
}
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
        sanitizing = [
            "nbseal.autograde.sanitizing.TrustOnlySource",
            "nbgrader.preprocessors.ClearOutput",
            "nbgrader.preprocessors.DeduplicateIds",
            "nbgrader.preprocessors.OverwriteKernelspec",
            "nbgrader.preprocessors.OverwriteCells",
            "nbgrader.preprocessors.CheckCellMetadata",
        ]
        grading = [
            "nbseal.autograde.writing.SealedExecute",
            "nbgrader.preprocessors.IgnorePattern",
            "nbconvert.preprocessors.ClearMetadataPreprocessor",
            "nbgrader.preprocessors.LimitOutput",
            "nbseal.autograde.scoring.SaveAutoGrades",
            "nbgrader.preprocessors.AssignLatePenalties",
            "nbgrader.preprocessors.CheckCellMetadata",
        ]
        _put(c.Autograde, "sanitize_preprocessors", sanitizing)
        _put(c.Autograde, "autograde_preprocessors", grading)

    # What students get back: labels, verdicts and named mistakes, and nothing of a hidden test.
    c.GenerateFeedback.exporter_class = "nbseal.pages.feedback_page.FeedbackExporter"
    feedback = [
        "nbgrader.preprocessors.GetGrades",
        "nbseal.pages.feedback.StripHidden",
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]
    _put(c.GenerateFeedback, "preprocessors", feedback)
    c.StripHidden.sealed = engine == "sealed"

    # What students wrote is shown in Formgrader and in feedback with all that acts or loads taken
    # out.
    _put(c.HTMLExporter, "preprocessors", ["nbseal.pages.safe_notebook.SafeToLookAt"])
    c.HTMLExporter.filters.update(
        {
            name: f"nbseal.pages.safe_html.{name}"
            for name in ("markdown2html", "clean_html", "strip_files_prefix")
        }
    )
    c.HTMLExporter.extra_template_basedirs.prepend([FORMGRADER_TEMPLATES])
    c.HTMLExporter.sanitize_html = True


def _put(section: Config, trait: str, ours: list[str]) -> None:
    """Set a list of preprocessors. In a list that the configuration has above, only what is ours
    is put in or replaced; all else stays, in its order."""
    from traitlets.config import LazyConfigValue

    there = section.get(trait)
    if there is None or isinstance(there, LazyConfigValue):  # which was appended to, say
        section[trait] = ours if there is None else there.get_value(ours)
        return
    merged = [INSTEAD.get(_name(item), item) for item in there]
    # what takes nobody's place comes right after what it follows in our own list
    for at, name in enumerate(ours):
        if name.startswith("nbseal.") and name not in [*INSTEAD.values(), *merged]:
            earlier = set(map(_name, ours[:at]))
            places = [place for place, item in enumerate(merged, 1) if _name(item) in earlier]
            merged.insert(max(places, default=0), name)
    section[trait] = merged


def _name(preprocessor: object) -> str:
    """Of a preprocessor as a configuration has it, its class or where to import it from."""
    if isinstance(preprocessor, type):
        return f"{preprocessor.__module__.partition('.')[0]}.{preprocessor.__name__}"
    package, _, path = str(preprocessor).partition(".")
    return f"{package}.{path.rpartition('.')[2]}"
